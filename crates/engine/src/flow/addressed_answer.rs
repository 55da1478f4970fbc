//! The answering side of UDP request and response at a host with several addresses.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use sys::{Readiness, Wake, clock};

use super::{Broken, Flow, Room, State, TURN, udp_send, would_block};
use crate::tally::{Half, Tally};

/// Answers every datagram from the address that it came to, until an empty one says that it is the
/// last. A [`PlainAnswer`](super::PlainAnswer) leaves by the address that the routes prefer.
pub(crate) struct AddressedAnswer {
    /// One that tells destinations.
    pub socket: Arc<OwnedFd>,
    pub tally: Arc<Tally>,
    /// Bytes of one receive.
    pub request: usize,
    pub reply: usize,
    pub sent: Half,
    pub received: Half,
    /// Told of the first datagram.
    pub began: Option<Arc<Wake>>,
}

impl Flow for AddressedAnswer {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        Readiness::READ
    }

    fn advance(&mut self, room: &mut Room) -> State {
        for _ in 0..TURN {
            let sink = &mut room.sink[..self.request];
            let arrival = match sys::receive_from(&*self.socket, sink) {
                Ok(Some(arrival)) => arrival,
                Ok(None) => return State::Going,
                Err(error) if udp_send::passes(&error) => continue,
                Err(error) => return Broken::at("waiting for a request", error),
            };
            if arrival.length == 0 {
                self.tally.set_received_all(clock::now());
                return State::Done;
            }
            self.received.add(arrival.length);
            self.tally.set_received(&self.received);
            if let Some(wake) = self.began.take() {
                wake.wake();
            }
            let reply = room.piece(0, self.reply);
            match sys::send_from(&*self.socket, reply, arrival.from, arrival.to) {
                Ok(n) => self.sent.add(n),
                Err(error) if would_block(&error) || udp_send::passes(&error) => {
                    self.sent.failures += 1;
                }
                Err(error) => return Broken::at("sending a reply", error),
            }
            self.tally.set_sent(&self.sent);
        }
        State::Going
    }

    fn stop(&mut self) -> State {
        State::Going
    }
}
