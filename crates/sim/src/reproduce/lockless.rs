//! E7: pfifo_fast without a root lock.

use super::fit::bisect;
use super::{Ablation, Experiment, Known, Trial, figure};
use crate::cost::{Item, Tag};
use crate::lock::LockKind;
use crate::picos::Picos;
use crate::platform::{self, Platform};
use crate::qdisc::{Discipline, Mapping, Nic, Placement, RootProtocol, Setup, Start, Switches};

/// Threads of a packet generator on one lockless queue.
pub(super) fn threads(platform: Platform, cpus: usize, bypass: bool) -> Setup {
    Setup {
        platform,
        cpus,
        senders: cpus,
        placement: Placement::Pinned,
        start: Start::Together,
        // A packet generator has no socket.
        socket_packets: usize::MAX,
        wire_bytes: 84,
        lock: LockKind::Qspin,
        root: RootProtocol::Lockless,
        discipline: Discipline::PfifoFast,
        limit: 1000,
        txqs: 1,
        multiqueue: false,
        mapping: Mapping::Single,
        batch: 1,
        nic: Nic::INFINITE,
        switches: Switches {
            bypass,
            // The device of the figures is a dummy: its driver takes no lock.
            txq_lock: false,
            ..Switches::default()
        },
        duration: Picos::from_millis(4),
        warm_up: Picos::from_millis(2),
        seed: 1,
    }
}

const THREADS: [usize; 5] = [1, 2, 4, 8, 16];
const BEFORE: [f64; 5] = [2.60, 3.84, 5.52, 2.77, 2.24];
const AFTER: [f64; 5] = [3.21, 5.56, 5.58, 2.76, 2.23];

pub(super) const E7: Known = Known {
    name: "E7",
    run: e7,
    assumed: &[
        "hit",
        "transfer_cluster",
        "transfer_socket",
        "ring_push",
        "ring_pop",
        "transmit",
        "softirq",
        "drop",
    ],
    ablations: &[
        Ablation::FifoLines,
        Ablation::ConstantHandoff,
        Ablation::StoreBuffer,
        Ablation::OtherTxqLock,
        Ablation::Tracer(200),
    ],
};

fn e7(trial: &Trial) -> Experiment {
    let mut notes = vec![
        "machine not published: transfers and cores of a cluster as on an EPYC 7R13, of which one socket; \
         push, pop and the device's work are mid-range"
            .to_owned(),
    ];
    let machine = trial.machine(platform::pktgen());
    let with = |think: f64, trylock: f64| {
        let mut platform = machine.clone();
        platform.costs.set(Item::Think, think, Tag::F, "fitted");
        platform.costs.set(Item::Atomic, trylock, Tag::F, "fitted");
        platform
    };
    let rate = |platform: Platform, cpus, bypass| trial.mpps(&threads(platform, cpus, bypass));
    // One thread tells what it does outside of the ring, two what a try at the lock costs them.
    let alone = |trylock: f64| {
        bisect(50.0, 400.0, 2.60, |think| {
            rate(with(think, trylock), 1, false)
        })
    };
    let two = bisect(5.0, 8.0, 3.84, |trylock| {
        rate(with(alone(trylock).value, trylock), 2, false)
    });
    two.note("an atomic", 3.84, &mut notes);
    let one = alone(two.value);
    one.note("think time", 2.60, &mut notes);
    let platform = with(one.value, two.value);
    let before = THREADS.map(|cpus| rate(platform.clone(), cpus, false));
    let after = THREADS.map(|cpus| rate(platform.clone(), cpus, true));
    let peak = before.iter().copied().fold(0.0, f64::max);
    let rows = |name: &str, values: &[f64; 5], from: usize| {
        THREADS[from..]
            .iter()
            .zip(&values[from..])
            .map(|(threads, rate)| figure(format!("{name}, {threads} threads"), *rate, "Mpps"))
            .collect::<Vec<_>>()
    };
    let mut fitted = vec![
        figure("think time", one.value, "ns"),
        figure("an atomic", two.value, "ns"),
    ];
    fitted.extend(rows("without bypass", &before, 0).into_iter().take(2));
    let mut predicted = rows("without bypass", &before, 2);
    predicted.extend(rows("with bypass", &after, 0));
    let mut published = rows("without bypass", &BEFORE, 0);
    published.extend(rows("with bypass", &AFTER, 0));
    Experiment {
        id: "E7",
        title: "lockless pfifo_fast, 1 to 16 threads (June 2021)",
        provenance: "simulated",
        fitted,
        predicted,
        published,
        not_verified: Vec::new(),
        criterion: "peak at 4 threads, 16 threads below one",
        pass: before[2] == peak && before[4] < before[0],
        notes,
    }
}
