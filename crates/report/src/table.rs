//! Columns that line up.

use crate::quantity::name;
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
    /// So many columns, the first, say which row is which.
    keys: usize,
    wide: Wide,
}

/// What becomes of a table that is wider than the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wide {
    /// It goes on below, with the columns that say which row is which.
    Below,
    /// It stays as it is: what is listed has one line each.
    Beyond,
    /// So, and the last column is cut.
    Cut,
}

/// Between two columns.
const GAP: &str = "  ";

impl Table {
    pub fn new(columns: &[(&'static str, Align)]) -> Self {
        Self {
            columns: columns.to_vec(),
            rows: Vec::new(),
            keys: 1,
            wide: Wide::Below,
        }
    }

    /// Each row stays one line, as long as it gets.
    pub fn beyond(mut self) -> Self {
        self.wide = Wide::Beyond;
        self
    }

    /// Each row stays one line; the last column is cut so that it fits.
    pub fn cut(mut self) -> Self {
        self.wide = Wide::Cut;
        self
    }

    /// The first `keys` columns together say which row is which.
    pub fn keyed(mut self, keys: usize) -> Self {
        self.keys = keys;
        self
    }

    /// One cell a column. Control characters of what others wrote do not reach the terminal.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<String> = cells.into_iter().map(printable).collect();
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
        let shown = match self.wide {
            Wide::Below => self.parts(&widths, style.width),
            Wide::Beyond => vec![widths],
            Wide::Cut => vec![cut(widths, style.width)],
        };
        let mut parts = Vec::new();
        for widths in shown {
            let mut text = style.paint(Paint::Head, self.line(&head, &widths).trim_end());
            text.push('\n');
            for row in &self.rows {
                text.push_str(self.line(row, &widths).trim_end());
                text.push('\n');
            }
            parts.push(text);
        }
        parts.join("\n")
    }

    /// The widths of the parts that fit on a screen: as few as possible, and about as wide.
    fn parts(&self, widths: &[Option<usize>], screen: usize) -> Vec<Vec<Option<usize>>> {
        let fewest = self.fill(widths, screen);
        let narrower = (0..screen).map(|width| self.fill(widths, width));
        let mut even = narrower.filter(|parts| parts.len() == fewest.len());
        even.next().unwrap_or(fewest)
    }

    /// Column after column, as far as `screen` goes; one that does not fit at all is alone.
    fn fill(&self, widths: &[Option<usize>], screen: usize) -> Vec<Vec<Option<usize>>> {
        let only_keys = || {
            let key = |(at, width): (usize, &Option<usize>)| width.filter(|_| at < self.keys);
            widths.iter().enumerate().map(key).collect::<Vec<_>>()
        };
        let mut parts = vec![only_keys()];
        let keys: usize = only_keys()
            .into_iter()
            .flatten()
            .map(|width| width + GAP.len())
            .sum();
        let mut taken = keys;
        for (at, width) in widths.iter().enumerate().skip(self.keys) {
            let Some(width) = width else { continue };
            if taken + width > screen && taken > keys {
                parts.push(only_keys());
                taken = keys;
            }
            if let Some(part) = parts.last_mut() {
                part[at] = Some(*width);
            }
            taken += width + GAP.len();
        }
        parts
    }

    /// `widths` are none for columns that are not shown.
    fn line(&self, cells: &[String], widths: &[Option<usize>]) -> String {
        let shown = (0..self.columns.len()).filter_map(|column| Some((column, widths[column]?)));
        let cells = shown.map(|(column, width)| {
            let cell = name(&cells[column], width);
            match self.columns[column].1 {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            }
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

/// The last column as narrow as it takes, and no narrower than says something.
fn cut(mut widths: Vec<Option<usize>>, screen: usize) -> Vec<Option<usize>> {
    const LEAST: usize = 12;
    let taken: usize = widths.iter().flatten().map(|width| width + GAP.len()).sum();
    if let Some(last) = widths.iter_mut().rev().flatten().next() {
        let others = taken - *last - GAP.len();
        *last = (*last).min(screen.saturating_sub(others).max(LEAST));
    }
    widths
}

fn printable(cell: String) -> String {
    match cell.contains(char::is_control) {
        true => cell.replace(char::is_control, "\u{fffd}"),
        false => cell,
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

    /// A note with an escape sequence coloured the terminal, and its newline broke the row.
    #[test]
    fn control_characters_are_shown_as_such() {
        let mut table = Table::new(&[("note", Align::Left)]);
        table.row(["new\nline \u{1b}[31mred".to_owned()]);
        assert_eq!(
            table.render(Style::PLAIN),
            "note\nnew\u{fffd}line \u{fffd}[31mred\n"
        );
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
    fn a_table_that_is_too_wide_goes_on_below() {
        let columns = ["side", "metric", "aaaa", "bbbb", "cccc", "dddd"];
        let mut table = Table::new(&columns.map(|name| (name, Align::Right))).keyed(2);
        table.row(["A", "rate", "1", "2", "3", "4"].map(str::to_owned));
        let style = |width| Style {
            width,
            ..Style::PLAIN
        };
        assert_eq!(table.render(style(36)).lines().count(), 2);
        let expected = "side  metric  aaaa  bbbb\n   A    rate     1     2\n\n\
                        side  metric  cccc  dddd\n   A    rate     3     4\n";
        assert_eq!(table.render(style(35)), expected);
        assert_eq!(table.render(style(24)), expected);
        // No screen is too narrow for one column.
        assert_eq!(table.render(style(0)).lines().count(), 4 * 3 - 1);
    }

    #[test]
    fn a_list_keeps_its_lines() {
        let of = |cells: [&str; 2]| {
            let mut table = Table::new(&[("run", Align::Left), ("note", Align::Left)]);
            table.row(cells.map(str::to_owned));
            table
        };
        let cells = ["12345678", "a note that is long"];
        let narrow = Style {
            width: 25,
            ..Style::PLAIN
        };
        let whole = "run       note\n12345678  a note that is long\n";
        assert_eq!(of(cells).beyond().render(narrow), whole);
        assert_eq!(of(cells).cut().render(Style::PLAIN), whole);
        let cut = "run       note\n12345678  a note that is~\n";
        assert_eq!(of(cells).cut().render(narrow), cut);
    }

    #[test]
    fn no_rows_are_no_table() {
        assert_eq!(
            Table::new(&[("load", Align::Left)]).render(Style::PLAIN),
            ""
        );
    }
}
