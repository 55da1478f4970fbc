//! CPUs: of the threads that carried the flows, of interrupts, and what took time from them.

use record::{Cause, End, Evidence, Finding, Run};

use super::host::{Host, Worker};
use super::way::Way;
use super::{finding, percent, row, times};

/// A worker that wants this much of a CPU would move more with a faster one.
const FULL: f64 = 0.85;
/// One that wants this much never rests.
const SATURATED: f64 = 0.95;
/// One that waits this long for a CPU, too.
const WAITS: f64 = 0.25;
/// Of a CPU's time: what other work may take before it is worth naming.
const SHARED: f64 = 0.15;

pub(super) fn findings(run: &Run, ways: &[Way]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for way in ways {
        findings.extend(worker(run, way, way.sender));
        findings.extend(worker(run, way, way.receiver()));
    }
    for end in hosts(run) {
        let Some(host) = Host::of(run, end) else {
            continue;
        };
        findings.extend(one_cpu(&host));
        findings.extend(stolen(&host));
        findings.extend(interrupted(&host));
    }
    // Both ends of a testbed are in the same control group.
    for end in End::BOTH {
        findings.extend(Host::of(run, end).and_then(|host| throttled(&host)));
    }
    findings.extend(ways.iter().flat_map(|way| scheduled(run, way)));
    findings
}

/// Ends whose hosts are two: one machine counts everything once.
pub(super) fn hosts(run: &Run) -> Vec<End> {
    let boot = |end| match end {
        End::Client => run.hosts.client.locality.boot_id.clone(),
        End::Server => run.hosts.server.as_ref()?.locality.boot_id.clone(),
    };
    match boot(End::Client).is_some() && boot(End::Client) == boot(End::Server) {
        true => vec![End::Client],
        false => End::BOTH.to_vec(),
    }
}

/// Whether the way's busiest worker at `end` got less CPU than it could use.
pub(super) fn is_starved(run: &Run, way: &Way, end: End) -> bool {
    demand(run, way, end) >= FULL || waiting(run, way, end) >= WAITS
}

/// The way's worker at `end` that wanted most of a CPU.
fn busiest<'a>(run: &'a Run, way: &Way, end: End) -> Option<Worker<'a>> {
    let workers = Host::of(run, end)?.workers(&way.load.name);
    workers.into_iter().next()
}

/// How much of a CPU the busiest worker of the way wanted at `end`.
fn demand(run: &Run, way: &Way, end: End) -> f64 {
    let of_process = || {
        let cost = match end {
            End::Client => run.cost.client,
            End::Server => run.cost.server,
        };
        cost.and_then(|cost| cost.cpu_share).unwrap_or(0.0).min(1.0)
    };
    busiest(run, way, end).map_or_else(of_process, |worker| worker.demand())
}

fn worker(run: &Run, way: &Way, end: End) -> Option<Finding> {
    let wanted = demand(run, way, end);
    if !is_starved(run, way, end) || got_its_rate(way) {
        return None;
    }
    let cause = match end == way.sender {
        true => Cause::SenderCpu,
        false => Cause::ReceiverCpu,
    };
    let advice = match cause {
        _ if mostly_waits(run, way, end) => {
            "give its threads CPUs of their own (cpu=, peer-cpu=), or stop what shares them"
        }
        Cause::SenderCpu => "send more per call (size=), or from more threads (-P)",
        _ => {
            "give the receiver more CPU: other CPUs (peer-cpu=), more flows, offloads (ethtool -K)"
        }
    };
    // A thread that others keep from its CPU hands over small pieces late, and its peer is busy with
    // those. The peer is short only of the time in which the thread wanted no CPU.
    let peer = end.other();
    let held_up = waiting(run, way, peer) >= WAITS && waiting(run, way, end) < SHARED;
    let most = match held_up && wanted < SATURATED {
        true => (1.0 - demand(run, way, peer)).max(0.0),
        false => 1.0,
    };
    // What was lost was limited where it was lost.
    let explains = wanted.min(most) * (1.0 - way.lost_share());
    Some(finding(
        cause,
        way.name(),
        (explains, 0.85),
        proof(run, way, end, wanted),
        advice,
    ))
}

/// Share of the time that the way's busiest worker at `end` waited for a CPU; nothing where the
/// scheduler does not say.
fn waiting(run: &Run, way: &Way, end: End) -> f64 {
    let busiest = busiest(run, way, end);
    busiest.and_then(|worker| worker.waiting).unwrap_or(0.0)
}

/// Whether the way's busiest worker at `end` waited for a CPU longer than it had one.
fn mostly_waits(run: &Run, way: &Way, end: End) -> bool {
    busiest(run, way, end).is_some_and(|worker| {
        worker
            .waiting
            .is_some_and(|waiting| waiting > worker.running)
    })
}

fn got_its_rate(way: &Way) -> bool {
    let asked = way.rate_asked().or(way.pace_asked());
    asked.is_some_and(|asked| way.rate() >= 0.95 * asked)
}

fn proof(run: &Run, way: &Way, end: End, wanted: f64) -> Vec<Evidence> {
    let host = Host::of(run, end);
    let workers = host
        .as_ref()
        .map(|host| host.workers(&way.load.name))
        .unwrap_or_default();
    let waiting = workers.first().and_then(|worker| worker.waiting);
    let waiting = waiting.filter(|waiting| *waiting >= SHARED);
    let mut evidence = match workers.first() {
        Some(worker) => {
            let (thread, ran) = (worker.thread, percent(worker.running));
            let says = match waiting {
                Some(_) => format!(
                    "its thread {thread} wanted a CPU for {} of the time and had one for {ran}",
                    percent(worker.demand())
                ),
                None => format!("its thread {thread} ran for {ran} of the time"),
            };
            vec![row(end, "thread.run_ns", worker.running, "share", says)]
        }
        None => vec![row(
            end,
            "cost.cpu_share",
            wanted,
            "share",
            format!("netdyno used {} of a CPU", percent(wanted)),
        )],
    };
    evidence.extend(waiting.map(|waiting| {
        let says = format!(
            "it stood in a run queue for {} of the time",
            percent(waiting)
        );
        row(end, "thread.wait_ns", waiting, "share", says)
    }));
    let full = host.map(|host| host.busy_cpus()).unwrap_or_default();
    let full = full.into_iter().filter(|(_, busy)| *busy >= FULL);
    evidence.extend(full.map(|(cpu, busy)| {
        row(
            end,
            &format!("cpu.{cpu}.busy"),
            busy,
            "share",
            format!("{cpu} was {} busy", percent(busy)),
        )
    }));
    evidence
}

/// Soft interrupts of the network are on one CPU and fill it.
fn one_cpu(host: &Host) -> Option<Finding> {
    let cpus: Vec<(&str, u64)> = host.all("cpu", "softirq_ns").collect();
    let (busiest, most) = *cpus.iter().max_by_key(|(_, ns)| *ns)?;
    let all = cpus
        .iter()
        .fold(0_u64, |all, (_, ns)| all.saturating_add(*ns));
    let share = host.share(most);
    let evidence = vec![
        row(
            host.end,
            &format!("cpu.{busiest}.softirq_ns"),
            share,
            "share",
            format!(
                "{busiest} spent {} of its time in soft interrupts",
                percent(share)
            ),
        ),
        row(
            host.end,
            "cpu.softirq_ns",
            most as f64 / all.max(1) as f64,
            "share",
            format!("{} of the host's", percent(most as f64 / all.max(1) as f64)),
        ),
    ];
    let alone = cpus.len() > 1 && most as f64 >= 0.9 * all as f64;
    (alone && share >= 0.8).then(|| {
        finding(
            Cause::SoftirqOneCpu,
            None,
            (share, 0.85),
            evidence,
            "spread the receive path: more queues (ethtool -L), RPS, IRQ affinities",
        )
    })
}

fn stolen(host: &Host) -> Option<Finding> {
    let cpus = host.busy_cpus().len().max(1) as f64;
    let share = host.share(host.sum("cpu", "steal_ns")) / cpus;
    let says = format!("the hypervisor took {} of the CPU time", percent(share));
    (share >= 0.05).then(|| {
        finding(
            Cause::CpuSteal,
            None,
            (share, 0.9),
            vec![row(host.end, "cpu.steal_ns", share, "share", says)],
            "measure on a host that is not shared, or compare interleaved runs (netdyno compare)",
        )
    })
}

fn throttled(host: &Host) -> Option<Finding> {
    let (group, us) = host
        .all("cgroup", "throttled_us")
        .max_by_key(|(_, us)| *us)?;
    let share = us as f64 / 1e6 / host.seconds;
    let mut evidence = vec![row(
        host.end,
        "cgroup.throttled_us",
        us as f64,
        "us",
        format!(
            "control group {group} was stopped by its CPU quota for {}",
            percent(share)
        ),
    )];
    let periods = host.counted("cgroup", group, "throttled_periods");
    evidence.extend(periods.map(|periods| {
        let says = format!("in {periods} periods");
        row(
            host.end,
            "cgroup.throttled_periods",
            periods as f64,
            "",
            says,
        )
    }));
    (share >= 0.05).then(|| {
        finding(
            Cause::CgroupThrottle,
            None,
            (share, 0.95),
            evidence,
            "raise the group's CPU quota (cpu.max, cpu.cfs_quota_us)",
        )
    })
}

/// Workers that waited for a CPU, or were moved about.
fn scheduled(run: &Run, way: &Way) -> Vec<Finding> {
    let at = |end: End| {
        let host = Host::of(run, end)?;
        let workers = host.workers(&way.load.name);
        let worst = workers.iter().max_by(|a, b| {
            a.waiting
                .unwrap_or(0.0)
                .total_cmp(&b.waiting.unwrap_or(0.0))
        })?;
        let waiting = worst.waiting?;
        let mut evidence = vec![row(
            end,
            "thread.wait_ns",
            waiting,
            "share",
            format!(
                "its thread {} waited {} of the time for a CPU",
                worst.thread,
                percent(waiting)
            ),
        )];
        let moves = workers.iter().filter_map(|worker| worker.migrations);
        let moves = moves.fold(0, u64::saturating_add);
        evidence.extend((moves > 0).then(|| {
            let says = format!("its threads were moved between CPUs {}", times(moves));
            row(end, "thread.migrations", moves as f64, "", says)
        }));
        let matters = waiting >= SHARED && !got_its_rate(way);
        matters.then(|| {
            // It is a part of what the CPU's finding says, and why.
            finding(
                Cause::Scheduler,
                way.name(),
                (waiting * 0.9, 0.7),
                evidence,
                "pin the load away from other work (cpu=, peer-cpu=), or stop what shares its CPU",
            )
        })
    };
    End::BOTH.into_iter().filter_map(at).collect()
}

/// Hard interrupts: only kernels that account them apart (CONFIG_IRQ_TIME_ACCOUNTING) tell.
fn interrupted(host: &Host) -> Option<Finding> {
    let busy: f64 = host.busy_cpus().iter().map(|(_, busy)| busy).sum();
    let irq = host.share(host.sum("cpu", "irq_ns"));
    let share = irq / busy.max(f64::MIN_POSITIVE);
    let interrupts = host.counted("host", "all", "interrupts")? as f64 / host.seconds;
    let evidence = vec![
        row(
            host.end,
            "cpu.irq_ns",
            share,
            "share",
            format!("{} of the busy time went into interrupts", percent(share)),
        ),
        row(
            host.end,
            "host.interrupts",
            interrupts,
            "1/s",
            format!("{interrupts:.0} interrupts a second"),
        ),
    ];
    (busy > 0.1 && share >= 0.2).then(|| {
        finding(
            Cause::TimerOverhead,
            None,
            (share, 0.6),
            evidence,
            "coalesce: larger bursts, fewer paced flows a timer, ethtool -C; see timer rows",
        )
    })
}
