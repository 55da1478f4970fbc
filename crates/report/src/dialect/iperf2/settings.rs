//! What is printed before anything moves.

use std::net::IpAddr;
use std::ops::RangeInclusive;

use plan::Transport;

/// The lines between two rules.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Who we are.
    pub role: Role,
    /// TCP or UDP.
    pub transport: Transport,
    /// Ports listened on or connected to.
    pub ports: RangeInclusive<u16>,
    /// Our process.
    pub pid: u32,
    /// `-l`, or what it is without.
    pub buffer_bytes: u64,
    /// Writes are timed.
    pub times_writes: bool,
    /// Data goes in bursts.
    pub bursts: Option<BurstSettings>,
    /// `--bounceback`.
    pub bounceback: Option<BounceSettings>,
    /// `--isochronous`.
    pub isochronous: Option<FrameSettings>,
    /// `--fq-rate`.
    pub pace_bytes_per_second: Option<u64>,
    /// The segment: as it is (`-m`), or as asked (`-M`).
    pub mss: Option<Mss>,
    /// The congestion control that was asked for.
    pub congestion: Option<String>,
    /// `-S`.
    pub tos: Option<u8>,
    /// `-N`.
    pub nodelay: bool,
    /// `--near-congestion`: the weight, and whether it is the usual one.
    pub near_congestion: Option<(f64, bool)>,
    /// From datagram to datagram.
    pub gap_usecs: Option<f64>,
    /// The socket's buffer; none where nothing is sent.
    pub window: Option<Window>,
    /// `--tcp-write-prefetch`.
    pub prefetch_bytes: Option<u64>,
    /// Width and number of bins of histograms.
    pub histogram: Option<(u64, u64)>,
    /// The server's address (`-B`).
    pub bind: Option<IpAddr>,
    /// The interface of it.
    pub bind_device: Option<String>,
    /// The group that the server joins, and the source of it (`-H`).
    pub group: Option<(IpAddr, Option<IpAddr>)>,
    /// `-1`, or a multicast server.
    pub one_at_a_time: bool,
    /// `-i f`.
    pub by_frame: bool,
    /// The server's key and for how long it is taken.
    pub key: Option<(String, Option<f64>)>,
    /// `--connect-only`.
    pub only_connects: bool,
}

/// Who we are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// It listens.
    Server,
    /// It connects.
    Client {
        /// The server as typed.
        host: String,
        /// `-c host%device`.
        device: Option<String>,
        /// `-P`.
        flows: u32,
    },
}

/// Data in bursts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BurstSettings {
    /// Of a burst, or of a write.
    pub bytes: u64,
    /// Writes of a burst, where they are counted.
    pub writes: Option<u32>,
    /// From burst to burst.
    pub period_seconds: f64,
}

/// Requests and replies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BounceSettings {
    /// Of a request.
    pub bytes: u64,
    /// How long the server keeps it.
    pub hold_usecs: u64,
    /// Acknowledgements are not delayed.
    pub quickack: bool,
}

/// Frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameSettings {
    /// Per second.
    pub frames_per_second: f64,
    /// Mean rate.
    pub mean_bits_per_second: f64,
    /// Its standard deviation.
    pub stdev_bits_per_second: f64,
    /// Between the writes of a frame.
    pub gap_ms: f64,
}

/// The segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mss {
    /// As it is.
    Found(u32),
    /// As asked.
    Asked(u32),
}

/// A socket's buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// As the kernel has it.
    pub bytes: u64,
    /// As asked.
    pub asked: Option<u64>,
}

impl Settings {
    /// Settings with nothing special.
    pub fn new(role: Role, transport: Transport, port: u16) -> Self {
        Self {
            role,
            transport,
            ports: port..=port,
            pid: 0,
            buffer_bytes: 0,
            times_writes: false,
            bursts: None,
            bounceback: None,
            isochronous: None,
            pace_bytes_per_second: None,
            mss: None,
            congestion: None,
            tos: None,
            nodelay: false,
            near_congestion: None,
            gap_usecs: None,
            window: None,
            prefetch_bytes: None,
            histogram: None,
            bind: None,
            bind_device: None,
            group: None,
            one_at_a_time: false,
            by_frame: false,
            key: None,
            only_connects: false,
        }
    }
}
