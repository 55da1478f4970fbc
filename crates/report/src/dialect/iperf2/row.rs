//! What was counted of a flow, or of several, between two instants.

use super::Id;

/// A line of figures, before it is one.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Whose.
    pub id: Id,
    /// Since the flow's first byte.
    pub from_seconds: f64,
    /// Since the flow's first byte.
    pub to_seconds: f64,
    /// It is of the whole test, not of an interval.
    pub is_final: bool,
    /// Payload that went and came.
    pub bytes: u64,
    /// What else was counted.
    pub figures: Figures,
}

/// What is counted beside bytes, by what carried them and which way.
#[derive(Debug, Clone, PartialEq)]
pub enum Figures {
    /// Nothing: streams both ways together.
    Bytes,
    /// Datagrams both ways together.
    Datagrams(u64),
    /// A TCP sender's.
    TcpSent(TcpSent),
    /// A TCP receiver's.
    TcpReceived(TcpReceived),
    /// A UDP sender's.
    UdpSent(UdpSent),
    /// A UDP receiver's.
    UdpReceived(UdpReceived),
    /// Of requests and replies, at the client (`--bounceback`).
    Bounced(Bounced),
}

/// Of a TCP sender.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TcpSent {
    /// Writes that took something.
    pub writes: u64,
    /// Writes that failed without ending the test.
    pub errors: u64,
    /// Segments sent again.
    pub retries: u64,
    /// The kernel's view of the path when the row was made; none in sums.
    pub path: Option<TcpPath>,
    /// How long writes took (`--tcp-write-times`, `--histograms`).
    pub write_times: Option<Spread>,
    /// Frames of `--isochronous`.
    pub frames: Option<FramesSent>,
}

/// TCP_INFO of a sender.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TcpPath {
    /// Congestion window; none where the kernel does not tell.
    pub cwnd_bytes: Option<u64>,
    /// Smoothed round trip.
    pub rtt_usecs: u32,
    /// Its variation.
    pub rttvar_usecs: u32,
}

/// Of a TCP receiver.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TcpReceived {
    /// Reads that gave something.
    pub reads: u64,
    /// Of them, by size: eight classes of an eighth of the buffer; the last one has the rest.
    pub by_size: [u64; 8],
    /// Time from the write to the end of the read of bursts (`--trip-times`).
    pub latency: Option<Spread>,
    /// Such a burst is a frame of `--isochronous`.
    pub of_frames: bool,
    /// How long bursts at a period took to come (`--burst-period`).
    pub bursts: Option<Bursts>,
}

/// Bursts at a period.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bursts {
    /// One.
    One {
        /// From its first to its last byte.
        transfer_ms: f64,
        /// From one burst to the next.
        period_ms: f64,
    },
    /// All of the test.
    All(Spread),
}

/// Of a UDP sender.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UdpSent {
    /// Datagrams that the kernel took.
    pub datagrams: u64,
    /// Datagrams that it did not.
    pub errors: u64,
    /// Frames of `--isochronous`.
    pub frames: Option<FramesSent>,
}

/// Of a UDP receiver.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UdpReceived {
    /// RFC 1889; none in sums.
    pub jitter_ms: Option<f64>,
    /// Datagrams that are missing.
    pub lost: u64,
    /// Datagrams that were sent, as far as sequence numbers tell.
    pub expected: u64,
    /// Datagrams that came after later ones.
    pub out_of_order: u64,
    /// Datagrams that came.
    pub received: u64,
    /// From the sender's clock to ours; none if they cannot be compared.
    pub latency: Option<Spread>,
    /// Frames of `--isochronous`.
    pub frames: Option<FramesReceived>,
    /// Packets with wrong lengths, with wrong checksums, and without a datagram (`--l2checks`).
    pub packet_faults: [u64; 3],
}

/// Frames that a sender was to send.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FramesSent {
    /// It sent them.
    pub sent: u64,
    /// It came too late for them.
    pub missed: u64,
    /// It began them late.
    pub slipped: u64,
}

/// Frames that a receiver was to get.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FramesReceived {
    /// It got them.
    pub received: u64,
    /// It did not.
    pub lost: u64,
    /// From the first datagram's send to the last one's receipt.
    pub latency: Spread,
}

/// Of requests and replies.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bounced {
    /// Round trips.
    pub round_trips: Spread,
    /// Segments sent again.
    pub retries: u64,
    /// The kernel's view of the path when the row was made.
    pub path: Option<TcpPath>,
    /// Each way for itself, with clocks that agree (`--trip-times`).
    pub one_way: Option<OneWay>,
}

/// Delays each way.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OneWay {
    /// To the server.
    pub to: Spread,
    /// From the server.
    pub from: Spread,
    /// The size of the difference.
    pub asymmetry: Spread,
}

/// Samples of a time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spread {
    /// How many.
    pub count: u64,
    /// Mean.
    pub mean_ms: f64,
    /// Smallest.
    pub min_ms: f64,
    /// Largest.
    pub max_ms: f64,
    /// Standard deviation of the sample.
    pub stdev_ms: f64,
}

impl Row {
    /// How long it is of.
    pub fn seconds(&self) -> f64 {
        self.to_seconds - self.from_seconds
    }

    /// So many in its time, per second; 0 where no time passed.
    pub(super) fn per_second(&self, count: f64) -> f64 {
        let seconds = self.seconds();
        if seconds > 0.0 { count / seconds } else { 0.0 }
    }
}

impl Spread {
    /// `mean/min/max/stdev`.
    pub(super) fn figures(&self) -> String {
        let Self {
            mean_ms,
            min_ms,
            max_ms,
            stdev_ms,
            ..
        } = self;
        format!("{mean_ms:.3}/{min_ms:.3}/{max_ms:.3}/{stdev_ms:.3}")
    }
}
