//! Doubts about the machines: one or two of them, and whether they had CPU to spare.

use record::{Doubt, End, EndCost, HostCpu, Run};

use super::{doubt, the};
use crate::stream::{Stream, same_machine, same_stack};

/// Share of the available CPU time above which an end had none to spare.
const SATURATED: f64 = 0.95;
/// Share of CPU time that a hypervisor may take unnoticed.
const STOLEN: f64 = 0.01;

pub(super) fn doubts(stream: &Stream, run: &Run) -> Vec<Doubt> {
    let mut doubts: Vec<Doubt> = place(stream).into_iter().collect();
    let ends = [
        (End::Client, run.cost.client),
        (End::Server, run.cost.server),
    ];
    let shared = same_machine(stream.side(End::Client), stream.side(End::Server));
    for (end, cost) in ends {
        let host = run.hosts_observed.cpu(end);
        doubts.extend(cost.and_then(|cost| workers(stream, end, &cost)));
        // One machine is one host: what is said of the client's holds for the server's.
        if let Some(host) = host.filter(|_| end == End::Client || !shared) {
            doubts.extend(busy(end, &host));
            doubts.extend(stolen(end, &host));
        }
    }
    for end in End::BOTH {
        doubts.extend(unread(stream, end));
    }
    doubts
}

/// What an end could not read, although its kernel has it.
fn unread(stream: &Stream, end: End) -> Option<Doubt> {
    let sentences = stream.side(end).observations.iter().flat_map(|o| &o.unread);
    let sentences: Vec<&str> = sentences.map(String::as_str).collect();
    let about = format!("hosts_observed.{}", end.name());
    (!sentences.is_empty()).then(|| doubt("unobserved", about, sentences.join("; ")))
}

fn place(stream: &Stream) -> Option<Doubt> {
    let (client, server) = (stream.side(End::Client), stream.side(End::Server));
    if same_stack(client, server) {
        let evidence = "both ends share one network stack: the path never left the host";
        return Some(doubt("never-left-host", "loads, hosts_observed", evidence));
    }
    let evidence = "both ends are one machine: they share its CPUs, and both rows count the same";
    same_machine(client, server).then(|| doubt("same-machine", "cost, hosts_observed", evidence))
}

fn workers(stream: &Stream, end: End, cost: &EndCost) -> Option<Doubt> {
    let workers = stream
        .side(end)
        .report?
        .workers
        .filter(|workers| *workers > 0)?;
    let share = cost.cpu_share? / f64::from(workers);
    let threads = if workers == 1 { "thread" } else { "threads" };
    let evidence = format!(
        "{}'s {workers} worker {threads} used {:.0} % of a CPU each: the figures may show this limit \
         and not the path's",
        the(end),
        100.0 * share,
    );
    (share > SATURATED).then(|| doubt("cpu-saturated", "loads", evidence))
}

fn busy(end: End, host: &HostCpu) -> Option<Doubt> {
    let total = total(host)?;
    let share = 1.0 - (host.idle_ns as f64 + host.iowait_ns as f64) / total;
    let evidence = format!(
        "the CPUs of {}'s host were busy for {:.0} % of the time",
        the(end),
        100.0 * share
    );
    (share > SATURATED).then(|| doubt("cpu-saturated", "loads", evidence))
}

fn stolen(end: End, host: &HostCpu) -> Option<Doubt> {
    let share = host.steal_ns as f64 / total(host)?;
    let evidence = format!(
        "the hypervisor took {:.1} % of {}'s CPU time",
        100.0 * share,
        the(end)
    );
    (share > STOLEN).then(|| doubt("cpu-stolen", "loads, cost", evidence))
}

/// All CPU time of the host; none when none was counted.
fn total(host: &HostCpu) -> Option<f64> {
    let parts = [
        host.user_ns,
        host.system_ns,
        host.idle_ns,
        host.iowait_ns,
        host.irq_ns,
        host.softirq_ns,
        host.steal_ns,
    ];
    let total: f64 = parts.iter().map(|part| *part as f64).sum();
    (total > 0.0).then_some(total)
}
