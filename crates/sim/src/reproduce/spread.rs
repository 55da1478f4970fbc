//! E4: the same run six times, with and without a start delay.

use super::htb::{fitted_2012, linux_2012, megabits};
use super::trial::PATH_ABLATIONS;
use super::{Experiment, Known, Trial, figure};
use crate::platform::Platform;
use crate::qdisc::{Placement, Setup, Start};

/// Six runs that differ in nothing but the seed.
pub(super) fn spread(trial: &Trial, platform: &Platform, staggered: bool) -> Vec<f64> {
    let (placement, start) = match staggered {
        true => (Placement::Pinned, Start::Staggered),
        false => (Placement::Random, Start::Together),
    };
    let lock = "ticket-percpu".parse().expect("the lock exists");
    (0..6)
        .map(|run| {
            let setup = Setup {
                placement,
                start,
                ..linux_2012(platform.clone(), lock)
            };
            let seed = trial.seed.wrapping_mul(100) + run;
            megabits(&trial.reseeded(seed), &setup)
        })
        .collect()
}

/// The rate if the same processes share so many CPUs.
pub(super) fn sharing(trial: &Trial, platform: &Platform, cpus: usize) -> f64 {
    let lock = "ticket-percpu".parse().expect("the lock exists");
    let setup = Setup {
        cpus,
        ..linux_2012(platform.clone(), lock)
    };
    megabits(trial, &setup)
}

/// How many.
pub(super) const SHARED: [usize; 5] = [4, 6, 8, 12, 24];

pub(super) const E4: Known = Known {
    name: "E4",
    run: e4,
    assumed: super::busylock::ASSUMED,
    ablations: PATH_ABLATIONS,
};

fn e4(trial: &Trial) -> Experiment {
    let mut notes = vec![
        "assumed: processes that start at once land on random CPUs and stay there, those that start \
         one after the other find a free CPU each"
            .to_owned(),
    ];
    let (_, plain, platform) = fitted_2012(trial, &mut notes);
    let together = spread(trial, &platform, false);
    let staggered = spread(trial, &platform, true);
    let cv = |runs: &[f64]| stats::coefficient_of_variation(runs).unwrap_or(f64::NAN) * 100.0;
    let mean = |runs: &[f64]| stats::mean(runs).unwrap_or(f64::NAN);
    let (a, b) = (cv(&together), cv(&staggered));
    let sharing = SHARED.map(|cpus| {
        let rate = sharing(trial, &platform, cpus);
        figure(
            format!("the same 24 processes on {cpus} CPUs"),
            rate,
            "Mbit/s",
        )
    });
    let mut predicted = vec![
        figure("coefficient of variation, start at once", a, "%"),
        figure("coefficient of variation, start 1 s apart", b, "%"),
        figure("mean, start at once", mean(&together), "Mbit/s"),
        figure("mean, start 1 s apart", mean(&staggered), "Mbit/s"),
    ];
    predicted.extend(sharing);
    Experiment {
        id: "E4",
        title: "the same, six runs: spread with and without a start delay",
        provenance: "simulated",
        fitted: vec![figure("plain ticket locks (of E3)", plain, "Mbit/s")],
        predicted,
        published: vec![
            figure("coefficient of variation, start at once", 17.2, "%"),
            figure("mean, start at once", 968.4, "Mbit/s"),
            figure("mean, start 1 s apart", 660.0, "Mbit/s"),
        ],
        not_verified: Vec::new(),
        criterion: "at least 10 % without the delay, and at most 3 % with it",
        pass: a >= 10.0 && b <= 3.0,
        notes,
    }
}
