//! The sending half of a TCP bulk flow.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use sys::{Readiness, clock};
use units::Nanos;

use super::burst::Burst;
use super::exchange::Timer;
use super::lead::Lead;
use super::{Broken, Flow, Room, State, TURN, TURN_BYTES, would_block};
use crate::histogram::Histogram;
use crate::pacer::Pacer;
use crate::tally::{Half, Tally};

/// Writes until it is stopped or has written what was asked; then a FIN tells the other end.
pub(crate) struct StreamSend {
    pub socket: Arc<OwnedFd>,
    pub tally: Arc<Tally>,
    pub half: Half,
    /// Bytes of one write.
    pub size: usize,
    /// Bytes still to write; `u64::MAX` without end.
    pub left: u64,
    pub pace: Option<Pace>,
    pub manner: Manner,
    /// What is left of a message that the socket took only a part of.
    pub rest: usize,
    /// The socket was full at the last try.
    pub full: bool,
}

/// What some tools' senders do beside sending.
pub(crate) struct Manner {
    pub burst: Option<Burst>,
    /// Our own pacing of what the kernel, which paces the rest, lets go at once.
    pub lead: Option<Lead>,
    /// Where the time of each call goes, if that is wanted.
    pub timer: Option<Timer>,
    /// Where in the payload, which repeats itself after so many bytes, the next byte is.
    pub offset: usize,
    pub period: usize,
}

impl Default for Manner {
    /// Every message is the beginning of the payload.
    fn default() -> Self {
        Self {
            burst: None,
            lead: None,
            timer: None,
            offset: 0,
            period: 1,
        }
    }
}

/// Our own pacing of a sender, and how well it is kept.
pub(crate) struct Pace {
    pub pacer: Pacer,
    pub errors: Arc<Histogram>,
    /// When the message before was sent.
    pub last: Option<Nanos>,
}

impl Pace {
    /// Notes a send at `now`.
    #[inline]
    pub fn sent(&mut self, now: Nanos) {
        if let Some(last) = self.last {
            self.errors
                .record((now - last).get().abs_diff(self.pacer.gap().get()));
        }
        self.last = Some(now);
        self.pacer.sent(now);
    }
}

impl StreamSend {
    fn finish(&mut self) -> State {
        self.tally.set_sent_all(clock::now());
        sys::shut_sending(&self.socket);
        State::Done
    }

    /// Whether a message was begun, so that the rest of it follows at once.
    fn begin(&mut self, now: impl FnOnce() -> Nanos) -> bool {
        if self.rest == 0 {
            if let Some(pace) = &mut self.pace {
                let now = now();
                if pace.pacer.due() > now {
                    return false;
                }
                pace.sent(now);
            }
            if let Some(burst) = &mut self.manner.burst {
                if !burst.opens() {
                    return false;
                }
                burst.sent();
            }
            self.rest = self
                .size
                .min(usize::try_from(self.left).unwrap_or(usize::MAX));
        }
        true
    }
}

impl Flow for StreamSend {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        // A paced sender with room waits for its time, not for the socket.
        Readiness {
            read: false,
            write: self.full || (self.pace.is_none() && self.due().is_none()),
        }
    }

    fn due(&self) -> Option<Nanos> {
        if self.full {
            return None;
        }
        if let Some(lead) = &self.manner.lead {
            return Some(lead.due());
        }
        if self.rest > 0 {
            return None;
        }
        let burst = self.manner.burst.as_ref().and_then(Burst::due);
        self.pace.as_ref().map(|pace| pace.pacer.due()).or(burst)
    }

    #[inline]
    fn advance(&mut self, room: &mut Room) -> State {
        self.full = false;
        let mut bytes_sent = 0;
        for _ in 0..TURN {
            if self.left == 0 {
                return self.finish();
            }
            if !self.begin(clock::now) {
                return State::Going;
            }
            let mut most = self.rest;
            if let Some(lead) = &mut self.manner.lead {
                match lead.piece(clock::now(), most) {
                    Some(piece) => most = piece,
                    None => return State::Going,
                }
            }
            let bytes = room.piece(self.manner.offset, most);
            let began = Timer::begin(&self.manner.timer);
            match sys::send(&*self.socket, bytes, room.wait) {
                Ok(n) => {
                    Timer::called(&mut self.manner.timer, began, &self.tally);
                    self.manner.offset = (self.manner.offset + n) % self.manner.period;
                    self.rest -= n;
                    self.half.bytes += n as u64;
                    self.half.messages += u64::from(self.rest == 0);
                    if self.left != u64::MAX {
                        self.left -= n as u64;
                    }
                    self.tally.set_sent(&self.half);
                    if self.manner.lead.is_some() && Lead::is_over(&*self.socket) {
                        self.manner.lead = None;
                    }
                    bytes_sent += n;
                    if bytes_sent >= TURN_BYTES && self.pace.is_none() {
                        break;
                    }
                }
                Err(error) if would_block(&error) => {
                    self.full = true;
                    return State::Going;
                }
                Err(error) => return Broken::at("sending", error),
            }
        }
        State::Going
    }

    fn stop(&mut self) -> State {
        self.finish()
    }
}
