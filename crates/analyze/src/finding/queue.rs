//! Queues and links: shapers, drops, requeues, the congestion window.

use plan::Path;
use record::{Cause, End, Evidence, Finding, Run};
use units::Bytes;

use super::cpu::is_starved;
use super::host::Host;
use super::resent::{self, weight};
use super::target::speed;
use super::way::Way;
use super::{finding, percent, row};

/// Share of a link's rate from which on the link is full: what is missing are headers, which the
/// payload's rate does not count, and a shaper's own inaccuracy.
const FULL: f64 = 0.85;

pub(super) fn findings(run: &Run, way: &Way) -> Vec<Finding> {
    let full = link(run, way);
    let mut findings = vec![requeue(run, way)];
    if way.is_tcp() {
        findings.push(dropped(run, way));
        findings.extend(resent::findings(run, way).into_iter().map(Some));
        if full.is_none() {
            findings.push(window(run, way));
        }
    }
    findings.push(full);
    findings.into_iter().flatten().collect()
}

/// Names of the rows of [`backlog`] and [`fifo`].
const BACKLOG: &str = "qdisc.backlog_bytes";
const FIFO: &str = "qdisc.fifo.backlog_bytes";

/// The deepest backlog that a qdisc of `end` had at a reading.
pub(super) fn backlog(run: &Run, end: End) -> Option<Evidence> {
    deepest(run, end, BACKLOG, |_| true)
}

/// The same of a FIFO, in which everybody waits behind everybody.
pub(super) fn fifo(run: &Run, end: End) -> Option<Evidence> {
    deepest(run, end, FIFO, |qdisc| qdisc.contains("fifo"))
}

/// Whether the backlog of a FIFO is among a finding's rows.
pub(super) fn is_in_fifo(finding: &Finding) -> bool {
    finding.evidence.iter().any(|evidence| evidence.row == FIFO)
}

fn deepest(run: &Run, end: End, name: &str, which: fn(&str) -> bool) -> Option<Evidence> {
    let backlogs = run
        .hosts_observed
        .of(end)?
        .highest
        .iter()
        .filter(|row| row.source == "qdisc" && row.name == "backlog_bytes" && which(row.label));
    let deepest = backlogs
        .max_by_key(|row| row.value)
        .filter(|row| row.value > 0)?;
    let size = Bytes::new(deepest.value);
    let says = format!("qdisc {} held up to {size}", deepest.label);
    Some(row(end, name, deepest.value as f64, "bytes", says))
}

/// A shaper or a link that is full.
fn link(run: &Run, way: &Way) -> Option<Finding> {
    if way
        .rate_asked()
        .is_some_and(|asked| way.rate() >= 0.98 * asked)
    {
        return None;
    }
    declared(run, way)
        .or_else(|| shaped(run, way))
        .or_else(|| steady(run, way))
}

/// The testbed's link has a rate of its own.
fn declared(run: &Run, way: &Way) -> Option<Finding> {
    let Path::Testbed { link, .. } = &run.plan.path else {
        return None;
    };
    let rate = link.rate?.get() as f64;
    let share = together(run, way) / rate;
    let says = format!("{} of the link's {}", percent(share), speed(rate));
    let mut evidence = vec![row(
        way.receiver(),
        "received.bits_per_second",
        way.rate(),
        "bit/s",
        says,
    )];
    evidence.extend(overlimits(run, way.sender).map(|(_, row)| row));
    evidence.extend(backlog(run, way.sender));
    (share >= FULL).then(|| full(way, (1.0, 0.95), evidence))
}

/// What all bulk loads of the same direction got.
fn together(run: &Run, way: &Way) -> f64 {
    let ways = super::way::ways(run);
    let same = ways.iter().filter(|other| other.sender == way.sender);
    same.map(Way::rate).sum()
}

/// A qdisc of the sender held packets back because of its rate.
fn shaped(run: &Run, way: &Way) -> Option<Finding> {
    let (share, overlimits) = overlimits(run, way.sender)?;
    let mut evidence = vec![overlimits];
    let queued = backlog(run, way.sender);
    let waits = queued.is_some();
    evidence.extend(queued);
    let says = format!("the receiver got {}", speed(way.rate()));
    evidence.push(row(
        way.receiver(),
        "received.bits_per_second",
        way.rate(),
        "bit/s",
        says,
    ));
    (share >= 0.02 && waits).then(|| full(way, (0.98, 0.85), evidence))
}

/// Times that a qdisc of `end` had a packet and not the right to send it, of the packets it sent.
fn overlimits(run: &Run, end: End) -> Option<(f64, Evidence)> {
    let host = Host::of(run, end)?;
    let (qdisc, times) = host
        .all("qdisc", "overlimits")
        .max_by_key(|(_, times)| *times)?;
    let packets = host.counted("qdisc", qdisc, "packets")?.max(1);
    let says = format!("qdisc {qdisc} held packets back {times} times (overlimits)");
    let share = times as f64 / packets as f64;
    (times > 0).then(|| (share, row(end, "qdisc.overlimits", times as f64, "", says)))
}

/// Nobody here shapes, yet a queue stands somewhere: the round trip is far above its minimum while
/// the rate is the same in all intervals.
fn steady(run: &Run, way: &Way) -> Option<Finding> {
    let tcp = way.tcp()?;
    let (rtt, least) = (tcp.rtt_us? as f64, tcp.min_rtt_us? as f64);
    let rates: Vec<f64> = run
        .intervals
        .iter()
        .filter(|interval| {
            interval.end == way.receiver() && interval.phase == record::Phase::Measure
        })
        .flat_map(|interval| &interval.loads)
        .filter(|load| load.name == way.load.name)
        .filter_map(|load| load.received_bits_per_second)
        .collect();
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    let spread = rates
        .iter()
        .map(|rate| (rate / mean - 1.0).abs())
        .fold(0.0, f64::max);
    let stands = rates.len() >= 3
        && spread < 0.05
        && rtt > 2.0 * least + 1_000.0
        && !short_of_cpu(run, way)
        && way.waits().is_some_and(|waits| waits.rest >= 0.5);
    let evidence = || {
        vec![
            row(
                way.sender,
                "tcp.rtt",
                rtt,
                "us",
                format!(
                    "round trip {:.1} ms, {:.1} ms at least: a queue stands",
                    rtt / 1e3,
                    least / 1e3
                ),
            ),
            row(
                way.receiver(),
                "intervals.received_bits_per_second",
                mean,
                "bit/s",
                format!(
                    "the rate stays within {} of {}",
                    percent(spread),
                    speed(mean)
                ),
            ),
        ]
    };
    stands.then(|| full(way, (0.8, 0.6), evidence()))
}

/// Of datagrams that were lost, the place where they were lost says more.
fn full(way: &Way, (explains, confidence): (f64, f64), evidence: Vec<Evidence>) -> Finding {
    let explains = match way.lost_share() > 0.0 {
        true => explains * 0.9,
        false => explains,
    };
    finding(
        Cause::LinkRate,
        way.name(),
        (explains, confidence),
        evidence,
        "the link or shaper is full: more needs a faster one, or less traffic beside it",
    )
}

/// TCP's packets dropped in the sender's own qdisc.
fn dropped(run: &Run, way: &Way) -> Option<Finding> {
    let host = Host::of(run, way.sender)?;
    let (qdisc, drops) = host.all("qdisc", "drops").max_by_key(|(_, drops)| *drops)?;
    let retransmits = way.retransmits?.max(1);
    let says = format!("qdisc {qdisc} dropped {drops} packets; {retransmits} were sent again");
    let mut evidence = vec![row(
        way.sender,
        "qdisc.drops",
        drops as f64,
        "packets",
        says,
    )];
    evidence.extend(backlog(run, way.sender));
    // Where most packets waited for the rate, the link never ran empty: the drops only say so to TCP.
    let full = overlimits(run, way.sender).is_some_and(|(share, _)| share >= 0.5);
    let aside = if full { 0.9 } else { 1.0 };
    let explains = (drops as f64 / retransmits as f64).min(1.0) * weight(way) * aside;
    (drops > 0).then(|| {
        finding(
            Cause::QdiscDrop,
            way.name(),
            (explains, 0.85),
            evidence,
            "lengthen the qdisc's limit, pace below its rate, or use one that marks (ECN)",
        )
    })
}

/// Nothing else explains why the sockets had data, a window and room, and did not send.
fn window(run: &Run, way: &Way) -> Option<Finding> {
    let waits = way.waits()?;
    let paced = way
        .pace_asked()
        .is_some_and(|asked| way.rate() >= 0.9 * asked);
    let tcp = way.tcp()?;
    let cwnd = tcp.cwnd_segments?;
    let algorithm = tcp.congestion_control.as_deref().unwrap_or("unknown");
    let retransmitted = tcp.retransmits.unwrap_or(0);
    let mut evidence = vec![
        row(
            way.sender,
            "tcp.busy",
            waits.rest,
            "share",
            format!(
                "its sockets had data, and neither window nor buffer held it, for {} of the time",
                percent(waits.rest)
            ),
        ),
        row(
            way.sender,
            "tcp.cwnd",
            cwnd as f64,
            "segments",
            format!("congestion window {cwnd} segments ({algorithm})"),
        ),
        row(
            way.sender,
            "tcp.retransmits",
            retransmitted as f64,
            "segments",
            format!("{retransmitted} segments sent again"),
        ),
    ];
    evidence.extend(way.round_trip());
    let held = !paced
        && !waits.are_of_buffers()
        && !short_of_cpu(run, way)
        && waits.rest >= 0.3
        && way.rate_asked().is_none();
    held.then(|| {
        finding(
            Cause::CongestionWindow,
            way.name(),
            (waits.rest * 0.9, 0.6),
            evidence,
            "try another congestion control (cc=), a longer run past slow start, or remove the loss",
        )
    })
}

pub(super) fn short_of_cpu(run: &Run, way: &Way) -> bool {
    is_starved(run, way, way.sender) || is_starved(run, way, way.receiver())
}

/// A driver that gives packets back.
fn requeue(run: &Run, way: &Way) -> Option<Finding> {
    let host = Host::of(run, way.sender)?;
    let (qdisc, requeues) = host
        .all("qdisc", "requeues")
        .max_by_key(|(_, times)| *times)?;
    let packets = host.counted("qdisc", qdisc, "packets")?.max(1);
    let share = requeues as f64 / packets as f64;
    let says = format!("qdisc {qdisc} got {requeues} packets back from the driver");
    (share >= 0.01).then(|| {
        finding(
            Cause::Requeue,
            way.name(),
            (share.min(0.5), 0.6),
            vec![row(
                way.sender,
                "qdisc.requeues",
                requeues as f64,
                "packets",
                says,
            )],
            "see the driver's ring and byte queue limits (ethtool -G, byte_queue_limits)",
        )
    })
}
