//! The answering side of UDP request and response.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use proto::native::{DatagramHeader, DatagramKind};
use sys::Readiness;

use super::{Broken, Flow, Room, State, TURN, udp_send, would_block};
use crate::tally::{Half, Tally};

/// Answers each request with its own number and time. Like every UDP receiver it is ended by the
/// coordinator.
pub(crate) struct UdpAnswer {
    pub socket: Arc<OwnedFd>,
    pub tally: Arc<Tally>,
    pub reply: usize,
    pub sent: Half,
    pub received: Half,
}

impl Flow for UdpAnswer {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        Readiness::READ
    }

    #[inline]
    fn advance(&mut self, room: &mut Room) -> State {
        for _ in 0..TURN {
            match sys::recv(&*self.socket, &mut room.sink, room.wait) {
                Ok(n) => {
                    let Some(mut header) = DatagramHeader::parse(&room.sink[..n]) else {
                        continue;
                    };
                    if header.kind != DatagramKind::Request {
                        continue;
                    }
                    self.received.add(n);
                    self.tally.set_received(&self.received);
                    header.kind = DatagramKind::Reply;
                    header.encode_into(&mut room.payload);
                    match sys::send(&*self.socket, &room.payload[..self.reply], room.wait) {
                        Ok(n) => self.sent.add(n),
                        Err(error) if would_block(&error) || udp_send::passes(&error) => {
                            self.sent.failures += 1;
                        }
                        Err(error) => return Broken::at("sending a reply", error),
                    }
                    self.tally.set_sent(&self.sent);
                }
                Err(error) if would_block(&error) => return State::Going,
                Err(error) if udp_send::passes(&error) => (),
                Err(error) => return Broken::at("waiting for a request", error),
            }
        }
        State::Going
    }

    fn stop(&mut self) -> State {
        State::Going
    }
}
