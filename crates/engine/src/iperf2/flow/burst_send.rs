//! The sending half of a TCP flow whose messages have a header, a time of their own, or a time
//! that is measured.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use proto::iperf2::{BurstHeader, Stamp};
use sys::{Readiness, clock};
use units::Nanos;

use super::{Schedule, Source};
use crate::flow::{Broken, Flow, Room, State, TURN, TURN_BYTES, would_block};
use crate::iperf2::meter::{Meter, TimesPen};
use crate::tally::Half;

/// Writes messages until it is stopped or has written what was asked; then a FIN tells the other
/// end.
pub(crate) struct BurstSend {
    pub socket: Arc<OwnedFd>,
    pub meter: Arc<Meter>,
    pub half: Half,
    /// Bytes of one write at most.
    pub size: usize,
    /// Bytes still to write; `u64::MAX` without end. The last message is a whole one where
    /// messages have headers.
    pub left: u64,
    pub schedule: Schedule,
    /// The headers of messages.
    pub stamps: Option<Stamps>,
    /// Where times of writes go.
    pub times: Option<TimesPen>,
    /// What is sent instead of digits, until its end.
    pub source: Option<Source>,
    /// The message at hand.
    pub message: Message,
    pub full: bool,
}

/// What the headers of all messages share.
pub(crate) struct Stamps {
    pub start: Stamp,
    pub id: u32,
    pub sequence: u64,
    /// Bytes of a message with its header at the front.
    pub front: Vec<u8>,
}

impl Stamps {
    /// `payload` is what messages begin with behind their header.
    pub fn new(start: Nanos, payload: &[u8]) -> Self {
        Self {
            start: Stamp::from_micros(start.get() / 1000),
            id: 0,
            sequence: 2,
            front: payload.to_vec(),
        }
    }

    fn begin(&mut self, size: usize, period_us: u32, id: Option<u32>) {
        self.id = id.unwrap_or(self.id + 1);
        self.sequence += size as u64;
        let header = BurstHeader {
            start: self.start,
            sent: Stamp::from_micros(clock::wall().get() / 1000),
            period_us,
            id: self.id,
            size: size as u32,
            sequence: self.sequence,
        };
        header.write(&mut self.front);
    }
}

/// A message that is under way.
#[derive(Default)]
pub(crate) struct Message {
    size: usize,
    at: usize,
    began: Nanos,
}

impl BurstSend {
    fn finish(&mut self) -> State {
        self.meter.tally.set_sent_all(clock::now());
        sys::shut_sending(&self.socket);
        State::Done
    }

    /// Whether a message is under way, so that the rest of it follows at once.
    fn begin(&mut self, room: &mut Room) -> io::Result<Begun> {
        if self.message.at < self.message.size {
            return Ok(Begun::Yes);
        }
        let now = clock::now();
        if self.schedule.due() > now {
            return Ok(Begun::Later);
        }
        let least = if self.stamps.is_some() {
            BurstHeader::LEN
        } else {
            1
        };
        let whole = self.stamps.is_some() || matches!(self.schedule, Schedule::Frames(_));
        let mut usual = self.size;
        if !whole {
            usual = usual.min(usize::try_from(self.left).unwrap_or(usize::MAX));
        }
        let mut size = self.schedule.begin(now, usual, least, &self.meter);
        if let Some(source) = &mut self.source {
            size = source.fill(&mut room.payload[..self.size.min(size)])?;
            if size == 0 {
                return Ok(Begun::End);
            }
        }
        let (period_us, id) = match &self.schedule {
            Schedule::Frames(frames) => (frames.period_us(), Some(frames.number())),
            _ => (0, None),
        };
        if let Some(stamps) = &mut self.stamps {
            stamps.begin(size, period_us, id);
        }
        (self.message.size, self.message.at, self.message.began) = (size, 0, now);
        Ok(Begun::Yes)
    }

    fn bytes<'a>(&'a self, room: &'a Room) -> &'a [u8] {
        let Message { at, size, .. } = self.message;
        let rest = (size - at).min(self.size.max(BurstHeader::LEN));
        match &self.stamps {
            Some(stamps) if at < stamps.front.len() => {
                let end = stamps.front.len().min(size);
                &stamps.front[at..end]
            }
            _ if self.source.is_some() => &room.payload[at..size],
            _ => &room.payload[..rest.min(room.payload.len())],
        }
    }

    fn wrote(&mut self, n: usize) {
        let usual = self.size.max(1);
        let writes = |at: usize| at / usual;
        self.half.messages += (writes(self.message.at + n) - writes(self.message.at)) as u64;
        self.message.at += n;
        self.half.bytes += n as u64;
        if self.left != u64::MAX {
            self.left = self.left.saturating_sub(n as u64);
        }
        if self.message.at == self.message.size {
            // A burst is written by usual writes, and a rest.
            self.half.messages += u64::from(!self.message.size.is_multiple_of(usual));
            if let Some(times) = &mut self.times {
                let nanos = (clock::now() - self.message.began).get();
                times.take(nanos as f64 / 1000.0, clock::wall());
            }
            let socket = &self.socket;
            self.schedule.end(|| {
                let info = sys::tcp_info(&**socket).ok();
                info.and_then(|info| info.tcpi_rtt).unwrap_or(0)
            });
        }
        self.meter.tally.set_sent(&self.half);
    }
}

enum Begun {
    Yes,
    /// Not yet.
    Later,
    /// The source is through.
    End,
}

impl Flow for BurstSend {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        let waits = !self.full && self.message.at == self.message.size && !self.due_now();
        Readiness {
            read: false,
            write: !waits,
        }
    }

    fn due(&self) -> Option<Nanos> {
        let between = self.message.at == self.message.size;
        (between && !self.full && !matches!(self.schedule, Schedule::Free))
            .then(|| self.schedule.due())
    }

    fn advance(&mut self, room: &mut Room) -> State {
        self.full = false;
        let mut bytes_sent = 0;
        for _ in 0..TURN {
            let between = self.message.at == self.message.size;
            if between && self.left == 0 {
                return self.finish();
            }
            match self.begin(room) {
                Ok(Begun::Yes) => (),
                Ok(Begun::Later) => return State::Going,
                Ok(Begun::End) => return self.finish(),
                Err(error) => return Broken::at("reading what is to be sent", error),
            }
            match sys::send(&*self.socket, self.bytes(room), room.wait) {
                Ok(n) => {
                    self.wrote(n);
                    bytes_sent += n;
                    if bytes_sent >= TURN_BYTES && matches!(self.schedule, Schedule::Free) {
                        break;
                    }
                }
                Err(error) if would_block(&error) => {
                    self.full = true;
                    return State::Going;
                }
                Err(error) => {
                    self.meter.tally.set_sent_all(clock::now());
                    return Broken::at("sending", error);
                }
            }
        }
        State::Going
    }

    fn stop(&mut self) -> State {
        self.finish()
    }
}

impl BurstSend {
    fn due_now(&self) -> bool {
        matches!(self.schedule, Schedule::Free) || self.schedule.due() <= clock::now()
    }
}
