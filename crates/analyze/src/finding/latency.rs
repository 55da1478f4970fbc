//! Waiting behind others' packets: what the probe saw, and the queue that explains it.

use record::{Cause, Finding, Run};
use units::Nanos;

use super::{finding, percent, queue, row, way};

/// A queue that adds less is not worth a finding.
const ADDED_MS: f64 = 1.0;
/// From here on the bulk's own round trip is proof enough that there is a queue.
const PLAIN_MS: f64 = 5.0;
/// From here on the queue itself is the trouble, whatever else limits the run: interactive traffic
/// suffers (ITU-T G.114 asks for 150 ms mouth to ear, of which this is one queue).
const TROUBLE_MS: f64 = 100.0;

pub(super) fn findings(run: &Run) -> Vec<Finding> {
    head_of_line(run).into_iter().collect()
}

fn head_of_line(run: &Run) -> Option<Finding> {
    let seen = run.latency_under_load.as_ref()?;
    let added = seen.added_ms.filter(|added| *added >= ADDED_MS)?;
    let (idle, loaded) = (seen.idle.p50_ns? as f64, seen.loaded.p50_ns? as f64);
    let ways = way::ways(run);
    // The bulk's own round trip has the same queue in it; a probe that only lacked a CPU has not.
    let bulk_us = ways.iter().filter_map(|way| way.tcp()?.rtt_us).max();
    let queued = ways
        .iter()
        .map(|way| way.sender)
        .find_map(|end| queue::fifo(run, end).or_else(|| queue::backlog(run, end)));
    let by_bulk = bulk_us.is_some_and(|us| us as f64 / 1e3 >= 0.5 * added);
    let in_queue = queued.is_some() || (by_bulk && added >= PLAIN_MS);
    let share = (loaded - idle) / loaded;
    let mut evidence = vec![row(
        None,
        "latency_under_load.added_ms",
        added,
        "ms",
        format!(
            "the probe's median round trip rose from {} to {} under load",
            Nanos::new(idle as u64),
            Nanos::new(loaded as u64)
        ),
    )];
    evidence.extend(queued);
    evidence.extend(bulk_us.map(|us| {
        let says = format!(
            "the bulk's own round trip is {}",
            Nanos::new(us.saturating_mul(1000))
        );
        row(None, "tcp.rtt", us as f64, "us", says)
    }));
    evidence.push(row(
        None,
        "latency_under_load.loaded",
        share,
        "share",
        format!("{} of the loaded round trip is waiting", percent(share)),
    ));
    let explains = match added >= TROUBLE_MS {
        true => share,
        false => share * 0.9,
    };
    (in_queue && loaded >= 3.0 * idle).then(|| {
        finding(
            Cause::HeadOfLine,
            None,
            (explains, 0.85),
            evidence,
            "give sparse flows a queue of their own (fq, fq_codel, a class) or shorten the queue",
        )
    })
}
