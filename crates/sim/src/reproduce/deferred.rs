//! E6: the deferred list (2025).

use super::fit::{bisect, placed};
use super::{Ablation, Experiment, Known, Trial, figure};
use crate::cost::Item;
use crate::lock::LockKind;
use crate::picos::Picos;
use crate::platform::{self, Platform};
use crate::qdisc::{
    Discipline, Mapping, Nic, Placement, RootProtocol, Sent, Setup, Start, Switches,
};

/// 240 senders on 480 CPUs, 30 transmit queues with a qdisc each. The first threads of all cores
/// are the first 240 CPUs, so pinned senders have a core each, and 8 share a queue.
pub(super) fn linux_2025(platform: Platform, root: RootProtocol, placement: Placement) -> Setup {
    let cpus = match placement {
        Placement::Pinned => 240,
        _ => 480,
    };
    Setup {
        platform,
        cpus,
        senders: 240,
        placement,
        start: Start::Together,
        socket_packets: Setup::SOCKET_PACKETS,
        wire_bytes: 186,
        lock: LockKind::Qspin,
        root,
        discipline: Discipline::Fifo,
        limit: 10_000,
        txqs: 30,
        multiqueue: true,
        mapping: Mapping::Xps,
        // Byte limits held thousands of small packets before batches were capped.
        batch: 1000,
        nic: Nic {
            rate: Some(100_000_000_000),
            ring: 2048,
            coalesce_frames: 64,
            coalesce_time: Picos::from_micros(20),
            bql: true,
        },
        switches: Switches {
            // One FQ on each queue: no bypass, its head in other lines than the lock.
            bypass: false,
            embedded: false,
            ..Switches::default()
        },
        duration: DURATION,
        warm_up: Picos::from_micros(300),
        seed: 1,
    }
}

fn mpps(out: &Sent) -> f64 {
    out.packets_per_second / 1e6
}

/// The transfer costs that the pinned senders' rate asks for.
pub(super) fn fitted_2025(trial: &Trial, notes: &mut Vec<String>) -> (f64, f64, Platform) {
    let machine = trial.machine(platform::granite());
    let free = [
        Item::TransferCluster,
        Item::TransferSocket,
        Item::TransferMachine,
    ];
    let rate = |share: f64| {
        let setup = linux_2025(
            placed(&machine, &free, share),
            RootProtocol::Busylock,
            Placement::Pinned,
        );
        trial.mpps(&setup)
    };
    let fit = bisect(0.0, 1.0, 41.0, rate);
    fit.note("the place of c in its ranges", 41.0, notes);
    (fit.value, fit.figure, placed(&machine, &free, fit.value))
}

pub(super) const E6: Known = Known {
    name: "E6",
    run: e6,
    assumed: &[
        "hit",
        "atomic",
        "think",
        "enqueue",
        "dequeue",
        "transmit",
        "doorbell",
        "complete",
        "softirq",
        "interrupt",
        "switch",
    ],
    ablations: &[
        Ablation::FifoLines,
        Ablation::ConstantHandoff,
        Ablation::StoreBuffer,
        Ablation::OtherLine,
        Ablation::NoFlowCaching,
        Ablation::Batch(1),
        Ablation::Batch(64),
        Ablation::SharedCore(50),
    ],
};

fn e6(trial: &Trial) -> Experiment {
    let mut notes = vec![
        "FQ is a list with a limit of 10000; unpinned senders are on random CPUs, keep the queue that \
         they chose on another, and move to a random free CPU every 4 ms; batches are bounded by byte queue limits only"
            .to_owned(),
    ];
    let (share, before, platform) = fitted_2025(trial, &mut notes);
    let with = |root, placement| trial.run(&linux_2025(platform.clone(), root, placement));
    let pinned_before = with(RootProtocol::Busylock, Placement::Pinned);
    let pinned = with(RootProtocol::Deferred, Placement::Pinned);
    let floating_before = with(RootProtocol::Busylock, Placement::Floating);
    let floating = with(RootProtocol::Deferred, Placement::Floating);
    let gain = mpps(&pinned) / before;
    let floating_gain = mpps(&floating) / mpps(&floating_before);
    // The most frequent time in the transmit function, as the published histograms have it.
    let mode = |out: &Sent| {
        let most = out.send_ns_log2.iter().max_by_key(|bar| bar.count);
        most.map_or(f64::NAN, |bar| bar.from as f64)
    };
    let close = |value: f64, published: f64| (value / published - 1.0).abs() <= 0.25;
    let order = |value: f64, published: f64| (published / 10.0..=published * 10.0).contains(&value);
    let waits = [
        (
            "mean visible wait, busylock, unpinned",
            mean_wait(&floating_before),
            15.35,
            "us",
        ),
        (
            "mean visible wait, busylock, pinned",
            mean_wait(&pinned_before),
            7.36,
            "us",
        ),
        (
            "visible waiting of 8 CPUs in 1 s, busylock, unpinned",
            waiting(&floating_before),
            6.79,
            "s",
        ),
        (
            "visible waiting of 8 CPUs in 1 s, busylock, pinned",
            waiting(&pinned_before),
            7.10,
            "s",
        ),
        (
            "visible waiting of 8 CPUs in 1 s, list, unpinned",
            waiting(&floating),
            0.233,
            "s",
        ),
        (
            "visible waiting of 8 CPUs in 1 s, list, pinned",
            waiting(&pinned),
            0.40,
            "s",
        ),
        (
            "most frequent time in transmit, busylock",
            mode(&floating_before),
            8192.0,
            "ns",
        ),
        (
            "most frequent time in transmit, list",
            mode(&floating),
            256.0,
            "ns",
        ),
    ];
    let mut predicted = vec![
        figure("gain, pinned", gain, "x"),
        figure("gain, unpinned", floating_gain, "x"),
        figure("busylock, unpinned", mpps(&floating_before), "Mpps"),
        figure("list, pinned", mpps(&pinned), "Mpps"),
        figure("list, unpinned", mpps(&floating), "Mpps"),
    ];
    predicted.extend(waits.map(|(name, value, _, unit)| figure(name, value, unit)));
    let mut published = vec![
        figure("busylock, pinned", 41.0, "Mpps"),
        figure("gain, pinned", 1.39, "x"),
        figure("gain, unpinned", 1.81, "x"),
        figure("busylock, unpinned", 16.0, "Mpps"),
        figure("list, pinned", 57.0, "Mpps"),
        figure("list, unpinned", 29.0, "Mpps"),
    ];
    published.extend(waits.map(|(name, _, value, unit)| figure(name, value, unit)));
    Experiment {
        id: "E6",
        title: "deferred list, 240 senders, 480 CPUs, 30 queues (October 2025)",
        provenance: "simulated",
        fitted: vec![
            figure("place in the ranges of c", share, "of 1"),
            figure("busylock, pinned", before, "Mpps"),
        ],
        predicted,
        published,
        not_verified: Vec::new(),
        criterion: "both gains within 25 %, waits within an order of magnitude",
        pass: close(gain, 1.39)
            && close(floating_gain, 1.81)
            && waits
                .iter()
                .all(|(_, value, published, _)| order(*value, *published)),
        notes,
    }
}

/// The mean of the waits that a tracer sees, in microseconds.
fn mean_wait(out: &Sent) -> f64 {
    let total: u64 = out.locks.iter().map(|row| row.visible_wait_ns).sum();
    let count: u64 = out.locks.iter().map(|row| row.visible).sum();
    total as f64 / count as f64 / 1e3
}

/// What eight CPUs wait in a second, as far as a tracer sees it, in seconds.
fn waiting(out: &Sent) -> f64 {
    let total: u64 = out.locks.iter().map(|row| row.visible_wait_ns).sum();
    let cpu_nanos = DURATION.nanos() * out.offered_per_cpu.len() as f64;
    total as f64 / cpu_nanos * 8.0
}

const DURATION: Picos = Picos::from_micros(600);
