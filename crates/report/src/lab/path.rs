//! The transmit path, timers, head of line, and the reporter.

use sim::Bar;
use sim::hol::{Blocked, Hol};
use sim::qdisc::Sent;
use sim::reporter::{Reported, Reporter};
use sim::timers::Timed;

use super::bar;
use super::contest::{locks, nanos};
use crate::quantity::{number, per_second, percent, significant};
use crate::style::{Paint, Style};
use crate::table::{Align, Table};

/// Senders on a qdisc.
pub fn qdisc(title: &str, out: &Sent, style: Style) -> String {
    let head = format!(
        "{title}: {} packets/s",
        significant(Some(out.packets_per_second), 5)
    );
    let names = [
        "idle",
        "think",
        "wait root",
        "wait busy",
        "wait txq",
        "hold",
        "transmit",
        "softirq",
    ];
    let shares = names.iter().zip(out.activity);
    let shares: Vec<_> = shares
        .filter(|(_, share)| *share > 0.000_5)
        .map(|(name, share)| format!("{name} {}", percent(Some(share))))
        .collect();
    let mut text = style.paint(Paint::Headline, &head);
    text += &format!(
        "\nCPU time: {}\nbatch {} packets, {} packets before an owner lets go, median latency {}, \
         fairness {} (Jain), {} line transfers a packet, trace {}\n\n",
        shares.join(", "),
        number(out.batch_mean, 1),
        number(out.tenure_mean, 1),
        nanos(out.latency_median_ns),
        number(out.fairness, 3),
        number(Some(out.transfers.iter().sum()), 1),
        out.trace,
    );
    text += &locks(&out.locks, style);
    text.push('\n');
    text += &queues(out, style);
    text += &bars(
        "\nlatency from the system call to the wire\n",
        &out.latency_ns_log2,
    );
    for fault in &out.faults {
        text += &style.paint(
            Paint::Failure,
            &format!("a fault of the simulator: {fault}\n"),
        );
    }
    text
}

fn queues(out: &Sent, style: Style) -> String {
    let mut table = Table::new(&[
        ("qdisc", Align::Left),
        ("enqueued", Align::Right),
        ("dropped", Align::Right),
        ("dequeued", Align::Right),
        ("requeued", Align::Right),
        ("bypassed", Align::Right),
        ("backlog", Align::Right),
    ]);
    for row in &out.qdiscs {
        table.row([
            row.qdisc.clone(),
            row.enqueued.to_string(),
            row.dropped.to_string(),
            row.dequeued.to_string(),
            row.requeued.to_string(),
            row.bypassed.to_string(),
            row.backlog.to_string(),
        ]);
    }
    table.render(style)
}

fn bars(head: &str, entries: &[Bar]) -> String {
    let most = entries.iter().map(|entry| entry.count).max().unwrap_or(1);
    let mut text = head.to_owned();
    for entry in entries {
        let from = nanos(Some(entry.from as f64));
        let line = format!(
            "{from:>10}.. {:>9} {}",
            entry.count,
            bar(entry.count, most, 50)
        );
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// Paced flows.
pub fn timers(title: &str, out: &Timed, style: Style) -> String {
    let head = format!(
        "{title}: {} interrupts/s",
        significant(Some(out.interrupts_per_second), 5)
    );
    format!(
        "{}\ntimers {}, network device {}, other CPUs {}\n{} of the timers ran on another CPU than \
         their flow's, {} late on average; CPUs busy {}, trace {}\n",
        style.paint(Paint::Headline, &head),
        per_second(Some(out.timer_interrupts)),
        per_second(Some(out.network_interrupts)),
        per_second(Some(out.remote_interrupts)),
        percent(Some(out.migrated)),
        nanos(Some(out.late_mean_ns)),
        percent(Some(out.busy)),
        out.trace,
    )
}

/// Urgent packets behind bulk.
pub fn hol(setup: &Hol, out: &Blocked, style: Style) -> String {
    let with = if setup.bql { "with" } else { "without" };
    let head = format!(
        "simulated, {with} byte queue limits: an urgent packet waits {}",
        nanos(Some(out.mean_ns))
    );
    let limit = out
        .limit_bytes
        .map(|limit| format!("; limit {limit} bytes"))
        .unwrap_or_default();
    let facts = format!(
        "\n{:.0} bytes in the device when it comes{limit}; bulk uses {} of the link",
        out.device_bytes,
        percent(Some(out.bulk_share))
    );
    style.paint(Paint::Headline, &head) + &facts + &bars("\n\nwaits\n", &out.wait_ns_log2)
}

/// Ways of waiting, side by side.
pub fn reporters(rows: &[(Reporter, Reported)], style: Style) -> String {
    let mut table = Table::new(&[
        ("waiting", Align::Left),
        ("records", Align::Right),
        ("of one CPU", Align::Right),
        ("polling", Align::Right),
        ("blocked", Align::Right),
        ("wake-ups", Align::Right),
    ]);
    for (setup, out) in rows {
        table.row([
            format!("{:?}", setup.waiting).to_lowercase(),
            per_second(Some(out.records_per_second)),
            percent(Some(out.cpu)),
            percent(Some(out.polling)),
            percent(Some(out.blocked)),
            per_second(Some(out.wakeups)),
        ]);
    }
    let machine = rows.first().map_or("", |(setup, _)| &setup.platform.name);
    format!("simulated, a traffic thread and its reporter on {machine}\n") + &table.render(style)
}
