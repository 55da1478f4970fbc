//! The sending half of a TCP bulk flow whose payload is a file.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use sys::{Readiness, clock};

use super::exchange::Timer;
use super::{Broken, Flow, Room, State, TURN, TURN_BYTES, would_block};
use crate::tally::{Half, Tally};

/// Has the kernel send a file over and over (sendfile(2)), piece by piece, until it is stopped or
/// has sent what was asked; then a FIN tells the other end.
pub(crate) struct FileSend {
    pub socket: Arc<OwnedFd>,
    pub tally: Arc<Tally>,
    pub half: Half,
    pub file: Arc<File>,
    /// Bytes of the file that are sent: whole pieces, at least one.
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
        Readiness::WRITE
    }

    fn advance(&mut self, _room: &mut Room) -> State {
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
            let began = Timer::begin(&self.timer);
            match sys::send_file(&*self.socket, &*self.file, self.offset, self.rest) {
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
                    bytes_sent += n;
                    if bytes_sent >= TURN_BYTES {
                        break;
                    }
                }
                Err(error) if would_block(&error) => return State::Going,
                Err(error) => return Broken::at("sending a file", error),
            }
        }
        State::Going
    }

    fn stop(&mut self) -> State {
        self.finish()
    }
}
