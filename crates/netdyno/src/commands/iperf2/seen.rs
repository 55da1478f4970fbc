//! From what the engine counts to what iperf shows.

use std::net::SocketAddr;

use engine::iperf2::{Counts, FlowFacts, Moments, Reading, ReceivedBurst, Way};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use proto::iperf2::{Mode, ServerReport, UpperFlags};
use report::dialect::iperf2::{
    Bounce, Bounced, Bursts, Connection, CsvEnds, Figures, FlowId, FramesReceived, FramesSent, Id,
    OneWay, Row, Spread, TcpPath, TcpReceived, TcpSent, TcpStart, UdpReceived, UdpSent, WallTime,
    Way as Shown,
};
use units::Nanos;

use super::Role;

/// A flow that is at work.
pub(super) struct Seen {
    pub facts: FlowFacts,
    pub role: Role,
    pub key: Option<String>,
    pub times_writes: bool,
    /// What a client's sockets keep unsent at most (`--tcp-write-prefetch`).
    pub prefetch_bytes: Option<u64>,
    /// A server's limit of the receive window.
    pub clamp_bytes: Option<u64>,
}

impl Seen {
    /// The number, starred if this direction's data goes against the roles.
    pub fn id(&self, way: Way) -> FlowId {
        let upstream = match self.role {
            Role::Client => Way::Receives,
            Role::Server => Way::Sends,
        };
        let reverse = self.facts.is_against_role && !self.is_connection_back();
        let against_role = way == upstream
            && match self.role {
                Role::Client => reverse || self.facts.is_full_duplex,
                // iperf's server does not star what it sends on a connection that it accepted for
                // that alone.
                Role::Server => self.is_connection_back() || self.facts.is_full_duplex,
            };
        FlowId {
            number: self.number(),
            against_role,
            key: self.key.clone(),
        }
    }

    /// The client's own number of the flow, if it told (`--sync-transfer-id`).
    fn number(&self) -> u32 {
        let header = self.facts.header.as_ref();
        let told = header.and_then(|header| header.transfer);
        told.map_or(self.facts.flow, u32::from)
    }

    /// The connection back of `-d` or `-r`.
    fn is_connection_back(&self) -> bool {
        let header = self.facts.header.as_ref();
        let asked = header.is_some_and(|h| matches!(h.mode, Mode::Dual | Mode::Tradeoff));
        self.facts.is_against_role && asked
    }

    /// Whether it is a connection back at a client.
    fn was_taken(&self) -> bool {
        let facts = &self.facts;
        facts.ways == [Way::Receives] && !facts.is_against_role
    }

    fn asked(&self, flag: UpperFlags) -> bool {
        let header = self.facts.header.as_ref();
        header.is_some_and(|header| header.upper().has(flag))
    }

    /// The line of the connection.
    pub fn connection(&self, device: Option<String>, zone: &TimeZone) -> Connection {
        let facts = &self.facts;
        let client = self.role == Role::Client;
        let header = facts.header.as_ref();
        let extended = header.and_then(|header| header.extended.as_ref());
        let way = match () {
            () if facts.is_full_duplex => Shown::FullDuplex,
            () if facts.is_against_role && !(client && self.is_connection_back()) => Shown::Reverse,
            () => Shown::Forward,
        };
        let id = FlowId {
            against_role: self.is_connection_back() && !client,
            ..self.id(Way::Bounces)
        };
        let bursts = extended.filter(|_| self.asked(UpperFlags::BURSTS) && !client);
        // What iperf shows: a client's byte is what it receives with, where it only sends.
        let tos = extended.map(|extended| extended.tos).filter(|tos| *tos > 0);
        let period = bursts.map(|extended| extended.frames.per_second);
        Connection {
            device,
            socket: Some(facts.socket),
            prefetch_bytes: self.prefetch_bytes.filter(|_| client && facts.is_tcp),
            clamp_bytes: self.clamp_bytes.filter(|_| !client && facts.is_tcp),
            isochronous: self.asked(UpperFlags::ISOCHRONOUS),
            burst_period_seconds: period.filter(|fps| *fps > 0.0).map(|fps| 1.0 / fps),
            way,
            fair_queue: self.asked(UpperFlags::FQ_RATE),
            starts_at_epoch: self.asked(UpperFlags::START_AT),
            bounceback: facts.bounce.map(|(bytes, hold_usecs, quickack)| Bounce {
                quickack,
                bytes: bytes.into(),
                hold_usecs: hold_usecs.into(),
            }),
            // Nobody reports to a server that sends on a client's socket.
            no_udp_fin: !facts.is_tcp
                && !self.is_connection_back()
                && (self.asked(UpperFlags::NO_UDP_FIN) || (!client && way == Shown::Reverse)),
            checks_length: !facts.is_tcp && self.asked(UpperFlags::L2_LENGTH),
            trip_times: facts.trip_times,
            tos_received: tos.filter(|_| !(client && way == Shown::Reverse)),
            tos_sent: tos.filter(|_| way == Shown::FullDuplex || (client && way == Shown::Reverse)),
            peer_version: extended
                .filter(|extended| !client && !extended.version.is_unknown())
                .map(|extended| extended.version.to_string()),
            quickack: self.asked(UpperFlags::QUICK_ACK),
            // A client says nothing of the path of connections that it takes.
            tcp: facts
                .tcp
                .filter(|_| !(client && self.was_taken()))
                .map(|tcp| {
                    let mss = tcp.tcpi_snd_mss.unwrap_or(0);
                    TcpStart {
                        cwnd_kbytes: tcp.tcpi_snd_cwnd.unwrap_or(0) * mss / 1024,
                        mss: mss as u32,
                        rtt_usecs: tcp.tcpi_rtt.unwrap_or(0) as u32,
                    }
                }),
            connect_ms: facts.connect_time.map(|time| time.as_secs_f64() * 1e3),
            only_connects: facts.only_connects,
            at: (way == Shown::Forward || client).then(|| wall_time(facts.began_wall, zone)),
            ..Connection::new(id, facts.local, facts.peer)
        }
    }

    /// The row of a reading.
    pub fn row(&self, reading: &Reading) -> Row {
        Row {
            id: Id::Flow(self.id(reading.way)),
            from_seconds: reading.from.as_secs_f64(),
            to_seconds: reading.to.as_secs_f64(),
            is_final: reading.is_final,
            bytes: reading.counts.bytes,
            figures: self.figures(reading),
        }
    }

    /// Whether what comes are bursts at a period, which have rows of their own.
    pub fn has_bursts(&self) -> bool {
        self.role == Role::Server && self.asked(UpperFlags::BURSTS)
    }

    /// The row of a burst.
    pub fn burst_row(&self, burst: &ReceivedBurst) -> Row {
        let ms = |time: Nanos| time.as_secs_f64() * 1e3;
        Row {
            id: Id::Flow(self.id(Way::Receives)),
            from_seconds: (burst.began - self.facts.began_wall).as_secs_f64(),
            to_seconds: (burst.ended - self.facts.began_wall).as_secs_f64(),
            is_final: false,
            bytes: burst.size.get(),
            figures: Figures::TcpReceived(TcpReceived {
                reads: burst.classes.iter().sum(),
                by_size: burst.classes,
                bursts: Some(Bursts::One {
                    transfer_ms: ms(burst.ended - burst.began),
                    period_ms: ms(burst.period),
                }),
                ..TcpReceived::default()
            }),
        }
    }

    fn figures(&self, reading: &Reading) -> Figures {
        let counts = &reading.counts;
        match (reading.way, self.facts.is_tcp) {
            // iperf's server shows both ways together and nothing else.
            (Way::Bounces, _) if self.role == Role::Server => Figures::Bytes,
            (Way::Bounces, _) => Figures::Bounced(Bounced {
                round_trips: spread(&reading.times),
                retries: retries(counts),
                path: path(counts),
                one_way: reading.ways.filter(|_| self.facts.trip_times).map(one_way),
            }),
            (Way::Sends, true) => Figures::TcpSent(TcpSent {
                writes: counts.messages,
                errors: counts.errors,
                retries: retries(counts),
                path: path(counts),
                write_times: self.times_writes.then(|| spread(&reading.times)),
                frames: self.frames_sent(counts),
            }),
            (Way::Receives, true) => Figures::TcpReceived(TcpReceived {
                reads: counts.messages,
                by_size: counts.classes,
                latency: self.facts.trip_times.then(|| spread(&reading.times)),
                of_frames: self.asked(UpperFlags::ISOCHRONOUS),
                bursts: reading
                    .ways
                    .filter(|_| self.has_bursts())
                    .map(|ways| Bursts::All(spread(&ways[0]))),
            }),
            (Way::Sends, false) => Figures::UdpSent(UdpSent {
                datagrams: counts.messages,
                errors: counts.errors,
                frames: self.frames_sent(counts),
            }),
            (Way::Receives, false) => Figures::UdpReceived(UdpReceived {
                jitter_ms: Some(counts.jitter_ns as f64 / 1e6),
                lost: counts.lost(),
                expected: counts.highest,
                out_of_order: counts.out_of_order,
                received: counts.messages,
                latency: Some(spread(&reading.times)).filter(is_plausible),
                frames: self.frames_received(reading),
                packet_faults: counts.faults,
            }),
        }
    }

    fn frames_sent(&self, counts: &Counts) -> Option<FramesSent> {
        self.asked(UpperFlags::ISOCHRONOUS).then_some(FramesSent {
            sent: counts.frames_good,
            missed: counts.frames_missed,
            slipped: counts.frames_late,
        })
    }

    /// Frames of datagrams are shown if they are timed.
    fn frames_received(&self, reading: &Reading) -> Option<FramesReceived> {
        let timed = self.facts.trip_times && self.asked(UpperFlags::ISOCHRONOUS);
        timed.then(|| FramesReceived {
            received: reading.counts.frames_good,
            lost: reading.counts.frames_missed,
            latency: reading
                .ways
                .map(|ways| spread(&ways[0]))
                .unwrap_or_default(),
        })
    }

    /// The row of what a server said of a flow, and whether that server's reports are enhanced.
    pub fn server_row(&self, report: &ServerReport) -> (Row, bool) {
        let seconds = report.duration_us as f64 / 1e6;
        let extension = report.extension.as_ref();
        let latency = extension.map(|extension| {
            let ms = |us: i64| us as f64 / 1e3;
            let freedom = f64::from(extension.count.saturating_sub(1).max(1));
            Spread {
                count: extension.count.into(),
                mean_ms: ms(extension.mean_us),
                min_ms: ms(extension.min_us),
                max_ms: ms(extension.max_us),
                stdev_ms: (extension.m2_us2.max(0.0) / freedom).sqrt() / 1e3,
            }
        });
        let received = UdpReceived {
            jitter_ms: Some(report.jitter_us as f64 / 1e3),
            lost: report.lost,
            expected: report.datagrams,
            out_of_order: report.out_of_order,
            received: report.datagrams.saturating_sub(report.lost),
            latency: latency.filter(is_plausible),
            ..UdpReceived::default()
        };
        let row = Row {
            id: Id::Flow(self.id(Way::Sends)),
            from_seconds: 0.0,
            to_seconds: seconds,
            is_final: true,
            bytes: report.bytes,
            figures: Figures::UdpReceived(received),
        };
        (row, extension.is_some())
    }

    /// Sender and receiver of a direction.
    pub fn csv_ends(&self, way: Way) -> CsvEnds {
        let (local, peer) = (self.facts.local, self.facts.peer);
        let ends = |from: SocketAddr, to: SocketAddr| CsvEnds { from, to };
        match (way, self.role) {
            (Way::Sends, _) | (Way::Bounces, Role::Client) => ends(local, peer),
            (Way::Receives, _) | (Way::Bounces, Role::Server) => ends(peer, local),
        }
    }
}

/// An instant since 1970, as a clock on the wall shows it there.
pub(super) fn wall_time(at: Nanos, zone: &TimeZone) -> WallTime {
    let nanos = i128::from(at.get());
    let zoned = Timestamp::from_nanosecond(nanos)
        .unwrap_or_default()
        .to_zoned_datetime(zone.clone());
    let number = |value: i8| u8::try_from(value).unwrap_or(0);
    WallTime {
        year: zoned.year(),
        month: number(zoned.month()),
        day: number(zoned.day()),
        hour: number(zoned.hour()),
        minute: number(zoned.minute()),
        second: number(zoned.second()),
        millisecond: u16::try_from(zoned.millisecond()).unwrap_or(0),
        zone: zoned.strftime("%Z").to_string(),
    }
}

/// Times in microseconds, shown in milliseconds.
fn spread(moments: &Moments) -> Spread {
    Spread {
        count: moments.count,
        mean_ms: moments.mean / 1e3,
        min_ms: moments.min / 1e3,
        max_ms: moments.max / 1e3,
        stdev_ms: moments.deviation() / 1e3,
    }
}

/// Clocks that are hours apart tell no latency.
fn is_plausible(spread: &Spread) -> bool {
    /// iperf's limits, in milliseconds.
    const POSSIBLE: std::ops::RangeInclusive<f64> = -1e7..=6e10;
    spread.count > 0 && POSSIBLE.contains(&spread.min_ms)
}

fn one_way([to, from, asymmetry]: [Moments; 3]) -> OneWay {
    OneWay {
        to: spread(&to),
        from: spread(&from),
        asymmetry: spread(&asymmetry),
    }
}

fn retries(counts: &Counts) -> u64 {
    let tcp = counts.tcp.and_then(|tcp| tcp.tcpi_total_retrans);
    tcp.unwrap_or(0)
}

fn path(counts: &Counts) -> Option<TcpPath> {
    let tcp = counts.tcp?;
    let usecs = |time: Option<u64>| u32::try_from(time.unwrap_or(0)).unwrap_or(u32::MAX);
    Some(TcpPath {
        cwnd_bytes: tcp
            .tcpi_snd_cwnd
            .zip(tcp.tcpi_snd_mss)
            .map(|(segments, mss)| segments * mss),
        rtt_usecs: usecs(tcp.tcpi_rtt),
        rttvar_usecs: usecs(tcp.tcpi_rttvar),
    })
}
