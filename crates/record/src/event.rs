//! The stream of facts.

use plan::{Kind, Plan, Shape};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Buckets, Counters, CpuTimes, Doubt, Facts, GapError, Granted, InterfaceCounters, IpVersion,
    Latency, Observation, Outage, TcpInfo, UdpCounters,
};

/// Which end of the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// The end that was started with the plan.
    #[default]
    Client,
    /// The end that serves.
    Server,
}

impl End {
    /// Both, the client first.
    pub const BOTH: [Self; 2] = [Self::Client, Self::Server];

    /// The opposite end.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }

    /// As documents write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
        }
    }

    /// Whether what a load of this kind brings is counted here: bulk data that arrives, or, for
    /// exchanges, replies.
    pub const fn receives(self, kind: Kind) -> bool {
        match (kind.shape(), self) {
            (Shape::Bulk { to_client, .. }, Self::Client) => to_client,
            (Shape::Bulk { to_server, .. }, Self::Server) => to_server,
            (Shape::Exchange | Shape::ConnectExchange, end) => matches!(end, Self::Client),
        }
    }

    /// Whether bulk data, or requests, of a load of this kind start here.
    pub const fn sends(self, kind: Kind) -> bool {
        match kind.shape() {
            Shape::Bulk { .. } => self.other().receives(kind),
            Shape::Exchange | Shape::ConnectExchange => matches!(self, Self::Client),
        }
    }
}

/// Where in the time line a fact belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Only probes run.
    Idle,
    /// Loads run, nothing counts yet.
    Omit,
    /// Loads run and count.
    Measure,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// As planned.
    Ok,
    /// Not to its end, or without the other end's figures.
    Failed,
    /// By the user.
    Interrupted,
    /// To its end, but what was measured is not what was asked.
    Invalid,
}

/// One fact. All instants are ns since the run's common start unless said otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// First of all: what was asked, by whom.
    Begin {
        /// Always `netdyno.event/1`.
        #[schemars(extend("const" = Self::SCHEMA))]
        schema: String,
        /// The run's name in the store.
        id: String,
        /// Wall time, RFC 3339; a label only.
        started: String,
        /// The command line.
        command: Vec<String>,
        /// What was asked.
        plan: Box<Plan>,
        /// The client.
        facts: Box<Facts>,
    },
    /// The server said who it is.
    Peer {
        /// The server.
        facts: Box<Facts>,
    },
    /// Every flow is connected; what the sockets got.
    Granted {
        /// One per load and end.
        grants: Vec<Grant>,
    },
    /// A common edge.
    Edge(Edge),
    /// What an end's host counted by now.
    Observed(Box<Observation>),
    /// An end's closing figures.
    Report(Box<EndReport>),
    /// What an end's interface counted over the whole run, the goodbye included: better than the
    /// figures in the end's own report, which has to be written before that.
    Wire {
        /// Which end.
        end: End,
        /// Before the first connection.
        before: InterfaceCounters,
        /// After the last.
        after: InterfaceCounters,
    },
    /// A reason to distrust a figure.
    Doubt(Doubt),
    /// Last of all.
    Finish {
        /// How it ended.
        status: Status,
        /// The sentence, unless it went as planned.
        reason: Option<String>,
    },
}

impl Event {
    /// The value of `schema`.
    pub const SCHEMA: &'static str = "netdyno.event/1";
}

/// What one load's sockets got at one end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Grant {
    /// Index in the plan.
    pub load: usize,
    /// Which end.
    pub end: End,
    /// What it got.
    pub granted: Granted,
}

/// One end's cumulative counts at one instant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Edge {
    /// Which end looked.
    pub end: End,
    /// When it really looked.
    pub at_ns: u64,
    /// The phase that this edge closes.
    pub phase: Phase,
    /// CPU time so far.
    pub cpu: Option<CpuTimes>,
    /// One per load of the plan, in its order.
    pub loads: Vec<LoadEdge>,
}

/// One load at an edge.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadEdge {
    /// Sum over the flows, cumulative.
    pub counters: Counters,
    /// Payload bytes that the peer acknowledged, sum over TCP flows, cumulative.
    pub acked_bytes: Option<u64>,
    /// Retransmitted segments, sum over TCP flows, cumulative.
    pub retransmits: Option<u64>,
    /// Mean smoothed round-trip time of the TCP flows, us.
    pub rtt_us: Option<u64>,
    /// Mean congestion window, segments.
    pub cwnd_segments: Option<u64>,
    /// UDP receiver's facts, sum over the flows, cumulative.
    pub udp: Option<UdpCounters>,
    /// Response times of the time since the edge before only (asking end of exchanges).
    pub latency: Option<Latency>,
    /// Each flow's counters, cumulative; empty when the load has more than 128 flows.
    pub flows: Vec<Counters>,
}

/// An end's closing figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EndReport {
    /// Which end.
    pub end: End,
    /// CPU time at the start and the end of the measured time.
    pub cpu: Option<(CpuTimes, CpuTimes)>,
    /// The used interface's counters before the first flow and after the last.
    pub interface: Option<(InterfaceCounters, InterfaceCounters)>,
    /// One per load of the plan, in its order.
    pub loads: Vec<LoadReport>,
    /// User memory of one flow, bytes: what the process grew by, over the flows.
    pub memory_per_flow_bytes: Option<u64>,
    /// Threads that carried the flows; tells whether the process was short of CPU.
    pub workers: Option<u32>,
}

/// One load's closing figures at one end.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadReport {
    /// Measured time of this load at this end: from, to.
    pub window_ns: (u64, u64),
    /// Counted inside the window, sum over the flows.
    pub counted: Counters,
    /// Payload bytes acknowledged inside the window.
    pub counted_acked_bytes: Option<u64>,
    /// Retransmitted segments inside the window.
    pub counted_retransmits: Option<u64>,
    /// UDP receiver's facts inside the window (maxima over the whole time).
    pub counted_udp: Option<UdpCounters>,
    /// Whole life, sum over the flows: for the ledger.
    pub total: Counters,
    /// UDP receiver's facts of the whole life.
    pub total_udp: Option<UdpCounters>,
    /// Response times inside the window, from the intended start of each request.
    pub response: Option<Buckets>,
    /// Service times inside the window, from the real start of each request.
    pub service: Option<Buckets>,
    /// Response times of the idle phase (probes only).
    pub idle: Option<Buckets>,
    /// Requests without an answer inside the window (UDP exchanges).
    pub unanswered: Option<u64>,
    /// How well our pacing kept its time, whole life.
    pub gap: Option<GapError>,
    /// Longest outages, longest first.
    pub outages: Vec<Outage>,
    /// Congestion control of the first flow.
    pub congestion_control: Option<String>,
    /// What its packets are on the wire (an IPv4-mapped address is IPv4): for the ledger.
    pub ip: Option<IpVersion>,
    /// Flows that broke before the end, one sentence for the first.
    pub broken: u32,
    /// That sentence.
    pub broken_reason: Option<String>,
    /// Flow by flow.
    pub flows: Vec<FlowReport>,
}

/// One flow's closing figures at one end.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FlowReport {
    /// Inside the window.
    pub counted: Counters,
    /// Whole life.
    pub total: Counters,
    /// Mean response time inside the window, ns.
    pub mean_response_ns: Option<u64>,
    /// Sequence facts of a UDP receiver, whole life.
    pub udp: Option<UdpCounters>,
    /// The last reading.
    pub tcp_info: Option<TcpInfo>,
    /// Port of the flow at the client.
    pub client_port: Option<u16>,
}
