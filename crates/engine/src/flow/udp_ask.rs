//! The asking side of UDP request and response.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use proto::native::{DatagramHeader, DatagramKind};
use sys::{Readiness, clock};
use units::Nanos;

use super::exchange::{Request, Timer};
use super::{Broken, Flow, Room, State, TURN, would_block};
use crate::arrivals::Arrivals;
use crate::tally::{Half, Tally};

/// How long an answer may take before the request or the answer counts as lost and its place is
/// free again. Longer than any queue worth calling a path; short enough to go on.
const PATIENCE: Nanos = Nanos::from_secs(1);

/// Sends numbered requests as they are due and matches answers by number.
pub(crate) struct UdpAsk {
    pub socket: Arc<OwnedFd>,
    pub tally: Arc<Tally>,
    pub timer: Timer,
    pub arrivals: Arrivals,
    pub request: usize,
    pub depth: usize,
    pub left: u64,
    pub header: DatagramHeader,
    pub sent: Half,
    pub received: Half,
    pub waiting: VecDeque<(u64, Request)>,
    pub unanswered: u64,
    pub stopping: bool,
}

impl UdpAsk {
    #[inline]
    fn send_due(&mut self, now: Nanos, room: &mut Room) -> State {
        while !self.stopping && self.left > 0 && self.waiting.len() < self.depth {
            let Some(intended) = self.arrivals.take(now) else {
                break;
            };
            self.header.sent = now;
            self.header.encode_into(&mut room.payload);
            match sys::send(&*self.socket, &room.payload[..self.request], room.wait) {
                Ok(n) => self.sent.add(n),
                // The request counts as sent and will count as lost: the path did not carry it.
                Err(error) if would_block(&error) || passes(&error) => self.sent.failures += 1,
                Err(error) => return Broken::at("sending a request", error),
            }
            self.waiting.push_back((
                self.header.seq,
                Request {
                    intended,
                    sent: now,
                },
            ));
            self.header.seq += 1;
            if self.left != u64::MAX {
                self.left -= 1;
            }
            self.tally.set_sent(&self.sent);
        }
        State::Going
    }

    #[inline]
    fn take_replies(&mut self, room: &mut Room) -> Result<(), State> {
        for _ in 0..TURN {
            if self.waiting.is_empty() {
                break;
            }
            match sys::recv(&*self.socket, &mut room.sink, room.wait) {
                Ok(n) => {
                    let now = clock::now();
                    let Some(header) = DatagramHeader::parse(&room.sink[..n]) else {
                        continue;
                    };
                    let place = self.waiting.iter().position(|(seq, _)| *seq == header.seq);
                    let Some((_, request)) = place.and_then(|at| self.waiting.remove(at)) else {
                        continue;
                    };
                    if header.kind == DatagramKind::Reply {
                        self.received.add(n);
                        self.timer.answered(request, now, &self.tally);
                        self.tally.set_received(&self.received);
                    }
                }
                Err(error) if would_block(&error) => break,
                Err(error) if passes(&error) => (),
                Err(error) => return Err(Broken::at("waiting for a reply", error)),
            }
        }
        Ok(())
    }

    fn give_up_old(&mut self, now: Nanos) {
        while self
            .waiting
            .front()
            .is_some_and(|(_, request)| request.sent + PATIENCE <= now)
        {
            self.waiting.pop_front();
            self.unanswered += 1;
            self.tally.set_unanswered(self.unanswered);
        }
    }

    fn finish(&mut self) -> State {
        self.tally.set_sent_all(clock::now());
        State::Done
    }
}

impl Flow for UdpAsk {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        Readiness::READ
    }

    fn due(&self) -> Option<Nanos> {
        let patience = self
            .waiting
            .front()
            .map(|(_, request)| request.sent + PATIENCE);
        let more = !self.stopping && self.left > 0 && self.waiting.len() < self.depth;
        let next = more.then(|| self.arrivals.next().unwrap_or(Nanos::ZERO));
        [patience, next].into_iter().flatten().min()
    }

    #[inline]
    fn advance(&mut self, room: &mut Room) -> State {
        if let Err(state) = self.take_replies(room) {
            return state;
        }
        let now = clock::now();
        self.give_up_old(now);
        let state = self.send_due(now, room);
        if self.waiting.is_empty() && (self.stopping || self.left == 0) {
            return self.finish();
        }
        state
    }

    fn stop(&mut self) -> State {
        self.stopping = true;
        if self.waiting.is_empty() {
            self.finish()
        } else {
            State::Going
        }
    }
}

fn passes(error: &io::Error) -> bool {
    super::udp_send::passes(error)
}
