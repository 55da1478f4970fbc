//! What a client asks for.

use std::fmt;

use units::{BitRate, Bytes, Nanos};

use super::ErrorNumber;

mod decode;
mod encode;
#[cfg(test)]
mod tests;

/// A test as a client describes it. Rates are of one stream; bytes and blocks of all together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameters {
    /// TCP, UDP or SCTP.
    pub protocol: Protocol,
    /// Who sends.
    pub direction: Direction,
    /// Streams of each direction.
    pub parallel: u32,
    /// How long; none for no end by time.
    pub time: Option<Nanos>,
    /// How long before that, uncounted.
    pub omit: Nanos,
    /// How many bytes end it.
    pub bytes: Option<Bytes>,
    /// How many blocks end it.
    pub blocks: Option<u64>,
    /// Bytes of one write, or of a datagram; none is up to the server, which all clients avoid.
    pub block: Option<Bytes>,
    /// Offered rate; none for as fast as it goes.
    pub rate: Option<BitRate>,
    /// Blocks that go together.
    pub burst: Option<u32>,
    /// SO_MAX_PACING_RATE.
    pub fq_rate: Option<BitRate>,
    /// How often a paced sender looks at the clock. Ours has a timer for each send instead.
    pub pacing_timer_us: u64,
    /// SO_SNDBUF and SO_RCVBUF at both ends.
    pub window: Option<Bytes>,
    /// TCP_MAXSEG.
    pub mss: Option<Bytes>,
    /// TCP_NODELAY.
    pub nodelay: bool,
    /// Multipath TCP.
    pub mptcp: bool,
    /// TCP_CONGESTION.
    pub congestion: Option<String>,
    /// IP_TOS and IPV6_TCLASS.
    pub tos: u8,
    /// IPv6 flow label.
    pub flow_label: Option<u32>,
    /// Datagrams are not to be fragmented.
    pub dont_fragment: bool,
    /// Datagrams have 64-bit numbers.
    pub counters_64bit: bool,
    /// The payload is readable and compressible.
    pub repeating_payload: bool,
    /// The sender has the kernel send a file.
    pub zerocopy: bool,
    /// The receiver throws data away unseen.
    pub skip_rx_copy: bool,
    /// Senders have the kernel cut datagrams out of larger ones.
    pub gso: Option<Segmentation>,
    /// Receivers take several datagrams at once.
    pub gro: bool,
    /// The server's CPU.
    pub server_affinity: Option<u16>,
    /// The server's own output is wanted.
    pub get_server_output: bool,
    /// The user's words, shown by both ends.
    pub title: Option<String>,
    /// The user's words, for JSON.
    pub extra_data: Option<String>,
    /// Encrypted credentials.
    pub auth_token: Option<String>,
    /// Such as `3.12`; nothing depends on it.
    pub client_version: Option<String>,
}

/// What carries the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// A byte stream.
    Tcp,
    /// Numbered datagrams.
    Udp,
    /// One-to-one SCTP.
    Sctp,
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tcp => "TCP",
            Self::Udp => "UDP",
            Self::Sctp => "SCTP",
        })
    }
}

/// Who sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The client.
    Forward,
    /// The server.
    Reverse,
    /// Each on streams of its own.
    Both,
}

/// UDP_SEGMENT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segmentation {
    /// Bytes of one datagram; none is one block.
    pub datagram: Option<Bytes>,
    /// Bytes of one send call at most.
    pub buffer: Bytes,
}

/// Why a message of the peer cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{sentence}")]
pub struct Rejected {
    /// Its number among iperf3's errors.
    pub number: ErrorNumber,
    /// What is wrong.
    pub sentence: String,
}

impl Parameters {
    /// The longest text that a server takes (3.18 and later).
    pub const LONGEST: usize = 8192;
    /// Streams of a direction that stock servers take.
    pub const USUAL_STREAMS: u32 = 128;
    /// The most of our own.
    pub const MOST_STREAMS: u32 = 4096;
    /// The longest test, s.
    pub const MOST_SECONDS: u64 = 86_400;
    /// The longest omitted time, s.
    pub const MOST_OMIT_SECONDS: u64 = 600;
    /// Bytes of a TCP write, unless told otherwise.
    pub const TCP_BLOCK: Bytes = Bytes::new(131_072);
    /// Bytes of an SCTP write, unless told otherwise.
    pub const SCTP_BLOCK: Bytes = Bytes::new(65_536);
    /// Bytes of a datagram, where the path's MSS is not known.
    pub const UDP_BLOCK: Bytes = Bytes::new(1460);
    /// The largest TCP write: 1 MiB.
    pub const LARGEST_BLOCK: Bytes = Bytes::new(1 << 20);
    /// The smallest and the largest datagram.
    pub const DATAGRAMS: (Bytes, Bytes) = (Bytes::new(16), Bytes::new(65_507));
    /// Offered rate of a UDP stream, unless told otherwise: 2^20 bit/s.
    pub const UDP_RATE: BitRate = BitRate::new(1 << 20);
    /// The largest socket buffer: 512 MiB.
    pub const LARGEST_WINDOW: Bytes = Bytes::new(512 << 20);
    /// Microseconds between two looks of a paced sender at the clock.
    pub const PACING_TIMER_US: u64 = 1000;

    /// Ten seconds of one stream to the server, by what carries it.
    pub fn new(protocol: Protocol) -> Self {
        Self {
            protocol,
            direction: Direction::Forward,
            parallel: 1,
            time: Some(Nanos::from_secs(10)),
            omit: Nanos::ZERO,
            bytes: None,
            blocks: None,
            block: None,
            rate: None,
            burst: None,
            fq_rate: None,
            pacing_timer_us: Self::PACING_TIMER_US,
            window: None,
            mss: None,
            nodelay: false,
            mptcp: false,
            congestion: None,
            tos: 0,
            flow_label: None,
            dont_fragment: false,
            counters_64bit: false,
            repeating_payload: false,
            zerocopy: false,
            skip_rx_copy: false,
            gso: None,
            gro: false,
            server_affinity: None,
            get_server_output: false,
            title: None,
            extra_data: None,
            auth_token: None,
            client_version: None,
        }
    }

    /// Streams of all directions.
    pub const fn streams(&self) -> u32 {
        match self.direction {
            Direction::Forward | Direction::Reverse => self.parallel,
            Direction::Both => 2 * self.parallel,
        }
    }

    /// Whether the client sends on the stream that is opened as the `index`-th, from 0.
    pub const fn client_sends(&self, index: u32) -> bool {
        match self.direction {
            Direction::Forward => true,
            Direction::Reverse => false,
            Direction::Both => index < self.parallel,
        }
    }

    /// Bytes of one write or datagram.
    pub fn block_size(&self) -> Bytes {
        self.block.unwrap_or(match self.protocol {
            Protocol::Tcp => Self::TCP_BLOCK,
            Protocol::Sctp => Self::SCTP_BLOCK,
            Protocol::Udp => Self::UDP_BLOCK,
        })
    }
}
