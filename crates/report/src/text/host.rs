//! The hosts: what the run cost them, their books, and who they are.

use record::{End, EndLedger, Facts, HostCpu, Run, WireLedger};

use crate::prose::{command_line, wrap};
use crate::quantity::{bytes, count, percent, seconds, signed_bytes, significant};
use crate::style::Style;
use crate::table::Align::{Left, Right};
use crate::table::Table;

/// Flows from which on the memory of one is worth a column.
const MANY: u64 = 100;

pub(super) fn cost(run: &Run, style: Style) -> String {
    let mut table = Table::new(&[
        ("cpu", Left),
        ("netdyno", Right),
        ("of one CPU", Right),
        ("user", Right),
        ("system", Right),
        ("ns/byte", Right),
        ("memory/flow", Right),
        ("host busy", Right),
        ("softirq", Right),
        ("steal", Right),
    ]);
    let ends = [
        (End::Client, run.cost.client),
        (End::Server, run.cost.server),
    ];
    // With few flows the workers' buffers and stacks are most of what the process grew by.
    let many = run
        .loads
        .iter()
        .map(|load| u64::from(load.flows))
        .sum::<u64>()
        >= MANY;
    for (end, cost) in ends {
        let host = run.hosts_observed.cpu(end);
        let part =
            |part: fn(&HostCpu) -> u64| percent(host.and_then(|host| share(&host, part(&host))));
        if cost.is_none() && host.is_none() {
            continue;
        }
        table.row([
            end.name().to_owned(),
            seconds(cost.map(|cost| cost.cpu_seconds)),
            percent(cost.and_then(|cost| cost.cpu_share)),
            seconds(cost.map(|cost| cost.user_seconds)),
            seconds(cost.map(|cost| cost.system_seconds)),
            significant(cost.and_then(|cost| cost.ns_per_byte), 4),
            bytes(
                cost.and_then(|cost| cost.memory_per_flow_bytes)
                    .filter(|_| many),
            ),
            part(|host| {
                total(host)
                    .saturating_sub(host.idle_ns)
                    .saturating_sub(host.iowait_ns)
            }),
            part(|host| host.softirq_ns),
            part(|host| host.steal_ns),
        ]);
    }
    table.render(style)
}

/// Share of all the host's CPU time.
fn share(host: &HostCpu, part: u64) -> Option<f64> {
    let total = total(host);
    (total > 0).then(|| part as f64 / total as f64)
}

fn total(host: &HostCpu) -> u64 {
    let parts = [
        host.user_ns,
        host.system_ns,
        host.idle_ns,
        host.iowait_ns,
        host.irq_ns,
        host.softirq_ns,
        host.steal_ns,
    ];
    parts.into_iter().fold(0, u64::saturating_add)
}

pub(super) fn ledger(run: &Run, style: Style) -> String {
    let mut table = Table::new(&[
        ("whole run", Left),
        ("application", Right),
        ("tcp data", Right),
        ("wire", Right),
        ("packets", Right),
        ("dropped", Right),
        ("unexplained", Right),
    ]);
    for (end, ledger) in [
        (End::Client, run.ledger.client),
        (End::Server, run.ledger.server),
    ] {
        let Some(ledger) = ledger else { continue };
        table.row(books(&format!("{} out", end.name()), &outgoing(&ledger)));
        table.row(books(&format!("{} in", end.name()), &incoming(&ledger)));
    }
    table.render(style)
}

/// One direction of one end's books.
struct Books {
    application: u64,
    socket: Option<u64>,
    wire: Option<Wire>,
}

/// What the interface counted in one direction.
struct Wire {
    bytes: u64,
    packets: u64,
    dropped: u64,
    explained: Option<u64>,
}

fn outgoing(ledger: &EndLedger) -> Books {
    let wire = |wire: WireLedger| Wire {
        bytes: wire.interface.tx_bytes,
        packets: wire.interface.tx_packets,
        dropped: wire.interface.tx_dropped,
        explained: wire.explained_tx_bytes,
    };
    Books {
        application: ledger.application.written_bytes,
        socket: ledger.socket.and_then(|socket| socket.sent_bytes),
        wire: ledger.wire.map(wire),
    }
}

fn incoming(ledger: &EndLedger) -> Books {
    let wire = |wire: WireLedger| Wire {
        bytes: wire.interface.rx_bytes,
        packets: wire.interface.rx_packets,
        dropped: wire.interface.rx_dropped,
        explained: wire.explained_rx_bytes,
    };
    Books {
        application: ledger.application.received_bytes,
        socket: ledger.socket.and_then(|socket| socket.received_bytes),
        wire: ledger.wire.map(wire),
    }
}

fn books(label: &str, books: &Books) -> [String; 7] {
    let wire = books.wire.as_ref();
    let rest = |wire: &Wire| Some(wire.bytes.wrapping_sub(wire.explained?) as i64);
    [
        label.to_owned(),
        bytes(Some(books.application)),
        bytes(books.socket),
        bytes(wire.map(|wire| wire.bytes)),
        count(wire.map(|wire| wire.packets)),
        count(wire.map(|wire| wire.dropped)),
        signed_bytes(wire.and_then(rest)),
    ]
}

/// Who took part, and how to find the run again.
pub(super) fn hosts(run: &Run, style: Style) -> String {
    let wrapped = |text: String| wrap(&text, 0, 2, style.prose_width()) + "\n";
    let mut text = wrapped(host("client", &run.hosts.client));
    if let Some(server) = &run.hosts.server {
        text.push_str(&wrapped(host("server", server)));
    }
    let version = &run.hosts.client.netdyno;
    let command = command_line(&run.command);
    text + &wrapped(format!(
        "run {} of {}, netdyno {version}: {command}",
        run.id, run.started
    ))
}

fn host(end: &str, facts: &Facts) -> String {
    let system = [
        facts
            .kernel
            .as_ref()
            .map(|kernel| format!("Linux {kernel}")),
        facts.machine.clone(),
    ];
    let system = system.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let cpus = match (facts.cpus, &facts.cpu_model) {
        (Some(cpus), Some(model)) => format!("{cpus} x {model}"),
        (Some(cpus), None) => format!("{cpus} CPUs"),
        (None, model) => model.clone().unwrap_or_default(),
    };
    let device = [
        facts.interface.clone(),
        facts.driver.clone(),
        facts.mtu_bytes.map(|mtu| format!("MTU {mtu}")),
        facts.qdisc.clone(),
    ];
    let device = device.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let virtualization = facts.virtualization.clone().unwrap_or_default();
    let known = [system, cpus, virtualization, device];
    let known: Vec<String> = known.into_iter().filter(|fact| !fact.is_empty()).collect();
    let name = facts.hostname.as_deref().unwrap_or("without a name");
    format!("{end} {name}: {}", known.join(", "))
}
