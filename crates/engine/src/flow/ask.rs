//! The asking side of TCP request and response.

use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use sys::{Readiness, clock};
use units::Nanos;

use super::exchange::{Request, Timer};
use super::{Broken, Flow, Room, State, would_block};
use crate::arrivals::Arrivals;
use crate::tally::{Half, Tally};

/// Sends requests as they are due, at most `depth` of them unanswered, and times the answers,
/// which TCP brings in the same order.
pub(crate) struct Ask {
    pub socket: Arc<OwnedFd>,
    pub tally: Arc<Tally>,
    pub timer: Timer,
    pub arrivals: Arrivals,
    pub request: usize,
    pub reply: usize,
    pub depth: usize,
    /// Requests still to send; `u64::MAX` without end.
    pub left: u64,
    pub progress: Progress,
}

/// How far an asking flow is.
#[derive(Default)]
pub(crate) struct Progress {
    pub sent: Half,
    pub received: Half,
    pub waiting: VecDeque<Request>,
    /// Bytes of the newest request that are not written yet.
    unsent: usize,
    /// Bytes of the oldest answer that are here.
    arrived: usize,
    stopping: bool,
    full: bool,
}

impl Ask {
    /// Sends what is due at `now`.
    #[inline]
    fn send_due(&mut self, now: Nanos, room: &Room) -> State {
        loop {
            if self.progress.unsent == 0 {
                if self.progress.stopping
                    || self.left == 0
                    || self.progress.waiting.len() >= self.depth
                {
                    return State::Going;
                }
                let Some(intended) = self.arrivals.take(now) else {
                    return State::Going;
                };
                self.progress.waiting.push_back(Request {
                    intended,
                    sent: now,
                });
                self.progress.unsent = self.request;
                if self.left != u64::MAX {
                    self.left -= 1;
                }
            }
            match sys::send(
                &*self.socket,
                room.piece(0, self.progress.unsent),
                room.wait,
            ) {
                Ok(n) => {
                    self.progress.unsent -= n;
                    self.progress.sent.bytes += n as u64;
                    self.progress.sent.messages += u64::from(self.progress.unsent == 0);
                    self.tally.set_sent(&self.progress.sent);
                }
                Err(error) if would_block(&error) => {
                    self.progress.full = true;
                    return State::Going;
                }
                Err(error) => return Broken::at("sending a request", error),
            }
        }
    }

    /// Takes what has arrived; gives the time when it looked at the clock.
    #[inline]
    fn take_replies(&mut self, room: &mut Room) -> Result<Option<Nanos>, State> {
        let expected =
            (self.reply * self.progress.waiting.len() - self.progress.arrived).min(room.sink.len());
        if expected == 0 {
            return Ok(None);
        }
        match sys::recv(&*self.socket, &mut room.sink[..expected], room.wait) {
            Ok(0) => Err(Broken::peer(
                "waiting for a reply: the peer closed the connection",
            )),
            Ok(n) => {
                self.progress.arrived += n;
                self.progress.received.bytes += n as u64;
                let now = clock::now();
                while self.progress.arrived >= self.reply {
                    let Some(request) = self.progress.waiting.pop_front() else {
                        break;
                    };
                    self.progress.arrived -= self.reply;
                    self.progress.received.messages += 1;
                    self.timer.answered(request, now, &self.tally);
                }
                self.tally.set_received(&self.progress.received);
                Ok(Some(now))
            }
            Err(error) if would_block(&error) => Ok(None),
            Err(error) => Err(Broken::at("waiting for a reply", error)),
        }
    }

    fn finish(&mut self) -> State {
        self.tally.set_sent_all(clock::now());
        sys::shut_sending(&self.socket);
        State::Done
    }
}

impl Flow for Ask {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        Readiness {
            read: true,
            write: self.progress.full,
        }
    }

    fn due(&self) -> Option<Nanos> {
        let room = self.progress.waiting.len() < self.depth && !self.progress.full;
        match self.arrivals.next() {
            Some(next) if room && !self.progress.stopping && self.left > 0 => Some(next),
            // The first request of a closed loop has no event to follow.
            None if self.progress.sent.messages == 0 && !self.progress.full => Some(Nanos::ZERO),
            _ => None,
        }
    }

    #[inline]
    fn advance(&mut self, room: &mut Room) -> State {
        self.progress.full = false;
        let now = match self.take_replies(room) {
            Ok(now) => now.unwrap_or_else(clock::now),
            Err(state) => return state,
        };
        let state = self.send_due(now, room);
        if self.progress.waiting.is_empty()
            && self.progress.unsent == 0
            && (self.progress.stopping || self.left == 0)
        {
            return self.finish();
        }
        state
    }

    fn stop(&mut self) -> State {
        self.progress.stopping = true;
        if self.progress.waiting.is_empty() {
            self.finish()
        } else {
            State::Going
        }
    }
}
