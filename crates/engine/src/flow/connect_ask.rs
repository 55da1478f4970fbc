//! The asking side of connect, request, response, close.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use sys::{Readiness, clock};
use units::Nanos;

use super::exchange::{Request, Timer};
use super::{Broken, Flow, Room, State, would_block};
use crate::arrivals::Arrivals;
use crate::tally::{Half, Tally};

/// Opens the sockets of such a flow.
pub(crate) trait Open: Send {
    /// What goes first on a new socket.
    fn preamble(&self) -> &[u8];
    /// A socket that has begun to connect.
    fn open(&mut self) -> io::Result<OwnedFd>;
}

/// One transaction after the other, each on a connection of its own. The time of one runs from
/// its intended start to the end of file that follows the reply: the answering side closes first,
/// so the waiting state (TIME_WAIT) is there and our ports are free for the next connection.
pub(crate) struct ConnectAsk {
    pub opener: Box<dyn Open>,
    pub tally: Arc<Tally>,
    pub timer: Timer,
    pub arrivals: Arrivals,
    pub request: usize,
    pub reply: usize,
    /// Transactions still to start; `u64::MAX` without end.
    pub left: u64,
    pub sent: Half,
    pub received: Half,
    pub current: Option<Transaction>,
    /// Connections opened so far.
    pub generation: u32,
    pub stopping: bool,
    /// A connection that is refused is tried again, a moment later.
    pub tries_again: bool,
    /// When.
    pub pause: Option<Nanos>,
}

/// How long after a connection that was refused the next one is tried.
const PAUSE: Nanos = Nanos::from_millis(1);

/// The transaction under way.
pub(crate) struct Transaction {
    socket: OwnedFd,
    request: Request,
    connected: bool,
    /// Preamble bytes, then request bytes, that are written.
    written: usize,
    /// Reply bytes that are here.
    arrived: usize,
}

impl ConnectAsk {
    fn start(&mut self, now: Nanos) -> Result<bool, State> {
        if self.stopping || self.left == 0 {
            return Ok(false);
        }
        if self.pause.is_some_and(|until| until > now) {
            return Ok(false);
        }
        self.pause = None;
        let Some(intended) = self.arrivals.take(now) else {
            return Ok(false);
        };
        let socket = self
            .opener
            .open()
            .map_err(|error| Broken::at("connecting", error))?;
        if self.left != u64::MAX {
            self.left -= 1;
        }
        self.generation = self.generation.wrapping_add(1);
        let request = Request {
            intended,
            sent: now,
        };
        self.current = Some(Transaction {
            socket,
            request,
            connected: false,
            written: 0,
            arrived: 0,
        });
        Ok(true)
    }

    /// Moves the transaction on. True when it is over.
    fn step(&mut self, room: &mut Room) -> Result<bool, State> {
        let Some(current) = &mut self.current else {
            return Ok(false);
        };
        if !current.connected {
            match sys::take_error(&current.socket) {
                Ok(()) => current.connected = true,
                Err(error) if self.tries_again && would_help(&error) => {
                    self.pause = Some(clock::now() + PAUSE);
                    self.left = self.left.saturating_add(1);
                    return Ok(true);
                }
                Err(error) => return Err(Broken::at("connecting", error)),
            }
        }
        let preamble = self.opener.preamble();
        while current.written < preamble.len() + self.request {
            let bytes = match preamble.get(current.written..) {
                Some(rest) if !rest.is_empty() => rest,
                _ => room.piece(0, preamble.len() + self.request - current.written),
            };
            match sys::send(&current.socket, bytes, room.wait) {
                Ok(n) => current.written += n,
                Err(error) if waits(&error) => return Ok(false),
                Err(error) => return Err(Broken::at("sending a request", error)),
            }
            if current.written >= preamble.len() + self.request {
                self.sent.add(self.request);
                self.tally.set_sent(&self.sent);
            }
        }
        loop {
            match sys::recv(&current.socket, &mut room.sink, room.wait) {
                Ok(0) if current.arrived >= self.reply => {
                    self.received.add(current.arrived);
                    self.tally.set_received(&self.received);
                    self.timer
                        .answered(current.request, clock::now(), &self.tally);
                    return Ok(true);
                }
                Ok(0) => {
                    return Err(Broken::peer(
                        "waiting for a reply: the peer closed the connection",
                    ));
                }
                Ok(n) => current.arrived += n,
                Err(error) if waits(&error) => return Ok(false),
                Err(error) => return Err(Broken::at("waiting for a reply", error)),
            }
        }
    }

    fn finish(&self) -> State {
        self.tally.set_sent_all(clock::now());
        State::Done
    }
}

impl Flow for ConnectAsk {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        self.current
            .as_ref()
            .map(|t| (t.socket.as_fd(), self.generation))
    }

    fn interest(&self) -> Readiness {
        match &self.current {
            Some(t) if t.written < self.opener.preamble().len() + self.request => Readiness::WRITE,
            _ => Readiness::READ,
        }
    }

    fn due(&self) -> Option<Nanos> {
        if self.current.is_some() || self.stopping {
            return None;
        }
        let pause = self.pause.unwrap_or(Nanos::ZERO);
        Some(self.arrivals.next().unwrap_or(Nanos::ZERO).max(pause))
    }

    fn advance(&mut self, room: &mut Room) -> State {
        if self.current.is_some() {
            match self.step(room) {
                Ok(true) => self.current = None,
                Ok(false) => return State::Going,
                Err(state) => return state,
            }
        }
        match self.start(clock::now()) {
            Ok(_) if self.current.is_none() && (self.stopping || self.left == 0) => self.finish(),
            Ok(_) => State::Going,
            Err(state) => state,
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

/// Whether another try may go better.
fn would_help(error: &io::Error) -> bool {
    use io::ErrorKind::{
        AddrInUse, AddrNotAvailable, ConnectionRefused, ConnectionReset, TimedOut,
    };
    matches!(
        error.kind(),
        ConnectionRefused | ConnectionReset | TimedOut | AddrInUse | AddrNotAvailable
    )
}

/// Not connected yet (ENOTCONN), or nothing to do right now.
fn waits(error: &io::Error) -> bool {
    would_block(error) || error.kind() == io::ErrorKind::NotConnected
}
