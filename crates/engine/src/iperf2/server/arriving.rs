//! Connections that have not said what they are, and those that we make.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;

use proto::Parse;
use proto::iperf2::{Ack, AckTimes, Opening, PermitKey, Stamp, TestHeader, Version};
use sys::{Wait, clock};
use units::Nanos;

use super::limits::PATIENCE;
use super::{House, backward};
use crate::iperf2::event::{Event, Refusal, Tell};

/// A connection on its way to be a flow.
pub(super) struct Arriving {
    pub socket: OwnedFd,
    pub local: SocketAddr,
    pub peer: SocketAddr,
    pub deadline: Nanos,
    /// When it was accepted, since 1970.
    pub accepted: Nanos,
    pub stage: Stage,
}

/// What it waits for.
pub(super) enum Stage {
    /// Its first bytes; these are there.
    Reads(Vec<u8>),
    /// Its connection to a client, which asked for that with this header.
    Connects(Box<TestHeader>),
}

impl Arriving {
    pub fn accepted(socket: OwnedFd, local: SocketAddr, peer: SocketAddr) -> Self {
        Self {
            socket,
            local,
            peer,
            deadline: clock::now() + PATIENCE,
            accepted: clock::wall(),
            stage: Stage::Reads(Vec::new()),
        }
    }
}

/// What became of a connection's first bytes.
enum Heard {
    More,
    Opening(Opening, Vec<u8>),
    /// It closed: after this many bytes.
    Closed(usize),
}

impl House {
    /// A connection has something to say.
    pub(super) fn hear(&mut self, key: u64, tell: Tell<'_>) {
        let Some(arriving) = self.arriving.get_mut(&key) else {
            return;
        };
        let heard = match &mut arriving.stage {
            Stage::Connects(_) => return self.connected(key, tell),
            Stage::Reads(bytes) => read(&arriving.socket, bytes),
        };
        match heard {
            Heard::More => (),
            Heard::Closed(bytes) => {
                let Some(arriving) = self.leave(key) else {
                    return;
                };
                if bytes == 0 {
                    self.only_connected(arriving, tell);
                } else {
                    refuse(&arriving, Refusal::Silent, tell);
                }
            }
            Heard::Opening(opening, bytes) => {
                if let Some(arriving) = self.leave(key) {
                    self.open(arriving, opening, bytes, tell);
                }
            }
        }
    }

    /// Takes a connection out of those that arrive.
    pub(super) fn leave(&mut self, key: u64) -> Option<Arriving> {
        let arriving = self.arriving.remove(&key)?;
        let _ = self.epoll.remove(&arriving.socket);
        Some(arriving)
    }

    fn open(&mut self, arriving: Arriving, opening: Opening, bytes: Vec<u8>, tell: Tell<'_>) {
        let shown = match &opening {
            Opening::Test(header, _) => header.key.as_ref(),
            _ => None,
        };
        if opening == Opening::Iperf3 {
            return refuse(&arriving, Refusal::Iperf3, tell);
        }
        if !self.admits_key(shown) {
            return refuse(&arriving, Refusal::Key, tell);
        }
        match opening {
            Opening::Test(header, taken) => {
                self.acknowledge(&arriving, &header);
                self.begin_stream(arriving, Some(*header), taken as u64, tell);
            }
            Opening::Bare => self.begin_stream(arriving, None, bytes.len() as u64, tell),
            Opening::Bounceback => self.begin_echo(arriving, bytes, tell),
            Opening::Iperf3 => (),
        }
    }

    /// A key that nobody asked for is no word of admission either.
    fn admits_key(&self, shown: Option<&PermitKey>) -> bool {
        let in_time = self
            .config
            .key_lasts
            .is_none_or(|lasts| clock::now() < self.started + lasts);
        match (&self.config.key, shown) {
            (None, None) => true,
            (Some(key), Some(shown)) => in_time && key == shown,
            _ => false,
        }
    }

    fn acknowledge(&self, arriving: &Arriving, header: &TestHeader) {
        let Some(extended) = &header.extended else {
            return;
        };
        let is_two_way = backward::is_on_same_socket(header);
        if is_two_way && !header.wants_ack {
            return;
        }
        let stamp = |at: Nanos| Stamp::from_micros(at.get() / 1000);
        let ack = Ack {
            version: Version::SPOKEN,
            times: extended.has_trip_times().then(|| AckTimes {
                start: extended.start,
                accepted: stamp(arriving.accepted),
                sent: stamp(clock::wall()),
            }),
        };
        // A new connection has room for it.
        let _ = sys::send(&arriving.socket, &ack.encode(), Wait::Never);
    }

    /// Ends what takes too long.
    pub(super) fn at_time(&mut self, now: Nanos, tell: Tell<'_>) {
        let late: Vec<u64> = self
            .arriving
            .iter()
            .filter(|(_, arriving)| arriving.deadline <= now)
            .map(|(key, _)| *key)
            .collect();
        for key in late {
            if let Some(arriving) = self.leave(key) {
                match &arriving.stage {
                    Stage::Reads(_) => refuse(&arriving, Refusal::Silent, tell),
                    Stage::Connects(_) => tell(Event::Note(format!(
                        "connecting back to {}: no answer",
                        arriving.peer
                    ))),
                }
            }
        }
        for session in &mut self.sessions {
            session.at_time(now);
        }
    }
}

pub(super) fn refuse(arriving: &Arriving, why: Refusal, tell: Tell<'_>) {
    tell(Event::Refused {
        local: arriving.local,
        peer: arriving.peer,
        why,
    });
}

/// Reads no further than the header goes.
fn read(socket: &OwnedFd, bytes: &mut Vec<u8>) -> Heard {
    loop {
        let have = bytes.len();
        bytes.resize(Opening::wanted(bytes), 0);
        match sys::recv(socket, &mut bytes[have..], Wait::Never) {
            Ok(0) => return Heard::Closed(have),
            Ok(n) => bytes.truncate(have + n),
            Err(error) if crate::flow::would_block(&error) => {
                bytes.truncate(have);
                return Heard::More;
            }
            Err(_) => return Heard::Closed(have.max(1)),
        }
        if let Parse::Complete(opening) = Opening::parse(bytes) {
            return Heard::Opening(opening, std::mem::take(bytes));
        }
    }
}
