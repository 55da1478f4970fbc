//! E6: the deferred list (2025).

use super::busylock::run;
use super::fit::{bisect, placed};
use super::{Experiment, figure};
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
        duration: Picos::from_micros(600),
        warm_up: Picos::from_micros(300),
        seed: 1,
    }
}

fn mpps(out: &Sent) -> f64 {
    out.packets_per_second / 1e6
}

/// The transfer costs that the pinned senders' rate asks for.
pub(super) fn fitted_2025(seed: u64, notes: &mut Vec<String>) -> (f64, f64, Platform) {
    let machine = platform::granite();
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
        mpps(&run(&Setup { seed, ..setup }))
    };
    let fit = bisect(0.0, 1.0, 41.0, rate);
    fit.note("the place of c in its ranges", 41.0, notes);
    (fit.value, fit.figure, placed(&machine, &free, fit.value))
}

pub(super) fn e6(seed: u64) -> Experiment {
    let mut notes = vec![
        "FQ is a list with a limit of 10000; unpinned senders start on random CPUs and move to a random \
         free one every 4 ms; batches are bounded by byte queue limits only"
            .to_owned(),
    ];
    let (share, before, platform) = fitted_2025(seed, &mut notes);
    let with = |root, placement| {
        run(&Setup {
            seed,
            ..linux_2025(platform.clone(), root, placement)
        })
    };
    let pinned_before = with(RootProtocol::Busylock, Placement::Pinned);
    let pinned = with(RootProtocol::Deferred, Placement::Pinned);
    let floating_before = with(RootProtocol::Busylock, Placement::Floating);
    let floating = with(RootProtocol::Deferred, Placement::Floating);
    let gain = mpps(&pinned) / before;
    let floating_gain = mpps(&floating) / mpps(&floating_before);
    // The most frequent wait that a tracer sees, as the published histograms have it.
    let wait = |out: &Sent| {
        let bars = out.locks.iter().flat_map(|row| &row.visible_wait_ns_log2);
        let most = bars.max_by_key(|bar| bar.count);
        most.map_or(f64::NAN, |bar| bar.from as f64)
    };
    let close = |value: f64, published: f64| (value / published - 1.0).abs() <= 0.25;
    let order = |value: f64, published: f64| (published / 10.0..=published * 10.0).contains(&value);
    let (wait_before, wait_after) = (wait(&pinned_before), wait(&pinned));
    Experiment {
        id: "E6",
        title: "deferred list, 240 senders, 480 CPUs, 30 queues (October 2025)",
        provenance: "simulated",
        fitted: vec![
            figure("place in the ranges of c", share, "of 1"),
            figure("busylock, pinned", before, "Mpps"),
        ],
        predicted: vec![
            figure("gain, pinned", gain, "x"),
            figure("gain, unpinned", floating_gain, "x"),
            figure("busylock, unpinned", mpps(&floating_before), "Mpps"),
            figure("list, pinned", mpps(&pinned), "Mpps"),
            figure("list, unpinned", mpps(&floating), "Mpps"),
            figure("most frequent visible wait, busylock", wait_before, "ns"),
            figure("most frequent visible wait, list", wait_after, "ns"),
        ],
        published: vec![
            figure("busylock, pinned", 41.0, "Mpps"),
            figure("gain, pinned", 1.39, "x"),
            figure("gain, unpinned", 1.81, "x"),
            figure("busylock, unpinned", 16.0, "Mpps"),
            figure("list, pinned", 57.0, "Mpps"),
            figure("list, unpinned", 29.0, "Mpps"),
            figure("most frequent visible wait, busylock", 8192.0, "ns"),
            figure("most frequent visible wait, list", 256.0, "ns"),
        ],
        not_verified: Vec::new(),
        criterion: "both gains within 25 %, waits within an order of magnitude",
        pass: close(gain, 1.39)
            && close(floating_gain, 1.81)
            && order(wait_before, 8192.0)
            && order(wait_after, 256.0),
        notes,
    }
}
