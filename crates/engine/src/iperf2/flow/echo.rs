//! The answering end of a bounceback.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use proto::iperf2::{BounceFlags, BounceMessage, Stamp};
use sys::{Options, Readiness, Wait, clock};
use units::Nanos;

use crate::flow::{Broken, Flow, Room, State, TURN, would_block};
use crate::iperf2::meter::Meter;
use crate::tally::Half;

/// Sends each request back, with the times of its coming and going.
pub(crate) struct Echo {
    socket: Arc<OwnedFd>,
    meter: Arc<Meter>,
    is_ipv6: bool,
    /// What is there of the request at hand.
    request: Vec<u8>,
    reply: Vec<u8>,
    written: usize,
    /// When the request that waits may be answered.
    hold: Option<(Nanos, BounceMessage)>,
    tos: u16,
    received: Half,
    sent: Half,
}

impl Echo {
    /// `front` is what was read of the first request already.
    pub fn new(socket: Arc<OwnedFd>, meter: Arc<Meter>, is_ipv6: bool, front: Vec<u8>) -> Self {
        Self {
            socket,
            meter,
            is_ipv6,
            request: front,
            reply: Vec::new(),
            written: 0,
            hold: None,
            tos: 0,
            received: Half::default(),
            sent: Half::default(),
        }
    }

    /// How many bytes of the request are worth reading now.
    fn wanted(&self) -> usize {
        if self.request.len() < BounceMessage::LEAST {
            return BounceMessage::LEAST - self.request.len();
        }
        let size = BounceMessage::read(&self.request).size as usize;
        size.saturating_sub(self.request.len())
    }

    fn answer(&mut self, message: BounceMessage) {
        let length = message.reply_len();
        self.reply.clear();
        self.reply
            .extend(self.request.iter().copied().cycle().take(length));
        let sent = Stamp::from_micros(clock::wall().get() / 1000);
        BounceMessage {
            server_sent: sent,
            ..message
        }
        .write(&mut self.reply);
        self.written = 0;
        self.request.clear();
    }

    /// A request is complete.
    fn take(&mut self) {
        let mut message = BounceMessage::read(&self.request);
        message.server_received = Stamp::from_micros(clock::wall().get() / 1000);
        self.received.add(self.request.len());
        self.meter.tally.set_received(&self.received);
        let options = Options::of(&*self.socket);
        if message.flags.has(BounceFlags::TOS) && message.tos != self.tos {
            self.tos = message.tos;
            let _ = options.set_tos(self.is_ipv6, message.tos as u8);
        }
        if message.hold_us > 0 {
            let _ = options.set_quickack();
            let until = clock::now() + Nanos::new(u64::from(message.hold_us) * 1000);
            self.hold = Some((until, message));
        } else {
            self.answer(message);
        }
    }
}

impl Flow for Echo {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        let writes = self.written < self.reply.len();
        Readiness {
            read: !writes && self.hold.is_none(),
            write: writes,
        }
    }

    fn due(&self) -> Option<Nanos> {
        self.hold.map(|(until, _)| until)
    }

    fn advance(&mut self, room: &mut Room) -> State {
        for _ in 0..2 * TURN {
            if let Some((until, message)) = self.hold {
                if clock::now() < until {
                    return State::Going;
                }
                self.hold = None;
                self.answer(message);
            }
            if self.written < self.reply.len() {
                match sys::send(&*self.socket, &self.reply[self.written..], Wait::Never) {
                    Ok(n) => self.written += n,
                    Err(error) if would_block(&error) => return State::Going,
                    Err(error) => return Broken::at("sending a reply", error),
                }
                if self.written == self.reply.len() {
                    self.sent.add(self.written);
                    self.meter.tally.set_sent(&self.sent);
                }
                continue;
            }
            let most = self.wanted().min(room.sink.len());
            match sys::recv(&*self.socket, &mut room.sink[..most], Wait::Never) {
                Ok(0) => {
                    self.meter.tally.set_received_all(clock::now());
                    return State::Done;
                }
                Ok(n) => self.request.extend_from_slice(&room.sink[..n]),
                Err(error) if would_block(&error) => return State::Going,
                Err(error) => return Broken::at("waiting for a request", error),
            }
            if self.request.len() >= BounceMessage::LEAST {
                let size = BounceMessage::read(&self.request).size as usize;
                if !(BounceMessage::LEAST..=BounceMessage::MOST).contains(&size) {
                    return Broken::peer("waiting for a request: one of an impossible size came");
                }
                if self.request.len() >= size {
                    self.take();
                }
            }
        }
        State::Going
    }

    fn stop(&mut self) -> State {
        State::Going
    }
}
