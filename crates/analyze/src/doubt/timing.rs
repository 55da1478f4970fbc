//! Doubts about our own clockwork: intervals and paced gaps.

use record::{Doubt, End, Interval, PacingError, Phase, Run};
use units::Nanos;

use super::{about, doubt, the};
use crate::stream::Stream;

/// Share of the asked interval that its length may be off.
const INTERVAL: f64 = 0.05;
/// Share of the asked gap that the 99th percentile of our error may be.
const GAP: f64 = 0.01;

pub(super) fn doubts(stream: &Stream, run: &Run) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    if let Some(asked) = stream.plan.timing.interval {
        doubts.extend(
            End::BOTH
                .into_iter()
                .filter_map(|end| late(&run.intervals, end, asked)),
        );
    }
    for load in &run.loads {
        if let Some(pacing) = &load.pacing {
            doubts.extend(uneven(&load.name, End::Client, pacing.client.as_ref()));
            doubts.extend(uneven(&load.name, End::Server, pacing.server.as_ref()));
        }
    }
    doubts
}

fn late(intervals: &[Interval], end: End, asked: Nanos) -> Option<Doubt> {
    let own: Vec<&Interval> = intervals
        .iter()
        // The idle phase is one interval, however long it is.
        .filter(|interval| interval.end == end && interval.phase != Phase::Idle)
        .collect();
    let length = |interval: &Interval| interval.to_ns - interval.from_ns;
    let asked_ns = asked.get() as f64;
    let off = own.iter().enumerate().filter(|(index, interval)| {
        let error = length(interval) as f64 / asked_ns - 1.0;
        // The last one of a phase ends when the phase does.
        let closes = own
            .get(index + 1)
            .is_none_or(|next| next.phase != interval.phase);
        error > INTERVAL || (error < -INTERVAL && !closes)
    });
    let off: Vec<u64> = off.map(|(_, interval)| length(interval)).collect();
    let worst = off
        .iter()
        .max_by_key(|length| (length.abs_diff(asked.get()), **length))?;
    let evidence = format!(
        "{} of {}'s {} intervals were not {asked} long; the worst took {}",
        off.len(),
        the(end),
        own.len(),
        Nanos::new(*worst),
    );
    Some(doubt("interval-late", "intervals", evidence))
}

fn uneven(load: &str, end: End, pacing: Option<&PacingError>) -> Option<Doubt> {
    let pacing = pacing?;
    let p99 = pacing.error.p99_ns?;
    let asked = Nanos::new(pacing.asked_gap_ns);
    let evidence = format!(
        "of the gaps between {}'s sends, {asked} asked for, half were off by {} or more, 1 % by {}",
        the(end),
        Nanos::new(pacing.error.p50_ns?),
        Nanos::new(p99),
    );
    let matters = p99 as f64 > GAP * pacing.asked_gap_ns as f64;
    matters.then(|| doubt("timer-error", about(load, "pacing"), evidence))
}
