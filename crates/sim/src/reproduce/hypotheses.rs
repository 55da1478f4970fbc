//! Five explanations, each with the cause turned off.

use serde::Serialize;

use super::busylock::{fitted_2010, linux_2010};
use super::deferred::{fitted_2025, linux_2025};
use super::htb::{fitted_2012, linux_2012, megabits};
use super::spread::{sharing, spread};
use super::{Figure, Trial, figure};
use crate::lock::LockKind;
use crate::qdisc::{Placement, RootProtocol, Setup, Start, Switches};

/// An explanation, put to the test.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Hypothesis {
    /// H1 to H5.
    pub id: &'static str,
    /// What is claimed.
    pub claim: &'static str,
    /// What was switched.
    pub switch: &'static str,
    /// Always `simulated`.
    pub provenance: &'static str,
    /// With the cause on and off.
    pub figures: Vec<Figure>,
    /// Whether the figures bear the claim out.
    pub holds: bool,
}

/// All five.
pub fn hypotheses(trial: &Trial) -> Vec<Hypothesis> {
    let (h3, h4) = backoff(trial);
    let [h1, h2] = priority(trial);
    vec![h1, h2, h3, h4, list(trial)]
}

fn priority(trial: &Trial) -> [Hypothesis; 2] {
    let (_, without, platform) = fitted_2010(trial, &mut Vec::new());
    let setup = |root, lock, first| {
        let mut setup = linux_2010(platform.clone(), 8, 128, root);
        setup.lock = lock;
        setup.switches.dequeuer_first = first;
        trial.kpps(&setup)
    };
    let gain = setup(RootProtocol::Busylock, LockKind::Ticket, false) / without;
    let first = setup(RootProtocol::None, LockKind::Ticket, true);
    let first_both = setup(RootProtocol::Busylock, LockKind::Ticket, true);
    let left = first_both / first;
    let queue = setup(RootProtocol::None, LockKind::Mcs, false);
    let queue_both = setup(RootProtocol::Busylock, LockKind::Mcs, false);
    let queue_gain = queue_both / queue;
    [
        Hypothesis {
            id: "H1",
            claim: "the busylock's gain vanishes if the dequeuer comes first at the root lock",
            switch: "dequeuer_first",
            provenance: "simulated",
            figures: vec![
                figure("gain, ticket order", gain, "x"),
                figure("gain, dequeuer first", left, "x"),
                figure("dequeuer first alone, without busylock", first, "kpps"),
            ],
            holds: left < 1.2,
        },
        Hypothesis {
            id: "H2",
            claim: "with a queue lock the gain is smaller, but above 1",
            switch: "lock: ticket or mcs",
            provenance: "simulated",
            figures: vec![
                figure("gain, ticket", gain, "x"),
                figure("gain, mcs", queue_gain, "x"),
            ],
            holds: queue_gain > 1.0 && queue_gain < gain,
        },
    ]
}

fn backoff(trial: &Trial) -> (Hypothesis, Hypothesis) {
    let (_, plain, platform) = fitted_2012(trial, &mut Vec::new());
    let with = |policy| {
        let lock = LockKind::TicketProp(policy);
        megabits(trial, &linux_2012(platform.clone(), lock))
    };
    let per_cpu = with(crate::lock::Policy::PerCpu);
    let exempt = with(crate::lock::Policy::PerCpuNextSpins);
    let lost = plain - per_cpu;
    let won_back = (exempt - per_cpu) / lost;
    let h3 = Hypothesis {
        id: "H3",
        claim: "one delay for each CPU loses by oversleep on the root lock; letting the next in line \
                spin removes most of the loss",
        switch: "policy: next in line spins",
        provenance: "simulated",
        figures: vec![
            figure("plain ticket", plain, "Mbit/s"),
            figure("one delay for each CPU", per_cpu, "Mbit/s"),
            figure("the same, next in line spins", exempt, "Mbit/s"),
            figure("share of the loss won back", won_back, "of 1"),
        ],
        holds: lost > 0.0 && won_back > 0.5,
    };
    let cv = |runs: &[f64]| stats::coefficient_of_variation(runs).unwrap_or(f64::NAN) * 100.0;
    let placed = cv(&spread(trial, &platform, false));
    let apart = cv(&spread(trial, &platform, true));
    let pinned: Vec<f64> = (0..6)
        .map(|index| {
            let lock = LockKind::TicketProp(crate::lock::Policy::PerCpu);
            let setup = Setup {
                placement: Placement::Pinned,
                start: Start::Together,
                ..linux_2012(platform.clone(), lock)
            };
            let seed = trial.seed.wrapping_mul(100) + index;
            megabits(&trial.reseeded(seed), &setup)
        })
        .collect();
    let phase = cv(&pinned);
    let h4 = Hypothesis {
        id: "H4",
        claim: "the spread comes from who becomes the owner and from starts in phase; starting one after \
                the other selects one regime",
        switch: "start and placement",
        provenance: "simulated",
        figures: vec![
            figure("spread, at once, random places", placed, "%"),
            figure("spread, at once, one to a CPU", phase, "%"),
            figure("spread, one after the other", apart, "%"),
            figure("the same on 4 CPUs", sharing(trial, &platform, 4), "Mbit/s"),
            figure("the same on 8 CPUs", sharing(trial, &platform, 8), "Mbit/s"),
        ],
        // Phase and owner alone would show with one sender to a CPU too.
        holds: phase >= 10.0 && apart <= 3.0,
    };
    (h3, h4)
}

fn list(trial: &Trial) -> Hypothesis {
    let (_, before, platform) = fitted_2025(trial, &mut Vec::new());
    let setup = |drain_one| {
        let setup = linux_2025(platform.clone(), RootProtocol::Deferred, Placement::Pinned);
        Setup {
            switches: Switches {
                drain_one,
                ..setup.switches
            },
            ..setup
        }
    };
    let whole_run = trial.run(&setup(false));
    let whole = whole_run.packets_per_second / 1e6;
    let single = trial.mpps(&setup(true));
    let share = (whole - single) / (whole - before);
    Hypothesis {
        id: "H5",
        claim: "the deferred list gains by batching root acquisitions, not by fewer spinners",
        switch: "drain_one",
        provenance: "simulated",
        figures: vec![
            figure("busylock", before, "Mpps"),
            figure("list", whole, "Mpps"),
            figure("list, the root lock for each packet", single, "Mpps"),
            figure("share of the gain that is batching", share, "of 1"),
            figure(
                "mean batch of a dequeue",
                whole_run.batch_mean.unwrap_or(f64::NAN),
                "packets",
            ),
        ],
        holds: whole > before && share > 0.5,
    }
}
