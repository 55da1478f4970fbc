//! What an end tells while a test goes on, and what comes of it.

use std::net::SocketAddr;

use proto::iperf3::{Cookie, CpuUse, Parameters, Results, StreamId, StreamResult};
use record::{Counters, TcpInfo};
use units::{Bytes, Nanos};

/// What happened, in the order in which it comes.
#[derive(Debug)]
pub enum Event<'a> {
    /// The ends know each other.
    Contact(&'a Contact),
    /// A data stream is there.
    Connected(&'a Connected),
    /// Data moves.
    Started(&'a Started),
    /// An interval is over.
    Interval(&'a Interval),
    /// What was asked and could not be had, in a sentence.
    Remark(&'a str),
}

/// The ends know each other.
#[derive(Debug, Clone)]
pub struct Contact {
    /// The other end of the control connection.
    pub peer: SocketAddr,
    /// This end of it.
    pub local: SocketAddr,
    /// The test's name.
    pub cookie: Cookie,
    /// What the client asks for, with its block size.
    pub parameters: Parameters,
    /// Largest segment of the control connection.
    pub control_mss: Option<Bytes>,
    /// The block size is a default that was made from that.
    pub block_from_mss: bool,
}

/// A data stream.
#[derive(Debug, Clone)]
pub struct Connected {
    /// Its number in the protocol.
    pub id: StreamId,
    /// What the output calls it: what an iperf3 of its own process would, which goes by descriptors.
    pub number: i32,
    /// Whether this end sends on it.
    pub sends: bool,
    /// Our address.
    pub local: SocketAddr,
    /// The other end's.
    pub remote: SocketAddr,
}

/// Data moves.
#[derive(Debug, Clone)]
pub struct Started {
    /// SO_SNDBUF of the first stream.
    pub sndbuf: Option<Bytes>,
    /// SO_RCVBUF of the first stream.
    pub rcvbuf: Option<Bytes>,
    /// Largest segment of the first TCP stream.
    pub mss: Option<Bytes>,
}

/// What happened between two looks, of all streams in their order.
#[derive(Debug, Clone)]
pub struct Interval {
    /// It lies before what counts.
    pub omitted: bool,
    /// It is the test's last.
    pub last: bool,
    /// Its begin, from the begin of what counts, or of what is omitted.
    pub start: Nanos,
    /// Its end.
    pub end: Nanos,
    /// Each stream's part.
    pub streams: Vec<StreamInterval>,
}

/// A stream's part of an interval.
#[derive(Debug, Clone)]
pub struct StreamInterval {
    /// What the output calls it.
    pub number: i32,
    /// Whether this end sends on it.
    pub sends: bool,
    /// Payload that this end sent or received.
    pub bytes: u64,
    /// What the kernel says at the end of it, of TCP that this end sends.
    pub path: Option<PathSample>,
    /// Datagrams, of UDP.
    pub datagrams: Option<Datagrams>,
}

/// A TCP sender at the end of an interval.
#[derive(Debug, Clone, Copy)]
pub struct PathSample {
    /// Segments that were sent again in the interval.
    pub retransmits: u64,
    /// Payload that was acknowledged in the interval.
    pub acked: Option<u64>,
    /// All that TCP_INFO says.
    pub info: TcpInfo,
}

/// Datagrams of an interval.
#[derive(Debug, Clone, Copy)]
pub struct Datagrams {
    /// Sent; or those whose number is behind the highest one, received and lost.
    pub packets: u64,
    /// Lost. What comes late after all is taken from the next interval's loss, never below zero.
    pub lost: u64,
    /// The estimate at the end of the interval.
    pub jitter_s: f64,
}

/// What came of a test at this end.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Each stream, in its order.
    pub streams: Vec<StreamOutcome>,
    /// This end's results, as the other end is told.
    pub local: Option<Results>,
    /// The other end's; none when it has not told.
    pub remote: Option<Results>,
    /// The process's CPU time.
    pub cpu: CpuUse,
    /// How busy this host's CPUs were.
    pub host_cpu_percent: Option<f64>,
    /// The counted time.
    pub window: Nanos,
}

/// What this end knows of a stream.
#[derive(Debug, Clone)]
pub struct StreamOutcome {
    /// What the output calls it.
    pub number: i32,
    /// Whether this end sends on it.
    pub sends: bool,
    /// As the other end is told.
    pub result: StreamResult,
    /// Datagrams that came late, in the counted time.
    pub out_of_order: u64,
    /// Lost in the counted time.
    pub lost: u64,
    /// Datagrams of the counted time.
    pub packets: u64,
    /// All that was counted, omitted time included.
    pub total: Counters,
    /// Datagrams that arrived, omitted time included.
    pub arrived: u64,
    /// Payload of TCP that this end has sent in the counted time and the other end acknowledged:
    /// in that time, or, of a test of so many bytes, before its end was said.
    pub acked: Option<u64>,
    /// The socket at the end.
    pub tcp_info: Option<TcpInfo>,
    /// Congestion control.
    pub congestion: Option<String>,
    /// The client's port.
    pub client_port: u16,
}
