//! The most that a test may move, on average over some time.

use std::collections::VecDeque;

use proto::iperf3::{Parameters, Protocol};
use units::{BitRate, Nanos};

/// A server's limit.
#[derive(Debug, Clone, Copy)]
pub struct RateLimit {
    /// Of all streams and directions together.
    pub rate: BitRate,
    /// Averaged over that time; zero checks what clients ask for, and nothing later.
    pub over: Nanos,
    /// Streams of TCP are held to it by this end. Otherwise a test that exceeds it is ended.
    pub holds: bool,
}

impl RateLimit {
    /// What a stream of this test is held to.
    pub(super) fn of_stream(&self, parameters: &Parameters) -> Option<BitRate> {
        let streams = u64::from(parameters.streams()).max(1);
        let holds = self.holds && parameters.protocol != Protocol::Udp;
        holds.then(|| BitRate::new((self.rate.get() / streams).max(1)))
    }
}

/// A limit that is watched.
pub(super) struct Watched {
    limit: RateLimit,
    /// Instants and bytes up to them.
    seen: VecDeque<(Nanos, u64)>,
}

impl Watched {
    pub fn new(limit: RateLimit, start: Nanos) -> Self {
        Self {
            limit,
            seen: VecDeque::from([(start, 0)]),
        }
    }

    /// Whether the average of the last while is above the limit; `bytes` is all that was moved.
    pub fn is_exceeded(&mut self, now: Nanos, bytes: u64) -> bool {
        let over = self.limit.over;
        if over.is_zero() {
            return false;
        }
        self.seen.push_back((now, bytes));
        // The youngest that is old enough stays.
        while self.seen.get(1).is_some_and(|(at, _)| *at + over <= now) {
            self.seen.pop_front();
        }
        let Some((since, before)) = self.seen.front().copied() else {
            return false;
        };
        let time = now - since;
        time >= over
            && (bytes - before) as f64 * 8e9 / time.get() as f64 > self.limit.rate.get() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_within_the_average_is_permitted() {
        let limit = RateLimit {
            rate: BitRate::new(8000),
            over: Nanos::from_secs(3),
            holds: false,
        };
        let mut watched = Watched::new(limit, Nanos::ZERO);
        // 1000 B/s are the limit.
        let steps = [(1, 2500, false), (2, 2900, false), (3, 3000, false)];
        let later = [(4, 5400, false), (5, 5901, true), (6, 5901, false)];
        for (at, bytes, exceeded) in steps.into_iter().chain(later) {
            let at_all = watched.is_exceeded(Nanos::from_secs(at), bytes);
            assert_eq!(at_all, exceeded, "after {at} s");
        }
    }
}
