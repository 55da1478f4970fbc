//! The figures of a run that two sides are compared by.

use std::collections::BTreeMap;

use plan::Kind;
use record::{Better, Contrast, End, EndCost, LoadResult, Run};

/// What a figure is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metric {
    /// Its name.
    pub name: String,
    /// Its unit, as documents write it.
    pub unit: String,
    /// Which way is up.
    pub better: Better,
    /// How sides are set against each other.
    pub contrast: Contrast,
}

type Read = fn(&Run) -> Option<f64>;

/// Name, unit, which way is up, how to contrast, how to read it.
const METRICS: [(&str, &str, Better, Contrast, Read); 20] = {
    use Better::{Higher, Lower};
    use Contrast::{Difference, Ratio};
    [
        ("throughput", "bit/s", Higher, Ratio, throughput),
        ("packets", "datagrams/s", Higher, Ratio, packets),
        (
            "transactions",
            "transactions/s",
            Higher,
            Ratio,
            transactions,
        ),
        ("latency-p50", "ns", Lower, Ratio, |run| {
            exchange(run)?.p50_ns.map(ns)
        }),
        ("latency-p99", "ns", Lower, Ratio, |run| {
            exchange(run)?.p99_ns.map(ns)
        }),
        ("idle-p50", "ns", Lower, Ratio, |run| {
            probe(run)?.idle.p50_ns.map(ns)
        }),
        ("idle-p99", "ns", Lower, Ratio, |run| {
            probe(run)?.idle.p99_ns.map(ns)
        }),
        ("loaded-p50", "ns", Lower, Ratio, |run| {
            probe(run)?.loaded.p50_ns.map(ns)
        }),
        ("loaded-p99", "ns", Lower, Ratio, |run| {
            probe(run)?.loaded.p99_ns.map(ns)
        }),
        ("added-latency", "ms", Lower, Difference, |run| {
            probe(run)?.added_ms
        }),
        ("cpu-client", "ns/byte", Lower, Ratio, |run| {
            run.cost.client?.ns_per_byte
        }),
        ("cpu-server", "ns/byte", Lower, Ratio, |run| {
            run.cost.server?.ns_per_byte
        }),
        ("interrupts-client", "interrupts/s", Lower, Ratio, |run| {
            interrupts(run, End::Client)
        }),
        ("interrupts-server", "interrupts/s", Lower, Ratio, |run| {
            interrupts(run, End::Server)
        }),
        ("switches-client", "switches/s", Lower, Ratio, |run| {
            switches(run, run.cost.client?)
        }),
        ("switches-server", "switches/s", Lower, Ratio, |run| {
            switches(run, run.cost.server?)
        }),
        ("softirq-client", "s/s", Lower, Difference, |run| {
            softirq(run, run.cost.client?)
        }),
        ("fairness", "Jain", Higher, Difference, fairness),
        ("loss", "share", Lower, Difference, loss),
        ("retransmits", "segments/s", Lower, Difference, retransmits),
    ]
};

impl Metric {
    /// The metric of a run with that name.
    pub fn of(name: &str) -> Option<Self> {
        let known = METRICS.iter().find(|metric| metric.0 == name)?;
        Some(Self {
            name: known.0.to_owned(),
            unit: known.1.to_owned(),
            better: known.2,
            contrast: known.3,
        })
    }

    /// The names of all.
    pub fn names() -> impl Iterator<Item = &'static str> {
        METRICS.iter().map(|metric| metric.0)
    }

    /// The one that says most about such loads: throughput where data move in bulk, transactions
    /// otherwise.
    pub fn usual(loads: &[plan::Load]) -> &'static str {
        let bulk = |load: &plan::Load| !load.kind.is_exchange() && !load.is_probe();
        let only_probes = loads.iter().all(plan::Load::is_probe);
        match (loads.iter().any(bulk), only_probes) {
            (true, _) => "throughput",
            (false, true) => "loaded-p50",
            (false, false) => "transactions",
        }
    }

    /// `value` on the scale on which the difference of two values is their contrast; none where it
    /// has no place there: nothing is a multiple of zero.
    pub fn placed(&self, value: f64) -> Option<f64> {
        match self.contrast {
            Contrast::Ratio => (value > 0.0 && value.is_finite()).then(|| value.ln()),
            Contrast::Difference => value.is_finite().then_some(value),
        }
    }

    /// A contrast back in the terms of the metric: a ratio, or a difference.
    pub fn shown(&self, contrast: f64) -> f64 {
        match self.contrast {
            Contrast::Ratio => contrast.exp(),
            Contrast::Difference => contrast,
        }
    }
}

/// Every figure that the run has.
pub fn values(run: &Run) -> BTreeMap<String, f64> {
    let read = |metric: &(&str, &str, Better, Contrast, Read)| {
        let value = (metric.4)(run).filter(|value| value.is_finite())?;
        Some((metric.0.to_owned(), value))
    };
    METRICS.iter().filter_map(read).collect()
}

fn ns(value: u64) -> f64 {
    value as f64
}

/// The loads that are no probes.
fn loads(run: &Run) -> impl Iterator<Item = &LoadResult> {
    run.loads.iter().filter(|load| load.kind != Kind::Probe)
}

/// The sum of what all have; none where none has it.
fn sum(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    values.flatten().reduce(|a, b| a + b)
}

fn bulk(run: &Run) -> impl Iterator<Item = &LoadResult> {
    loads(run).filter(|load| !load.kind.is_exchange())
}

fn throughput(run: &Run) -> Option<f64> {
    sum(bulk(run).map(|load| load.received?.bits_per_second))
}

fn packets(run: &Run) -> Option<f64> {
    let datagrams = bulk(run).filter(|load| load.kind.transport() == plan::Transport::Udp);
    sum(datagrams.map(|load| load.received?.messages_per_second))
}

fn transactions(run: &Run) -> Option<f64> {
    sum(loads(run).map(|load| load.transactions_per_second))
}

fn exchange(run: &Run) -> Option<record::Latency> {
    loads(run).find(|load| load.kind.is_exchange())?.latency
}

fn probe(run: &Run) -> Option<&record::LatencyUnderLoad> {
    run.latency_under_load.as_ref()
}

fn measured_seconds(run: &Run) -> Option<f64> {
    let received = run
        .loads
        .iter()
        .filter_map(|load| load.received.map(|tally| tally.seconds));
    received.reduce(f64::max).filter(|seconds| *seconds > 0.0)
}

fn interrupts(run: &Run, end: End) -> Option<f64> {
    let host = run.hosts_observed.of(end)?;
    let seconds = host.seconds.filter(|seconds| *seconds > 0.0)?;
    Some(host.sum("host", "interrupts")? as f64 / seconds)
}

fn switches(run: &Run, cost: EndCost) -> Option<f64> {
    let all = cost.process.voluntary_switches + cost.process.involuntary_switches;
    Some(all as f64 / measured_seconds(run)?)
}

fn softirq(run: &Run, cost: EndCost) -> Option<f64> {
    Some(cost.host_softirq_seconds? / measured_seconds(run)?)
}

fn fairness(run: &Run) -> Option<f64> {
    loads(run).find_map(|load| Some(load.fairness?.jain))
}

fn loss(run: &Run) -> Option<f64> {
    let all = loads(run).flat_map(|load| &load.loss);
    all.filter_map(|loss| loss.lost_share).reduce(f64::max)
}

fn retransmits(run: &Run) -> Option<f64> {
    let all = bulk(run).flat_map(|load| &load.directions);
    let all = sum(all.map(|direction| direction.retransmits.map(|n| n as f64)))?;
    Some(all / measured_seconds(run)?)
}

/// Share of a host's CPU time that went to neither idling nor the run's own process.
pub fn foreign_cpu(run: &Run, end: End) -> Option<f64> {
    let host = run.hosts_observed.cpu(end)?;
    let cost = match end {
        End::Client => run.cost.client?,
        End::Server => run.cost.server?,
    };
    let busy =
        (host.user_ns + host.system_ns + host.irq_ns + host.softirq_ns + host.steal_ns) as f64;
    let all = busy + (host.idle_ns + host.iowait_ns) as f64;
    // On one machine the other end's process is no stranger either.
    let ours = |cost: Option<EndCost>| cost.map_or(0.0, |cost| cost.cpu_seconds * 1e9);
    let one_machine = run.hosts.server.as_ref().is_some_and(|server| {
        server.locality.boot_id.is_some()
            && server.locality.boot_id == run.hosts.client.locality.boot_id
    });
    let own = match one_machine {
        true => ours(run.cost.client) + ours(run.cost.server),
        false => cost.cpu_seconds * 1e9,
    };
    (all > 0.0).then(|| ((busy - own - host.softirq_ns as f64) / all).clamp(0.0, 1.0))
}
