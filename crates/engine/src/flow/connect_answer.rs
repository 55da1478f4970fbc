//! The answering side of connect, request, response, close.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};

use sys::{Readiness, clock};

use super::{Flow, Room, State, would_block};
use crate::tally::{Half, Tally};

/// One connection of a flow. The flow's counts go on over its connections, which follow each
/// other on the same worker.
pub(crate) struct ConnectAnswer {
    pub socket: OwnedFd,
    pub counts: Arc<ConnectCounts>,
    pub request: usize,
    pub reply: usize,
    pub arrived: usize,
    pub written: usize,
}

/// What the connections of one flow add up to.
#[derive(Default)]
pub(crate) struct ConnectCounts {
    pub tally: Arc<Tally>,
    /// Sent and received. Only connections of one worker touch it, one after the other.
    halves: Mutex<(Half, Half)>,
}

impl ConnectCounts {
    pub fn new(tally: Arc<Tally>) -> Self {
        Self {
            tally,
            halves: Mutex::default(),
        }
    }

    fn add(&self, request: usize, reply: usize) {
        let mut halves = self.halves.lock().unwrap_or_else(PoisonError::into_inner);
        halves.0.add(reply);
        halves.1.add(request);
        self.tally.set_sent(&halves.0);
        self.tally.set_received(&halves.1);
    }
}

impl Flow for ConnectAnswer {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        if self.arrived < self.request {
            Readiness::READ
        } else {
            Readiness::WRITE
        }
    }

    fn advance(&mut self, room: &mut Room) -> State {
        while self.arrived < self.request {
            let most = (self.request - self.arrived).min(room.sink.len());
            match sys::recv(&self.socket, &mut room.sink[..most], room.wait) {
                // A client that goes away in the middle costs its connection and nothing else.
                Ok(0) => return State::Done,
                Ok(n) => self.arrived += n,
                Err(error) if would_block(&error) => return State::Going,
                Err(_) => return State::Done,
            }
        }
        while self.written < self.reply {
            match sys::send(
                &self.socket,
                room.piece(0, self.reply - self.written),
                room.wait,
            ) {
                Ok(n) => self.written += n,
                Err(error) if would_block(&error) => return State::Going,
                Err(_) => return State::Done,
            }
        }
        self.counts.add(self.request, self.reply);
        self.counts.tally.set_received_all(clock::now());
        // Dropping the socket closes it: this side first.
        State::Done
    }

    fn stop(&mut self) -> State {
        State::Going
    }
}
