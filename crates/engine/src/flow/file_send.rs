//! The sending half of a TCP bulk flow whose payload is a file.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use sys::{Readiness, clock};
use units::Nanos;

use super::exchange::Timer;
use super::lead::Lead;
use super::{Broken, Flow, Room, State, TURN, TURN_BYTES, would_block};
use crate::tally::{Half, Tally};

/// Has the kernel send a file over and over (sendfile(2)), piece by piece, until it is stopped or
/// has sent what was asked; then a FIN tells the other end.
pub(crate) struct FileSend {
    pub socket: Arc<OwnedFd>,
    pub tally: Arc<Tally>,
    pub half: Half,
    pub file: Arc<File>,
    /// Bytes of the file that are sent, after which it is begun again; at least one.
    pub length: u64,
    /// Where the next byte is.
    pub offset: u64,
    /// Bytes of one piece.
    pub size: usize,
    /// Bytes still to send; `u64::MAX` without end.
    pub left: u64,
    /// What is left of a piece that the socket took only a part of.
    pub rest: usize,
    /// Where the time of each call goes, if that is wanted.
    pub timer: Option<Timer>,
    /// Its first segments, where the kernel paces the others.
    pub lead: Option<Lead>,
    /// The socket takes no more.
    pub full: bool,
}

impl FileSend {
    fn finish(&mut self) -> State {
        self.tally.set_sent_all(clock::now());
        sys::shut_sending(&self.socket);
        State::Done
    }
}

impl Flow for FileSend {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        // One that is paced waits for its time, not for the socket.
        Readiness {
            read: false,
            write: self.full || self.lead.is_none(),
        }
    }

    fn due(&self) -> Option<Nanos> {
        self.lead.as_ref().filter(|_| !self.full).map(Lead::due)
    }

    fn advance(&mut self, _room: &mut Room) -> State {
        self.full = false;
        let mut bytes_sent = 0;
        for _ in 0..TURN {
            if self.left == 0 {
                return self.finish();
            }
            if self.rest == 0 {
                self.rest = self.size;
            }
            if self.offset >= self.length {
                self.offset = 0;
            }
            let left_of_file = self.length - self.offset;
            let mut most = left_of_file.min(self.rest as u64) as usize;
            if let Some(lead) = &mut self.lead {
                match lead.piece(clock::now(), most) {
                    Some(piece) => most = piece,
                    None => return State::Going,
                }
            }
            let began = Timer::begin(&self.timer);
            match sys::send_file(&*self.socket, &*self.file, self.offset, most) {
                Ok(0) => return Broken::peer("sending a file: it has become shorter"),
                Ok(n) => {
                    Timer::called(&mut self.timer, began, &self.tally);
                    self.offset += n as u64;
                    self.rest -= n;
                    self.half.bytes += n as u64;
                    self.half.messages += u64::from(self.rest == 0);
                    if self.left != u64::MAX {
                        self.left -= n as u64;
                    }
                    self.tally.set_sent(&self.half);
                    if self.lead.is_some() && Lead::is_over(&*self.socket) {
                        self.lead = None;
                    }
                    bytes_sent += n;
                    if bytes_sent >= TURN_BYTES {
                        break;
                    }
                }
                Err(error) if would_block(&error) => {
                    self.full = true;
                    return State::Going;
                }
                Err(error) => return Broken::at("sending a file", error),
            }
        }
        State::Going
    }

    fn stop(&mut self) -> State {
        self.finish()
    }
}
