//! E8 and E9: the shape of a queued spinlock's curve, and the closed forms.

use super::fit::bisect;
use super::{Ablation, Experiment, Known, Trial, figure};
use crate::contest::{Contended, Contest};
use crate::cost::{Item, Tag};
use crate::line::Growth;
use crate::lock::LockKind;
use crate::model::{Chain, VECTOR_CPUS, VECTORS};
use crate::picos::Picos;
use crate::platform::{self, Platform};
use crate::topology::Shape;

const THREADS: [usize; 10] = [1, 2, 4, 8, 16, 32, 36, 72, 108, 142];
const LOCK2: [f64; 10] = [
    1.605, 2.814, 5.318, 4.241, 4.125, 2.458, 2.457, 1.836, 1.868, 1.780,
];

fn lock2(platform: Platform, cpus: usize, think: f64, seed: u64) -> f64 {
    let contest = Contest {
        platform,
        cpus,
        lock: Contended::Lock(LockKind::Qspin),
        think: Picos::from_nanos(think),
        hold: Picos::from_nanos(20.0),
        exponential: false,
        data_lines: 1,
        embedded: false,
        duration: Picos::from_micros(800),
        seed,
    };
    contest.run().per_second / 1e6
}

pub(super) const E8: Known = Known {
    name: "E8",
    run: e8,
    assumed: &["hit", "atomic", "transfer_core", "transfer_machine"],
    ablations: &[
        Ablation::FifoLines,
        Ablation::ConstantHandoff,
        Ablation::StoreBuffer,
        Ablation::Tracer(200),
    ],
};

pub(super) const E9: Known = Known {
    name: "E9",
    run: e9,
    assumed: &[],
    ablations: &[],
};

fn e8(trial: &Trial) -> Experiment {
    let mut notes = vec![
        "threads fill the cores of one socket after the other; one line of data and 20 ns in the \
         critical section; c between sockets is mid-range, since at most 4 threads tell nothing of it"
            .to_owned(),
    ];
    let seed = trial.seed;
    let machine = trial.machine(platform::haswell_ex());
    let think = bisect(100.0, 1000.0, LOCK2[0], |think| {
        lock2(machine.clone(), 1, think, seed)
    });
    think.note("think time", LOCK2[0], &mut notes);
    let with = |c: f64| {
        let mut platform = machine.clone();
        for item in [Item::TransferCluster, Item::TransferSocket] {
            platform.costs.set(item, c, Tag::F, "fitted");
        }
        platform
    };
    let local = bisect(40.0, 60.0, LOCK2[2], |c| {
        lock2(with(c), 4, think.value, seed)
    });
    local.note("c", LOCK2[2], &mut notes);
    let simulated = THREADS.map(|cpus| lock2(with(local.value), cpus, think.value, seed));
    // To 4 threads it was fitted; what is predicted begins at 8.
    let rank = spearman(&simulated[3..], &LOCK2[3..]);
    let drops = simulated.windows(2).map(|pair| pair[1] / pair[0]);
    let after = drops.enumerate().skip(3);
    let cliff = after
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(0, |(at, _)| at);
    let shape = |values: &[f64; 10], from: usize| {
        THREADS[from..]
            .iter()
            .zip(&values[from..])
            .map(|(threads, rate)| {
                figure(
                    format!("{threads} threads over 4 threads"),
                    rate / values[2],
                    "x",
                )
            })
            .collect::<Vec<_>>()
    };
    let mut predicted = shape(&simulated, 3);
    predicted.push(figure("rank correlation from 8 threads on", rank, "of 1"));
    predicted.push(figure(
        "steepest fall after threads",
        THREADS[cliff] as f64,
        "threads",
    ));
    Experiment {
        id: "E8",
        title: "queued spinlock, 1 to 142 threads on four sockets (April 2021)",
        provenance: "simulated",
        fitted: vec![
            figure("think time", think.value, "ns"),
            figure("c in a socket", local.value, "ns"),
            figure("1 thread", simulated[0], "ops/us"),
            figure("2 threads", simulated[1], "ops/us"),
            figure("4 threads", simulated[2], "ops/us"),
        ],
        predicted,
        published: shape(&LOCK2, 3),
        not_verified: Vec::new(),
        criterion: "rank correlation at least 0.9, steepest fall between 16 and 32 threads",
        pass: rank >= 0.9 && THREADS[cliff] == 16,
        notes,
    }
}

/// Spearman's rank correlation; ties get their mean rank.
fn spearman(a: &[f64], b: &[f64]) -> f64 {
    let ranks = |values: &[f64]| -> Vec<f64> {
        let rank = |value: &f64| {
            let below = values.iter().filter(|other| *other < value).count() as f64;
            let equal = values.iter().filter(|other| *other == value).count() as f64;
            below + (equal - 1.0) / 2.0
        };
        values.iter().map(rank).collect()
    };
    let (a, b) = (ranks(a), ranks(b));
    let mean = (a.len() as f64 - 1.0) / 2.0;
    let product = |x: &[f64], y: &[f64]| -> f64 {
        let terms = x.iter().zip(y);
        terms.map(|(x, y)| (x - mean) * (y - mean)).sum()
    };
    product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt()
}

fn e9(trial: &Trial) -> Experiment {
    let seed = trial.seed;
    let mut greatest = 0.0_f64;
    for (growth, serial, expected) in &VECTORS {
        for (cpus, expected) in VECTOR_CPUS.iter().zip(expected) {
            let speedup = chain(*growth, *serial, *cpus).steady().speedup;
            greatest = greatest.max((speedup - expected).abs());
        }
    }
    let cases = [
        (Growth::Waiters, 100.0, 8),
        (Growth::Waiters, 400.0, 24),
        (Growth::Waiters, 1600.0, 48),
        (Growth::Once, 100.0, 24),
        (Growth::Once, 400.0, 48),
    ];
    let mut predicted = vec![figure(
        "greatest error of 80 closed-form vectors",
        greatest,
        "",
    )];
    let mut error = 0.0_f64;
    for (growth, serial, cpus) in cases {
        let chain = chain(growth, serial, cpus);
        let simulated = exponential(&chain, seed).run().per_second / 1e9;
        let ratio = simulated / chain.steady().throughput;
        error = error.max((ratio - 1.0).abs());
        let name = match growth {
            Growth::Waiters => "ticket",
            Growth::Once => "queue",
        };
        predicted.push(figure(
            format!("simulated over closed form, {name}, s = {serial}, {cpus} CPUs"),
            ratio,
            "x",
        ));
    }
    Experiment {
        id: "E9",
        title: "the closed forms, and the simulator with exponential times",
        provenance: "closed form and simulated",
        fitted: Vec::new(),
        predicted,
        published: vec![figure("test vectors", 80.0, "values")],
        not_verified: Vec::new(),
        criterion: "closed forms to 3 decimals, simulator within 1 %",
        pass: greatest < 0.000_51 && error < 0.01,
        notes: Vec::new(),
    }
}

fn chain(growth: Growth, serial: f64, cpus: usize) -> Chain {
    Chain {
        cpus,
        parallel: 49.0 * serial,
        serial,
        transfer: 100.0,
        growth,
    }
}

fn exponential(chain: &Chain, seed: u64) -> Contest {
    let mut platform = platform::milan();
    platform.shape = Shape::flat(chain.cpus);
    Contest {
        platform,
        cpus: chain.cpus,
        lock: Contended::Server(Picos::from_nanos(chain.transfer), chain.growth),
        think: Picos::from_nanos(chain.parallel),
        hold: Picos::from_nanos(chain.serial),
        exponential: true,
        data_lines: 0,
        embedded: false,
        // As many acquisitions for every chain.
        duration: Picos::from_nanos(300_000.0 / chain.steady().throughput),
        seed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_correlation() {
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0]), 1.0);
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]), -1.0);
        let tied = spearman(&[1.0, 1.0, 2.0], &[1.0, 2.0, 3.0]);
        assert!((tied - 0.866).abs() < 0.001, "{tied}");
    }
}
