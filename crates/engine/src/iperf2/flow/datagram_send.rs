//! The sending half of a UDP flow.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use proto::iperf2::{
    Ack, ClientFarewell, DatagramHeader, FrameBlock, ServerReport, Stamp, TestHeader,
};
use sys::{Readiness, SendBatch, Wait, clock};
use units::{Bytes, Nanos};

use super::{Frames, Source};
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
    /// Those that are due together, in one call, and as one that the kernel cuts (UDP_SEGMENT) as
    /// long as it does; none before the first.
    pub batch: Option<SendBatch>,
    pub as_one: Option<bool>,
    /// What datagrams bring behind their headers, and the length of the next one with it.
    pub source: Option<Source>,
    pub ready: Option<usize>,
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
    /// Once; nobody answers, or nobody is asked to.
    Once,
}

/// Frames of several datagrams.
pub(crate) struct FrameSend {
    pub frames: Frames,
    pub block: FrameBlock,
}

/// Bytes of a frame's last datagram that its block needs (`FrameBlock`).
const LEAST_PART: usize = 108;

/// A frame of about `size` bytes whose last datagram has room for its block.
const fn whole(size: usize, datagram: usize) -> usize {
    let rest = size % datagram;
    if rest > 0 && rest < LEAST_PART && datagram > LEAST_PART {
        size - rest + LEAST_PART
    } else {
        size
    }
}

/// Bytes of one call at most: what UDP takes over IPv4.
const LARGEST_SEND: usize = 65_507;
/// Most datagrams of one call.
const MOST_TOGETHER: usize = 32;
/// How long an unpaced sender rests after a datagram that the system refused.
const PAUSE: Nanos = Nanos::from_millis(1);

impl DatagramSend {
    /// Makes room for datagrams that go in one call.
    pub fn batched(mut self) -> Self {
        let (head, size) = (DatagramHeader::LEN, self.size);
        let alike = self.frames.is_none() && self.source.is_none();
        if self.pace.is_some() && alike && size > head {
            let payload = self.datagram[head..size].to_vec();
            let most = (LARGEST_SEND / size).clamp(1, MOST_TOGETHER);
            self.batch = Some(SendBatch::new(head, payload, most));
        }
        self
    }

    /// Sends what is left of a group in one call; nothing, if that is a single one, or the first.
    #[inline]
    fn send_group(&mut self, now: Nanos) -> usize {
        let (Some(batch), Some(pace)) = (&mut self.batch, &mut self.pace) else {
            return 0;
        };
        let left = self.left.div_ceil(self.size as u64);
        let count = pace.pacer.group_left().min(left).min(batch.most() as u64) as usize;
        if count < 2 || self.id <= 1 {
            return 0;
        }
        let stamp = Stamp::from_micros(clock::wall().get() / 1000);
        for (at, id) in (0..count).zip(self.id..) {
            DatagramHeader { id, sent: stamp }.write(batch.head(at));
        }
        let segment =
            |size: usize| sys::Options::of(&*self.socket).set_segment(Bytes::new(size as u64));
        let as_one = *self
            .as_one
            .get_or_insert_with(|| segment(self.size).is_ok());
        let mut sent = match as_one {
            true => batch
                .send_as_one(&*self.socket, count, Wait::Never)
                .map(|()| count),
            false => batch.send(&*self.socket, count, Wait::Never),
        };
        // Larger than the path's packets, or a device that cannot: one by one.
        let is_too_much = |error: &io::Error| !would_block(error) && !passes(error);
        if as_one && sent.as_ref().is_err_and(is_too_much) {
            self.as_one = Some(false);
            let _ = segment(0);
            sent = batch.send(&*self.socket, count, Wait::Never);
        }
        let taken = sent.unwrap_or_else(|error| {
            if passes(&error) {
                self.half.failures += 1;
                self.meter.refused(&error, self.half.messages);
            }
            // The next one goes alone, and says what is wrong.
            0
        });
        for _ in 0..taken {
            self.half.add(self.size);
            pace.sent(now);
        }
        self.id += taken as i64;
        if self.left != u64::MAX {
            self.left = self.left.saturating_sub((taken * self.size) as u64);
        }
        self.meter.tally.set_sent(&self.half);
        taken
    }

    #[inline]
    fn send_one(&mut self, now: Nanos) -> Result<(), State> {
        let length = if self.id <= 1 {
            self.datagram.len()
        } else {
            self.size
        };
        // The last datagram of a frame holds what is left of it.
        let length = match &self.frames {
            Some(frames) => length.min(frames.block.remaining as usize),
            None => self.ready.unwrap_or(length),
        };
        self.stamp(self.id);
        let again = || sys::send(&*self.socket, &self.datagram[..length], Wait::Never);
        let mut sent = again();
        // What was refused is a datagram before this one, which was not sent (udp(7)).
        if let Err(error) = &sent
            && error.kind() == io::ErrorKind::ConnectionRefused
        {
            self.half.failures += 1;
            self.meter.refused(error, self.half.messages);
            sent = again();
        }
        match sent {
            Ok(n) => self.half.add(n),
            Err(error) if would_block(&error) => {
                self.full = true;
                return Ok(());
            }
            Err(error) if passes(&error) && self.refusals_left > 0 => {
                self.half.failures += 1;
                self.meter.refused(&error, self.half.messages);
                if self.refusals_left != u32::MAX {
                    self.refusals_left -= 1;
                }
                if self.pace.is_none() {
                    self.pause = Some(now + PAUSE);
                }
            }
            Err(_) if self.as_one == Some(true) => {
                // The path's packets have become smaller than what the kernel is to cut into.
                self.as_one = Some(false);
                let _ = sys::Options::of(&*self.socket).set_segment(Bytes::new(0));
                return Ok(());
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
        self.ready = None;
        // A refused datagram keeps its number: the receiver sees the hole.
        self.id += 1;
        if self.left != u64::MAX {
            self.left = self.left.saturating_sub(length as u64);
        }
        self.meter.tally.set_sent(&self.half);
        Ok(())
    }

    /// Takes what the next datagram brings; false when there is nothing more.
    fn fill(&mut self) -> io::Result<bool> {
        let (Some(source), None) = (&mut self.source, self.ready) else {
            return Ok(true);
        };
        let front = TestHeader::DATAGRAM_END
            .min(self.size / 2)
            .max(DatagramHeader::LEN);
        let size = self.size.max(front + 1);
        self.datagram.resize(self.datagram.len().max(size), 0);
        let filled = source.fill(&mut self.datagram[front..size])?;
        self.ready = (filled > 0).then_some(front + filled);
        Ok(filled > 0)
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
            block.size = whole(frames.sizes.draw(LEAST_PART), self.size) as u32;
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
            // The whole number, without which it is none below zero.
            let length = self.size.max(DatagramHeader::LEN).min(self.datagram.len());
            let sent = sys::send(&*self.socket, &self.datagram[..length], Wait::Never);
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
            if self.send_group(now) > 0 {
                continue;
            }
            match self.fill() {
                Ok(true) => (),
                Ok(false) => return self.begin_ending(),
                Err(error) => return Broken::at("reading what is to be sent", error),
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frames_last_datagram_has_room_for_its_block() {
        for (size, whole_size) in [
            (10_000, 10_000),
            (2940, 2940),
            (2941, 2940 + LEAST_PART),
            (2940 + LEAST_PART, 2940 + LEAST_PART),
            (50, LEAST_PART),
        ] {
            assert_eq!(whole(size, 1470), whole_size, "{size}");
        }
        assert_eq!(whole(50, 80), 50, "such datagrams have no block");
    }
}
