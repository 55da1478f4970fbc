//! The answering side of UDP request and response where datagrams carry nothing of ours.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use sys::{Readiness, Sender, Wake, clock};

use super::{Broken, Flow, Room, State, TURN, udp_send, would_block};
use crate::tally::{Half, Tally};

/// Answers every datagram to whoever sent it, until an empty one says that it is the last.
pub(crate) struct PlainAnswer {
    pub socket: Arc<OwnedFd>,
    pub tally: Arc<Tally>,
    /// Bytes of one receive.
    pub request: usize,
    pub reply: usize,
    pub sent: Half,
    pub received: Half,
    /// Told of the first datagram.
    pub began: Option<Arc<Wake>>,
    /// Whether only the first datagram's sender is answered.
    pub connects: bool,
}

impl Flow for PlainAnswer {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        Readiness::READ
    }

    #[inline]
    fn advance(&mut self, room: &mut Room) -> State {
        let mut sender = Sender::default();
        for _ in 0..TURN {
            let sink = &mut room.sink[..self.request];
            match sys::recv_from(&*self.socket, sink, &mut sender, room.wait) {
                Ok(0) => {
                    self.tally.set_received_all(clock::now());
                    return State::Done;
                }
                Ok(n) => {
                    self.received.add(n);
                    self.tally.set_received(&self.received);
                    if let Some(wake) = self.began.take() {
                        wake.wake();
                    }
                    if std::mem::take(&mut self.connects)
                        && let Err(error) = sys::connect_to(&*self.socket, &sender)
                    {
                        return Broken::at("connecting to the asking end", error);
                    }
                    let reply = room.piece(0, self.reply);
                    match sys::send_to(&*self.socket, reply, &sender, room.wait) {
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
