//! What a test came to.

/// The results that this end knows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct End {
    /// Each stream, in the order in which they were connected.
    pub streams: Vec<StreamEnd>,
    /// CPU of this end.
    pub local_cpu: Cpu,
    /// CPU of the other end; none if it has not said.
    pub remote_cpu: Option<Cpu>,
    /// Congestion control of TCP senders, as far as known.
    pub sender_congestion: Option<String>,
    /// Congestion control of TCP receivers, as far as known.
    pub receiver_congestion: Option<String>,
    /// What the server showed, if it was asked to tell.
    pub server_output: Option<super::ServerOutput>,
}

/// A stream's results.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StreamEnd {
    /// The stream, as [`super::Connected`] names it.
    pub socket: i32,
    /// This end sends on it.
    pub sends: bool,
    /// What the sender says; none if it is the other end and has not said.
    pub sent: Option<Counts>,
    /// What the receiver says; none if it is the other end and has not said.
    pub received: Option<Counts>,
    /// TCP_INFO of the sender over the test, as far as known.
    pub path: Option<PathExtremes>,
    /// The file at this end (`-F`).
    pub file: Option<File>,
}

/// What one end counted of a stream, without what was omitted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Counts {
    /// How long it counted.
    pub seconds: f64,
    /// Payload.
    pub bytes: u64,
    /// Segments that were sent again: of TCP senders that know.
    pub retransmits: Option<u64>,
    /// Datagrams sent; or at a receiver, those whose turn it was: received and lost.
    pub packets: u64,
    /// Datagrams lost: of receivers. None if omitted ones cannot be told apart.
    pub lost: Option<u64>,
    /// Datagrams that came late: of receivers at this end.
    pub out_of_order: u64,
    /// Jitter of a receiver.
    pub jitter_seconds: f64,
}

/// TCP_INFO of a sender over a whole test.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PathExtremes {
    /// Largest congestion window.
    pub max_cwnd_bytes: u64,
    /// Largest window that the receiver offered.
    pub max_window_bytes: u64,
    /// Longest round trip.
    pub max_rtt_us: u64,
    /// Shortest round trip.
    pub min_rtt_us: u64,
    /// Mean round trip.
    pub mean_rtt_us: u64,
    /// Largest reordering metric.
    pub reorder: u64,
}

/// The CPU of an end.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cpu {
    /// Of the process, as iperf3 has it: 100 is one CPU.
    pub process: CpuUse,
    /// Of the whole host, where known: 100 is all its CPUs.
    pub host_percent: Option<f64>,
}

/// CPU of a process in percent of one CPU.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CpuUse {
    /// All of it.
    pub total_percent: f64,
    /// In user mode.
    pub user_percent: f64,
    /// In the kernel.
    pub system_percent: f64,
}

/// A file that is sent or written (`-F`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Its size at the end.
    pub bytes: u64,
}
