//! What the receiver of datagrams learnt from their sequence numbers and times.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Buckets;

/// Facts of one receiving flow (or the sum of a load's), cumulative. 64 bits throughout.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UdpCounters {
    /// Datagrams with a new sequence number.
    pub received: u64,
    /// Sequence numbers seen again.
    pub duplicate: u64,
    /// Datagrams that came after one with a higher number (RFC 4737 type-P-reordered).
    pub reordered: u64,
    /// How late the latest of them was, in datagrams (RFC 4737 reordering extent).
    pub reorder_depth_max: u64,
    /// One more than the highest sequence number seen: what the sender is known to have sent.
    pub highest_plus_one: u64,
    /// Datagrams too short or not ours.
    pub malformed: u64,
    /// Losses that the kernel counted on the receiving socket (SO_RXQ_OVFL); none where unknown.
    pub socket_drops: Option<u64>,
    /// RFC 3550 interarrival jitter, ns (mean over the load's flows); none before two datagrams.
    pub jitter_ns: Option<u64>,
}

/// Loss, as documents show it: `received` and `lost` add up to `sent`. Whole life of the flows,
/// warm-up included: the datagrams in flight at a window's edges would otherwise count as lost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UdpLoss {
    /// Which end received.
    pub receiver: crate::End,
    /// Datagrams that the sender handed to its kernel; without the sender's closing figures, those
    /// that sequence numbers tell of.
    pub sent: u64,
    /// Distinct datagrams that arrived.
    pub received: u64,
    /// Sequence numbers that never arrived, wherever they got lost.
    pub lost: u64,
    /// Where they got lost.
    pub address: LossAddress,
    /// `lost / sent`; none when nothing was sent.
    pub lost_share: Option<f64>,
    /// Sequence numbers seen again.
    pub duplicate: u64,
    /// Arrived after a later one.
    pub reordered: u64,
    /// How late the latest was, in datagrams.
    pub reorder_depth_max: u64,
    /// Too short or not ours.
    pub malformed: u64,
    /// RFC 3550 interarrival jitter, ns.
    pub jitter_ns: Option<u64>,
    /// The longest runs of losses with their length in time, longest first, at most ten.
    pub outages: Vec<Outage>,
}

/// A run of consecutive losses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outage {
    /// Which flow of the load.
    pub flow: u32,
    /// Since the run's start, on the receiver's clock, ns: when it ended.
    pub until_ns: u64,
    /// Length by the sender's own send times, so neither jitter nor queueing counts:
    /// from the last datagram before to the first after, less one nominal gap, ns.
    pub length_ns: u64,
    /// Datagrams lost in it.
    pub lost: u64,
}

/// How well a paced sender kept its time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GapError {
    /// Gap that was asked between two sends of one flow, ns.
    pub asked_gap_ns: u64,
    /// |real gap - asked gap| of every send, as a histogram (ns).
    pub errors: Buckets,
}

/// Where lost datagrams were lost, from the counters of both ends over the whole run. The parts add
/// up to `lost`; none where an end did not tell. Drops that other traffic may share in are counted
/// no higher than what is left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LossAddress {
    /// Taken by the sender's kernel and dropped before its qdisc: IP's `OutDiscards` that are no
    /// drops of a qdisc.
    pub sender_socket: Option<u64>,
    /// Dropped by the sender's qdiscs.
    pub sender_qdisc: Option<u64>,
    /// Dropped by the sender's interface.
    pub sender_interface: Option<u64>,
    /// Left the sender's interface and never came to the receiver's.
    pub path: Option<u64>,
    /// Dropped by the receiver's interface.
    pub receiver_interface: Option<u64>,
    /// Dropped between the receiver's driver and its protocols (softnet).
    pub receiver_softnet: Option<u64>,
    /// Dropped on the receiving socket.
    pub receiver_socket: Option<u64>,
    /// The rest.
    pub unaccounted: u64,
}
