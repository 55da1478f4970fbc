//! Segments that were sent again: lost on the path, or only overtaken.

use record::{Cause, End, Evidence, Finding, Run};

use super::cpu::hosts;
use super::host::Host;
use super::queue::short_of_cpu;
use super::way::Way;
use super::{finding, percent, row};

/// Share of the segments from which on loss slows TCP (at 20 ms and 0.05 % the formula of Mathis et
/// al., CCR 1997, allows some 30 Mbit/s).
const MATTERS: f64 = 0.0005;

pub(super) fn findings(run: &Run, way: &Way) -> Vec<Finding> {
    let Some(resent) = Resent::of(run, way) else {
        return Vec::new();
    };
    let findings = [resent.lost(run, way), resent.overtaken(way)];
    findings.into_iter().flatten().collect()
}

/// How much of the time a loss can have cost: when TCP was held back by neither window nor buffer.
pub(super) fn weight(way: &Way) -> f64 {
    way.waits().map_or(0.0, |waits| waits.rest)
}

/// Where the segments had been that were sent again.
struct Resent {
    all: f64,
    /// The receiver had them, and said so (DSACK, RFC 2883).
    needless: f64,
    /// Dropped by a queue or a socket of these hosts.
    dropped: f64,
    /// All that were sent once.
    segments: f64,
}

impl Resent {
    fn of(run: &Run, way: &Way) -> Option<Self> {
        let mss = way.tcp()?.mss_bytes.filter(|mss| *mss > 0)?;
        let bytes = way.sent.unwrap_or(way.received).bytes;
        let sum = |ends: &[End], source, name| -> u64 {
            let hosts = ends.iter().filter_map(|end| Host::of(run, *end));
            hosts
                .map(|host| host.sum(source, name))
                .fold(0, u64::saturating_add)
        };
        let dropped = sum(&End::BOTH, "qdisc", "drops")
            .saturating_add(sum(&hosts(run), "softnet", "dropped"))
            .saturating_add(discarded(run, way.receiver()));
        let all = way.retransmits? as f64;
        let needless = sum(&[way.sender], "netstat", "TCPDSACKRecvSegs") as f64;
        Some(Self {
            all,
            needless: needless.min(all),
            dropped: dropped as f64,
            segments: (bytes as f64 / mss as f64).max(1.0),
        })
    }

    /// Loss that no queue of ours owns up to.
    fn lost(&self, run: &Run, way: &Way) -> Option<Finding> {
        let lost = (self.all - self.dropped - self.needless).max(0.0);
        let share = lost / self.segments;
        // An end that lacks a CPU acknowledges late, and what is late is sent again.
        let doubtful = if short_of_cpu(run, way) { 0.5 } else { 1.0 };
        let says = format!(
            "{} of the segments were sent again, and no queue of these hosts dropped them",
            percent(share)
        );
        let mut evidence = vec![self.row(way, says)];
        evidence.extend(way.round_trip());
        (share >= MATTERS).then(|| {
            finding(
                Cause::PathLoss,
                way.name(),
                (weight(way) * lost / self.all * doubtful, 0.85 * doubtful),
                evidence,
                "find where packets are lost: cables, optics, shapers and queues between the hosts",
            )
        })
    }

    /// Packets that others overtook were taken for lost. What that cost depends on how much the
    /// congestion control gave way before it saw the mistake: half is a guess.
    fn overtaken(&self, way: &Way) -> Option<Finding> {
        let says = format!(
            "the receiver already had {} of the {} segments that were sent again (DSACK)",
            self.needless, self.all
        );
        (self.needless / self.segments >= MATTERS).then(|| {
            finding(
                Cause::Reordering,
                way.name(),
                (0.5 * weight(way) * self.needless / self.all, 0.6),
                vec![self.row(way, says)],
                "keep a flow's packets in one queue and on one CPU: pin its sender, look at XPS and RPS",
            )
        })
    }

    fn row(&self, way: &Way, says: String) -> Evidence {
        row(way.sender, "tcp.retransmits", self.all, "segments", says)
    }
}

/// Segments that the receiving host's TCP threw away itself (include/uapi/linux/snmp.h): its
/// reader was late.
fn discarded(run: &Run, end: End) -> u64 {
    let names = [
        "TCPBacklogDrop",
        "TCPRcvQDrop",
        "TCPZeroWindowDrop",
        "PFMemallocDrop",
    ];
    let host = Host::of(run, end);
    let count = |name| host.as_ref().map_or(0, |host| host.sum("netstat", name));
    names.into_iter().map(count).fold(0, u64::saturating_add)
}
