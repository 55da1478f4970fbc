//! What one flow counts in one direction: written by its worker, read by the coordinator.

use std::sync::Arc;
use std::sync::OnceLock;

use proto::iperf2::{Reception, ServerReport};
use record::{Buckets, TcpInfo, UdpCounters};
use units::Nanos;

use super::bins::{BinCounts, BinScale, Bins};
use super::moments::Moments;
use super::spread::{Spread, SpreadPen};
use crate::histogram::Histogram;
use crate::published::Published;
use crate::tally::Tally;

/// Shared figures of one direction of a flow.
#[derive(Default)]
pub(crate) struct Meter {
    pub tally: Arc<Tally>,
    /// Reads by size, in eighths of a buffer.
    pub classes: Published<8>,
    /// Received datagrams by iperf's rules: highest, skipped, out of order, jitter in ns.
    reception: Published<4>,
    /// Frames sent, missed and begun late, or received, lost and nothing.
    pub frames: Published<3>,
    /// Received packets with wrong lengths, with wrong checksums, and without a datagram.
    pub faults: Published<3>,
    /// Latency, round trips or write times, us.
    pub times: Arc<Spread>,
    /// Each way of a bounceback, and their difference, us.
    pub ways: [Arc<Spread>; 3],
    pub bins: Option<Arc<Bins>>,
    /// Deviations of transit times of datagrams.
    pub jitter_bins: Option<Arc<Bins>>,
    /// Round trips of a bounceback, for the stored run.
    pub responses: Option<Box<Histogram>>,
    /// What the server said of the flow, and how often it was asked.
    pub report: OnceLock<(Option<ServerReport>, u32)>,
    /// What the system said when it first refused to send, and how many it had taken before.
    refusal: OnceLock<(String, u64)>,
    /// The client of a received flow never stopped asking for the report.
    pub unheard: OnceLock<()>,
}

/// Writes times into spread and bins.
pub(crate) struct TimesPen {
    pen: SpreadPen,
    bins: Option<Arc<Bins>>,
}

impl TimesPen {
    /// A time of `micros` that ended at `wall`.
    #[inline]
    pub fn take(&mut self, micros: f64, wall: Nanos) {
        self.pen.take(micros);
        if let Some(bins) = &self.bins {
            bins.record(micros, wall.get() / 1000);
        }
    }
}

impl Meter {
    pub fn new(bins: Option<BinScale>) -> Self {
        Self {
            bins: bins.map(|scale| Arc::new(Bins::new(scale))),
            ..Self::default()
        }
    }

    /// One of received datagrams.
    pub fn of_datagrams(bins: Option<BinScale>, jitter_bins: Option<BinScale>) -> Self {
        Self {
            jitter_bins: jitter_bins.map(|scale| Arc::new(Bins::new(scale))),
            ..Self::new(bins)
        }
    }

    /// One of a bounceback at its client.
    pub fn of_bounces(bins: Option<BinScale>) -> Self {
        Self {
            responses: Some(Box::default()),
            ..Self::new(bins)
        }
    }

    pub fn times_pen(&self) -> TimesPen {
        TimesPen {
            pen: SpreadPen::new(self.times.clone()),
            bins: self.bins.clone(),
        }
    }

    /// Notes that the system refused to send.
    #[cold]
    pub fn refused(&self, error: &std::io::Error, taken: u64) {
        self.refusal.get_or_init(|| (error.to_string(), taken));
    }

    /// What it said at first, and how many datagrams it had taken before.
    pub fn refusal(&self) -> Option<(&str, u64)> {
        let (said, taken) = self.refusal.get()?;
        Some((said, *taken))
    }

    #[inline]
    pub fn set_reception(&self, reception: &Reception) {
        self.reception.set([
            reception.highest.max(0) as u64,
            reception.skipped,
            reception.out_of_order,
            (reception.jitter_us * 1000.0) as u64,
        ]);
    }

    /// When the last thing of this direction happened; none while it goes on.
    pub fn ended(&self) -> Option<Nanos> {
        self.tally.sent_all().max(self.tally.received_all())
    }

    /// Everything so far.
    pub fn counts(&self, way: Way, tcp: Option<TcpInfo>) -> Counts {
        let counters = self.tally.counters(false);
        let [highest, skipped, out_of_order, jitter_ns] = self.reception.get();
        let [frames_good, frames_missed, frames_late] = self.frames.get();
        let (bytes, messages) = match way {
            Way::Sends => (counters.written_bytes, counters.written_messages),
            Way::Receives => (counters.received_bytes, counters.received_messages),
            Way::Bounces => (
                counters.written_bytes + counters.received_bytes,
                counters.received_messages,
            ),
        };
        Counts {
            bytes,
            messages,
            errors: counters.send_failures,
            classes: self.classes.get(),
            highest,
            skipped,
            out_of_order,
            jitter_ns,
            frames_good,
            frames_missed,
            frames_late,
            faults: self.faults.get(),
            sequence: self.tally.udp(None),
            tcp,
        }
    }
}

/// Which way a flow's data goes, seen from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Way {
    /// Out.
    Sends,
    /// In.
    Receives,
    /// A request out and its reply in, or the other way round.
    Bounces,
}

/// Counts from a flow's start, or between two instants. The jitter, and what TCP says of the
/// path, is always that of the later instant.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Payload bytes.
    pub bytes: u64,
    /// Writes, reads, datagrams or answers.
    pub messages: u64,
    /// Writes that failed and did not end the flow.
    pub errors: u64,
    /// Reads by size.
    pub classes: [u64; 8],
    /// The highest number of a datagram; between two instants how many numbers.
    pub highest: u64,
    /// Numbers that were skipped.
    pub skipped: u64,
    /// Datagrams that came late or twice.
    pub out_of_order: u64,
    /// By iperf's formula.
    pub jitter_ns: u64,
    /// Frames sent or received.
    pub frames_good: u64,
    /// Frames that there was no time to send, or that did not come whole.
    pub frames_missed: u64,
    /// Frames that were begun late.
    pub frames_late: u64,
    /// Received packets with wrong lengths, with wrong checksums, and without a datagram, since the
    /// flow's start.
    pub faults: [u64; 3],
    /// netdyno's own sequence facts.
    pub sequence: UdpCounters,
    /// TCP_INFO.
    pub tcp: Option<TcpInfo>,
}

impl Counts {
    /// What came since `before`.
    pub fn since(&self, before: &Self) -> Self {
        let mut classes = self.classes;
        for (class, before) in classes.iter_mut().zip(before.classes) {
            *class = class.saturating_sub(before);
        }
        let less = |now: u64, before: u64| now.saturating_sub(before);
        let mut tcp = self.tcp;
        if let Some(tcp) = &mut tcp {
            let before = before.tcp.and_then(|tcp| tcp.tcpi_total_retrans);
            tcp.tcpi_total_retrans = tcp
                .tcpi_total_retrans
                .map(|now| less(now, before.unwrap_or(0)));
        }
        Self {
            bytes: less(self.bytes, before.bytes),
            messages: less(self.messages, before.messages),
            errors: less(self.errors, before.errors),
            classes,
            highest: less(self.highest, before.highest),
            skipped: less(self.skipped, before.skipped),
            out_of_order: less(self.out_of_order, before.out_of_order),
            jitter_ns: self.jitter_ns,
            frames_good: less(self.frames_good, before.frames_good),
            frames_missed: less(self.frames_missed, before.frames_missed),
            frames_late: less(self.frames_late, before.frames_late),
            faults: self.faults,
            sequence: self.sequence,
            tcp,
        }
    }

    /// Lost datagrams by iperf's rule.
    pub const fn lost(&self) -> u64 {
        self.skipped.saturating_sub(self.out_of_order)
    }
}

/// A flow's figures between two instants.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The flow's number.
    pub flow: u32,
    /// Which direction of it.
    pub way: Way,
    /// Since the flow's start.
    pub from: Nanos,
    /// Since the flow's start.
    pub to: Nanos,
    /// It is of the whole flow.
    pub is_final: bool,
    /// What was counted.
    pub counts: Counts,
    /// Latency, round trips or write times, us.
    pub times: Moments,
    /// Each way of a bounceback, and their difference, us; only of the whole flow.
    pub ways: Option<[Moments; 3]>,
    /// The same times in bins.
    pub bins: Option<BinCounts>,
    /// Deviations of transit times in bins.
    pub jitter_bins: Option<BinCounts>,
    /// What was counted before `from` and is left out of a reading of the whole flow.
    pub omitted: Option<Box<Counts>>,
    /// Round trips so far, ns.
    pub responses: Option<Buckets>,
}
