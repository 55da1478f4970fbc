//! E1 and E2: an extra lock before the root lock (2010).

use super::fit::{bisect, transfer};
use super::trial::PATH_ABLATIONS;
use super::{Experiment, Known, Trial, figure};
use crate::cost::{Item, Tag};
use crate::lock::LockKind;
use crate::picos::Picos;
use crate::platform::{self, Platform};
use crate::qdisc::{Discipline, Mapping, Nic, Placement, RootProtocol, Setup, Start, Switches};

/// Linux 2.6.34 with one transmit queue: drops are freed under the lock, the softirq tries the
/// lock, one packet a dequeue. 64 bytes on the wire, which the device is not short of.
pub(super) fn linux_2010(
    platform: Platform,
    cpus: usize,
    senders: usize,
    root: RootProtocol,
) -> Setup {
    Setup {
        platform,
        cpus,
        senders,
        placement: Placement::Pinned,
        start: Start::Together,
        socket_packets: Setup::SOCKET_PACKETS,
        wire_bytes: 84,
        lock: LockKind::Ticket,
        root,
        discipline: Discipline::Fifo,
        limit: 1000,
        txqs: 1,
        multiqueue: false,
        mapping: Mapping::Single,
        batch: 1,
        nic: Nic::INFINITE,
        switches: Switches {
            drop_outside: false,
            softirq_trylock: true,
            ..Switches::default()
        },
        duration: Picos::from_millis(20),
        warm_up: Picos::from_millis(10),
        seed: 1,
    }
}

/// What the machine costs beside what is fitted.
pub(super) const ASSUMED: &[&str] = &[
    "hit", "atomic", "think", "enqueue", "dequeue", "transmit", "drop", "softirq", "switch",
];

pub(super) const E1: Known = Known {
    name: "E1",
    run: e1,
    assumed: ASSUMED,
    ablations: PATH_ABLATIONS,
};

pub(super) const E2: Known = Known {
    name: "E2",
    run: e2,
    assumed: ASSUMED,
    ablations: PATH_ABLATIONS,
};

/// The machine of the first report with `c` fitted to what it does without the extra lock.
pub(super) fn fitted_2010(trial: &Trial, notes: &mut Vec<String>) -> (f64, f64, Platform) {
    let machine = trial.machine(platform::westmere());
    let without = |c: f64| {
        trial.kpps(&linux_2010(
            transfer(&machine, c),
            8,
            128,
            RootProtocol::None,
        ))
    };
    // From the nearest cores of one socket to the farthest of two.
    let fit = bisect(45.0, 140.0, 200.0, without);
    fit.note("c", 200.0, notes);
    (fit.value, fit.figure, transfer(&machine, fit.value))
}

fn e1(trial: &Trial) -> Experiment {
    let mut notes = vec![
        "machine not published: holds, driver and think time are mid-range for a 2010 Intel server; \
         one transfer cost between all CPUs"
            .to_owned(),
    ];
    let (c, without, platform) = fitted_2010(trial, &mut notes);
    let busylock = linux_2010(platform, 8, 128, RootProtocol::Busylock);
    let with = trial.kpps(&busylock);
    let ratio = with / without;
    Experiment {
        id: "E1",
        title: "busylock, 8 CPUs, 6-byte UDP, unknown Intel machine (March 2010)",
        provenance: "simulated",
        fitted: vec![
            figure("c, line transfer", c, "ns"),
            figure("without the extra lock", without, "kpps"),
        ],
        predicted: vec![
            figure("with the extra lock", with, "kpps"),
            figure("gain", ratio, "x"),
        ],
        published: vec![
            figure("without the extra lock", 200.0, "kpps"),
            figure("with the extra lock", 1070.0, "kpps"),
            figure("gain", 5.35, "x"),
        ],
        not_verified: Vec::new(),
        criterion: "gain within 4.0 to 7.0",
        pass: (4.0..=7.0).contains(&ratio),
        notes,
    }
}

fn e2(trial: &Trial) -> Experiment {
    let mut notes = vec![
        "every pair of CPUs that has no cache in common is as far apart as any other: all is on the \
         front-side bus"
            .to_owned(),
    ];
    let machine = trial.machine(platform::e5450());
    let alone = |think: f64| {
        let mut platform = machine.clone();
        platform.costs.set(Item::Think, think, Tag::F, "fitted");
        trial.kpps(&linux_2010(platform, 1, 1, RootProtocol::None))
    };
    let think = bisect(400.0, 900.0, 800.0, alone);
    think.note("think time", 800.0, &mut notes);
    let with_c = |c: f64| {
        let mut platform = machine.clone();
        platform
            .costs
            .set(Item::Think, think.value, Tag::F, "fitted");
        platform
            .costs
            .set(Item::TransferSocket, c, Tag::F, "fitted");
        platform
            .costs
            .set(Item::TransferMachine, c, Tag::F, "fitted");
        platform
    };
    let without = |c: f64| trial.kpps(&linux_2010(with_c(c), 8, 32, RootProtocol::None));
    let fit = bisect(150.0, 300.0, 50.0, without);
    fit.note("c", 50.0, &mut notes);
    let busylock = linux_2010(with_c(fit.value), 8, 32, RootProtocol::Busylock);
    let with = trial.kpps(&busylock);
    let ratio = with / fit.figure;
    Experiment {
        id: "E2",
        title: "busylock, 8 CPUs, 6-byte UDP, two E5450 (June 2010)",
        provenance: "simulated",
        fitted: vec![
            figure("c, line transfer between dies", fit.value, "ns"),
            figure("think time", think.value, "ns"),
            figure("without busylock", fit.figure, "kpps"),
            figure("one sender alone", think.figure, "kpps"),
        ],
        predicted: vec![
            figure("with busylock", with, "kpps"),
            figure("gain", ratio, "x"),
        ],
        published: vec![
            figure("without busylock", 50.0, "kpps"),
            figure("one sender alone", 800.0, "kpps"),
            figure("with busylock", 600.0, "kpps"),
            figure("gain", 12.0, "x"),
        ],
        not_verified: Vec::new(),
        criterion: "gain within 8 to 16, and still below one sender alone",
        pass: (8.0..=16.0).contains(&ratio) && with < think.figure,
        notes,
    }
}
