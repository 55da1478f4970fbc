//! One load: a kind, how many flows, and how each of them behaves.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{BitRate, Bytes, CpuList, Nanos};

use crate::{Kind, SocketOptions};

/// A number of flows that behave alike and are reported together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Unique in the plan; the kind's name unless the user chose one.
    pub name: String,
    /// What it does.
    pub kind: Kind,
    /// How many flows.
    #[schemars(with = "u32", range(min = 1))]
    pub flows: NonZeroU32,
    /// Bytes handed over in one write, or of one datagram (UDP payload).
    #[serde(rename = "size_bytes")]
    pub size: Bytes,
    /// Bytes of a request, for exchanges.
    #[serde(rename = "request_bytes")]
    pub request: Bytes,
    /// Bytes of a reply, for exchanges.
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
