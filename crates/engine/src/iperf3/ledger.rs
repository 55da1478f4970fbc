//! When to look, and what is seen.

use units::Nanos;

use super::lane::Lane;
use super::{Interval, StreamOutcome};

/// The streams of a test and its edges.
pub(super) struct Ledger {
    pub lanes: Vec<Lane>,
    interval: Option<Nanos>,
    /// When the omitted time ends; none when it has.
    omitted_until: Option<Nanos>,
    /// When this phase began.
    phase: Nanos,
    /// The edge before.
    last: Nanos,
    next: Option<Nanos>,
}

impl Ledger {
    /// From `start` on, `omit` of it uncounted, with an edge every `interval`.
    pub fn new(mut lanes: Vec<Lane>, start: Nanos, omit: Nanos, interval: Option<Nanos>) -> Self {
        for lane in &mut lanes {
            lane.begin(start);
        }
        Self {
            lanes,
            interval,
            omitted_until: (!omit.is_zero()).then(|| start + omit),
            phase: start,
            last: start,
            next: interval.map(|interval| start + interval),
        }
    }

    /// When to look next.
    pub fn next_edge(&self) -> Option<Nanos> {
        [self.next, self.omitted_until].into_iter().flatten().min()
    }

    /// Whether counting has begun.
    pub fn counts(&self) -> bool {
        self.omitted_until.is_none()
    }

    /// Looks if it is time. The interval that is over, if one is.
    pub fn look(&mut self, now: Nanos) -> Option<Interval> {
        if self.omitted_until.is_some_and(|until| until <= now) {
            let interval = self.interval.map(|_| self.close(now, false));
            self.omitted_until = None;
            for lane in &mut self.lanes {
                lane.begin(now);
            }
            (self.phase, self.last) = (now, now);
            self.next = self.interval.map(|interval| now + interval);
            return interval;
        }
        let (next, interval) = self.next.zip(self.interval)?;
        if next > now {
            return None;
        }
        let seen = self.close(now, false);
        // Edges that were missed are not made up for.
        let missed = (now - next).get() / interval.get().max(1);
        self.next = Some(next + Nanos::new(interval.get() * (missed + 1)));
        Some(seen)
    }

    /// Looks now.
    pub fn close(&mut self, now: Nanos, last: bool) -> Interval {
        let interval = Interval {
            omitted: self.omitted_until.is_some(),
            last,
            start: self.last - self.phase,
            end: now - self.phase,
            streams: self.lanes.iter_mut().map(|lane| lane.edge(now)).collect(),
        };
        self.last = now;
        interval
    }

    /// The counted time so far.
    pub fn window(&self) -> Nanos {
        self.last - self.phase
    }

    /// Tells of each stream what is acknowledged by now.
    pub fn settle(&self, outcomes: &mut [StreamOutcome]) {
        for (lane, outcome) in self.lanes.iter().zip(outcomes) {
            outcome.acked = lane.settled();
        }
    }

    /// What came of each stream, at the client's end or the server's.
    pub fn outcomes(&self, client: bool) -> Vec<StreamOutcome> {
        let lanes = self.lanes.iter();
        lanes.map(|lane| lane.outcome(client)).collect()
    }
}
