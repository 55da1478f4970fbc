//! What this end's host counts while a run goes on.

use observe::{Effort, Sampler};
use record::{Edge, End, Observation, Phase};
use sys::clock;
use units::Nanos;

/// All of it is read at most about once a second: that takes the observer well below a percent of
/// one CPU. Tools look at their flows in whole seconds, and late rather than early.
const WHOLE: Nanos = Nanos::from_millis(900);
/// What costs next to nothing, at most about ten times a second.
const CHEAP: Nanos = Nanos::from_millis(90);

/// Looks at the host when its end looks at its flows.
pub(super) struct Host {
    end: End,
    sampler: Sampler,
    /// The run's common start.
    origin: Option<Nanos>,
    /// The latest look, and the latest at everything.
    looked: Option<Nanos>,
    looked_whole: Option<Nanos>,
    /// The latest edge of the measured time was reason to look at everything.
    ends: bool,
    /// The last look has been taken.
    is_over: bool,
}

impl Host {
    /// From before the first connection. `interface` leads to the peer.
    pub fn new(end: End, interface: Option<&str>) -> Self {
        Self {
            end,
            sampler: Sampler::new(interface),
            origin: None,
            looked: None,
            looked_whole: None,
            ends: false,
            is_over: false,
        }
    }

    /// The look that an edge is reason for, unless the one before was a moment ago. The first edge
    /// is the common start; where a phase begins everything is looked at.
    pub fn at(&mut self, edge: &Edge) -> Option<Observation> {
        if self.is_over {
            return None;
        }
        let now = clock::now();
        let origin = *self.origin.get_or_insert(now);
        let due = |looked: Option<Nanos>, distance| looked.is_none_or(|at| at + distance <= now);
        let measures = edge.phase == Phase::Measure;
        let whole = !measures || due(self.looked_whole, WHOLE);
        self.ends = measures && whole;
        if whole {
            Some(self.look(now, origin, Effort::Whole))
        } else if due(self.looked, CHEAP) {
            Some(self.look(now, origin, Effort::Cheap))
        } else {
            None
        }
    }

    /// The look that ends the measured time, unless the last edge was reason for it. None follows.
    pub fn last(&mut self) -> Option<Observation> {
        let over = std::mem::replace(&mut self.is_over, true);
        let origin = self.origin.filter(|_| !self.ends && !over)?;
        Some(self.look(clock::now(), origin, Effort::Whole))
    }

    fn look(&mut self, now: Nanos, origin: Nanos, effort: Effort) -> Observation {
        self.looked = Some(now);
        if effort == Effort::Whole {
            self.looked_whole = Some(now);
        }
        self.sampler.observe(self.end, (now - origin).get(), effort)
    }
}
