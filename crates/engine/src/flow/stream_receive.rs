//! The receiving half of a TCP bulk flow.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use sys::{Readiness, clock};

use super::exchange::Timer;
use super::{Broken, Flow, Patience, Room, State, TURN, would_block};
use crate::tally::{Half, Tally};

/// Reads until the other end's FIN.
pub(crate) struct StreamReceive {
    pub socket: Arc<OwnedFd>,
    pub tally: Arc<Tally>,
    pub half: Half,
    /// Bytes of one read at most.
    pub size: usize,
    /// The kernel drops the payload instead of copying it (MSG_TRUNC).
    pub trunc: bool,
    pub patience: Patience,
    /// Where the time of each call goes, if that is wanted.
    pub timer: Option<Timer>,
}

impl Flow for StreamReceive {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        Readiness::READ
    }

    #[inline]
    fn advance(&mut self, room: &mut Room) -> State {
        for _ in 0..TURN {
            let began = Timer::begin(&self.timer);
            let taken = if self.trunc {
                sys::discard(&*self.socket, self.size, room.wait)
            } else {
                sys::recv(&*self.socket, &mut room.sink[..self.size], room.wait)
            };
            match taken {
                Ok(0) => {
                    self.tally.set_received_all(clock::now());
                    return State::Done;
                }
                Ok(n) => {
                    Timer::called(&mut self.timer, began, &self.tally);
                    self.patience.took(&*self.socket, n, room.wait);
                    self.half.add(n);
                    self.tally.set_received(&self.half);
                }
                Err(error) if would_block(&error) => return State::Going,
                Err(error) => return Broken::at("receiving", error),
            }
        }
        State::Going
    }

    fn stop(&mut self) -> State {
        State::Going
    }
}
