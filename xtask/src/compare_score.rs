//! `cargo xtask compare-score`: how far the intervals and verdicts of comparisons can be trusted,
//! on simulated data whose truth is known.

use std::thread;

use analyze::schedule::simulation::{Ending, Machine, Noise, compare};
use anyhow::{Context, Result, bail};
use stats::{Interval, Random};

/// Draws of each interval unless told otherwise; a tenth as many comparisons.
const TRIES: usize = 10_000;

/// Prints the tables; whether every figure is as it should be.
pub fn run(words: &[String]) -> Result<bool> {
    let tries = match words {
        [] => TRIES,
        [tries] => tries
            .parse()
            .with_context(|| format!("'{tries}' is not a number of draws"))?,
        [_, extra, ..] => bail!("'compare-score' does not take '{extra}'"),
    };
    let covered = coverage(tries);
    let alarms = alarms(tries / 10);
    let found = power(tries / 10);
    Ok(covered && alarms && found)
}

/// Differences of pairs whose true centre is zero.
type Draw = fn(&mut Random) -> f64;
type Method = fn(&[f64]) -> Option<Interval>;

const SHAPES: [(&str, Draw); 4] = [
    ("normal", |random| random.normal()),
    ("lognormal", |random| {
        let mut one = || (0.8 * random.normal()).exp();
        one() - one()
    }),
    ("bimodal", |random| {
        let mut one = || f64::from(u8::from(random.coin())) + 0.1 * random.normal();
        one() - one()
    }),
    ("drifting", |random| {
        let order = if random.coin() { 0.5 } else { -0.5 };
        order + random.normal()
    }),
];

/// Name, pairs, method. Where two opinions are heard and the wider counts, more than 95 % is right.
const METHODS: [(&str, usize, f64, Method); 6] = [
    ("Student's t", 30, 0.97, |x| stats::t_interval(x, 0.05)),
    ("sign flips", 8, 0.97, |x| {
        stats::sign_flip_interval(x, 0.05)
    }),
    ("signed ranks", 20, 0.97, |x| {
        stats::signed_rank_interval(x, 0.05)
    }),
    ("median by order", 40, 0.97, |x| {
        stats::quantile_interval(x, 0.5, 0.05)
    }),
    ("pairs, sign flips or t", 8, 0.985, of_pairs),
    ("pairs, bootstrap or ranks", 20, 0.97, of_pairs),
];

fn of_pairs(values: &[f64]) -> Option<Interval> {
    stats::paired(values, 0.05).map(|found| found.interval)
}

fn coverage(draws: usize) -> bool {
    println!("How often a 95 % interval holds the truth, {draws} draws each\n");
    print!("{:28}{:>6}", "interval", "pairs");
    SHAPES.iter().for_each(|(name, _)| print!("{name:>11}"));
    println!("{:>16}", "wanted");
    let mut fine = true;
    for (name, pairs, most, method) in METHODS {
        let shares: Vec<f64> = thread::scope(|scope| {
            let tasks =
                SHAPES.map(|(_, draw)| scope.spawn(move || share(draws, pairs, draw, method)));
            tasks.map(|task| task.join().unwrap_or(f64::NAN)).to_vec()
        });
        print!("{name:28}{pairs:>6}");
        for share in &shares {
            print!("{:>9.1} %", share * 100.0);
            fine &= (0.93..=most).contains(share);
        }
        println!("    93 to {:.1} %", most * 100.0);
    }
    println!();
    fine
}

fn share(draws: usize, pairs: usize, draw: Draw, method: Method) -> f64 {
    let mut random = Random::seeded(95);
    let hits = (0..draws).filter(|_| {
        let values: Vec<f64> = (0..pairs).map(|_| draw(&mut random)).collect();
        method(&values).is_some_and(|interval| interval.contains(0.0))
    });
    hits.count() as f64 / draws as f64
}

/// A machine in words.
fn machines() -> [(&'static str, Machine); 6] {
    let machine = |noise, drift, memory| Machine {
        noise,
        drift,
        memory,
    };
    [
        ("CV 2 %", machine(Noise::Steady(0.02), 0.0, 0.0)),
        ("CV 5 %", machine(Noise::Steady(0.05), 0.0, 0.0)),
        ("the six figures", machine(Noise::SixFigures, 0.0, 0.0)),
        (
            "the six figures, drift 10 %",
            machine(Noise::SixFigures, 0.1, 0.9),
        ),
        (
            "CV 2 %, drift 20 %",
            machine(Noise::Steady(0.02), 0.2, 0.95),
        ),
        (
            "two states, 50 % apart",
            machine(Noise::TwoStates(0.5), 0.0, 0.0),
        ),
    ]
}

/// Comparisons of A with `effect` times A.
fn endings(machine: Machine, effect: f64, smallest: f64, tries: usize) -> Vec<Ending> {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let part = |worker: usize| {
            move || -> Vec<Ending> {
                let seeds = (worker..tries).step_by(workers);
                seeds
                    .map(|seed| compare(machine, effect, smallest, None, seed as u64))
                    .collect()
            }
        };
        let tasks: Vec<_> = (0..workers)
            .map(|worker| scope.spawn(part(worker)))
            .collect();
        tasks
            .into_iter()
            .flat_map(|task| task.join().unwrap_or_default())
            .collect()
    })
}

fn alarms(tries: usize) -> bool {
    println!("A against A: comparisons that cry wolf, of {tries}, by the look at which they stop");
    println!("(smallest effect 3 %; drift is AR(1) over trials)\n");
    println!(
        "{:30}{:>12}{:>12}{:>12}{:>9}  wanted",
        "machine", "first look", "second", "last", "all"
    );
    let mut fine = true;
    for (name, machine) in machines() {
        let all = endings(machine, 1.0, 0.03, tries);
        let at = |look: usize| {
            let alarms = all
                .iter()
                .filter(|end| end.is_alarm() && end.looks.len() == look + 1);
            alarms.count()
        };
        let looks: Vec<usize> = (0..3).map(at).collect();
        let share = |count: usize| 100.0 * count as f64 / tries as f64;
        let total = looks.iter().sum();
        fine &= share(total) <= 5.0;
        print!("{name:30}");
        looks
            .iter()
            .for_each(|count| print!("{:>10.1} %", share(*count)));
        println!("{:>7.1} %  at most 5 %", share(total));
    }
    println!();
    fine
}

fn power(tries: usize) -> bool {
    println!("B is 5 % faster: comparisons that find it, of {tries}, within the pairs announced\n");
    println!(
        "{:30}{:>16}{:>9}{:>18}{:>14}  wanted",
        "machine", "smallest effect", "found", "pairs announced", "pairs taken"
    );
    let mut fine = true;
    for (name, variation, smallest, wanted) in [
        ("CV 5 %", 0.05, 0.05, 95.0),
        ("CV 5 %", 0.05, 0.03, 95.0),
        ("CV 2 %", 0.02, 0.03, 95.0),
    ] {
        let machine = Machine {
            noise: Noise::Steady(variation),
            drift: 0.0,
            memory: 0.0,
        };
        let all = endings(machine, 1.05, smallest, tries);
        let found = all
            .iter()
            .filter(|end| end.side() == stats::Side::Above)
            .count();
        let found = 100.0 * found as f64 / tries as f64;
        let middle = |pairs: &dyn Fn(&Ending) -> Option<usize>| {
            let counts: Vec<f64> = all.iter().filter_map(pairs).map(|n| n as f64).collect();
            stats::median(&counts).unwrap_or(0.0)
        };
        let announced = middle(&|end| end.planned);
        let taken = middle(&|end| end.looks.last().map(|(pairs, _)| *pairs));
        fine &= found >= wanted;
        println!(
            "{name:30}{:>14.0} %{found:>7.1} %{announced:>11.0} (median){taken:>5.0} (median)  at least {wanted:.0} %",
            smallest * 100.0
        );
    }
    fine
}
