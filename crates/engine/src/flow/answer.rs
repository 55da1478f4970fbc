//! The answering side of TCP request and response.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use sys::{Readiness, clock};

use super::{Broken, Flow, Room, State, TURN, would_block};
use crate::tally::{Half, Tally};

/// Sends a reply for every whole request, until the asker's FIN.
pub(crate) struct Answer {
    pub socket: Arc<OwnedFd>,
    pub tally: Arc<Tally>,
    pub request: usize,
    pub reply: usize,
    pub progress: Progress,
}

/// How far an answering flow is.
#[derive(Default)]
pub(crate) struct Progress {
    sent: Half,
    received: Half,
    /// Bytes of the next request that are here.
    arrived: usize,
    /// Bytes of replies that are owed.
    owed: u64,
    full: bool,
}

impl Answer {
    #[inline]
    fn pay(&mut self, room: &Room) -> State {
        while self.progress.owed > 0 {
            // Up to the end of a reply, or several whole ones at once.
            let most = self.progress.owed.min(room.payload.len() as u64) as usize;
            match sys::send(&*self.socket, &room.payload[..most], room.wait) {
                Ok(n) => {
                    self.progress.owed -= n as u64;
                    self.progress.sent.bytes += n as u64;
                    self.progress.sent.messages = self.progress.sent.bytes / self.reply as u64;
                    self.tally.set_sent(&self.progress.sent);
                }
                Err(error) if would_block(&error) => {
                    self.progress.full = true;
                    return State::Going;
                }
                Err(error) => return Broken::at("sending a reply", error),
            }
        }
        State::Going
    }
}

impl Flow for Answer {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        // With replies owed and the socket full, reading on would only pile up more of them.
        if self.progress.full {
            Readiness::WRITE
        } else {
            Readiness::READ
        }
    }

    #[inline]
    fn advance(&mut self, room: &mut Room) -> State {
        self.progress.full = false;
        for _ in 0..TURN {
            match self.pay(room) {
                State::Going if !self.progress.full => (),
                other => return other,
            }
            match sys::recv(&*self.socket, &mut room.sink, room.wait) {
                Ok(0) => {
                    self.tally.set_received_all(clock::now());
                    return State::Done;
                }
                Ok(n) => {
                    let arrived = self.progress.arrived + n;
                    let whole = arrived / self.request;
                    self.progress.arrived = arrived % self.request;
                    self.progress.received.bytes += n as u64;
                    self.progress.received.messages += whole as u64;
                    self.progress.owed += (whole * self.reply) as u64;
                    self.tally.set_received(&self.progress.received);
                    if self.pays_at_once() {
                        return self.pay(room);
                    }
                }
                Err(error) if would_block(&error) => return State::Going,
                Err(error) => return Broken::at("waiting for a request", error),
            }
        }
        State::Going
    }

    fn stop(&mut self) -> State {
        State::Going
    }
}

impl Answer {
    /// One request, one reply, back to waiting: without this the usual exchange would make a
    /// second, empty recv for each request.
    #[inline]
    fn pays_at_once(&self) -> bool {
        self.progress.arrived == 0 && self.progress.owed == self.reply as u64
    }
}
