//! TCP_INFO by the kernel's field names (include/uapi/linux/tcp.h).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! tcp_info {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// One reading of TCP_INFO. A field that this kernel does not have is none.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct TcpInfo {
            $($(#[$doc])* #[serde(skip_serializing_if = "Option::is_none")] pub $name: Option<u64>,)*
        }
    };
}

tcp_info! {
    /// Connection state (TCP_ESTABLISHED is 1).
    tcpi_state,
    /// Congestion-control state (0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss).
    tcpi_ca_state,
    /// Unrecovered retransmission time-outs.
    tcpi_retransmits,
    /// Zero-window probes outstanding.
    tcpi_probes,
    /// Exponential back-off of the timer.
    tcpi_backoff,
    /// Negotiated options, a bit field.
    tcpi_options,
    /// Window scale of the peer.
    tcpi_snd_wscale,
    /// Our window scale.
    tcpi_rcv_wscale,
    /// Whether the delivery rate was limited by the application.
    tcpi_delivery_rate_app_limited,
    /// Retransmission time-out, us.
    tcpi_rto,
    /// Delayed-ACK time-out, us.
    tcpi_ato,
    /// Sending MSS, bytes.
    tcpi_snd_mss,
    /// Receiving MSS estimate, bytes.
    tcpi_rcv_mss,
    /// Segments in flight.
    tcpi_unacked,
    /// Segments selectively acknowledged.
    tcpi_sacked,
    /// Segments thought lost.
    tcpi_lost,
    /// Retransmitted segments in flight.
    tcpi_retrans,
    /// Path MTU, bytes.
    tcpi_pmtu,
    /// Slow-start threshold of the receive window, bytes.
    tcpi_rcv_ssthresh,
    /// Smoothed round-trip time, us.
    tcpi_rtt,
    /// Its mean deviation, us.
    tcpi_rttvar,
    /// Slow-start threshold, segments.
    tcpi_snd_ssthresh,
    /// Congestion window, segments.
    tcpi_snd_cwnd,
    /// MSS that we advertise, bytes.
    tcpi_advmss,
    /// Reordering metric, segments.
    tcpi_reordering,
    /// Receiver-side round-trip time, us.
    tcpi_rcv_rtt,
    /// Receive buffer auto-tuning target, bytes.
    tcpi_rcv_space,
    /// Segments retransmitted in all.
    tcpi_total_retrans,
    /// Current pacing rate, bytes/s.
    tcpi_pacing_rate,
    /// SO_MAX_PACING_RATE, bytes/s.
    tcpi_max_pacing_rate,
    /// Bytes that the peer acknowledged (RFC 4898 tcpEStatsAppHCThruOctetsAcked).
    tcpi_bytes_acked,
    /// Bytes received in order (RFC 4898 tcpEStatsAppHCThruOctetsReceived).
    tcpi_bytes_received,
    /// Segments sent, with retransmissions and pure ACKs (RFC 4898 tcpEStatsPerfSegsOut).
    tcpi_segs_out,
    /// Segments received (RFC 4898 tcpEStatsPerfSegsIn).
    tcpi_segs_in,
    /// Bytes written but not yet sent.
    tcpi_notsent_bytes,
    /// Shortest round-trip time, us.
    tcpi_min_rtt,
    /// Data segments received.
    tcpi_data_segs_in,
    /// Data segments sent.
    tcpi_data_segs_out,
    /// Most recent delivery rate, bytes/s.
    tcpi_delivery_rate,
    /// Time with data to send or in flight, us.
    tcpi_busy_time,
    /// Of it: stopped by the peer's receive window, us.
    tcpi_rwnd_limited,
    /// Of it: stopped by the send buffer, us.
    tcpi_sndbuf_limited,
    /// Segments delivered, with those that came twice.
    tcpi_delivered,
    /// Of them: with ECN mark.
    tcpi_delivered_ce,
    /// Data bytes sent, with retransmissions (RFC 4898 tcpEStatsPerfHCDataOctetsOut).
    tcpi_bytes_sent,
    /// Bytes retransmitted (RFC 4898 tcpEStatsPerfOctetsRetrans).
    tcpi_bytes_retrans,
    /// Duplicate SACK blocks received.
    tcpi_dsack_dups,
    /// Reorderings seen.
    tcpi_reord_seen,
    /// Out-of-order segments received.
    tcpi_rcv_ooopack,
    /// Window that the peer advertises, bytes.
    tcpi_snd_wnd,
    /// Window that we advertise, bytes.
    tcpi_rcv_wnd,
    /// Rehashes of the flow label.
    tcpi_rehash,
    /// Retransmission time-outs in all.
    tcpi_total_rto,
    /// Recoveries by time-out.
    tcpi_total_rto_recoveries,
    /// Time in them, ms.
    tcpi_total_rto_time,
}

/// A load's flows at one end taken together. Counters and times are sums over the flows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TcpSummary {
    /// Flows that gave a reading.
    pub flows: u32,
    /// Congestion control in use.
    pub congestion_control: Option<String>,
    /// Smoothed round-trip time, mean over the flows, us.
    pub rtt_us: Option<u64>,
    /// Smallest of `tcpi_min_rtt`, us.
    pub min_rtt_us: Option<u64>,
    /// Mean congestion window, segments.
    pub cwnd_segments: Option<u64>,
    /// Mean sending MSS, bytes.
    pub mss_bytes: Option<u64>,
    /// Segments retransmitted.
    pub retransmits: Option<u64>,
    /// Bytes retransmitted.
    pub retransmitted_bytes: Option<u64>,
    /// Sum of `tcpi_busy_time`, us.
    pub busy_us: Option<u64>,
    /// Sum of `tcpi_rwnd_limited`, us.
    pub rwnd_limited_us: Option<u64>,
    /// Sum of `tcpi_sndbuf_limited`, us.
    pub sndbuf_limited_us: Option<u64>,
}
