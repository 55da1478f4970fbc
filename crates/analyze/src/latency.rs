//! Latency without and with load, from the probe.

use record::{Buckets, End, LatencyUnderLoad};

use crate::stream::Stream;

/// The first probe's view. None without a probe, without its closing figures, or when nothing but
/// probes ran: there was no load then.
pub(crate) fn under_load(stream: &Stream) -> Option<LatencyUnderLoad> {
    let is_probe = |load: &plan::Load| load.kind == plan::Kind::Probe;
    let (probe, _) = stream.loads().find(|(_, load)| is_probe(load))?;
    let loaded = stream.plan.loads.iter().any(|load| !is_probe(load));
    let closing = stream.side(End::Client).closing(probe).filter(|_| loaded)?;
    let summary =
        |buckets: &Option<Buckets>| buckets.as_ref().map(Buckets::latency).unwrap_or_default();
    let (idle, loaded) = (summary(&closing.idle), summary(&closing.response));
    let added = |idle: u64, loaded: u64| (loaded as f64 - idle as f64) / 1e6;
    let rpm = |mean_ns: u64| (mean_ns > 0).then(|| 60e9 / mean_ns as f64);
    Some(LatencyUnderLoad {
        idle,
        loaded,
        added_ms: idle
            .p50_ns
            .zip(loaded.p50_ns)
            .map(|(idle, loaded)| added(idle, loaded)),
        rpm: loaded.mean_ns.and_then(rpm),
    })
}
