//! A stream's figures at one instant.

use proto::iperf3::Arrivals;
use record::TcpInfo;
use units::Nanos;

/// What was counted when somebody looked.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mark {
    pub at: Nanos,
    /// Sent or received, by whichever this end does.
    pub bytes: u64,
    /// Blocks or datagrams that were sent.
    pub messages: u64,
    pub arrivals: Arrivals,
    pub jitter_ns: u64,
    /// Of TCP.
    pub info: Option<TcpInfo>,
    /// Payload that a TCP receiver has acknowledged.
    pub acked: Option<u64>,
}

impl Mark {
    /// Segments that were sent again so far.
    pub fn retransmits(&self) -> Option<u64> {
        self.info?.tcpi_total_retrans
    }
}
