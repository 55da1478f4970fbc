//! A flow that is held to a rate, whichever way its bytes go.

use std::os::fd::BorrowedFd;

use record::Counters;
use sys::{Readiness, clock};
use units::{BitRate, Nanos};

use super::{Flow, Room, State};

/// Has its turn when what it moved in the turns before has had its time at the rate. A receiver
/// that reads no faster lets TCP's window hold the sender back.
pub(crate) struct Throttled {
    flow: Box<dyn Flow>,
    /// What the flow has counted.
    counted: Box<dyn Fn() -> Counters + Send>,
    rate: BitRate,
    /// Bytes of the turns before.
    moved: u64,
    due: Nanos,
    /// It ends when it is stopped, and leaves what it has not read.
    ends_at_once: bool,
}

/// Lateness of a turn that is made up for.
const SLACK: Nanos = Nanos::from_millis(100);
/// Bytes of one call at least: a packet's.
const PACKET: usize = 1460;

impl Throttled {
    /// Each direction of `flow`, which has counted what `counted` says, goes at `rate` at most.
    pub fn new(
        flow: Box<dyn Flow>,
        counted: impl Fn() -> Counters + Send + 'static,
        rate: BitRate,
    ) -> Self {
        Self {
            flow,
            counted: Box::new(counted),
            rate,
            moved: 0,
            due: clock::now(),
            ends_at_once: false,
        }
    }

    /// The same; what came and was not read in time does not count.
    pub fn that_ends_at_once(mut self) -> Self {
        self.ends_at_once = true;
        self
    }

    /// Bytes of one call, of `size` at most, so that the calls of a turn have no more than some
    /// 16 ms of the rate.
    pub fn piece(size: usize, rate: BitRate) -> usize {
        let millisecond = usize::try_from(rate.get() / 8000).unwrap_or(usize::MAX);
        size.min(millisecond.max(PACKET))
    }

    /// Bytes of the busier direction so far.
    fn moved(&self) -> u64 {
        let counters = (self.counted)();
        counters.received_bytes.max(counters.written_bytes)
    }

    fn waits(&self) -> bool {
        self.due > clock::now()
    }
}

impl Flow for Throttled {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        self.flow.socket()
    }

    fn interest(&self) -> Readiness {
        if self.waits() {
            Readiness::default()
        } else {
            self.flow.interest()
        }
    }

    fn due(&self) -> Option<Nanos> {
        if self.waits() {
            Some(self.due)
        } else {
            self.flow.due()
        }
    }

    fn advance(&mut self, room: &mut Room) -> State {
        let now = clock::now();
        if self.due > now {
            return State::Going;
        }
        let state = self.flow.advance(room);
        let moved = self.moved();
        let bits = (moved - self.moved) as f64 * 8.0;
        self.moved = moved;
        let time = Nanos::new((bits * 1e9 / self.rate.get().max(1) as f64) as u64);
        self.due = self.due.max(now - SLACK) + time;
        state
    }

    fn stop(&mut self) -> State {
        match self.flow.stop() {
            State::Going if self.ends_at_once => State::Done,
            state => state,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::buffer::{Buffer, Placement};

    /// Moves 125 bytes a turn.
    struct Greedy(std::sync::Arc<AtomicU64>);

    impl Flow for Greedy {
        fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
            None
        }

        fn interest(&self) -> Readiness {
            Readiness::READ
        }

        fn advance(&mut self, _: &mut Room) -> State {
            self.0.fetch_add(125, Ordering::Relaxed);
            State::Going
        }

        fn stop(&mut self) -> State {
            State::Going
        }
    }

    /// Clients of iperf3, iperf 2 and netperf went as fast as they liked past `--max-rate`.
    #[test]
    fn a_turn_waits_until_the_one_before_had_its_time() {
        let moved = std::sync::Arc::new(AtomicU64::new(0));
        let counted = moved.clone();
        let counted = move || Counters {
            received_bytes: counted.load(Ordering::Relaxed),
            ..Counters::default()
        };
        // A turn is ten seconds of the rate.
        let rate = BitRate::new(100);
        let mut flow = Throttled::new(Box::new(Greedy(moved.clone())), counted, rate);
        let mut room = Room {
            payload: Buffer::placed(&[], Placement::default()),
            sink: Buffer::placed(&[], Placement::default()),
            wait: sys::Wait::Never,
        };
        assert_eq!(flow.interest(), Readiness::READ);
        for _ in 0..3 {
            assert!(matches!(flow.advance(&mut room), State::Going));
        }
        assert_eq!(moved.load(Ordering::Relaxed), 125, "one turn of three");
        assert_eq!(flow.interest(), Readiness::default());
        assert!(flow.due() > Some(clock::now() + Nanos::from_secs(5)));
        assert!(matches!(flow.stop(), State::Going), "it reads on");
        let mut flow = flow.that_ends_at_once();
        assert!(matches!(flow.stop(), State::Done));
    }

    #[test]
    fn a_call_is_a_millisecond_and_a_packet_at_least() {
        let piece = |rate| Throttled::piece(128 << 10, BitRate::new(rate));
        assert_eq!(piece(100_000), 1460);
        assert_eq!(piece(100_000_000), 12_500);
        assert_eq!(piece(100_000_000_000), 128 << 10);
    }
}
