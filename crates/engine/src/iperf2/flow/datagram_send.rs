//! The sending half of a UDP flow.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use proto::iperf2::{Ack, ClientFarewell, DatagramHeader, FrameBlock, ServerReport, Stamp};
use sys::{Readiness, Wait, clock};
use units::Nanos;

use super::Frames;
use crate::flow::udp_send::passes;
use crate::flow::{Broken, Flow, Pace, Room, State, TURN, would_block};
use crate::iperf2::meter::Meter;
use crate::tally::Half;

/// Sends numbered, time-stamped datagrams; at the end it says so until it is answered.
pub(crate) struct DatagramSend {
    pub socket: Arc<OwnedFd>,
    pub meter: Arc<Meter>,
    pub half: Half,
    /// A whole datagram, with the test header that all of them carry.
    pub datagram: Vec<u8>,
    /// Bytes of all but the first, which holds at least the test header.
    pub size: usize,
    /// The number of the next one.
    pub id: i64,
    /// Bytes still to send; `u64::MAX` without end.
    pub left: u64,
    pub pace: Option<Pace>,
    pub frames: Option<FrameSend>,
    pub farewell: Farewell,
    pub ending: Option<ClientFarewell>,
    pub full: bool,
    /// After a refusal that is not "try again": when to go on.
    pub pause: Option<Nanos>,
    /// So many refusals by a closed port end the flow: a server sends to addresses that may
    /// never have asked for it. A few are no answer yet: 2.1.8 closes its port from flow to flow.
    pub refusals_left: u32,
}

/// How a flow ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Farewell {
    /// Until the report comes.
    Ask,
    /// Once; nobody answers.
    Once,
    /// Not at all.
    Nothing,
}

/// Frames of several datagrams.
pub(crate) struct FrameSend {
    pub frames: Frames,
    pub block: FrameBlock,
}

/// How long an unpaced sender rests after a datagram that the system refused.
const PAUSE: Nanos = Nanos::from_millis(1);

impl DatagramSend {
    #[inline]
    fn send_one(&mut self, now: Nanos) -> Result<(), State> {
        let length = if self.id <= 1 {
            self.datagram.len()
        } else {
            self.size
        };
        self.stamp(self.id);
        let sent = sys::send(&*self.socket, &self.datagram[..length], Wait::Never);
        match sent {
            Ok(n) => self.half.add(n),
            Err(error) if would_block(&error) => {
                self.full = true;
                return Ok(());
            }
            Err(error) if passes(&error) && self.refusals_left > 0 => {
                self.half.failures += 1;
                if self.refusals_left != u32::MAX {
                    self.refusals_left -= 1;
                }
                if self.pace.is_none() {
                    self.pause = Some(now + PAUSE);
                }
            }
            Err(error) => {
                self.meter.tally.set_sent_all(now);
                return Err(Broken::at("sending a datagram", error));
            }
        }
        if let Some(pace) = &mut self.pace {
            pace.sent(now);
        }
        if let Some(frames) = &mut self.frames {
            let left = frames.block.remaining.saturating_sub(length as u32);
            frames.block.remaining = left;
        }
        // A refused datagram keeps its number: the receiver sees the hole.
        self.id += 1;
        if self.left != u64::MAX {
            self.left = self.left.saturating_sub(length as u64);
        }
        self.meter.tally.set_sent(&self.half);
        Ok(())
    }

    #[inline]
    fn stamp(&mut self, id: i64) {
        let sent = Stamp::from_micros(clock::wall().get() / 1000);
        DatagramHeader { id, sent }.write(&mut self.datagram);
    }

    /// Begins the next frame if it is due; false while it is not.
    fn frame(&mut self, now: Nanos) -> bool {
        let Some(FrameSend { frames, block }) = &mut self.frames else {
            return true;
        };
        if block.remaining == 0 {
            if frames.due() > now {
                return false;
            }
            frames.begin(now, &self.meter);
            block.previous = block.frame;
            block.frame = frames.number();
            block.period_us = frames.period_us();
            block.size = frames.sizes.draw(self.size) as u32;
            block.remaining = block.size;
            if block.start.is_zero() {
                block.start = Stamp::from_micros(clock::wall().get() / 1000);
            }
        }
        block.write(&mut self.datagram);
        true
    }

    fn begin_ending(&mut self) -> State {
        let now = clock::now();
        self.meter.tally.set_sent_all(now);
        self.ending = match self.farewell {
            Farewell::Nothing => return State::Done,
            Farewell::Ask => Some(ClientFarewell::new(self.id - 1, now)),
            Farewell::Once => Some(ClientFarewell::once(self.id - 1, now)),
        };
        self.end()
    }

    /// Says that it is over, and hears whether it was heard.
    fn end(&mut self) -> State {
        let Some(mut ending) = self.ending else {
            return State::Done;
        };
        let mut reply = [0; 2048];
        if self.farewell == Farewell::Ask {
            while let Ok(n) = sys::recv(&*self.socket, &mut reply, Wait::Never) {
                let reply = &reply[..n];
                if Ack::is_datagram(reply) {
                    continue;
                }
                if let Some((report, _)) = ServerReport::parse(reply) {
                    let _ = self.meter.report.set((Some(report), ending.said()));
                    return State::Done;
                }
            }
        }
        let now = clock::now();
        if let Some(id) = ending.say(now) {
            self.stamp(id);
            let sent = sys::send(&*self.socket, &self.datagram[..self.size], Wait::Never);
            // The first one is data as well.
            if let (Ok(n), 1) = (sent, ending.said()) {
                self.half.add(n);
                self.meter.tally.set_sent(&self.half);
            }
        }
        if ending.is_over(now) {
            if self.farewell == Farewell::Ask {
                let _ = self.meter.report.set((None, ending.said()));
            }
            return State::Done;
        }
        self.ending = Some(ending);
        State::Going
    }
}

impl Flow for DatagramSend {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        let ending = self.ending.is_some();
        let timed = self.pace.is_some() || self.frames.is_some() || self.pause.is_some();
        Readiness {
            read: ending && self.farewell == Farewell::Ask,
            write: !ending && (self.full || !timed),
        }
    }

    fn due(&self) -> Option<Nanos> {
        if let Some(ending) = &self.ending {
            return Some(ending.due());
        }
        if self.full {
            return None;
        }
        let pace = || self.pace.as_ref().map(|pace| pace.pacer.due());
        let frames = || {
            let frames = self.frames.as_ref()?;
            Some(if frames.block.remaining > 0 {
                Nanos::ZERO
            } else {
                frames.frames.due()
            })
        };
        self.pause.or_else(pace).or_else(frames)
    }

    #[inline]
    fn advance(&mut self, _room: &mut Room) -> State {
        if self.ending.is_some() {
            return self.end();
        }
        self.full = false;
        for _ in 0..TURN {
            if self.left == 0 {
                return self.begin_ending();
            }
            let now = clock::now();
            let due = self
                .pause
                .or_else(|| self.pace.as_ref().map(|pace| pace.pacer.due()));
            if due.is_some_and(|due| due > now) || !self.frame(now) {
                return State::Going;
            }
            self.pause = None;
            match self.send_one(now) {
                Ok(()) if self.full => return State::Going,
                Ok(()) => (),
                Err(state) => return state,
            }
        }
        State::Going
    }

    fn stop(&mut self) -> State {
        if self.ending.is_some() {
            return State::Going;
        }
        self.begin_ending()
    }
}
