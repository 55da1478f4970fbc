//! What a client is to do.

use std::fs::File;
use std::net::SocketAddr;

use proto::iperf2::{
    Amount, Extended, FrameSettings, Mode, PermitKey, Stamp, TestHeader, UpperFlags, Version,
};
use units::{BitRate, Bytes, Nanos};

use crate::iperf2::bins::BinScale;
use crate::iperf2::flow::BounceOrder;
use crate::iperf2::socket::SocketOrder;

/// A test, with everything looked up.
#[derive(Debug)]
pub struct Order {
    /// A flow each.
    pub legs: Vec<Leg>,
    /// Over TCP.
    pub is_tcp: bool,
    /// Who sends.
    pub mode: Mode,
    /// What is sent.
    pub kind: Kind,
    /// How long.
    pub length: Length,
    /// Bytes of a write or datagram.
    pub size: usize,
    /// The user named that size, so that the server uses it too.
    pub size_given: bool,
    /// When messages go.
    pub offer: Offer,
    /// The rate that the server is told, bit/s.
    pub wire_rate: Option<u64>,
    /// Options of sockets.
    pub socket: SocketOrder,
    /// Test headers are sent.
    pub header: bool,
    /// The client waits for the server's ack.
    pub wants_ack: bool,
    /// One-way delays.
    pub trip_times: bool,
    /// Writes are timed.
    pub write_times: bool,
    /// Word of admission.
    pub key: Option<PermitKey>,
    /// UDP ends without last words.
    pub no_udp_fin: bool,
    /// UDP: the server is to hold packets against their headers.
    pub checks_packets: bool,
    /// Where the server connects back to.
    pub listen_port: u16,
    /// What is sent.
    pub source: Source,
    /// When traffic starts, since 1970.
    pub start_at: Option<Nanos>,
    /// Pause after connecting.
    pub delay: Nanos,
    /// From flow to flow.
    pub spacing: Nanos,
    /// More attempts to connect; none for as many as fit into `connect_patience`.
    pub connect_retries: Option<u32>,
    /// From attempt to attempt.
    pub connect_spacing: Nanos,
    /// How long connecting may take.
    pub connect_patience: Nanos,
    /// How long the server may take for its ack.
    pub ack_patience: Nanos,
    /// Flows wait for each other.
    pub synchronised: bool,
    /// A flow ends with its last write, whenever the server has it.
    pub ignores_shutdown: bool,
    /// Streams beside a bounceback.
    pub load: Option<LoadOrder>,
    /// The kernel's pacing is raised by so much, so often.
    pub pace_step: Option<(BitRate, Nanos)>,
    /// The kernel discards what streams bring.
    pub skips_copy: bool,
    /// The server is told the flows' numbers.
    pub names_flows: bool,
    /// What comes this long after a flow's start is not in its last figures.
    pub omit: Nanos,
    /// When figures are read.
    pub interval: Option<Nanos>,
    /// Times are kept in bins.
    pub bins: Option<BinScale>,
}

/// One flow's addresses.
#[derive(Debug, Clone, Copy)]
pub struct Leg {
    /// The server.
    pub peer: SocketAddr,
    /// Our end; none leaves it to the system.
    pub local: Option<SocketAddr>,
}

/// What moves.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Writes or datagrams, one like the other.
    Bulk,
    /// Frames at regular times.
    Frames {
        /// How many, and how large.
        settings: FrameSettings,
    },
    /// TCP: bursts at regular times.
    Bursts {
        /// From burst to burst.
        period: Nanos,
        /// Bytes of each.
        size: Bytes,
    },
    /// TCP: a part of the round trip is waited after each write.
    NearCongestion(f64),
    /// Requests and replies.
    Bounce(BounceOrder),
    /// Connections and nothing else.
    ConnectOnly {
        /// How many; none without end.
        count: Option<u32>,
        /// From one to the next.
        spacing: Nanos,
    },
}

/// How long a test lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// So long.
    Time(Nanos),
    /// So many bytes of each flow.
    Bytes(u64),
    /// Until the user ends it.
    ForEver,
}

/// When messages go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Offer {
    /// As the socket takes them.
    Unlimited,
    /// At a rate.
    Rate(BitRate),
    /// At a rate that is drawn anew ten times a second (log-normal).
    Varying {
        /// Mean, bit/s.
        mean: f64,
        /// Standard deviation, bit/s.
        deviation: f64,
    },
    /// Datagrams so far apart, ns.
    Gap(f64),
}

/// What is sent.
#[derive(Debug)]
pub enum Source {
    /// Digits.
    Digits,
    /// A file or a pipe, to its end.
    File(File),
}

/// Streams beside a bounceback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadOrder {
    /// The client sends.
    pub up: bool,
    /// The server sends.
    pub down: bool,
    /// How many.
    pub flows: u32,
    /// Their congestion control.
    pub congestion: Option<String>,
    /// The bounceback begins this much later.
    pub lead: Nanos,
}

impl LoadOrder {
    /// Who sends.
    pub fn mode(&self) -> Mode {
        match (self.up, self.down) {
            (true, true) => Mode::FullDuplex,
            (false, true) => Mode::Reverse,
            _ => Mode::Forward,
        }
    }
}

impl Order {
    /// Nothing is waited for between connecting and sending.
    pub(super) fn starts_at_once(&self) -> bool {
        self.start_at.is_none() && self.delay.is_zero() && !self.wants_ack
    }

    /// The test header of `flow` to `port`, written at `wall`.
    pub(super) fn test_header(&self, flow: u32, port: u16, wall: Nanos) -> TestHeader {
        let mut upper = UpperFlags::NONE
            .and(UpperFlags::TRIP_TIMES, self.trip_times)
            .and(UpperFlags::FQ_RATE, self.socket.fq_rate.is_some())
            .and(UpperFlags::START_AT, self.start_at.is_some())
            .and(UpperFlags::QUICK_ACK, self.socket.quickack && self.is_tcp);
        let two_way = matches!(self.mode, Mode::Reverse | Mode::FullDuplex);
        let mut frames = FrameSettings::default();
        match &self.kind {
            Kind::Frames { settings } => {
                upper = upper
                    .and(UpperFlags::ISOCHRONOUS, true)
                    .and(UpperFlags::FRAME_SETTINGS, two_way && !self.is_tcp);
                // Of a flow that the server does not send it needs no settings.
                if two_way {
                    frames = *settings;
                }
            }
            Kind::Bursts { period, size } => {
                upper = upper | UpperFlags::BURSTS;
                frames.per_second = 1.0 / period.as_secs_f64().max(1e-6);
                frames.mean = size.get() as f64;
            }
            Kind::Bulk | Kind::NearCongestion(_) | Kind::Bounce(_) | Kind::ConnectOnly { .. } => {}
        }
        let no_fin = self.no_udp_fin || self.mode == Mode::FullDuplex;
        upper = upper.and(UpperFlags::NO_UDP_FIN, !self.is_tcp && no_fin);
        if self.checks_packets && !self.is_tcp {
            let is_v6 = self.legs.iter().any(|leg| leg.peer.is_ipv6());
            upper = (upper | UpperFlags::L2_LENGTH).and(UpperFlags::L2_IPV6, is_v6);
        }
        let prefetch = self.socket.prefetch.filter(|_| two_way);
        upper = upper.and(UpperFlags::WRITE_PREFETCH, prefetch.is_some());
        let start = self.start_at.unwrap_or(wall);
        let timed = UpperFlags::TRIP_TIMES
            | UpperFlags::FQ_RATE
            | UpperFlags::ISOCHRONOUS
            | UpperFlags::START_AT;
        let back = matches!(self.mode, Mode::Dual | Mode::Tradeoff);
        TestHeader {
            mode: self.mode,
            wants_ack: self.wants_ack,
            // Eleven bits.
            transfer: self.names_flows.then_some((flow & 0x7ff) as u16),
            threads: self.legs.len() as u32,
            size: if self.size_given { self.size as u32 } else { 0 },
            key: self.key.clone(),
            extended: Some(Extended {
                upper,
                version: Version::SPOKEN,
                tos: self.socket.tos.unwrap_or(0),
                rate: self.wire_rate,
                prefetch: prefetch.map_or(0, |bytes| bytes.get() as u32),
                start: if upper.has(timed) {
                    Stamp::from_micros(start.get() / 1000)
                } else {
                    Stamp::default()
                },
                fq_rate: self.socket.fq_rate.map_or(0, |rate| rate.get() / 8),
                frames,
                ..Extended::default()
            }),
            ..TestHeader::new(if back { self.listen_port } else { port }, self.amount())
        }
    }

    /// The length as the wire has it.
    pub fn amount(&self) -> Amount {
        match self.length {
            Length::Time(time) => Amount::Time(time),
            Length::Bytes(bytes) => Amount::Bytes(Bytes::new(bytes)),
            Length::ForEver => Amount::FOR_EVER,
        }
    }

    /// Bytes that each flow sends; `u64::MAX` without end.
    pub(super) fn bytes(&self) -> u64 {
        match self.length {
            Length::Bytes(bytes) => bytes,
            Length::Time(_) | Length::ForEver => u64::MAX,
        }
    }
}
