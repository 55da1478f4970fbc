//! Curves over the number of CPUs: in a terminal's characters, and as SVG.

use std::fmt::Write;

/// A curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Its name.
    pub name: String,
    /// Points from left to right; both finite.
    pub points: Vec<(f64, f64)>,
}

/// Marks of curves, in order.
const MARKS: [char; 8] = ['*', 'o', '+', 'x', '#', '@', '%', '&'];
const COLOURS: [&str; 8] = [
    "#1b6ca8", "#d1495b", "#2e8b57", "#b8860b", "#6a4c93", "#008b8b", "#8b4513", "#555555",
];

/// In so many columns and rows of a terminal.
pub fn text(curves: &[Curve], unit: &str, columns: usize, rows: usize) -> String {
    let (right, top) = extent(curves);
    let (columns, rows) = (columns.max(20), rows.max(5));
    let mut grid = vec![vec![' '; columns]; rows];
    for (curve, mark) in curves.iter().zip(MARKS.iter().cycle()) {
        for (x, y) in &curve.points {
            let column = ((x / right) * (columns - 1) as f64).round() as usize;
            let row = ((1.0 - y / top) * (rows - 1) as f64).round() as usize;
            grid[row.min(rows - 1)][column.min(columns - 1)] = *mark;
        }
    }
    let mut plot = format!("{unit}\n");
    for (index, line) in grid.iter().enumerate() {
        let value = top * (1.0 - index as f64 / (rows - 1) as f64);
        let line: String = line.iter().collect();
        let _ = writeln!(plot, "{:>9} |{}", short(value), line.trim_end());
    }
    let _ = writeln!(plot, "{:>9} +{}", "", "-".repeat(columns));
    let _ = writeln!(
        plot,
        "{:>9}  0{:>width$} CPUs",
        "",
        short(right),
        width = columns - 1
    );
    for (curve, mark) in curves.iter().zip(MARKS.iter().cycle()) {
        let _ = writeln!(plot, "{:>9} {mark} {}", "", curve.name);
    }
    plot
}

/// As a document of its own.
pub fn svg(title: &str, curves: &[Curve], unit: &str) -> String {
    let (right, top) = extent(curves);
    let (width, height, left, bottom) = (640.0, 360.0, 70.0, 40.0);
    let x = |value: f64| left + value / right * (width - left - 20.0);
    let y = |value: f64| height - bottom - value / top * (height - bottom - 40.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{left}\" y=\"20\" font-size=\"14\">{}</text>\n",
        height + 18.0 * curves.len() as f64,
        escaped(title),
    );
    for step in 0..=4 {
        let share = f64::from(step) / 4.0;
        let (value, at) = (top * share, y(top * share));
        let _ = writeln!(
            svg,
            "<line x1=\"{left}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            width - 20.0,
            left - 6.0,
            at + 4.0,
            short(value)
        );
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            x(right * share),
            height - bottom + 16.0,
            short(right * share)
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{left}\" y=\"36\" fill=\"#555\">{}</text>\
         <text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#555\">CPUs</text>",
        escaped(unit),
        width - 20.0,
        height - 8.0
    );
    for (index, curve) in curves.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let points: Vec<String> = curve
            .points
            .iter()
            .map(|(at, value)| format!("{:.1},{:.1}", x(*at), y(*value)))
            .collect();
        let legend = height + 18.0 * index as f64;
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\
             <line x1=\"{left}\" x2=\"{}\" y1=\"{legend}\" y2=\"{legend}\" stroke=\"{colour}\" \
             stroke-width=\"2\"/><text x=\"{}\" y=\"{}\">{}</text>",
            points.join(" "),
            left + 24.0,
            left + 30.0,
            legend + 4.0,
            escaped(&curve.name)
        );
    }
    svg + "</svg>\n"
}

/// The right end and the top of the plot: never zero.
fn extent(curves: &[Curve]) -> (f64, f64) {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let greatest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let right = greatest(&mut points().map(|point| point.0));
    let top = greatest(&mut points().map(|point| point.1));
    let above_zero = |value: f64| if value > 0.0 { value } else { 1.0 };
    (above_zero(right), above_zero(top))
}

/// Four characters and a letter at most.
fn short(value: f64) -> String {
    let (value, letter) = match value.abs() {
        v if v >= 1e9 => (value / 1e9, "G"),
        v if v >= 1e6 => (value / 1e6, "M"),
        v if v >= 1e3 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let text = match value.abs() {
        v if v >= 100.0 || v == v.round() => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    };
    text + letter
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curves() -> Vec<Curve> {
        vec![
            Curve {
                name: "a<b".to_owned(),
                points: vec![(1.0, 10.0), (2.0, 20.0), (4.0, 5.0)],
            },
            Curve {
                name: "b".to_owned(),
                points: vec![(1.0, 10.0), (4.0, 40_000.0)],
            },
        ]
    }

    #[test]
    fn marks_are_where_the_points_are() {
        let plot = text(&curves(), "things/s", 40, 8);
        let lines: Vec<_> = plot.lines().collect();
        assert!(
            lines[1].starts_with("      40k |") && lines[1].ends_with('o'),
            "{plot}"
        );
        assert!(lines[8].contains('*'), "{plot}");
        assert!(plot.contains("o b"));
    }

    #[test]
    fn an_svg_has_a_line_a_curve_and_no_raw_names() {
        let svg = svg("locks & more", &curves(), "things/s");
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(svg.contains("a&lt;b") && svg.contains("locks &amp; more") && !svg.contains("a<b"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn nothing_to_plot_is_no_division_by_zero() {
        assert!(!text(&[], "x", 40, 8).contains("NaN"));
        assert!(!svg("", &[], "x").contains("NaN"));
    }
}
