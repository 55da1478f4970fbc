//! Doubts about percentiles that rest on too few samples.

use plan::Kind;
use record::{Doubt, Latency, Run};

use super::{about, doubt};

/// Samples below which a probe's median says little.
const MEDIAN: u64 = 5;

pub(super) fn doubts(run: &Run) -> Vec<Doubt> {
    let exchanges = run.loads.iter().filter(|load| load.kind != Kind::Probe);
    let mut doubts: Vec<Doubt> = exchanges
        .filter_map(|load| tail(&load.name, &load.latency?))
        .collect();
    if let Some(seen) = &run.latency_under_load {
        doubts.extend(median("latency_under_load.idle", &seen.idle));
        doubts.extend(median("latency_under_load.loaded", &seen.loaded));
    }
    doubts
}

fn median(about: &str, latency: &Latency) -> Option<Doubt> {
    let evidence = format!("{} samples", latency.samples);
    (1..MEDIAN)
        .contains(&latency.samples)
        .then(|| doubt("few-samples", about, evidence))
}

/// A percentile needs as many samples as it leaves one beyond.
fn tail(load: &str, latency: &Latency) -> Option<Doubt> {
    let samples = latency.samples;
    let figures = match samples {
        0 => return None,
        1..20 => "p95, p99 and p99.9",
        20..100 => "p99 and p99.9",
        100..1000 => "p99.9",
        _ => return None,
    };
    let evidence = format!("{samples} samples: {figures} only repeat the largest of them");
    Some(doubt("few-samples", about(load, "latency"), evidence))
}
