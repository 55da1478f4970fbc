//! The final report for eyes: headline first, then the directions, latency idle and under load,
//! cost, findings, doubts. Plain lines of at most 100 columns, fit for a mail.

mod bulk;
mod flow;
mod headline;
mod host;
mod latency;
mod notes;
mod observed;

use record::Run;

use crate::style::Style;
pub(crate) use notes::{evidence, headline};

/// The whole report.
pub fn text(run: &Run, style: Style) -> String {
    let parts = [
        headline::headline(run, style),
        bulk::directions(run, style),
        bulk::exchanges(run, style),
        bulk::loss(run, style),
        latency::latency(run, style),
        flow::flows(run, style),
        bulk::tcp(run, style),
        host::cost(run, style),
        observed::hosts(run, style),
        observed::drops(run, style),
        observed::locks(run, style),
        observed::timers(run, style),
        observed::queues(run, style),
        host::ledger(run, style),
        notes::findings(run, style),
        notes::doubts(run, style),
        host::hosts(run, style),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}
