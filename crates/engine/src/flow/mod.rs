//! One file a behaviour. A flow is a socket and what happens on it; a worker drives it.
//!
//! Every flow can be driven in two ways by the same `advance`: by readiness and deadlines among
//! thousands of others, or alone on its thread with a blocking socket. It must do a bounded
//! amount of work per call and never wait by itself otherwise.

mod addressed_answer;
mod answer;
mod ask;
mod burst;
mod connect_answer;
mod connect_ask;
mod connect_serve;
mod exchange;
mod file_send;
mod lead;
mod outages;
mod patience;
mod plain_answer;
mod plain_ask;
mod plain_receive;
mod plain_send;
mod stream_receive;
mod stream_send;
mod throttled;
mod udp_answer;
mod udp_ask;
mod udp_receive;
pub(crate) mod udp_send;

use std::io;
use std::os::fd::BorrowedFd;

use record::Outage;
use sys::{Readiness, Wait};
use units::Nanos;

use crate::buffer::Buffer;

pub(crate) use addressed_answer::AddressedAnswer;
pub(crate) use answer::Answer;
pub(crate) use ask::Ask;
pub(crate) use burst::Burst;
pub(crate) use connect_answer::{ConnectAnswer, ConnectCounts};
pub(crate) use connect_ask::{ConnectAsk, Open};
pub(crate) use connect_serve::ConnectServe;
pub(crate) use exchange::{Timer, Timings};
pub(crate) use file_send::FileSend;
pub(crate) use lead::Lead;
pub(crate) use outages::Outages;
pub(crate) use patience::Patience;
pub(crate) use plain_answer::PlainAnswer;
pub(crate) use plain_ask::PlainAsk;
pub(crate) use plain_receive::PlainReceive;
pub(crate) use plain_send::PlainSend;
pub(crate) use stream_receive::StreamReceive;
pub(crate) use stream_send::{Manner, Pace, StreamSend};
pub(crate) use throttled::Throttled;
pub(crate) use udp_answer::UdpAnswer;
pub(crate) use udp_ask::UdpAsk;
pub(crate) use udp_receive::UdpReceive;
pub(crate) use udp_send::{UdpSend, passes};

/// Calls of one `advance` on a busy socket before other flows of the worker get their turn.
pub(crate) const TURN: usize = 16;

/// Bytes of one `advance` of a sender after which the others of its worker get their turn. One that
/// went on until its socket is full would empty its window and leave the others' unused, and the
/// receiver would tune its buffer beyond what a cache holds. One with a rate of its own is behind when it
/// gets there, and would only be called again at once.
pub(crate) const TURN_BYTES: usize = 128 << 10;

/// A worker's memory, shared by its flows one after the other.
pub(crate) struct Room {
    /// What is sent; only the first bytes of a datagram are ever written to.
    pub payload: Buffer,
    /// What is received lands here and is looked at no further than a header.
    pub sink: Buffer,
    /// Whether calls on sockets may wait.
    pub wait: Wait,
}

impl Room {
    /// What goes out next of a message of which `len` bytes are left: of one that is longer than
    /// this memory a piece.
    #[inline]
    pub fn piece(&self, offset: usize, len: usize) -> &[u8] {
        &self.payload[offset..(offset + len).min(self.payload.len())]
    }
}

/// What a flow wants after a turn.
#[derive(Debug)]
pub(crate) enum State {
    /// To be called again when its socket is ready or its deadline has come.
    Going,
    /// Nothing more; its socket may stay open for reading its figures.
    Done,
    /// Nothing more, and not as planned.
    Broken(Broken),
}

/// Why a flow broke.
#[derive(Debug)]
pub(crate) struct Broken {
    /// As it reads after "while ".
    pub doing: &'static str,
    /// What the system answered; none for a peer that broke the agreement.
    pub error: Option<io::Error>,
}

impl Broken {
    pub fn at(doing: &'static str, error: io::Error) -> State {
        State::Broken(Self {
            doing,
            error: Some(error),
        })
    }

    pub fn peer(doing: &'static str) -> State {
        State::Broken(Self { doing, error: None })
    }
}

/// A behaviour on a socket. See the module's text for the two ways of driving it.
pub(crate) trait Flow: Send {
    /// The socket to wait on, with a number that changes whenever it is another socket.
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)>;
    /// What to wait for on it.
    fn interest(&self) -> Readiness;
    /// When it wants to be called whatever its socket does.
    fn due(&self) -> Option<Nanos> {
        None
    }
    /// Does what can be done now.
    fn advance(&mut self, room: &mut Room) -> State;
    /// Ends what this side starts: a sender sends no more, an asker asks no more.
    fn stop(&mut self) -> State;
    /// What only the worker knows, at the end.
    fn outages(&self) -> Vec<Outage> {
        Vec::new()
    }
}

/// Whether a call should simply be made again later.
pub(crate) fn would_block(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    )
}
