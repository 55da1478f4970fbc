//! What the hosts did beside: interrupts, drops, waits for locks, timers, transmit queues.

use record::{End, HostObserved, Run};

use crate::quantity::{count, frequency, nanos, percent, significant};
use crate::style::Style;
use crate::table::Align::{Left, Right};
use crate::table::Table;

/// Rows of a table of locks, timers or queues.
const MOST: usize = 8;

pub(super) fn hosts(run: &Run, style: Style) -> String {
    let mut table = Table::new(&[
        ("host", Left),
        ("interrupts/s", Right),
        ("per MB", Right),
        ("per packet", Right),
        ("resched/s", Right),
        ("switches/s", Right),
        ("moves", Right),
        ("observer", Right),
    ]);
    for (end, host) in both(run) {
        let per_second = |value: Option<u64>| {
            let seconds = host.seconds.filter(|seconds| *seconds > 0.0)?;
            Some(value? as f64 / seconds)
        };
        let interrupts = host.counted("host", "all", "interrupts");
        let megabytes = moved(run, end) / 1e6;
        let per_megabyte = interrupts
            .filter(|_| megabytes > 0.0)
            .map(|count| count as f64 / megabytes);
        let reschedules = of_line(host, "RES");
        let observer = per_second(host.counted("netdyno", "observer", "cpu_ns"));
        table.row([
            end.name().to_owned(),
            frequency(per_second(interrupts)),
            significant(per_megabyte, 3),
            significant(per_packet(host), 3),
            frequency(per_second(reschedules)),
            frequency(per_second(host.counted("host", "all", "context_switches"))),
            count(host.sum("thread", "migrations")),
            percent(observer.map(|ns| ns / 1e9)),
        ]);
    }
    table.render(style)
}

/// Packets that a host dropped or put off; nothing where none was.
pub(super) fn drops(run: &Run, style: Style) -> String {
    let mut table = Table::new(&[
        ("host", Left),
        ("interface drops", Right),
        ("softnet drops", Right),
        ("squeezes", Right),
        ("qdisc drops", Right),
        ("requeues", Right),
    ]);
    let mut any = false;
    for (end, host) in both(run) {
        let of_interfaces = ["rx_dropped", "tx_dropped"].map(|name| host.sum("interface", name));
        let counts = [
            of_interfaces
                .into_iter()
                .flatten()
                .reduce(u64::saturating_add),
            host.sum("softnet", "dropped"),
            host.sum("softnet", "time_squeeze"),
            host.sum("qdisc", "drops"),
            host.sum("qdisc", "requeues"),
        ];
        any |= counts.iter().flatten().any(|count| *count > 0);
        let [interface, softnet, squeezes, qdisc, requeues] = counts.map(count);
        let name = end.name().to_owned();
        table.row([name, interface, softnet, squeezes, qdisc, requeues]);
    }
    match any {
        true => table.render(style),
        false => String::new(),
    }
}

/// Interrupts for each packet that an interface was given to send: with segmentation offload that
/// is a burst.
fn per_packet(host: &HostObserved) -> Option<f64> {
    let interrupts = host.counted("host", "all", "interrupts")?;
    let packets = host.sum("interface", "tx_packets").filter(|n| *n > 0)?;
    Some(interrupts as f64 / packets as f64)
}

/// What an interrupt line fired on all CPUs.
fn of_line(host: &HostObserved, line: &str) -> Option<u64> {
    let rows = host.counted.iter();
    let counts = rows.filter(|row| row.source == "interrupts" && row.label == line);
    counts.map(|row| row.value).reduce(u64::saturating_add)
}

/// Payload that an end sent and received in the measured time, bytes.
fn moved(run: &Run, end: End) -> f64 {
    let loads = run.loads.iter();
    let bytes = loads.map(|load| {
        let directions = load.directions.iter().map(|direction| {
            let tally = match direction.sender == end {
                true => direction.sent,
                false => direction.received,
            };
            tally.map_or(0, |tally| tally.bytes)
        });
        directions.fold(0, u64::saturating_add)
    });
    bytes.fold(0, u64::saturating_add) as f64
}

pub(super) fn locks(run: &Run, style: Style) -> String {
    let mut table = Table::new(&[
        ("lock", Left),
        ("host", Left),
        ("waits", Right),
        ("mean", Right),
        ("longest", Right),
        ("above 10 us", Right),
        ("of the CPUs", Right),
    ])
    .keyed(2);
    for (end, host) in both(run) {
        for label in longest(host, "lock", "wait_ns") {
            let row = |name| host.counted("lock", label, name);
            let all = host
                .seconds
                .zip(host.cpu)
                .map(|(seconds, cpu)| seconds * f64::from(cpu.cpus));
            let share = all
                .filter(|all| *all > 0.0)
                .zip(row("wait_ns"))
                .map(|(all, wait)| wait as f64 / 1e9 / all);
            table.row([
                label.to_owned(),
                end.name().to_owned(),
                count(row("waits")),
                nanos(mean(host, "lock", label)),
                nanos(host.highest.get("lock", label, "longest_ns")),
                count(row("waits_above_10_us")),
                percent(share),
            ]);
        }
    }
    table.render(style)
}

pub(super) fn timers(run: &Run, style: Style) -> String {
    let mut table = Table::new(&[
        ("timer", Left),
        ("host", Left),
        ("kind", Left),
        ("expiries/s", Right),
        ("on CPUs", Left),
    ])
    .keyed(2);
    for (end, host) in both(run) {
        let mut all: Vec<(&str, &str, u64)> = ["timer", "hrtimer"]
            .into_iter()
            .flat_map(|kind| {
                let labels = host.counted.labels(kind);
                labels.map(move |label| (kind, label, total(host, kind, label)))
            })
            .filter(|(_, _, total)| *total > 0)
            .collect();
        all.sort_by_key(|(_, _, total)| std::cmp::Reverse(*total));
        for (kind, label, total) in all.into_iter().take(MOST) {
            let seconds = host.seconds.filter(|seconds| *seconds > 0.0);
            let rows = host.counted.iter();
            let cpus = rows
                .filter(|row| row.source == kind && row.label == label && row.value > 0)
                .map(|row| format!("{} {}", row.name, row.value));
            table.row([
                label.to_owned(),
                end.name().to_owned(),
                kind.to_owned(),
                frequency(seconds.map(|seconds| total as f64 / seconds)),
                cpus.take(MOST).collect::<Vec<_>>().join(", "),
            ]);
        }
    }
    table.render(style)
}

pub(super) fn queues(run: &Run, style: Style) -> String {
    let mut table = Table::new(&[
        ("transmit queue", Left),
        ("host", Left),
        ("packets", Right),
        ("flows", Right),
        ("wait for driver", Right),
        ("longest", Right),
    ])
    .keyed(2);
    for (end, host) in both(run) {
        for label in longest(host, "txq", "packets") {
            let rows = host.counted.iter();
            let flows =
                rows.filter(|row| row.source == "txq_flow" && row.label == label && row.value > 0);
            // A flow that moved from CPU to CPU is one flow.
            let mut flows: Vec<&str> = flows
                .map(|row| row.name.split(" on ").next().unwrap_or(row.name))
                .collect();
            flows.dedup();
            table.row([
                label.to_owned(),
                end.name().to_owned(),
                count(host.counted("txq", label, "packets")),
                flows.len().to_string(),
                nanos(mean(host, "txq", label)),
                nanos(host.highest.get("txq", label, "longest_ns")),
            ]);
        }
    }
    table.render(style)
}

fn both(run: &Run) -> impl Iterator<Item = (End, &HostObserved)> {
    let of = |end| Some((end, run.hosts_observed.of(end)?));
    let hosts = End::BOTH.into_iter().filter_map(of);
    hosts.filter(|(_, host)| !host.counted.is_empty())
}

/// Labels of a source with the highest rows of this name.
fn longest<'a>(host: &'a HostObserved, source: &'static str, name: &str) -> Vec<&'a str> {
    let value = |label: &str| host.counted(source, label, name).unwrap_or(0);
    let mut labels: Vec<&str> = host.counted.labels(source).collect();
    labels.retain(|label| value(label) > 0);
    labels.sort_by_key(|label| std::cmp::Reverse(value(label)));
    labels.truncate(MOST);
    labels
}

/// Mean wait, ns.
fn mean(host: &HostObserved, source: &str, label: &str) -> Option<u64> {
    let waits = host.counted(source, label, "waits")?;
    host.counted(source, label, "wait_ns")?.checked_div(waits)
}

fn total(host: &HostObserved, source: &str, label: &str) -> u64 {
    let rows = host.counted.iter();
    let of = rows.filter(|row| row.source == source && row.label == label);
    of.map(|row| row.value).sum()
}
