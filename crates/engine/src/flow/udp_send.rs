//! The sending half of a UDP bulk flow.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use proto::native::DatagramHeader;
use sys::{Readiness, clock};
use units::Nanos;

use super::stream_send::Pace;
use super::{Broken, Flow, Room, State, TURN, would_block};
use crate::tally::{Half, Tally};

/// Sends numbered, time-stamped datagrams.
pub(crate) struct UdpSend {
    pub socket: Arc<OwnedFd>,
    pub tally: Arc<Tally>,
    pub half: Half,
    /// Payload bytes of a datagram, header included.
    pub size: usize,
    /// Datagrams still to send; `u64::MAX` without end.
    pub left: u64,
    pub header: DatagramHeader,
    pub pace: Option<Pace>,
    pub full: bool,
    /// After a refusal that is not "try again": when to go on.
    pub pause: Option<Nanos>,
}

/// How long an unpaced sender rests after a datagram that the system refused (no route, link
/// down, no buffer), so that a dead path is not answered with a busy loop.
const PAUSE: Nanos = Nanos::from_millis(1);

impl UdpSend {
    /// An unpaced sender over IPv4 loopback spends about 1 us in the kernel per datagram; the
    /// clock read for the header is 2 % of that and buys jitter and outage lengths.
    #[inline]
    fn send_one(&mut self, now: Nanos, room: &mut Room) -> Result<(), State> {
        self.header.sent = now;
        self.header.encode_into(&mut room.payload);
        match sys::send(&*self.socket, &room.payload[..self.size], room.wait) {
            Ok(n) => self.half.add(n),
            Err(error) if would_block(&error) => {
                self.full = true;
                return Ok(());
            }
            Err(error) if passes(&error) => {
                self.half.failures += 1;
                if self.pace.is_none() {
                    self.pause = Some(now + PAUSE);
                }
            }
            Err(error) => return Err(Broken::at("sending a datagram", error)),
        }
        if let Some(pace) = &mut self.pace {
            pace.sent(now);
        }
        // A refused datagram keeps its number: the receiver sees the hole.
        self.header.seq += 1;
        if self.left != u64::MAX {
            self.left -= 1;
        }
        self.tally.set_sent(&self.half);
        Ok(())
    }

    fn finish(&mut self) -> State {
        self.tally.set_sent_all(clock::now());
        State::Done
    }
}

impl Flow for UdpSend {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        Readiness {
            read: false,
            write: self.full || (self.pace.is_none() && self.pause.is_none()),
        }
    }

    fn due(&self) -> Option<Nanos> {
        self.pause.or_else(|| {
            self.pace
                .as_ref()
                .filter(|_| !self.full)
                .map(|p| p.pacer.due())
        })
    }

    #[inline]
    fn advance(&mut self, room: &mut Room) -> State {
        self.full = false;
        for _ in 0..TURN {
            if self.left == 0 {
                return self.finish();
            }
            let now = clock::now();
            if self.due().is_some_and(|due| due > now) {
                return State::Going;
            }
            self.pause = None;
            match self.send_one(now, room) {
                Ok(()) if self.full => return State::Going,
                Ok(()) => (),
                Err(state) => return state,
            }
        }
        State::Going
    }

    fn stop(&mut self) -> State {
        self.finish()
    }
}

/// Refusals that concern one datagram or a passing state of the path: a full device queue, a
/// link that is down, an ICMP error that an earlier datagram caused.
pub(crate) fn passes(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionRefused, HostUnreachable, NetworkDown, NetworkUnreachable};
    matches!(
        error.kind(),
        ConnectionRefused | HostUnreachable | NetworkDown | NetworkUnreachable
    ) || sys::is_no_buffers(error)
}
