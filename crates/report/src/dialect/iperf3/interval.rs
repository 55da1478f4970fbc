//! What happened between two looks.

/// An interval of all streams, in the order in which they were connected.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Interval {
    /// It lies before what counts (`-O`).
    pub omitted: bool,
    /// The last one of the test, which may be short.
    pub last: bool,
    /// Each stream's part.
    pub streams: Vec<StreamInterval>,
}

/// A stream's part of an interval.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StreamInterval {
    /// The stream, as [`super::Connected`] names it.
    pub socket: i32,
    /// This end sends on it.
    pub sends: bool,
    /// Its begin, in seconds since counting began.
    pub start_seconds: f64,
    /// Its end, in seconds since counting began.
    pub end_seconds: f64,
    /// Payload that this end sent or received in it.
    pub bytes: u64,
    /// What the kernel says of the path at its end: of TCP that this end sends.
    pub path: Option<PathSample>,
    /// Datagrams, of UDP.
    pub datagrams: Option<Datagrams>,
}

/// TCP_INFO of a sender at the end of an interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PathSample {
    /// Segments that were sent again in the interval.
    pub retransmits: u64,
    /// Congestion window.
    pub cwnd_bytes: u64,
    /// Window that the receiver offers.
    pub window_bytes: u64,
    /// Smoothed round-trip time.
    pub rtt_us: u64,
    /// Its variation.
    pub rttvar_us: u64,
    /// Path MTU.
    pub pmtu_bytes: u64,
    /// Reordering metric.
    pub reorder: u64,
}

/// Datagrams of an interval.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Datagrams {
    /// Sent; or at a receiver, those whose turn it was: received and lost.
    pub packets: u64,
    /// Lost; 0 at a sender.
    pub lost: u64,
    /// The estimate of jitter at the end of the interval; 0 at a sender.
    pub jitter_seconds: f64,
}
