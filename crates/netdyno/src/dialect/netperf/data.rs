//! The data connections.

use plan::Family;
use proto::netperf::Transport;
use units::Bytes;

use super::Ends;
use report::dialect::netperf::Way;

/// What is carried, and by what.
#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    /// What the sockets are.
    pub transport: Transport,
    /// What the client does.
    pub way: Way,
    /// How much in one call.
    pub sizes: Sizes,
    /// Addresses of the data connections, where they differ from the control connection's.
    pub hosts: Ends<Option<String>>,
    /// Family of each.
    pub families: Ends<Family>,
    /// Ports; 0 is any.
    pub ports: Ends<u16>,
    /// The ports that a test of connections takes in turn (`-p`); none leaves it to the kernel.
    pub port_range: Option<(u16, u16)>,
    /// Requests beyond the first one that are outstanding (`-b`).
    pub burst: u32,
    /// Seconds after which an answer counts as lost (`-e`); none waits for ever.
    pub answer_timeout_seconds: Option<u32>,
    /// A connection that fails is tried again (`-U`).
    pub keeps_trying: bool,
    /// Options of the sockets.
    pub socket: Socket,
    /// `-V`: received data need not be read.
    pub avoids_copies: bool,
    /// Files that the payload comes from (`-F`).
    pub fill_files: Ends<Option<String>>,
    /// Alignment of what is sent and received (`-a`, `-A`).
    pub alignments: Ends<(u32, u32)>,
    /// Offset of what is sent and received (`-o`, `-O`).
    pub offsets: Ends<(u32, u32)>,
    /// Buffers that sending and receiving take in turn (`-W`); 0 is automatic.
    pub widths: (u32, u32),
    /// Associations of a test that has many.
    pub associations: Option<u32>,
    /// A text that names the run (`-u`); none has one made up.
    pub uuid: Option<String>,
}

/// How much in one call. None is the size of the socket buffer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Of every send of a stream (`-m`).
    pub send: Ends<Option<Bytes>>,
    /// Of every receive of a stream (`-M`).
    pub recv: Ends<Option<Bytes>>,
    /// Of a request (`-r`); transactions have one.
    pub request: Option<Bytes>,
    /// Of a response.
    pub response: Option<Bytes>,
}

/// Options of the data sockets. None leaves the system's default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Socket {
    /// SO_SNDBUF as asked.
    pub send_buffer: Ends<Option<Bytes>>,
    /// SO_RCVBUF as asked.
    pub recv_buffer: Ends<Option<Bytes>>,
    /// TCP_NODELAY at both ends.
    pub nodelay: bool,
    /// TCP_CORK at the client.
    pub cork: bool,
    /// TCP_MAXSEG at the client.
    pub mss: Option<Bytes>,
    /// TCP_CONGESTION.
    pub congestion: Ends<Option<String>>,
    /// SO_MAX_PACING_RATE at the client, in bytes per second.
    pub pacing_bytes_per_second: Option<u64>,
    /// SO_PRIORITY.
    pub priority: Ends<Option<u32>>,
    /// IP_TOS or IPV6_TCLASS.
    pub tos: Ends<Option<u32>>,
    /// SO_KEEPALIVE at both ends.
    pub keepalive: bool,
    /// SO_DONTROUTE at both ends.
    pub dontroute: bool,
    /// TCP_FASTOPEN at both ends.
    pub fastopen: bool,
    /// TCP_DEFER_ACCEPT at the server.
    pub defer_accept: bool,
    /// UDP answers leave from the address that was asked.
    pub pktinfo: bool,
    /// Whether a UDP socket is connected.
    pub connected: Ends<bool>,
    /// IP_MTU_DISCOVER at both ends.
    pub mtu_discover: bool,
    /// IP_MULTICAST_TTL at the client.
    pub multicast_ttl: Option<u8>,
}
