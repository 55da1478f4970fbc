//! Columns that line up.

use crate::style::{Paint, Style};

/// On which side the cells of a column are flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Rows under a head; each column is as wide as its widest cell.
pub(crate) struct Table {
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<String>>,
}

/// Between two columns.
const GAP: &str = "  ";

impl Table {
    pub fn new(columns: &[(&'static str, Align)]) -> Self {
        Self {
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    /// One cell a column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<String> = cells.into_iter().collect();
        debug_assert_eq!(cells.len(), self.columns.len());
        self.rows.push(cells);
    }

    /// The lines, each with its end; nothing at all without rows. Columns in which no row has a
    /// figure are left out.
    pub fn render(&self, style: Style) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let head: Vec<String> = self
            .columns
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect();
        // Once for all rows: there may be thousands.
        let widths: Vec<Option<usize>> = (0..self.columns.len())
            .map(|column| (column == 0 || self.has_figures(column)).then(|| self.width(column)))
            .collect();
        let mut text = style.paint(Paint::Head, self.line(&head, &widths).trim_end());
        text.push('\n');
        for row in &self.rows {
            text.push_str(self.line(row, &widths).trim_end());
            text.push('\n');
        }
        text
    }

    /// `widths` are none for columns that are not shown.
    fn line(&self, cells: &[String], widths: &[Option<usize>]) -> String {
        let shown = (0..self.columns.len()).filter_map(|column| Some((column, widths[column]?)));
        let cells = shown.map(|(column, width)| match self.columns[column].1 {
            Align::Left => format!("{:<width$}", cells[column]),
            Align::Right => format!("{:>width$}", cells[column]),
        });
        cells.collect::<Vec<_>>().join(GAP)
    }

    fn has_figures(&self, column: usize) -> bool {
        self.rows
            .iter()
            .any(|row| !matches!(row[column].as_str(), "" | "-"))
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().map(|row| row[column].chars().count());
        cells.fold(self.columns[column].0.chars().count(), usize::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_lines_have_no_tail() {
        let mut table = Table::new(&[
            ("load", Align::Left),
            ("rate", Align::Right),
            ("x", Align::Left),
        ]);
        table.row(["a".to_owned(), "10".to_owned(), String::new()]);
        table.row(["longer".to_owned(), "9".to_owned(), "y".to_owned()]);
        let expected = "load    rate  x\na         10\nlonger     9  y\n";
        assert_eq!(table.render(Style::PLAIN), expected);
    }

    #[test]
    fn a_column_without_figures_is_not_shown() {
        let mut table = Table::new(&[
            ("load", Align::Left),
            ("lost", Align::Right),
            ("rate", Align::Right),
        ]);
        table.row(["a".to_owned(), "-".to_owned(), "1".to_owned()]);
        assert_eq!(table.render(Style::PLAIN), "load  rate\na        1\n");
    }

    #[test]
    fn no_rows_are_no_table() {
        assert_eq!(
            Table::new(&[("load", Align::Left)]).render(Style::PLAIN),
            ""
        );
    }
}
