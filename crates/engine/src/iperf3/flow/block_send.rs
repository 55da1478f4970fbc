//! The sending half of a TCP stream.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use sys::{Readiness, Wait, clock};
use units::Nanos;

use crate::flow::{Broken, Flow, Room, State, TURN, TURN_BYTES, would_block};
use crate::iperf3::budget::Budget;
use crate::iperf3::counts::Counts;
use crate::pacer::Pacer;
use crate::tally::Half;

/// Writes blocks until it is stopped or its budget is spent. Its end is said on the control
/// connection: iperf3's servers spin on a data connection that has ended.
pub(in crate::iperf3) struct BlockSend {
    pub socket: Arc<OwnedFd>,
    pub counts: Arc<Counts>,
    pub half: Half,
    /// Bytes of a block.
    pub block: usize,
    /// Bytes of one write: a block, or what a low rate carries in 10 ms.
    pub piece: usize,
    pub pacer: Option<Pacer>,
    /// Blocks that all streams may send, after the omitted time.
    pub budget: Option<Arc<Budget>>,
    /// When the omitted time ends; zero without one.
    pub omitted_until: Nanos,
    pub source: Source,
    /// What is left of a block.
    pub block_left: usize,
    /// What is left of a piece that the socket took only a part of.
    pub rest: usize,
    /// The socket was full at the last try.
    pub full: bool,
}

/// Where the payload comes from.
pub(in crate::iperf3) enum Source {
    /// The worker's room.
    Room,
    /// The kernel sends a file by itself (sendfile(2)).
    File {
        file: File,
        /// Where the next byte is.
        offset: u64,
        /// Its size.
        length: u64,
        /// It is sent once, and that is the end.
        once: bool,
    },
}

impl Source {
    /// Whether there is nothing more.
    fn is_over(&self) -> bool {
        matches!(self, Self::File { offset, length, once: true, .. } if offset >= length)
    }
}

impl BlockSend {
    fn finish(&mut self) -> State {
        self.counts.tally.set_sent_all(clock::now());
        State::Done
    }

    /// Whether there is a piece to send now; a budget that is spent is the end.
    fn begin(&mut self) -> Result<bool, State> {
        if self.rest > 0 {
            return Ok(true);
        }
        if self.source.is_over() {
            return Err(self.finish());
        }
        if let Some(pacer) = &self.pacer
            && pacer.due() > clock::now()
        {
            return Ok(false);
        }
        if self.budget.is_some()
            && !self.omitted_until.is_zero()
            && clock::now() >= self.omitted_until
        {
            // What is left of a block that began before does not belong to those that count.
            self.omitted_until = Nanos::ZERO;
            self.block_left = 0;
        }
        if self.block_left == 0 {
            if let Some(budget) = &self.budget
                && self.omitted_until.is_zero()
                && budget.take(1) == 0
            {
                return Err(self.finish());
            }
            self.block_left = self.block;
        }
        if let Some(pacer) = &mut self.pacer {
            pacer.sent(clock::now());
        }
        self.rest = self.piece.min(self.block_left);
        Ok(true)
    }

    #[inline]
    fn send(&mut self, room: &Room) -> io::Result<usize> {
        match &mut self.source {
            Source::Room => sys::send(&*self.socket, &room.payload[..self.rest], Wait::Never),
            Source::File {
                file,
                offset,
                length,
                ..
            } => {
                if *offset >= *length {
                    *offset = 0;
                }
                let most = (*length - *offset).min(self.rest as u64) as usize;
                let n = sys::send_file(&*self.socket, &*file, *offset, most)?;
                if n == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                *offset += n as u64;
                Ok(n)
            }
        }
    }
}

impl Flow for BlockSend {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        // A paced sender with room waits for its time, not for the socket.
        Readiness {
            read: false,
            write: self.pacer.is_none() || self.full,
        }
    }

    fn due(&self) -> Option<Nanos> {
        let pacer = self.pacer.as_ref().filter(|_| !self.full);
        pacer.map(Pacer::due)
    }

    #[inline]
    fn advance(&mut self, room: &mut Room) -> State {
        self.full = false;
        let mut bytes_sent = 0;
        for _ in 0..TURN {
            match self.begin() {
                Ok(true) => (),
                Ok(false) => return State::Going,
                Err(state) => return state,
            }
            match self.send(room) {
                Ok(n) => {
                    self.rest -= n;
                    self.block_left -= n;
                    self.half.bytes += n as u64;
                    self.half.messages += u64::from(self.block_left == 0);
                    self.counts.tally.set_sent(&self.half);
                    if self.source.is_over() {
                        return self.finish();
                    }
                    bytes_sent += n;
                    if bytes_sent >= TURN_BYTES && self.pacer.is_none() {
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
