//! The document that every run ends in.

use plan::{Kind, Plan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Counters, End, Facts, Finding, GapError, Granted, HostsObserved, InterfaceCounters, Latency,
    Phase, ProcessCpu, Status, TcpInfo, TcpSummary, UdpCounters, UdpLoss,
};

/// Schema `netdyno.run/1`. Every key holds its unit; an unknown figure is null, never zero.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Always `netdyno.run/1`.
    #[schemars(extend("const" = Self::SCHEMA))]
    pub schema: String,
    /// The run's name in the store.
    pub id: String,
    /// How it ended.
    pub status: Status,
    /// The sentence, unless it went as planned.
    pub reason: Option<String>,
    /// Wall time of the start, RFC 3339.
    pub started: String,
    /// The command line.
    pub command: Vec<String>,
    /// What was asked.
    pub plan: Plan,
    /// Who took part.
    pub hosts: Hosts,
    /// One per load of the plan, in its order.
    pub loads: Vec<LoadResult>,
    /// The probe's view; none without a probe.
    pub latency_under_load: Option<LatencyUnderLoad>,
    /// Interval by interval.
    pub intervals: Vec<Interval>,
    /// What both hosts did in the measured time.
    pub hosts_observed: HostsObserved,
    /// CPU cost in the measured time.
    pub cost: Cost,
    /// Application, socket and wire bytes of both ends.
    pub ledger: Ledger,
    /// What limited the run, by evidence.
    pub findings: Vec<Finding>,
    /// Reasons to distrust a figure.
    pub doubts: Vec<Doubt>,
}

impl Run {
    /// The value of `schema`.
    pub const SCHEMA: &'static str = "netdyno.run/1";
}

/// The two hosts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hosts {
    /// The client.
    pub client: Facts,
    /// The server; none when it was never reached.
    pub server: Option<Facts>,
}

/// One load's result. Sums of both directions where the load has two.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadResult {
    /// The load's name.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// Its flows.
    pub flows: u32,
    /// The headline: what the receiver got; none when the receiver's figures never came.
    pub received: Option<Tally>,
    /// What the sender got through: acknowledged bytes for TCP, datagrams handed over for UDP.
    pub sent: Option<Tally>,
    /// The directions apart; empty for exchanges.
    pub directions: Vec<Direction>,
    /// Finished transactions per second of measured time (exchanges).
    pub transactions_per_second: Option<f64>,
    /// Finished transactions (exchanges).
    pub transactions: Option<u64>,
    /// Requests without an answer (UDP exchanges).
    pub unanswered: Option<u64>,
    /// Response time, from the intended start.
    pub latency: Option<Latency>,
    /// Service time, from the real start.
    pub service_time: Option<Latency>,
    /// UDP loss, one per receiving end.
    pub loss: Vec<UdpLoss>,
    /// TCP_INFO of both ends.
    pub tcp: Option<TcpBothEnds>,
    /// What was granted at both ends.
    pub granted: GrantedBothEnds,
    /// Pacing error at both ends; none when not paced by us.
    pub pacing: Option<PacingBothEnds>,
    /// How evenly the flows fared; none for a single flow.
    pub fairness: Option<Fairness>,
    /// Flow by flow.
    pub per_flow: Vec<FlowRow>,
}

/// An amount over a measured time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Payload bytes.
    pub bytes: u64,
    /// Messages.
    pub messages: u64,
    /// Measured length, s.
    pub seconds: f64,
    /// Payload bits per second; none when no time passed.
    pub bits_per_second: Option<f64>,
    /// Messages per second; none when no time passed.
    pub messages_per_second: Option<f64>,
}

/// One direction of a bulk load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Direction {
    /// Who sent.
    pub sender: End,
    /// What the other end got.
    pub received: Option<Tally>,
    /// What the sender got through.
    pub sent: Option<Tally>,
    /// Segments retransmitted in the measured time (TCP).
    pub retransmits: Option<u64>,
}

/// TCP at both ends.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TcpBothEnds {
    /// At the client.
    pub client: Option<TcpSummary>,
    /// At the server.
    pub server: Option<TcpSummary>,
}

/// Grants at both ends.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrantedBothEnds {
    /// At the client.
    pub client: Option<Granted>,
    /// At the server.
    pub server: Option<Granted>,
}

/// Pacing at both ends.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PacingBothEnds {
    /// At the client.
    pub client: Option<PacingError>,
    /// At the server.
    pub server: Option<PacingError>,
}

/// |real gap - asked gap| between sends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PacingError {
    /// Gap asked, ns.
    pub asked_gap_ns: u64,
    /// The errors.
    pub error: Latency,
}

/// How evenly the flows fared (received bytes, or transactions for exchanges).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fairness {
    /// Jain's index: 1 when all got the same, 1/n when one got all.
    pub jain: f64,
    /// Slowest flow over the mean.
    pub min_share: f64,
    /// Fastest flow over the mean.
    pub max_share: f64,
}

/// One flow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowRow {
    /// Index in the load.
    pub flow: u32,
    /// Port at the client.
    pub client_port: Option<u16>,
    /// Bytes that the receiver (or receivers) got.
    pub received_bytes: Option<u64>,
    /// Bits per second of it.
    pub bits_per_second: Option<f64>,
    /// Finished transactions.
    pub transactions: Option<u64>,
    /// Mean response time, ns.
    pub mean_response_ns: Option<u64>,
    /// UDP facts of the client as receiver.
    pub client_udp: Option<UdpCounters>,
    /// UDP facts of the server as receiver.
    pub server_udp: Option<UdpCounters>,
    /// The client's last TCP_INFO.
    pub client_tcp_info: Option<TcpInfo>,
    /// The server's last TCP_INFO.
    pub server_tcp_info: Option<TcpInfo>,
}

/// What the probe saw without and with load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LatencyUnderLoad {
    /// Before the load.
    pub idle: Latency,
    /// During it.
    pub loaded: Latency,
    /// Median loaded less median idle, ms; none without samples of both.
    pub added_ms: Option<f64>,
    /// Round trips per minute under load: 60 s over the mean loaded response time.
    pub rpm: Option<f64>,
}

/// Two latencies side by side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LatencyPair {
    /// From the intended start.
    pub response: Latency,
    /// From the real start.
    pub service: Latency,
}

/// One interval, between two edges of one end. Both ends give intervals: the receiving (or asking)
/// end's hold what arrived, the sending end's what its sockets say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// Whose edges.
    pub end: End,
    /// From, ns since the common start.
    pub from_ns: u64,
    /// To.
    pub to_ns: u64,
    /// Phase.
    pub phase: Phase,
    /// One per load of the plan, in its order.
    pub loads: Vec<IntervalLoad>,
}

/// One load in one interval at one end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IntervalLoad {
    /// The load's name.
    pub name: String,
    /// What was added to this end's counters.
    pub counters: Counters,
    /// Received payload bits per second; none at an end that receives nothing of this load (for
    /// exchanges: none at the answering end).
    pub received_bits_per_second: Option<f64>,
    /// Acknowledged payload bytes (TCP senders).
    pub acked_bytes: Option<u64>,
    /// Segments retransmitted.
    pub retransmits: Option<u64>,
    /// Mean smoothed round-trip time, us.
    pub rtt_us: Option<u64>,
    /// Mean congestion window, segments.
    pub cwnd_segments: Option<u64>,
    /// Datagrams lost by sequence numbers so far; falls when a late one fills a hole.
    pub lost: Option<i64>,
    /// RFC 3550 jitter at the interval's end, ns.
    pub jitter_ns: Option<u64>,
    /// Response times of the interval.
    pub latency: Option<Latency>,
    /// Bytes that each flow received; empty for more than 128 flows, and at an end that receives
    /// nothing of this load.
    pub flow_received_bytes: Vec<u64>,
}

/// CPU cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// The client's process.
    pub client: Option<EndCost>,
    /// The server's process.
    pub server: Option<EndCost>,
}

/// One end's CPU cost in the measured time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndCost {
    /// User and system time of netdyno's process, s.
    pub cpu_seconds: f64,
    /// Share of one CPU that was; above 1 with several workers. None when no time passed.
    pub cpu_share: Option<f64>,
    /// User part, s.
    pub user_seconds: f64,
    /// System part, s.
    pub system_seconds: f64,
    /// Soft-interrupt time of the whole host, s.
    pub host_softirq_seconds: Option<f64>,
    /// CPU ns of the process per payload byte that this end sent and received.
    pub ns_per_byte: Option<f64>,
    /// Context switches of the process.
    pub process: ProcessCpu,
    /// User memory of one flow, bytes.
    pub memory_per_flow_bytes: Option<u64>,
}

/// The books: what the application moved, what the sockets say, what the interface counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ledger {
    /// The client's books.
    pub client: Option<EndLedger>,
    /// The server's.
    pub server: Option<EndLedger>,
}

/// One end's books, whole run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndLedger {
    /// Payload that the application moved.
    pub application: AppLedger,
    /// What TCP_INFO says of the data sockets; none without TCP loads.
    pub socket: Option<SocketLedger>,
    /// What the interface counted over the run, control connection included.
    pub wire: Option<WireLedger>,
}

/// Application payload, whole life of all flows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppLedger {
    /// Written.
    pub written_bytes: u64,
    /// Messages written.
    pub written_messages: u64,
    /// Read.
    pub received_bytes: u64,
    /// Messages read.
    pub received_messages: u64,
}

/// Sums of TCP_INFO over all data sockets at their end; none where the kernel lacks the field.
/// Without the loads that open a connection for each transaction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SocketLedger {
    /// Data bytes sent, with retransmissions.
    pub sent_bytes: Option<u64>,
    /// Retransmitted.
    pub retransmitted_bytes: Option<u64>,
    /// Acknowledged.
    pub acked_bytes: Option<u64>,
    /// Received in order.
    pub received_bytes: Option<u64>,
    /// Segments sent, with pure ACKs.
    pub segments_out: Option<u64>,
    /// Segments received.
    pub segments_in: Option<u64>,
}

/// The interface's counters over the run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WireLedger {
    /// Bytes and packets by the kernel's counting: frames without preamble and checksum; a
    /// segmentation-offloaded packet counts once, with one header.
    pub interface: InterfaceCounters,
    /// Bytes that the data flows' own counts explain: payload, and a header for each packet that
    /// the interface counted. Exact for UDP, and for TCP without selective acknowledgements. None
    /// where headers are unknown.
    pub explained_tx_bytes: Option<u64>,
    /// The same for the other direction.
    pub explained_rx_bytes: Option<u64>,
}

/// A reason to distrust a figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Doubt {
    /// A fixed name, such as `sender-short-of-load`.
    pub doubt: String,
    /// The figure it weakens.
    pub about: String,
    /// Why, with the values.
    pub evidence: String,
}

impl GapError {
    /// Whether there is anything to show.
    pub fn is_empty(&self) -> bool {
        self.errors.0.is_empty()
    }
}
