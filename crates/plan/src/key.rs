//! What can be said about a load: one key for each property, the same in the grammar and in a
//! run file.

use std::fmt;

use crate::{Kind, Transport};

/// A property of a load, by the name that the user gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// Name in the report.
    Name,
    /// Number of flows.
    Flows,
    /// Bytes of a write or a datagram.
    Size,
    /// Bytes of a request.
    Request,
    /// Bytes of a reply.
    Reply,
    /// Outstanding requests.
    Depth,
    /// Offered bit/s of a flow, paced by us.
    Rate,
    /// Bit/s of a flow, paced by the kernel.
    Pace,
    /// Requests per second of a flow.
    Rps,
    /// The arrival process of requests.
    Arrival,
    /// Payload bytes of a flow and direction.
    Bytes,
    /// Messages or transactions of a flow.
    Count,
    /// How much later than the rest it starts.
    Delay,
    /// The client's CPUs.
    Cpu,
    /// The server's CPUs.
    PeerCpu,
    /// SO_SNDBUF.
    Sndbuf,
    /// SO_RCVBUF.
    Rcvbuf,
    /// TCP_MAXSEG.
    Mss,
    /// TCP_NODELAY.
    Nodelay,
    /// TCP_CONGESTION.
    Cc,
    /// The DSCP bits.
    Dscp,
    /// SO_DONTROUTE.
    Dontroute,
    /// The client's address.
    Bind,
    /// SO_BINDTODEVICE at the client.
    Device,
    /// The client's first port.
    SourcePort,
    /// Payload is dropped unread.
    Trunc,
}

impl Key {
    /// Every key, in the order of the documentation.
    pub const ALL: [Self; 26] = [
        Self::Name,
        Self::Flows,
        Self::Size,
        Self::Request,
        Self::Reply,
        Self::Depth,
        Self::Rate,
        Self::Pace,
        Self::Rps,
        Self::Arrival,
        Self::Bytes,
        Self::Count,
        Self::Delay,
        Self::Cpu,
        Self::PeerCpu,
        Self::Sndbuf,
        Self::Rcvbuf,
        Self::Mss,
        Self::Nodelay,
        Self::Cc,
        Self::Dscp,
        Self::Dontroute,
        Self::Bind,
        Self::Device,
        Self::SourcePort,
        Self::Trunc,
    ];

    /// The name in the grammar.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Flows => "flows",
            Self::Size => "size",
            Self::Request => "request",
            Self::Reply => "reply",
            Self::Depth => "depth",
            Self::Rate => "rate",
            Self::Pace => "pace",
            Self::Rps => "rps",
            Self::Arrival => "arrival",
            Self::Bytes => "bytes",
            Self::Count => "count",
            Self::Delay => "delay",
            Self::Cpu => "cpu",
            Self::PeerCpu => "peer-cpu",
            Self::Sndbuf => "sndbuf",
            Self::Rcvbuf => "rcvbuf",
            Self::Mss => "mss",
            Self::Nodelay => "nodelay",
            Self::Cc => "cc",
            Self::Dscp => "dscp",
            Self::Dontroute => "dontroute",
            Self::Bind => "bind",
            Self::Device => "device",
            Self::SourcePort => "source-port",
            Self::Trunc => "trunc",
        }
    }

    /// The key of that name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.name() == name)
    }

    /// Whether it stands alone, meaning "on".
    pub const fn is_flag(self) -> bool {
        matches!(self, Self::Nodelay | Self::Dontroute | Self::Trunc)
    }

    /// Whether its value is a list, which the comma of the grammar continues.
    pub const fn is_list(self) -> bool {
        matches!(self, Self::Cpu | Self::PeerCpu)
    }

    /// Why this kind of load does not take the key, as it reads after a colon; none if it does.
    pub(crate) fn refusal(self, kind: Kind) -> Option<&'static str> {
        let exchange = kind.is_exchange();
        let udp = kind.transport() == Transport::Udp;
        match self {
            Self::Size if exchange => Some("its sizes are 'request' and 'reply'"),
            Self::Request | Self::Reply if !exchange => Some("its size is 'size'"),
            Self::Depth if !exchange => Some("it has no requests"),
            Self::Depth if kind == Kind::Crr => Some("a connection carries one request"),
            Self::Rate if exchange => Some("its rate is 'rps'"),
            Self::Rps if !exchange => Some("its rate is 'rate'"),
            Self::Arrival if !exchange => Some("it has no requests"),
            Self::Bytes | Self::Count | Self::Delay if kind == Kind::Probe => {
                Some("a probe runs as long as the run")
            }
            Self::Bytes if exchange => Some("it ends by 'count'"),
            Self::Mss | Self::Cc | Self::Nodelay if udp => Some("it is an option of TCP"),
            Self::Trunc if udp || exchange => Some("only TCP bulk data can be dropped unread"),
            _ => None,
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
