//! Locks and transmit queues, where the kernel's events were traced (`--explain locks,queues`).

use std::collections::BTreeMap;

use record::{Cause, End, Facts, Finding, Run};
use units::Nanos;

use super::host::Host;
use super::way::Way;
use super::{finding, percent, row};

/// A queue that carries less of the packets than this is idle.
const IDLE: f64 = 0.01;

pub(super) fn findings(run: &Run, ways: &[Way]) -> Vec<Finding> {
    let mut senders: Vec<End> = ways.iter().map(|way| way.sender).collect();
    senders.sort_by_key(|end| end.name());
    senders.dedup();
    let at = |end: &End| [root_lock(run, ways, *end), collision(run, *end)];
    senders.iter().flat_map(at).flatten().collect()
}

/// Waiting for the root qdisc's lock, or for the lock that keeps waiters away from it.
fn root_lock(run: &Run, ways: &[Way], end: End) -> Option<Finding> {
    let host = traced(run, end, "lock")?;
    let running: f64 = ways
        .iter()
        .filter(|way| way.sender == end)
        .flat_map(|way| Host::of(run, end).map(|host| host.workers(&way.load.name)))
        .flatten()
        .map(|worker| worker.running)
        .sum();
    of_root(&host, running)
}

/// The same of one host's rows, whose senders had `running` CPUs.
pub(super) fn of_root(host: &Host, running: f64) -> Option<Finding> {
    let end = host.end;
    let all = host.all("lock", "wait_ns");
    let roots = all.filter(|(lock, _)| lock.contains(" root lock") || lock.contains(" busylock"));
    let (lock, waited) = roots.max_by_key(|(_, ns)| *ns)?;
    let share = host.share(waited) / running.max(f64::MIN_POSITIVE);
    let waits = host.counted("lock", lock, "waits").unwrap_or(0);
    let mean = Nanos::new(waited / waits.max(1));
    let packets = host
        .all("qdisc", "packets")
        .map(|(_, packets)| packets)
        .max();
    let contended = packets.map_or(0.0, |packets| waits as f64 / packets.max(1) as f64);
    let mut evidence = vec![
        row(
            end,
            "lock.wait_ns",
            waited as f64,
            "ns",
            format!(
                "{lock}: {} of the senders' CPU time waiting",
                percent(share)
            ),
        ),
        row(
            end,
            "lock.waits",
            waits as f64,
            "",
            format!(
                "{waits} waits of {mean}, {} of the packets",
                percent(contended)
            ),
        ),
    ];
    let longest = host.seen.highest.get("lock", lock, "longest_ns");
    evidence.extend(longest.map(|ns| {
        let says = format!("the longest took {}", Nanos::new(ns));
        row(end, "lock.longest_ns", ns as f64, "ns", says)
    }));
    // A lock that one packet in ten waits for also moves between caches each time, which no wait shows.
    (running > 0.0 && (share >= 0.05 || contended >= 0.1)).then(|| {
        finding(
            Cause::RootLock,
            None,
            (share.max(contended), 0.8),
            evidence,
            "one qdisc a transmit queue (mq), a lockless one (pfifo_fast), or fewer sending CPUs",
        )
    })
}

/// Several flows in one transmit queue while another of the device is idle.
fn collision(run: &Run, end: End) -> Option<Finding> {
    let host = traced(run, end, "txq")?;
    let facts = match end {
        End::Client => &run.hosts.client,
        End::Server => run.hosts.server.as_ref()?,
    };
    let device = facts.interface.as_deref()?;
    let prefix = format!("{device} tx-");
    let queues: BTreeMap<&str, u64> = host
        .all("txq", "packets")
        .filter(|(queue, _)| queue.starts_with(&prefix))
        .collect();
    let all: u64 = queues.values().fold(0, |all, one| all.saturating_add(*one));
    let (queue, most) = queues.iter().max_by_key(|(_, packets)| **packets)?;
    let share = *most as f64 / all.max(1) as f64;
    let used = queues
        .values()
        .filter(|one| **one as f64 >= IDLE * all as f64)
        .count() as u64;
    let there = transmit_queues(facts)?;
    let rows = host
        .seen
        .counted
        .iter()
        .filter(|row| row.source == "txq_flow" && row.label == *queue);
    let flows = rows
        .filter(|row| row.value as f64 >= 0.01 * *most as f64)
        .count();
    let evidence = vec![
        row(
            end,
            "txq.packets",
            *most as f64,
            "packets",
            format!(
                "{queue} carried {} of the packets, {flows} flows in it",
                percent(share)
            ),
        ),
        row(
            end,
            "txq",
            there as f64,
            "queues",
            format!("{used} of the device's {there} transmit queues were in use"),
        ),
    ];
    (flows >= 2 && used < there).then(|| {
        finding(
            Cause::QueueCollision,
            None,
            (share, 0.85),
            evidence,
            "spread the flows over the queues: XPS maps (xps_cpus), pinning (cpu=), more ports",
        )
    })
}

/// An end's rows; one of two ends on one machine traces for both.
fn traced<'a>(run: &'a Run, end: End, source: &str) -> Option<Host<'a>> {
    let has = |host: &Host| host.seen.counted.labels(source).next().is_some();
    let of = |end| Host::of(run, end).filter(has);
    of(end).or_else(|| of(end.other()))
}

fn transmit_queues(facts: &Facts) -> Option<u64> {
    facts.environment.get("queues.tx")?.parse().ok()
}
