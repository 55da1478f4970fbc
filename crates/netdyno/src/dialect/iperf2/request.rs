//! What iperf is asked to do.

use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use plan::{Family, Transport};
use report::dialect::iperf2::Form;
use units::{Bytes, Nanos};

/// A client or a server to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// `-c`
    Client(Box<ClientRequest>),
    /// `-s`
    Server(Box<ServerRequest>),
}

/// What both have.
#[derive(Debug, Clone, PartialEq)]
pub struct Common {
    /// UDP with `-u`.
    pub transport: Transport,
    /// `-4`, `-6`, `-V`. A server of IPv6 listens for both families.
    pub family: Family,
    /// `-p`: one listener a port, one flow a port.
    pub ports: RangeInclusive<u16>,
    /// `-B`
    pub bind: Option<Bind>,
    /// `-l` as asked.
    pub length: Option<Bytes>,
    /// `-b`: of one flow. A server reads no faster.
    pub rate: Option<Rate>,
    /// `-i`
    pub interval: Option<Interval>,
    /// Options of data sockets.
    pub socket: Socket,
    /// `-m`: the segment's size is shown.
    pub prints_mss: bool,
    /// `--permit-key`: a key, or one that the server makes up.
    pub key: Option<Key>,
    /// `--histograms`, or that of a bounceback's round trips.
    pub histogram: Option<HistogramWish>,
    /// `-z`: SCHED_RR.
    pub realtime: bool,
    /// `--l2checks`: a server holds the packets of datagrams against their headers.
    pub checks_packets: bool,
    /// `--skip-rx-copy`: the kernel discards what comes.
    pub skips_copy: bool,
    /// `--omit`: this long at the start is not in the last row.
    pub omit: Nanos,
    /// `-o`: standard output and standard error go to this file.
    pub output: Option<PathBuf>,
    /// How it is shown.
    pub form: Form,
    /// `--utc`: times of day are not of the local time zone.
    pub utc: bool,
    /// Sentences for standard error: what was asked and has no effect or another one.
    pub notes: Vec<String>,
}

/// `-c`
#[derive(Debug, Clone, PartialEq)]
pub struct ClientRequest {
    /// What a server has too.
    pub common: Common,
    /// The server: a name or an address.
    pub host: String,
    /// SO_BINDTODEVICE (`-c host%device`).
    pub device: Option<String>,
    /// `-P`
    pub flows: u32,
    /// What is done on each connection.
    pub mode: Mode,
    /// `-n` or `-t`: when it ends.
    pub amount: Amount,
    /// When data is written.
    pub pattern: Pattern,
    /// `--ipg`: between datagrams, or between those of a frame.
    pub gap: Option<Nanos>,
    /// Where payload comes from.
    pub source: Source,
    /// `-C`: no test header.
    pub compatible: bool,
    /// `-X`: the server is to tell its version.
    pub detects_peer: bool,
    /// `--trip-times`
    pub trip_times: bool,
    /// `--tcp-write-times`, or histograms of a TCP client.
    pub write_times: bool,
    /// `--no-udp-fin`
    pub no_udp_fin: bool,
    /// `--ignore-shutdown`: the client does not wait for the server's close.
    pub ignores_shutdown: bool,
    /// `--sync-transfer-id`: both ends number flows alike.
    pub syncs_transfer_id: bool,
    /// What each flow of `-P` has of its own.
    pub steps: Steps,
    /// How connections come about.
    pub connecting: Connecting,
    /// When traffic starts.
    pub start: Start,
}

/// `-s`
#[derive(Debug, Clone, PartialEq)]
pub struct ServerRequest {
    /// What a client has too.
    pub common: Common,
    /// `-t`: how long it listens, and how long it receives of one client.
    pub time: Option<Nanos>,
    /// `-P`: it ends after so many flows.
    pub flows: Option<u32>,
    /// `-1`: one client at a time.
    pub one_at_a_time: bool,
    /// `-D`: it leaves the terminal.
    pub daemon: bool,
    /// `-H`: the only source of a multicast group.
    pub source: Option<IpAddr>,
    /// `--permit-key-timeout`: how long a key is taken; none is for ever.
    pub key_timeout: Option<Nanos>,
    /// `--sum-dstip`: flows are summed by the address they came to.
    pub sums_by_destination: bool,
    /// `--jitter-histograms`
    pub jitter_histogram: Option<HistogramWish>,
}

/// An address of our own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bind {
    /// A name or an address; a multicast group at a server.
    pub host: String,
    /// A client's port.
    pub port: Option<u16>,
    /// An interface.
    pub device: Option<String>,
}

/// `-b`
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rate {
    /// Payload bits per second, spread log-normally if there is a deviation.
    Bits {
        /// Mean.
        mean: u64,
        /// Standard deviation.
        deviation: u64,
    },
    /// Datagrams per second.
    Packets(f64),
}

/// `-i`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interval {
    /// A row each time.
    Every(Nanos),
    /// A row for each frame or burst.
    Frames,
}

/// `--permit-key`
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// As typed.
    Given(String),
    /// The server thinks of one and prints it.
    MadeUp,
}

/// `--histograms=width,bins,low,high`
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HistogramWish {
    /// Of a bin.
    pub width: Nanos,
    /// How many.
    pub bins: u64,
    /// The lower limit that is named.
    pub low_percent: f64,
    /// The upper limit that is named.
    pub high_percent: f64,
}

/// Options of data sockets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Socket {
    /// `-w`: SO_SNDBUF of a client, SO_RCVBUF of a server.
    pub window: Option<Bytes>,
    /// `-M`: TCP_MAXSEG.
    pub mss: Option<u32>,
    /// `-N`: TCP_NODELAY. Always on in a bounceback.
    pub nodelay: bool,
    /// `-S`, `--dscp`: IP_TOS or IPV6_TCLASS.
    pub tos: Option<u8>,
    /// `--tos-override`: the same for what a server sends.
    pub tos_override: Option<u8>,
    /// `-T`: time to live, of multicast 1 without.
    pub ttl: Option<u8>,
    /// `-Z`: TCP_CONGESTION.
    pub congestion: Option<String>,
    /// `--fq-rate`: SO_MAX_PACING_RATE.
    pub pace: Option<Pace>,
    /// `--tcp-quickack`: TCP_QUICKACK.
    pub quickack: bool,
    /// `--local-only`: SO_DONTROUTE.
    pub local_only: bool,
    /// `--tcp-rx-window-clamp`: TCP_WINDOW_CLAMP.
    pub clamp: Option<Bytes>,
    /// `--tcp-write-prefetch`: TCP_NOTSENT_LOWAT, and writes only when there is room.
    pub prefetch: Option<Bytes>,
    /// `--tcp-tx-delay`: TCP_TX_DELAY.
    pub tx_delay: Option<Nanos>,
}

/// Pacing by the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// At first.
    pub bits_per_second: u64,
    /// `--fq-rate-step`, `--fq-rate-step-interval`: so much more each time.
    pub step: Option<(u64, Nanos)>,
}

/// What is done on each connection.
#[derive(Debug, Clone, PartialEq)]
pub enum Mode {
    /// The client sends.
    Forward,
    /// `-d`: the server connects back to this port and sends too.
    Dual(u16),
    /// `-r`: the server connects back to this port when it has received all.
    Tradeoff(u16),
    /// `-R`: the server sends.
    Reverse,
    /// `--full-duplex`: both send on one connection.
    FullDuplex,
    /// `--bounceback`
    Bounceback(Bounceback),
    /// `--connect-only`: so many connections, or without end.
    ConnectOnly(Option<u32>),
}

/// Requests and replies.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounceback {
    /// Requests of a burst.
    pub burst: u32,
    /// From burst to burst; zero is one after the other.
    pub period: Nanos,
    /// How long the server keeps each.
    pub hold: Nanos,
    /// Acknowledgements are not delayed.
    pub quickack: bool,
    /// The load starts this much earlier.
    pub delay: Nanos,
    /// `--bounceback-reply`: as long as the request without.
    pub reply: Option<Bytes>,
    /// Streams beside it.
    pub load: Option<WorkingLoad>,
}

/// `--bounceback-congest`, `--working-load`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkingLoad {
    /// The client sends.
    pub up: bool,
    /// The server sends.
    pub down: bool,
    /// How many connections.
    pub flows: u32,
    /// Their congestion control.
    pub congestion: Option<String>,
}

/// When a test ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// After so long.
    Time(Nanos),
    /// After so many bytes of each flow.
    Bytes(Bytes),
    /// When it is interrupted.
    ForEver,
}

/// When data is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pattern {
    /// Whenever the rate allows.
    Even,
    /// `--isochronous`
    Frames(Frames),
    /// `--burst-period`, `--burst-size`
    Bursts {
        /// From burst to burst.
        period: Nanos,
        /// Of a burst.
        size: Bytes,
    },
    /// `--near-congestion`: after each write a pause of so many round trips.
    NearCongestion(f64),
}

/// Frames as of a video.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frames {
    /// Frames per second.
    pub per_second: f64,
    /// Mean rate in bits per second.
    pub mean: f64,
    /// Standard deviation of it.
    pub deviation: f64,
}

/// Where payload comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Digits.
    Digits,
    /// `-F`
    File(PathBuf),
    /// `-I`
    Stdin,
}

/// What increases by 1 from flow to flow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Steps {
    /// Our address.
    pub source_address: bool,
    /// Our port.
    pub source_port: bool,
    /// The server's address.
    pub destination_address: bool,
    /// The server's port.
    pub destination_port: bool,
}

/// How connections come about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Connecting {
    /// How many more attempts; none is until `patience` ends.
    pub retries: Option<u32>,
    /// Between attempts.
    pub spacing: Nanos,
    /// `--connect-retry-time`: for how long attempts are repeated.
    pub patience: Nanos,
    /// All flows are connected before any sends.
    pub synchronised: bool,
    /// `--test-exchange-timeout`: how long the server may take to answer; none is our own limit.
    pub exchange_timeout: Option<Nanos>,
}

/// When traffic starts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Start {
    /// `--txstart-time`: seconds since 1970.
    pub at_unix_seconds: Option<f64>,
    /// `--txdelay-time`: after connecting.
    pub delay: Nanos,
    /// `--send-delay`: from flow to flow.
    pub spacing: Nanos,
}

impl Request {
    /// What clients and servers have.
    pub fn common(&self) -> &Common {
        match self {
            Self::Client(client) => &client.common,
            Self::Server(server) => &server.common,
        }
    }
}

impl ClientRequest {
    /// Bytes of a write, a datagram or a request.
    pub fn length(&self) -> Bytes {
        let usual = match (&self.mode, self.common.transport) {
            (Mode::Bounceback(_), _) => 100,
            (_, Transport::Tcp) => 128 << 10,
            (_, Transport::Udp) if self.common.family == Family::V6 => 1450,
            (_, Transport::Udp) => 1470,
        };
        self.common.length.unwrap_or(Bytes::new(usual))
    }

    /// From datagram to datagram, in seconds; none in frames.
    pub fn gap_seconds(&self) -> Option<f64> {
        let bits = self.length().get() as f64 * 8.0;
        match (
            self.common.transport,
            self.pattern,
            self.gap,
            self.common.rate,
        ) {
            (Transport::Tcp, ..) | (_, Pattern::Frames(_), ..) => None,
            (_, _, Some(gap), _) => Some(gap.as_secs_f64()),
            (_, _, None, Some(Rate::Packets(pps))) => Some(1.0 / pps),
            (_, _, None, Some(Rate::Bits { mean, .. })) => Some(bits / mean as f64),
            (_, _, None, None) => Some(bits / Self::UDP_RATE as f64),
        }
    }

    /// UDP's rate when none is asked, in bits per second.
    pub const UDP_RATE: u64 = 1 << 20;
}

impl ServerRequest {
    /// Bytes of a read: what iperf shows, not a limit of datagrams.
    pub fn length(&self) -> Bytes {
        let usual = match self.common.transport {
            Transport::Tcp => 128 << 10,
            Transport::Udp => 1470,
        };
        self.common.length.unwrap_or(Bytes::new(usual))
    }
}
