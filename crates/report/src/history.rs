//! Lists of stored runs, for eyes and for other programs.

mod export;
mod together;
mod trend;

use record::{Status, Summary};

use crate::comparison::value;
use crate::quantity::{NONE, name};
use crate::style::Style;
use crate::table::{Align, Table};

pub use export::{csv, json_lines, openmetrics};
pub use together::{all_series, comparisons};
pub use trend::trend;

/// What a row shows of a run, the first that it has.
const HEADLINES: [(&str, &str); 2] = [("throughput", "bit/s"), ("transactions", "transactions/s")];
/// The same of a run of nothing but a probe. Beside a load they would read as its result.
const OF_PROBE: [(&str, &str); 2] = [("loaded-p50", "ns"), ("idle-p50", "ns")];

/// A row a run.
pub fn history(runs: &[Summary], style: Style) -> String {
    if runs.is_empty() {
        return "no stored run\n".to_owned();
    }
    let mut table = Table::new(&[
        ("run", Align::Left),
        ("started", Align::Left),
        ("host", Align::Left),
        ("loads", Align::Left),
        ("result", Align::Right),
        ("status", Align::Left),
        ("label", Align::Left),
        ("note", Align::Left),
    ])
    .cut();
    for run in runs {
        let of_probe: &[(&str, &str)] = if run.loads.is_empty() { &OF_PROBE } else { &[] };
        let headline = HEADLINES
            .iter()
            .chain(of_probe)
            .find_map(|(metric, unit)| Some(value(unit, Some(*run.values.get(*metric)?))));
        table.row([
            run.id.clone(),
            run.started.chars().take(19).collect(),
            name(&run.host, 20),
            name(&run.loads.join(", "), 24),
            headline.unwrap_or_else(|| NONE.to_owned()),
            status(run.status).to_owned(),
            run.label.clone().unwrap_or_default(),
            run.note.clone().unwrap_or_default(),
        ]);
    }
    table.render(style)
}

const fn status(status: Status) -> &'static str {
    match status {
        Status::Ok => "ok",
        Status::Failed => "failed",
        Status::Interrupted => "interrupted",
        Status::Invalid => "invalid",
    }
}
