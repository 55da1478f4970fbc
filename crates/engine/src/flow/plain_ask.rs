//! The asking side of UDP request and response where datagrams carry nothing of ours.

use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use sys::{Readiness, clock};
use units::Nanos;

use super::burst::Burst;
use super::exchange::{Request, Timer};
use super::{Broken, Flow, Room, State, TURN, udp_send, would_block};
use crate::tally::{Half, Tally};

/// Keeps `depth` requests unanswered. Answers have no number: each counts for the oldest request.
pub(crate) struct PlainAsk {
    pub socket: Arc<OwnedFd>,
    pub tally: Arc<Tally>,
    pub timer: Timer,
    pub request: usize,
    pub depth: usize,
    /// Requests still to send; `u64::MAX` without end.
    pub left: u64,
    /// How long an answer may take before everything that is unanswered counts as lost.
    pub patience: Nanos,
    pub sent: Half,
    pub received: Half,
    pub waiting: VecDeque<Request>,
    pub unanswered: u64,
    pub stopping: bool,
    pub burst: Option<Burst>,
}

impl PlainAsk {
    #[inline]
    fn send_due(&mut self, now: Nanos, room: &Room) -> State {
        while !self.stopping && self.left > 0 && self.waiting.len() < self.depth {
            if let Some(burst) = &mut self.burst {
                if !burst.opens_at(now) {
                    break;
                }
                burst.sent();
            }
            match sys::send(&*self.socket, room.piece(0, self.request), room.wait) {
                Ok(n) => self.sent.add(n),
                Err(error) if would_block(&error) || udp_send::passes(&error) => {
                    self.sent.failures += 1;
                }
                Err(error) => return Broken::at("sending a request", error),
            }
            self.waiting.push_back(Request {
                intended: now,
                sent: now,
            });
            if self.left != u64::MAX {
                self.left -= 1;
            }
            self.tally.set_sent(&self.sent);
        }
        State::Going
    }

    /// Takes what has arrived; gives the time when it looked at the clock.
    #[inline]
    fn take_replies(&mut self, room: &mut Room) -> Result<Option<Nanos>, State> {
        let mut at = None;
        for _ in 0..TURN.min(self.waiting.len()) {
            match sys::recv(&*self.socket, &mut room.sink, room.wait) {
                Ok(n) => {
                    let now = clock::now();
                    at = Some(now);
                    if let Some(request) = self.waiting.pop_front() {
                        self.received.add(n);
                        self.timer.answered(request, now, &self.tally);
                        self.tally.set_received(&self.received);
                    }
                    // One is out, one is back: there is nothing more to read.
                    if self.waiting.is_empty() {
                        break;
                    }
                }
                Err(error) if would_block(&error) => break,
                Err(error) if udp_send::passes(&error) => (),
                Err(error) => return Err(Broken::at("waiting for a reply", error)),
            }
        }
        Ok(at)
    }

    fn give_up_old(&mut self, now: Nanos) {
        if self
            .waiting
            .front()
            .is_some_and(|oldest| oldest.sent + self.patience <= now)
        {
            self.unanswered += self.waiting.len() as u64;
            self.waiting.clear();
            self.tally.set_unanswered(self.unanswered);
        }
    }

    fn finish(&mut self) -> State {
        self.tally.set_sent_all(clock::now());
        State::Done
    }
}

impl Flow for PlainAsk {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        Readiness::READ
    }

    fn due(&self) -> Option<Nanos> {
        match self.waiting.front() {
            Some(oldest) => Some(oldest.sent + self.patience),
            None => Some(
                self.burst
                    .as_ref()
                    .and_then(Burst::due)
                    .unwrap_or(Nanos::ZERO),
            ),
        }
    }

    #[inline]
    fn advance(&mut self, room: &mut Room) -> State {
        let now = match self.take_replies(room) {
            Ok(now) => now.unwrap_or_else(clock::now),
            Err(state) => return state,
        };
        self.give_up_old(now);
        let state = self.send_due(now, room);
        if self.waiting.is_empty() && (self.stopping || self.left == 0) {
            return self.finish();
        }
        state
    }

    fn stop(&mut self) -> State {
        // What is under way does not count, and may never come.
        self.stopping = true;
        self.finish()
    }
}
