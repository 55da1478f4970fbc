//! What one end counted in the measured time, from its closing figures or, where these never
//! came, from its last edges.

use plan::Timing;
use record::{Counters, CpuTimes, Edge, LoadEdge, Phase, Tally};

use crate::stream::Side;

/// One load at one end, in the measured time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counted {
    pub counters: Counters,
    /// Payload that the peer acknowledged (TCP).
    pub acked_bytes: Option<u64>,
    /// Segments retransmitted (TCP).
    pub retransmits: Option<u64>,
    pub seconds: f64,
}

/// One end's CPU times around the measured time.
pub(crate) struct MeasuredCpu {
    pub before: CpuTimes,
    pub after: CpuTimes,
    pub seconds: f64,
}

/// `bytes` and `messages` over `seconds`.
pub(crate) fn tally(bytes: u64, messages: u64, seconds: f64) -> Tally {
    Tally {
        bytes,
        messages,
        seconds,
        bits_per_second: per_second(bytes as f64 * 8.0, seconds),
        messages_per_second: per_second(messages as f64, seconds),
    }
}

/// `amount / seconds`; none when no time passed.
pub(crate) fn per_second(amount: f64, seconds: f64) -> Option<f64> {
    (seconds > 0.0).then(|| amount / seconds)
}

/// Length of a window in seconds; 0 when it never opened.
pub(crate) fn seconds((from_ns, to_ns): (u64, u64)) -> f64 {
    to_ns.saturating_sub(from_ns) as f64 / 1e9
}

impl Side<'_> {
    pub fn counted(&self, load: usize, timing: &Timing) -> Option<Counted> {
        if let Some(closing) = self.closing(load) {
            return Some(Counted {
                counters: closing.counted,
                acked_bytes: closing.counted_acked_bytes,
                retransmits: closing.counted_retransmits,
                seconds: seconds(closing.window_ns),
            });
        }
        let (before, last) = self.measured(timing)?;
        let after = last.loads.get(load)?;
        let from_ns = before.map_or(0, |edge| edge.at_ns);
        let nothing = LoadEdge::default();
        let before = before
            .and_then(|edge| edge.loads.get(load))
            .unwrap_or(&nothing);
        Some(Counted {
            counters: after.counters - before.counters,
            acked_bytes: since(after.acked_bytes, before.acked_bytes),
            retransmits: since(after.retransmits, before.retransmits),
            seconds: seconds((from_ns, last.at_ns)),
        })
    }

    pub fn measured_cpu(&self, timing: &Timing) -> Option<MeasuredCpu> {
        if let Some(report) = self.report {
            let (before, after) = report.cpu?;
            let open = || {
                report
                    .loads
                    .iter()
                    .map(|load| load.window_ns)
                    .filter(|(a, b)| a < b)
            };
            let from = open().map(|(from, _)| from).min();
            let to = open().map(|(_, to)| to).max();
            let seconds = seconds((from.unwrap_or(0), to.unwrap_or(0)));
            return Some(MeasuredCpu {
                before,
                after,
                seconds,
            });
        }
        let (before, last) = self.measured(timing)?;
        Some(MeasuredCpu {
            before: before?.cpu?,
            after: last.cpu?,
            seconds: seconds((before?.at_ns, last.at_ns)),
        })
    }

    /// The edge that opens the measured time and the last one in it. No opening edge stands for
    /// the common start, when every counter was zero.
    fn measured(&self, timing: &Timing) -> Option<(Option<&Edge>, &Edge)> {
        let first = self
            .edges
            .iter()
            .position(|edge| edge.phase == Phase::Measure)?;
        let last = self
            .edges
            .iter()
            .rev()
            .find(|edge| edge.phase == Phase::Measure)?;
        let begins_measured = timing.idle.is_zero() && timing.omit.is_zero();
        let before = match first.checked_sub(1) {
            Some(index) => Some(self.edges[index]),
            None if begins_measured => None,
            // What came before the first measured edge belongs to another phase, in part.
            None => Some(self.edges[first]),
        };
        Some((before, last))
    }
}

/// What a cumulative count gained; a count that was not there before began at zero.
pub(crate) fn since(after: Option<u64>, before: Option<u64>) -> Option<u64> {
    Some(after?.saturating_sub(before.unwrap_or(0)))
}
