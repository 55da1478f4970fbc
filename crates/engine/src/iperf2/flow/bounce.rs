//! The asking end of a bounceback.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use proto::iperf2::{BounceFlags, BounceMessage, Stamp};
use sys::{Options, Readiness, Wait, clock};
use units::Nanos;

use crate::flow::{Broken, Flow, Room, State, would_block};
use crate::iperf2::meter::{Meter, TimesPen};
use crate::iperf2::spread::SpreadPen;
use crate::tally::Half;

/// What is asked of a bounceback.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BounceOrder {
    /// Bytes of a request.
    pub size: u32,
    /// Bytes of a reply, where they are not those of the request.
    pub reply: Option<u32>,
    /// Requests of a burst.
    pub burst: u32,
    /// From burst to burst; zero for no pause.
    pub period: Nanos,
    /// How long the server keeps a request.
    pub hold: Nanos,
    /// Acknowledgements are not delayed.
    pub quickack: bool,
    /// Clocks agree: each way is timed for itself.
    pub trip_times: bool,
    /// Type of service of the replies.
    pub tos: Option<u8>,
    /// How long a reply may take.
    pub patience: Nanos,
    /// No burst begins so long after the start.
    pub length: Option<Nanos>,
}

/// Sends requests one after the other in bursts, and times their replies.
pub(crate) struct Bounce {
    socket: Arc<OwnedFd>,
    meter: Arc<Meter>,
    order: BounceOrder,
    message: Vec<u8>,
    /// Bytes of requests still to send; `u64::MAX` without end.
    left: u64,
    sent: Half,
    received: Half,
    times: TimesPen,
    ways: [SpreadPen; 3],
    burst: u32,
    left_of_burst: u32,
    next_burst: Nanos,
    /// From here on no burst begins.
    end: Option<Nanos>,
    current: Option<Asked>,
    stopping: bool,
}

/// A request that is under way.
struct Asked {
    at: Nanos,
    wall: Nanos,
    written: usize,
    read: usize,
    front: [u8; BounceMessage::LEAST],
}

impl Bounce {
    /// `payload` is what requests hold behind their fields.
    pub fn new(
        socket: Arc<OwnedFd>,
        meter: Arc<Meter>,
        order: BounceOrder,
        payload: &[u8],
        left: u64,
        start: Nanos,
    ) -> Self {
        let mut message: Vec<u8> = payload
            .iter()
            .copied()
            .cycle()
            .take(order.size as usize)
            .collect();
        // What iperf leaves where nothing is said.
        let filled = message.len().min(60);
        message[..filled].fill(0x5a);
        let pen = |i: usize| SpreadPen::new(meter.ways[i].clone());
        Self {
            times: meter.times_pen(),
            ways: [pen(0), pen(1), pen(2)],
            socket,
            meter,
            order,
            message,
            left,
            sent: Half::default(),
            received: Half::default(),
            burst: 0,
            left_of_burst: 0,
            next_burst: start,
            end: order.length.map(|length| start + length),
            current: None,
            stopping: false,
        }
    }

    fn ask(&mut self, now: Nanos) {
        let order = &self.order;
        let set = |bit: u16, on: bool| if on { bit } else { 0 };
        let flags = set(BounceFlags::QUICK_ACK, order.quickack)
            | set(BounceFlags::CLOCKS_SYNCED, order.trip_times)
            | set(BounceFlags::TOS, order.tos.is_some())
            | set(BounceFlags::REPLY_SIZE, order.reply.is_some());
        let wall = clock::wall();
        let sent = Stamp::from_micros(wall.get() / 1000);
        let mut request =
            BounceMessage::request(order.size, self.burst, BounceFlags::new(flags), sent);
        request.tos = order.tos.map_or(0x5a5a, u16::from);
        request.hold_us = (order.hold.get() / 1000) as u32;
        request.reply_size = order.reply.unwrap_or(0);
        request.write(&mut self.message);
        self.current = Some(Asked {
            at: now,
            wall,
            written: 0,
            read: 0,
            front: [0; BounceMessage::LEAST],
        });
    }

    fn reply_len(&self) -> usize {
        self.order.reply.unwrap_or(self.order.size) as usize
    }

    /// Goes on with the request under way; whether it has its reply.
    fn exchange(&mut self, room: &mut Room) -> Result<bool, State> {
        let reply_len = self.reply_len();
        let Some(asked) = &mut self.current else {
            return Ok(true);
        };
        while asked.written < self.message.len() {
            let rest = &self.message[asked.written..];
            match sys::send(&*self.socket, rest, Wait::Never) {
                Ok(n) => asked.written += n,
                Err(error) if would_block(&error) => return Ok(false),
                Err(error) => return Err(Broken::at("sending a request", error)),
            }
            if asked.written == self.message.len() {
                self.sent.add(asked.written);
                self.meter.tally.set_sent(&self.sent);
            }
        }
        while asked.read < reply_len {
            if self.order.quickack {
                let _ = Options::of(&*self.socket).set_quickack();
            }
            let room = &mut room.sink[..];
            let most = (reply_len - asked.read).min(room.len());
            match sys::recv(&*self.socket, &mut room[..most], Wait::Never) {
                Ok(0) => return Err(Broken::peer("waiting for a reply: the server closed")),
                Ok(n) => {
                    for (i, byte) in room[..n].iter().enumerate() {
                        if let Some(place) = asked.front.get_mut(asked.read + i) {
                            *place = *byte;
                        }
                    }
                    asked.read += n;
                }
                Err(error) if would_block(&error) => return Ok(false),
                Err(error) => return Err(Broken::at("waiting for a reply", error)),
            }
        }
        self.answered();
        Ok(true)
    }

    fn answered(&mut self) {
        let Some(asked) = self.current.take() else {
            return;
        };
        let (now, wall) = (clock::now(), clock::wall());
        self.received.add(asked.read);
        let nanos = (now - asked.at).get();
        self.times.take(nanos as f64 / 1000.0, wall);
        if let Some(responses) = &self.meter.responses {
            responses.record(nanos);
        }
        let reply = BounceMessage::read(&asked.front);
        if self.order.trip_times
            && let Some((received, sent)) = reply.server_times()
        {
            let micros = |at: Nanos| (at.get() / 1000) as i64;
            let to = (received.as_micros() - micros(asked.wall)) as f64;
            let from = (micros(wall) - sent.as_micros()) as f64;
            for (pen, value) in self.ways.iter_mut().zip([to, from, (to - from).abs()]) {
                pen.take(value);
            }
        }
        self.left_of_burst = self.left_of_burst.saturating_sub(1);
        if self.left != u64::MAX {
            self.left = self.left.saturating_sub(self.message.len() as u64);
        }
        self.meter.tally.set_received(&self.received);
    }

    fn finish(&mut self) -> State {
        self.meter.tally.set_sent_all(clock::now());
        sys::shut_sending(&self.socket);
        State::Done
    }
}

impl Flow for Bounce {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        let writes = self
            .current
            .as_ref()
            .is_some_and(|asked| asked.written < self.message.len());
        Readiness {
            read: !writes,
            write: writes,
        }
    }

    fn due(&self) -> Option<Nanos> {
        match &self.current {
            Some(asked) => Some(asked.at + self.order.patience),
            None if self.left_of_burst > 0 => Some(Nanos::ZERO),
            // The last burst is over.
            None if self.end.is_some_and(|end| self.next_burst >= end) => None,
            None => Some(self.next_burst),
        }
    }

    fn advance(&mut self, room: &mut Room) -> State {
        loop {
            match self.exchange(room) {
                Ok(true) => (),
                Ok(false) => {
                    let late = self.due().is_some_and(|due| due <= clock::now());
                    return if late {
                        Broken::peer("waiting for a reply: none came in time")
                    } else {
                        State::Going
                    };
                }
                Err(state) => {
                    self.meter.tally.set_sent_all(clock::now());
                    return state;
                }
            }
            if self.stopping || self.left == 0 {
                return self.finish();
            }
            let now = clock::now();
            if self.left_of_burst == 0 {
                if self.due().is_none_or(|due| now < due) {
                    return State::Going;
                }
                self.burst += 1;
                self.left_of_burst = self.order.burst.max(1);
                // Bursts that were missed are not made up for.
                self.next_burst = (self.next_burst + self.order.period).max(now);
            }
            self.ask(now);
        }
    }

    fn stop(&mut self) -> State {
        self.stopping = true;
        if self.current.is_none() {
            self.finish()
        } else {
            State::Going
        }
    }
}
