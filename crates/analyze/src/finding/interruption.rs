//! Times in which nothing came at all.

use record::{Cause, End, Evidence, Finding, Interval, IntervalLoad, Phase, Run};

use super::way::Way;
use super::{finding, row, times};

/// Shorter silences are retransmission timeouts (TCP_RTO_MIN is 0.2 s), or a machine that was busy.
const SILENCE: f64 = 0.5;
/// Evidence of so many of them.
const SHOWN: usize = 3;

/// The rest of a load's time is explained by others; what they say is of the time between.
pub(super) fn finding_of(run: &Run, way: &Way) -> Option<Finding> {
    let silences = silences(run, way);
    let sum: f64 = silences.iter().map(Silence::seconds).sum();
    let mut evidence: Vec<Evidence> = silences
        .iter()
        .take(SHOWN)
        .map(|silence| {
            let says = format!(
                "nothing came from {:.2} s to {:.2} s",
                silence.from, silence.to
            );
            let seconds = silence.seconds();
            row(
                way.receiver(),
                "intervals.counters.received_bytes",
                seconds,
                "s",
                says,
            )
        })
        .collect();
    evidence.extend(carriers(run));
    (!silences.is_empty()).then(|| {
        finding(
            Cause::Interruption,
            way.name(),
            (sum / way.received.seconds, 0.9),
            evidence,
            "see what happened then: carrier (ip -s -s link, dmesg), routes, a device on the path",
        )
    })
}

/// Interfaces whose carrier came or went.
fn carriers(run: &Run) -> impl Iterator<Item = Evidence> {
    let rows = |end: End| {
        let host = run.hosts_observed.of(end).into_iter();
        host.flat_map(move |host| host.counted.iter().map(move |row| (end, row)))
    };
    let all = End::BOTH.into_iter().flat_map(rows);
    let changed = all.filter(|(_, row)| row.source == "carrier" && row.value > 0);
    changed.map(|(end, of)| {
        let says = format!(
            "the carrier of {} came or went {}",
            of.label,
            times(of.value)
        );
        row(end, "carrier.changes", of.value as f64, "", says)
    })
}

/// Seconds of the run in which no flow of a load got a byte.
struct Silence {
    from: f64,
    to: f64,
}

impl Silence {
    fn seconds(&self) -> f64 {
        self.to - self.from
    }
}

fn silences(run: &Run, way: &Way) -> Vec<Silence> {
    let of_load = |interval: &Interval| -> Option<IntervalLoad> {
        let load = interval
            .loads
            .iter()
            .find(|load| load.name == way.load.name);
        load.cloned()
    };
    let own = run
        .intervals
        .iter()
        .filter(|interval| interval.end == way.receiver() && interval.phase == Phase::Measure);
    let mut seen: Vec<(u64, u64, u64)> = own
        .filter_map(|interval| {
            let received = of_load(interval)?.counters.received_bytes;
            Some((interval.from_ns, interval.to_ns, received))
        })
        .collect();
    if !way.asked.ends_by_time() {
        // It may have been through before the run was.
        while seen.last().is_some_and(|(.., bytes)| *bytes == 0) {
            seen.pop();
        }
    }
    let nothing_ever = seen.iter().all(|(.., bytes)| *bytes == 0);
    let mut silences: Vec<Silence> = Vec::new();
    let mut last = None;
    for (from, to, bytes) in seen {
        if bytes > 0 || nothing_ever || !is_due(way, to - from) {
            continue;
        }
        let (start, end) = (from as f64 / 1e9, to as f64 / 1e9);
        match silences.last_mut() {
            Some(silence) if last == Some(from) => silence.to = end,
            _ => silences.push(Silence {
                from: start,
                to: end,
            }),
        }
        last = Some(to);
    }
    silences.retain(|silence| silence.seconds() >= SILENCE);
    silences
}

/// Whether a slow rate would have brought something in that time.
fn is_due(way: &Way, ns: u64) -> bool {
    let rates = [way.rate_asked(), way.pace_asked()];
    let message = way.asked.size.get() as f64 * 8.0 * f64::from(way.load.flows);
    let due = |rate: f64| rate * ns as f64 / 1e9 >= 2.0 * message;
    rates.into_iter().flatten().all(due)
}
