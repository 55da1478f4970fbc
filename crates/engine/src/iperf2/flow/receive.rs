//! The receiving half of a TCP flow.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use sys::{Readiness, clock};
use units::Nanos;

use super::BurstReader;
use crate::flow::{Broken, Flow, Pace, Patience, Room, State, TURN, would_block};
use crate::iperf2::meter::Meter;
use crate::tally::Half;

/// Reads until the other end's FIN; counts reads by size, and times bursts.
pub(crate) struct Receive {
    pub socket: Arc<OwnedFd>,
    pub meter: Arc<Meter>,
    pub half: Half,
    pub classes: [u64; 8],
    /// Bytes of one read at most.
    pub size: usize,
    /// Reads that are small come from a worker's big buffer all the same.
    pub bursts: Option<BurstReader>,
    /// The kernel drops what comes instead of copying it (MSG_TRUNC).
    pub discards: bool,
    /// A receiver that may only read at a rate.
    pub pace: Option<Pace>,
    patience: Patience,
}

impl Receive {
    /// Begins after `already` bytes, which are part of the flow.
    pub fn new(socket: Arc<OwnedFd>, meter: Arc<Meter>, size: usize, already: u64) -> Self {
        let half = Half {
            bytes: already,
            ..Half::default()
        };
        meter.tally.set_received(&half);
        Self {
            socket,
            meter,
            half,
            classes: [0; 8],
            size,
            bursts: None,
            discards: false,
            pace: None,
            patience: Patience::default(),
        }
    }

    #[inline]
    fn took(&mut self, length: usize, bytes: &[u8]) {
        self.half.add(length);
        let class = length * 8 / self.size.max(1);
        self.classes[class.min(7)] += 1;
        self.meter.tally.set_received(&self.half);
        self.meter.classes.set(self.classes);
        if let Some(bursts) = &mut self.bursts {
            bursts.feed(bytes, clock::wall(), &self.meter);
        }
        if let Some(pace) = &mut self.pace {
            pace.sent(clock::now());
        }
    }

    fn waits(&self) -> Option<Nanos> {
        let due = self.pace.as_ref().map(|pace| pace.pacer.due());
        due.filter(|due| *due > clock::now())
    }
}

impl Flow for Receive {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        if self.waits().is_some() {
            Readiness::default()
        } else {
            Readiness::READ
        }
    }

    fn due(&self) -> Option<Nanos> {
        self.waits()
    }

    #[inline]
    fn advance(&mut self, room: &mut Room) -> State {
        for _ in 0..TURN {
            if self.waits().is_some() {
                return State::Going;
            }
            // Bursts have headers, which must be seen.
            let discards = self.discards && self.bursts.is_none();
            let received = match discards {
                true => sys::discard(&*self.socket, self.size, room.wait),
                false => sys::recv(&*self.socket, &mut room.sink[..self.size], room.wait),
            };
            match received {
                Ok(0) => {
                    self.meter.tally.set_received_all(clock::now());
                    return State::Done;
                }
                Ok(n) => {
                    self.took(n, &room.sink[..n]);
                    // Bursts are timed to their last byte, and a rate is kept in small steps.
                    if self.bursts.is_none() && self.pace.is_none() {
                        self.patience.took(&*self.socket, n, room.wait);
                    }
                }
                Err(error) if would_block(&error) => return State::Going,
                Err(error) => {
                    self.meter.tally.set_received_all(clock::now());
                    return Broken::at("receiving", error);
                }
            }
        }
        State::Going
    }

    fn stop(&mut self) -> State {
        State::Going
    }
}
