//! The sending half of a UDP bulk flow whose datagrams carry nothing of ours.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use sys::{Readiness, clock};
use units::Nanos;

use super::burst::Burst;
use super::exchange::Timer;
use super::{Broken, Flow, Room, State, TURN, udp_send, would_block};
use crate::tally::{Half, Tally};

/// Sends datagrams as fast as the socket takes them. It writes no header, and reads the clock only
/// where calls are timed.
pub(crate) struct PlainSend {
    pub socket: Arc<OwnedFd>,
    pub tally: Arc<Tally>,
    pub half: Half,
    /// Payload bytes of a datagram.
    pub size: usize,
    /// Datagrams still to send; `u64::MAX` without end.
    pub left: u64,
    /// Where in the payload, which repeats itself after so many bytes, the next datagram begins.
    pub offset: usize,
    pub period: usize,
    pub burst: Option<Burst>,
    /// Where the time of each call goes, if that is wanted.
    pub timer: Option<Timer>,
    /// After a refusal that is not "try again": when to go on.
    pub pause: Option<Nanos>,
}

/// How long a sender rests after a datagram that the system refused.
const PAUSE: Nanos = Nanos::from_millis(1);

impl PlainSend {
    fn finish(&mut self) -> State {
        self.tally.set_sent_all(clock::now());
        State::Done
    }
}

impl Flow for PlainSend {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        Readiness {
            read: false,
            write: self.due().is_none(),
        }
    }

    fn due(&self) -> Option<Nanos> {
        let burst = self.burst.as_ref().and_then(Burst::due);
        self.pause.or(burst)
    }

    #[inline]
    fn advance(&mut self, room: &mut Room) -> State {
        for _ in 0..TURN {
            if self.left == 0 {
                return self.finish();
            }
            if self.pause.is_some_and(|until| until > clock::now())
                || self.burst.as_mut().is_some_and(|burst| !burst.opens())
            {
                return State::Going;
            }
            self.pause = None;
            let bytes = room.piece(self.offset, self.size);
            let began = Timer::begin(&self.timer);
            match sys::send(&*self.socket, bytes, room.wait) {
                Ok(n) => {
                    Timer::called(&mut self.timer, began, &self.tally);
                    self.half.add(n);
                    self.offset = (self.offset + n) % self.period;
                    if self.left != u64::MAX {
                        self.left -= 1;
                    }
                    if let Some(burst) = &mut self.burst {
                        burst.sent();
                    }
                }
                Err(error) if would_block(&error) => return State::Going,
                // An earlier datagram met a closed port; this one was not sent yet.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => continue,
                Err(error) if udp_send::passes(&error) => {
                    self.half.failures += 1;
                    if sys::is_no_buffers(&error) {
                        self.pause = Some(clock::now() + PAUSE);
                    }
                }
                Err(error) => return Broken::at("sending a datagram", error),
            }
            self.tally.set_sent(&self.half);
        }
        State::Going
    }

    fn stop(&mut self) -> State {
        self.finish()
    }
}
