//! Latency: the probe's idle and under load, exchanges by response and service time, and how well
//! our own pacing kept its gaps.

use plan::Kind;
use record::{End, Latency, Run};
use units::Nanos;

use super::bulk::NAME;
use crate::quantity::{name, nanos, number};
use crate::style::Style;
use crate::table::Align::{Left, Right};
use crate::table::Table;

pub(super) fn latency(run: &Run, style: Style) -> String {
    let mut table = Table::new(&[
        ("latency", Left),
        ("samples", Right),
        ("min", Right),
        ("mean", Right),
        ("median", Right),
        ("p90", Right),
        ("p99", Right),
        ("p99.9", Right),
        ("max", Right),
    ]);
    let mut row = |label: String, latency: &Latency| {
        table.row([
            label,
            latency.samples.to_string(),
            nanos(latency.min_ns),
            nanos(latency.mean_ns),
            nanos(latency.p50_ns),
            percentile(latency, latency.p90_ns, 10),
            percentile(latency, latency.p99_ns, 100),
            percentile(latency, latency.p999_ns, 1000),
            nanos(latency.max_ns),
        ]);
    };
    let under_load = run.latency_under_load.as_ref();
    if let Some(seen) = under_load {
        row("idle".to_owned(), &seen.idle);
        row("under load".to_owned(), &seen.loaded);
    }
    let shown = |kind| kind == Kind::Probe && under_load.is_some();
    for load in run.loads.iter().filter(|load| !shown(load.kind)) {
        let label = |what| format!("{} {what}", name(&load.name, NAME));
        if let Some(response) = &load.latency {
            row(label("response"), response);
        }
        if let Some(service) = &load.service_time {
            row(label("service"), service);
        }
        if let Some(pacing) = &load.pacing {
            for (end, error) in [(End::Client, &pacing.client), (End::Server, &pacing.server)] {
                if let Some(error) = error {
                    let gap = Nanos::new(error.asked_gap_ns);
                    row(format!("{} gap error of {gap}", end.name()), &error.error);
                }
            }
        }
    }
    let mut text = table.render(style);
    if let Some(seen) = under_load.filter(|seen| seen.added_ms.is_some()) {
        text.push_str(&format!(
            "added by the load: {} ms (median); {} round trips per minute under load (mean)\n",
            number(seen.added_ms, 3),
            number(seen.rpm, 0),
        ));
    }
    text
}

/// A dash where there are fewer samples than leave one beyond the percentile: it only repeats the
/// largest.
fn percentile(latency: &Latency, value: Option<u64>, least: u64) -> String {
    nanos(value.filter(|_| latency.samples >= least))
}
