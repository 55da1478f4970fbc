//! E5: several packets a dequeue.

use super::fit::bisect;
use super::htb::linux_2012;
use super::trial::PATH_ABLATIONS;
use super::{Experiment, Known, Trial, figure};
use crate::cost::{Item, Tag};
use crate::lock::LockKind;
use crate::picos::Picos;
use crate::platform::{self, Platform};
use crate::qdisc::{Setup, Switches};

/// HTB over several transmit queues, Linux 4.8: drops outside the lock, no trylock.
fn linux_2016(platform: Platform, cpus: usize, batch: usize) -> Setup {
    Setup {
        platform,
        cpus,
        senders: cpus,
        lock: LockKind::Qspin,
        batch,
        switches: Switches {
            // The bond's driver takes no lock.
            txq_lock: false,
            ..Switches::default()
        },
        duration: Picos::from_millis(5),
        warm_up: Picos::from_millis(3),
        ..linux_2012(platform::westmere(), LockKind::Qspin)
    }
}

/// Senders of one node. The rates that were measured with contention on one node only can be had with
/// this many and with more; with fewer, no batches form.
const LOCAL: usize = 4;

/// What a packet costs whatever its batch: under the root lock and in the driver.
const PER_PACKET: [Item; 4] = [Item::Enqueue, Item::Dequeue, Item::Htb, Item::Transmit];

pub(super) const E5: Known = Known {
    name: "E5",
    run: e5,
    assumed: &[
        "hit",
        "atomic",
        "transfer_cluster",
        "transfer_machine",
        "think",
        "softirq",
        "switch",
        "drop",
    ],
    ablations: PATH_ABLATIONS,
};

fn e5(trial: &Trial) -> Experiment {
    let mut notes = vec![
        "machine and number of senders not published: two sockets; local is 4 senders on one of them, \
         contention is 4 on each; all packets for one transmit queue"
            .to_owned(),
    ];
    let mut machine = trial.machine(platform::haswell_ex());
    machine.shape = crate::topology::Shape {
        sockets: 2,
        clusters: 1,
        cores: LOCAL,
        threads: 1,
    };
    let with = |a: f64, b: f64| {
        let mut platform = machine.clone();
        for item in PER_PACKET {
            let middle = machine.costs.middle(item);
            platform.costs.set(item, a * middle, Tag::F, "fitted");
        }
        platform.costs.set(Item::Doorbell, b, Tag::F, "fitted");
        platform
    };
    let rate = |platform: Platform, cpus, batch| trial.kpps(&linux_2016(platform, cpus, batch));
    let (mut a, mut b) = (1.0, 100.0);
    let (mut one, mut eight) = (0.0, 0.0);
    for _ in 0..3 {
        let fit = bisect(0.0, 2.0, 1930.0, |a| rate(with(a, b), LOCAL, 8));
        (a, eight) = (fit.value, fit.figure);
        let fit = bisect(0.0, 600.0, 1380.0, |b| rate(with(a, b), LOCAL, 1));
        (b, one) = (fit.value, fit.figure);
    }
    if (one / 1380.0 - 1.0).abs() > 0.03 || (eight / 1930.0 - 1.0).abs() > 0.03 {
        notes.push(format!(
            "A and B in their ranges reach {one:.0} and {eight:.0} kpps, not 1380 and 1930"
        ));
    }
    let far = trial.run(&linux_2016(with(a, b), 2 * LOCAL, 8));
    let (far_one, far_eight) = (rate(with(a, b), 2 * LOCAL, 1), far.packets_per_second / 1e3);
    let ratio = far_eight / far_one;
    // What the owner's work for a batch would have to be for the figure that is missed.
    let dear = bisect(b, 3000.0, 610.0, |b| rate(with(a, b), 2 * LOCAL, 1));
    let dear_eight = rate(with(a, dear.value), 2 * LOCAL, 8);
    notes.push(format!(
        "between nodes the senders, not the owner, are the limit: a dequeue finds {:.1} packets. If a batch \
         cost {:.0} ns there instead of {b:.0}, there would be {:.0} kpps without batches, {dear_eight:.0} \
         with them, and a gain of {:.2}",
        far.batch_mean.unwrap_or(0.0),
        dear.value,
        dear.figure,
        dear_eight / dear.figure
    ));
    Experiment {
        id: "E5",
        title: "HTB, dequeue of 1 and of up to 8 packets (June 2016)",
        provenance: "simulated",
        fitted: vec![
            figure("A, work for a packet over mid-range", a, "x"),
            figure("B, for a batch", b, "ns"),
            figure("local, batch 1", one, "kpps"),
            figure("local, batch 8", eight, "kpps"),
        ],
        predicted: vec![
            figure("contention between nodes, batch 1", far_one, "kpps"),
            figure("contention between nodes, batch 8", far_eight, "kpps"),
            figure("gain", ratio, "x"),
        ],
        published: vec![
            figure("local, batch 1", 1380.0, "kpps"),
            figure("local, batch 8", 1930.0, "kpps"),
            figure("contention between nodes, batch 1", 610.0, "kpps"),
            figure("contention between nodes, batch 8", 1110.0, "kpps"),
            figure("gain", 1.82, "x"),
        ],
        not_verified: Vec::new(),
        criterion: "gain within 1.5 to 2.1",
        pass: (1.5..=2.1).contains(&ratio),
        notes,
    }
}
