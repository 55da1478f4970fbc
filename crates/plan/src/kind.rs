//! The kinds of load.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a load does, by the name that the grammar gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// TCP to the server.
    Stream,
    /// TCP from the server.
    Maerts,
    /// TCP both ways on the same connection.
    Bidir,
    /// TCP request and response on one connection.
    Rr,
    /// TCP connect, request, response, close.
    Crr,
    /// Datagrams to the server.
    UdpStream,
    /// Datagrams from the server.
    UdpMaerts,
    /// Datagrams both ways.
    UdpBidir,
    /// UDP request and response, with loss detection.
    UdpRr,
    /// A low-rate TCP request and response beside other loads: the latency probe.
    Probe,
}

/// The transport under a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// A byte stream.
    Tcp,
    /// Datagrams.
    Udp,
}

/// What the data looks like from the outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Bulk data, in one direction or both.
    Bulk {
        /// The client sends.
        to_server: bool,
        /// The server sends.
        to_client: bool,
    },
    /// The client asks, the server answers, on a connection that stays.
    Exchange,
    /// The client connects, asks, gets its answer, and closes.
    ConnectExchange,
}

impl Kind {
    /// Every kind, in the order of the documentation.
    pub const ALL: [Self; 10] = [
        Self::Stream,
        Self::Maerts,
        Self::Bidir,
        Self::Rr,
        Self::Crr,
        Self::UdpStream,
        Self::UdpMaerts,
        Self::UdpBidir,
        Self::UdpRr,
        Self::Probe,
    ];

    /// The name in the grammar.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Maerts => "maerts",
            Self::Bidir => "bidir",
            Self::Rr => "rr",
            Self::Crr => "crr",
            Self::UdpStream => "udp-stream",
            Self::UdpMaerts => "udp-maerts",
            Self::UdpBidir => "udp-bidir",
            Self::UdpRr => "udp-rr",
            Self::Probe => "probe",
        }
    }

    /// The kind of that name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The transport that carries it.
    pub const fn transport(self) -> Transport {
        match self {
            Self::UdpStream | Self::UdpMaerts | Self::UdpBidir | Self::UdpRr => Transport::Udp,
            _ => Transport::Tcp,
        }
    }

    /// What moves and which way.
    pub const fn shape(self) -> Shape {
        match self {
            Self::Stream | Self::UdpStream => Shape::Bulk {
                to_server: true,
                to_client: false,
            },
            Self::Maerts | Self::UdpMaerts => Shape::Bulk {
                to_server: false,
                to_client: true,
            },
            Self::Bidir | Self::UdpBidir => Shape::Bulk {
                to_server: true,
                to_client: true,
            },
            Self::Rr | Self::UdpRr | Self::Probe => Shape::Exchange,
            Self::Crr => Shape::ConnectExchange,
        }
    }

    /// Whether transactions, not bulk bytes, are what it measures.
    pub const fn is_exchange(self) -> bool {
        !matches!(self.shape(), Shape::Bulk { .. })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
