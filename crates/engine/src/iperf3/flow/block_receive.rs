//! The receiving half of a TCP stream.

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use sys::{Readiness, clock};
use units::Nanos;

use crate::flow::{Broken, Flow, Patience, Room, State, TURN, would_block};
use crate::iperf3::budget::Quota;
use crate::iperf3::counts::Counts;
use crate::tally::Half;

/// Reads until the other end closes, or until it is stopped and has read what was there.
pub(in crate::iperf3) struct BlockReceive {
    pub socket: Arc<OwnedFd>,
    pub counts: Arc<Counts>,
    pub half: Half,
    /// Bytes of one read at most.
    pub size: usize,
    /// The kernel drops the payload instead of copying it (MSG_TRUNC).
    pub skip: bool,
    /// Where the payload goes.
    pub file: Option<File>,
    /// Bytes of all streams that end the test, after the omitted time.
    pub quota: Option<Arc<Quota>>,
    /// When the omitted time ends; zero without one.
    pub omitted_until: Nanos,
    pub patience: Patience,
    /// It is to end with what is there.
    pub ends: bool,
}

impl BlockReceive {
    fn finish(&mut self) -> State {
        self.counts.tally.set_received_all(clock::now());
        State::Done
    }
}

impl Flow for BlockReceive {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        Readiness::READ
    }

    fn due(&self) -> Option<Nanos> {
        self.ends.then_some(Nanos::ZERO)
    }

    #[inline]
    fn advance(&mut self, room: &mut Room) -> State {
        for _ in 0..TURN {
            let taken = if self.skip && self.file.is_none() {
                sys::discard(&*self.socket, self.size, room.wait)
            } else {
                sys::recv(&*self.socket, &mut room.sink[..self.size], room.wait)
            };
            match taken {
                Ok(0) => return self.finish(),
                Ok(n) => {
                    self.half.add(n);
                    self.counts.tally.set_received(&self.half);
                    if let Some(file) = &mut self.file
                        && let Err(error) = file.write_all(&room.sink[..n])
                    {
                        return Broken::at("writing what was received to a file", error);
                    }
                    // The last bytes of a quota may be few, and nothing follows them.
                    if self.quota.is_none() {
                        self.patience.took(&*self.socket, n, room.wait);
                    }
                    if let Some(quota) = &self.quota
                        && (self.omitted_until.is_zero() || clock::now() >= self.omitted_until)
                    {
                        quota.received(n as u64);
                    }
                }
                Err(error) if would_block(&error) && self.ends => return self.finish(),
                Err(error) if would_block(&error) => return State::Going,
                Err(error) => return Broken::at("receiving", error),
            }
        }
        State::Going
    }

    fn stop(&mut self) -> State {
        self.ends = true;
        State::Going
    }
}
