//! One load: a kind, how many flows, and how each of them behaves.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{BitRate, Bytes, CpuList, Nanos};

use crate::{Kind, SocketOptions, Transport};

/// A number of flows that behave alike and are reported together.
///
/// Start from [`Load::new`] and change what differs; [`Plan::new`](crate::Plan::new) refuses what
/// cannot be.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Unique in the plan; the kind's name unless the user chose one.
    pub name: String,
    /// What it does.
    pub kind: Kind,
    /// How many flows.
    #[schemars(with = "u32", range(min = 1))]
    pub flows: NonZeroU32,
    /// Bytes handed over in one write, or of one datagram (UDP payload); 0 for exchanges.
    #[serde(rename = "size_bytes")]
    pub size: Bytes,
    /// Bytes of a request; 0 for bulk data.
    #[serde(rename = "request_bytes")]
    pub request: Bytes,
    /// Bytes of a reply; 0 for bulk data.
    #[serde(rename = "reply_bytes")]
    pub reply: Bytes,
    /// Requests that may be outstanding on one flow.
    #[schemars(with = "u32", range(min = 1))]
    pub depth: NonZeroU32,
    /// Offered rate of one flow, paced by us. None: as fast as it goes.
    #[serde(rename = "rate_bits_per_second")]
    pub rate: Option<BitRate>,
    /// Rate of one flow, paced by the kernel (SO_MAX_PACING_RATE).
    #[serde(rename = "pace_bits_per_second")]
    pub pace: Option<BitRate>,
    /// When requests start.
    pub arrival: Arrival,
    /// What ends the load.
    pub stop: Stop,
    /// How much later than the rest it starts.
    #[serde(rename = "delay_ns")]
    pub delay: Nanos,
    /// CPUs of the client's workers.
    pub cpu: CpuList,
    /// CPUs of the server's workers.
    pub peer_cpu: CpuList,
    /// Options of every socket of the load, at both ends where they apply to both.
    pub socket: SocketOptions,
    /// The receiver lets the kernel discard payload (MSG_TRUNC) and touches none of it.
    pub trunc: bool,
}

/// When the next request starts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "process", rename_all = "lowercase", deny_unknown_fields)]
pub enum Arrival {
    /// As soon as an answer frees a place (closed loop).
    Closed,
    /// At even distances, whatever the answers do (open loop).
    Paced {
        /// Requests per second of one flow; finite and positive.
        requests_per_second: f64,
    },
    /// At exponentially distributed distances, whatever the answers do (open loop).
    Poisson {
        /// Mean requests per second of one flow; finite and positive.
        requests_per_second: f64,
    },
}

/// What ends a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "at", rename_all = "lowercase", deny_unknown_fields)]
pub enum Stop {
    /// The run's duration.
    Time,
    /// So many payload bytes from each sender of each flow.
    Bytes {
        /// Bytes per flow and direction.
        bytes: Bytes,
    },
    /// So many messages or transactions of each flow.
    Count {
        /// Messages or transactions per flow.
        count: u64,
    },
}

impl Load {
    /// The most flows of one load, and of a whole plan.
    pub const MOST_FLOWS: u32 = 100_000;
    /// The most outstanding requests of one flow.
    pub const MOST_DEPTH: u32 = 4096;
    /// The largest TCP write, request or reply: each worker holds a buffer of it.
    pub const LARGEST_MESSAGE: Bytes = Bytes::new(64 << 20);
    /// The largest UDP payload over IPv4: 65535 less 20 bytes of IP and 8 of UDP.
    pub const LARGEST_DATAGRAM: Bytes = Bytes::new(65_507);
    /// The native datagram's header: sequence number, send time, flow.
    pub const DATAGRAM_HEADER: Bytes = Bytes::new(24);
    /// A TCP write when nothing else is asked.
    pub const DEFAULT_WRITE: Bytes = Bytes::new(128 << 10);
    /// A datagram when nothing else is asked: with IPv6 and UDP headers it fits an MTU of 1500.
    pub const DEFAULT_DATAGRAM: Bytes = Bytes::new(1400);
    /// A probe's requests per second.
    pub const PROBE_RPS: f64 = 10.0;

    /// A load of this kind with nothing else asked.
    pub fn new(kind: Kind) -> Self {
        let exchange = kind.is_exchange();
        let (bulk, message) = match kind.transport() {
            Transport::Tcp => (Self::DEFAULT_WRITE, Bytes::new(1)),
            Transport::Udp => (Self::DEFAULT_DATAGRAM, Self::DATAGRAM_HEADER),
        };
        let none = Bytes::new(0);
        Self {
            name: kind.name().to_owned(),
            kind,
            flows: NonZeroU32::MIN,
            size: if exchange { none } else { bulk },
            request: if exchange { message } else { none },
            reply: if exchange { message } else { none },
            depth: NonZeroU32::MIN,
            rate: None,
            pace: None,
            arrival: match kind {
                Kind::Probe => Arrival::Paced {
                    requests_per_second: Self::PROBE_RPS,
                },
                _ => Arrival::Closed,
            },
            stop: Stop::Time,
            delay: Nanos::ZERO,
            cpu: CpuList::default(),
            peer_cpu: CpuList::default(),
            socket: SocketOptions::default(),
            trunc: false,
        }
    }

    /// `loads` and, unless one is among them, a probe.
    pub fn with_probe(mut loads: Vec<Self>) -> Vec<Self> {
        if !loads.iter().any(Self::is_probe) {
            loads.push(Self::new(Kind::Probe));
        }
        loads
    }

    /// Whether it measures latency beside the others.
    pub fn is_probe(&self) -> bool {
        self.kind == Kind::Probe
    }

    /// Whether it ends only when the run does.
    pub fn ends_by_time(&self) -> bool {
        self.stop == Stop::Time
    }
}
