//! Lists of comparisons and of series: of what several runs say together.

use record::{Comparison, Contrast, Series, Verdict};

use super::status;
use crate::comparison::value;
use crate::quantity::NONE;
use crate::style::Style;
use crate::table::{Align, Table};

/// A row a comparison.
pub fn comparisons(comparisons: &[Comparison], style: Style) -> String {
    if comparisons.is_empty() {
        return "no stored comparison\n".to_owned();
    }
    let mut table = Table::new(&[
        ("comparison", Align::Left),
        ("pairs", Align::Right),
        ("verdict", Align::Left),
        ("metric", Align::Left),
        ("B/A", Align::Right),
        ("95 % interval", Align::Left),
        ("status", Align::Left),
        ("B", Align::Left),
    ])
    .cut();
    for comparison in comparisons {
        let metric = comparison.metrics.iter().find(|metric| metric.primary);
        let estimate = metric.and_then(|metric| metric.estimate.as_ref());
        let show = |value: f64| match metric.map(|metric| metric.contrast) {
            Some(Contrast::Difference) => format!("{value:+.4}"),
            _ => format!("{value:.4}"),
        };
        let interval = estimate.and_then(|estimate| {
            let (low, high) = (estimate.low?, estimate.high?);
            Some(format!("{} to {}", show(low), show(high)))
        });
        let b = match comparison.design.aa {
            true => "A again".to_owned(),
            false => comparison.sides.b.options.join(" "),
        };
        table.row([
            comparison.id.clone(),
            estimate.map_or(0, |estimate| estimate.n).to_string(),
            comparison.verdict.map_or(NONE, Verdict::name).to_owned(),
            metric.map_or(NONE.to_owned(), |metric| metric.metric.clone()),
            estimate.map_or(NONE.to_owned(), |estimate| show(estimate.value)),
            interval.unwrap_or_else(|| NONE.to_owned()),
            status(comparison.status).to_owned(),
            b,
        ]);
    }
    table.render(style)
}

/// A row a series.
pub fn all_series(all: &[Series], style: Style) -> String {
    if all.is_empty() {
        return "no stored series\n".to_owned();
    }
    let mut table = Table::new(&[
        ("series", Align::Left),
        ("cells", Align::Right),
        ("runs", Align::Right),
        ("metric", Align::Left),
        ("first", Align::Right),
        ("last", Align::Right),
        ("status", Align::Left),
        ("swept", Align::Left),
    ])
    .cut();
    for series in all {
        let mean = |cell: Option<&record::Cell>| {
            let estimate = cell?.estimates.iter().find(|e| e.metric == series.metric)?;
            Some(value(&estimate.unit, Some(estimate.mean)))
        };
        let keys: Vec<&str> = series
            .cells
            .first()
            .iter()
            .flat_map(|cell| &cell.settings)
            .filter_map(|setting| Some(setting.split_once('=')?.0))
            .collect();
        let runs: usize = series.cells.iter().map(|cell| cell.runs.len()).sum();
        table.row([
            series.id.clone(),
            series.cells.len().to_string(),
            runs.to_string(),
            series.metric.clone(),
            mean(series.cells.first()).unwrap_or_else(|| NONE.to_owned()),
            mean(series.cells.last()).unwrap_or_else(|| NONE.to_owned()),
            status(series.status).to_owned(),
            keys.join(", "),
        ]);
    }
    table.render(style)
}
