//! What either role tells of, in the order in which it happens.

use std::net::SocketAddr;

use proto::iperf2::{Ack, ServerReport, TestHeader};
use record::TcpInfo;
use units::{Bytes, Nanos};

use super::flow::ReceivedBurst;
use super::meter::{Reading, Way};

/// Hears what happens; never called by a worker.
pub type Tell<'a> = &'a mut dyn FnMut(Event);

/// Something happened.
#[derive(Debug)]
pub enum Event {
    /// A client waits for connections back.
    Listens {
        /// Where.
        port: u16,
        /// SO_RCVBUF of the listener.
        window: Option<Bytes>,
    },
    /// A flow is there. Its readings follow.
    Flow(Box<FlowFacts>),
    /// Figures of a flow.
    Reading(Box<Reading>),
    /// A burst at a period came.
    Burst {
        /// The flow's number.
        flow: u32,
        /// The burst.
        burst: ReceivedBurst,
    },
    /// What the server said of a UDP flow: nothing, if it did not answer.
    ServerReport {
        /// The flow's number.
        flow: u32,
        /// What it said.
        report: Option<ServerReport>,
        /// How often it was asked.
        asked: u32,
    },
    /// The client of a UDP flow did not hear our report.
    ReportUnheard {
        /// The flow's number.
        flow: u32,
    },
    /// The server's ack came.
    Acked {
        /// The flow's number.
        flow: u32,
        /// What it said.
        ack: Ack,
        /// When it came, since 1970.
        at: Nanos,
    },
    /// A flow ended, and all its readings are given.
    Ended {
        /// The flow's number.
        flow: u32,
        /// Why, if not as planned.
        reason: Option<String>,
    },
    /// A server did not take a connection.
    Refused {
        /// Our end.
        local: SocketAddr,
        /// The other.
        peer: SocketAddr,
        /// Why.
        why: Refusal,
    },
    /// A client's flows are through; their threads are still there to be looked at.
    Through,
    /// No flow is at work any more.
    Idle,
    /// Something to know that is no error.
    Note(String),
}

/// Why a server did not take a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It did not show the key, or another.
    Key,
    /// Its address is not on the list.
    Address,
    /// There are too many already.
    TooMany,
    /// It speaks iperf 3.
    Iperf3,
    /// It said nothing in time, or left in the middle of its header.
    Silent,
    /// Its bounceback is smaller than a message.
    SmallBounce,
}

/// What is known of a flow when it begins.
#[derive(Debug, Clone)]
pub struct FlowFacts {
    /// From 1.
    pub flow: u32,
    /// Which ways its data goes here.
    pub ways: Vec<Way>,
    /// Its data goes against the roles: reverse, or a connection back.
    pub is_against_role: bool,
    /// Both directions share a connection.
    pub is_full_duplex: bool,
    /// The connection was made for nothing else.
    pub only_connects: bool,
    /// Over TCP.
    pub is_tcp: bool,
    /// Our end.
    pub local: SocketAddr,
    /// The other.
    pub peer: SocketAddr,
    /// Descriptor of the socket.
    pub socket: i32,
    /// What the client asked for.
    pub header: Option<TestHeader>,
    /// The first request of a bounceback: its size, hold in us, quick acks.
    pub bounce: Option<(u32, u32, bool)>,
    /// Trip times hold: they were asked for and the clocks agree.
    pub trip_times: bool,
    /// TCP_INFO at the start.
    pub tcp: Option<TcpInfo>,
    /// Buffer of the socket at work, as the kernel has it.
    pub buffer: Option<Bytes>,
    /// How long connecting took.
    pub connect_time: Option<Nanos>,
    /// When it began, since 1970.
    pub began_wall: Nanos,
}
