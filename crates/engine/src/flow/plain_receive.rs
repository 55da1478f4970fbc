//! The receiving half of a UDP bulk flow whose datagrams carry nothing of ours.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use sys::{Readiness, Sender, Wait, Wake, clock};

use super::exchange::Timer;
use super::{Broken, Flow, Room, State, TURN, would_block};
use crate::tally::{Half, Tally};

/// Counts datagrams of any content and any sender, until an empty one says that it is the last.
pub(crate) struct PlainReceive {
    pub socket: Arc<OwnedFd>,
    pub tally: Arc<Tally>,
    pub half: Half,
    /// Bytes of one receive; what a datagram has beyond them is lost, as the test wants it.
    pub size: usize,
    /// Told of the first datagram.
    pub began: Option<Arc<Wake>>,
    /// Whether only the first datagram's sender is heard from then on.
    pub connects: bool,
    /// Where the time of each call goes, if that is wanted.
    pub timer: Option<Timer>,
}

impl Flow for PlainReceive {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        Readiness::READ
    }

    #[inline]
    fn advance(&mut self, room: &mut Room) -> State {
        for _ in 0..TURN {
            let began = Timer::begin(&self.timer);
            let sink = &mut room.sink[..self.size];
            let taken = if self.connects {
                receive_and_connect(&self.socket, sink, room.wait, &mut self.connects)
            } else {
                sys::recv(&*self.socket, sink, room.wait)
            };
            match taken {
                Ok(0) => {
                    self.tally.set_received_all(clock::now());
                    return State::Done;
                }
                Ok(n) => {
                    Timer::called(&mut self.timer, began, &self.tally);
                    self.half.add(n);
                    self.tally.set_received(&self.half);
                    if let Some(wake) = self.began.take() {
                        wake.wake();
                    }
                }
                Err(error) if would_block(&error) => return State::Going,
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => (),
                Err(error) => return Broken::at("receiving datagrams", error),
            }
        }
        State::Going
    }

    fn stop(&mut self) -> State {
        State::Going
    }
}

/// Receives, and connects the socket to the sender.
pub(super) fn receive_and_connect(
    socket: &OwnedFd,
    sink: &mut [u8],
    wait: Wait,
    connects: &mut bool,
) -> io::Result<usize> {
    let mut sender = Sender::default();
    let n = sys::recv_from(socket, sink, &mut sender, wait)?;
    sys::connect_to(socket, &sender)?;
    *connects = false;
    Ok(n)
}
