//! E3: HTB's direct queue, and delays in the lock.

use super::busylock::linux_2010;
use super::fit::{bisect, placed};
use super::trial::PATH_ABLATIONS;
use super::{Experiment, Known, Trial, figure};
use crate::cost::Item;
use crate::lock::LockKind;
use crate::platform::{self, Platform};
use crate::qdisc::{Discipline, RootProtocol, Setup};

/// Payload of a packet in the experiments of December 2012.
const PAYLOAD_BITS: f64 = 128.0 * 8.0;

/// Linux 3.7: ticket locks, busylock, one packet a dequeue, HTB as the root of all queues.
pub(super) fn linux_2012(platform: Platform, lock: LockKind) -> Setup {
    Setup {
        discipline: Discipline::HtbDirect,
        lock,
        wire_bytes: 194,
        ..linux_2010(platform, 24, 24, RootProtocol::Busylock)
    }
}

pub(super) fn megabits(trial: &Trial, setup: &Setup) -> f64 {
    trial.kpps(setup) * 1e3 * PAYLOAD_BITS / 1e6
}

pub(super) const E3: Known = Known {
    name: "E3",
    run: e3,
    assumed: super::busylock::ASSUMED,
    ablations: PATH_ABLATIONS,
};

/// Two X5660 fitted to what they do with plain ticket locks.
pub(super) fn fitted_2012(trial: &Trial, notes: &mut Vec<String>) -> (f64, f64, Platform) {
    let machine = trial.machine(platform::westmere());
    let free = [
        Item::TransferCluster,
        Item::TransferSocket,
        Item::TransferMachine,
        Item::Think,
        Item::Htb,
    ];
    let plain = |share: f64| {
        let setup = linux_2012(placed(&machine, &free, share), LockKind::Ticket);
        megabits(trial, &setup)
    };
    let fit = bisect(0.0, 1.0, 676.0, plain);
    fit.note(
        "the place of c, think time and HTB's hold in their ranges",
        676.0,
        notes,
    );
    (fit.value, fit.figure, placed(&machine, &free, fit.value))
}

fn e3(trial: &Trial) -> Experiment {
    let mut notes = vec![
        "rates are of payload; c, think time and HTB's hold move together through their ranges"
            .to_owned(),
    ];
    let (share, plain, platform) = fitted_2012(trial, &mut notes);
    let with = |lock: &str| {
        let lock = lock.parse().expect("the locks of the experiments exist");
        megabits(trial, &linux_2012(platform.clone(), lock))
    };
    let (per_cpu, hashed, tagged) = (
        with("ticket-percpu"),
        with("ticket-hashed"),
        with("ticket-tagged"),
    );
    let change = per_cpu / plain - 1.0;
    Experiment {
        id: "E3",
        title: "HTB, 24 senders of 128 bytes, two X5660: auto-tuned delay in ticket locks (December 2012)",
        provenance: "simulated",
        fitted: vec![
            figure("place in the ranges of c, think time, HTB", share, "of 1"),
            figure("plain ticket locks", plain, "Mbit/s"),
        ],
        predicted: vec![
            figure("one delay for each CPU", per_cpu, "Mbit/s"),
            figure("change by it", change * 100.0, "%"),
            figure("a delay for each lock by hash", hashed, "Mbit/s"),
            figure("the final form", tagged, "Mbit/s"),
        ],
        published: vec![
            figure("plain ticket locks", 676.0, "Mbit/s"),
            figure("one delay for each CPU", 595.0, "Mbit/s"),
            figure("change by it", -12.0, "%"),
        ],
        not_verified: vec![figure("a delay for each lock by hash", 982.0, "Mbit/s")],
        criterion: "change between -5 % and -20 %, and hashed better than one for each CPU",
        pass: (-0.20..=-0.05).contains(&change) && hashed > per_cpu,
        notes,
    }
}
