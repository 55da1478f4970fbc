//! How often 95 % intervals hold the truth, on simulated data. Fewer draws than the table of
//! `cargo xtask compare-score`, with room for chance: five standard deviations.

use crate::*;

/// Pairs' differences around zero, of n pairs.
type Draw = fn(&mut Random, usize) -> Vec<f64>;

fn each(random: &mut Random, n: usize, one: impl Fn(&mut Random) -> f64) -> Vec<f64> {
    (0..n).map(|_| one(random)).collect()
}

fn normal(random: &mut Random, n: usize) -> Vec<f64> {
    each(random, n, Random::normal)
}

/// Differences of two values of a skewed distribution.
fn lognormal(random: &mut Random, n: usize) -> Vec<f64> {
    let one = |random: &mut Random| (0.8 * random.normal()).exp();
    each(random, n, |random| one(random) - one(random))
}

fn bimodal(random: &mut Random, n: usize) -> Vec<f64> {
    let one = |random: &mut Random| if random.coin() { 1.0 } else { 0.0 } + 0.1 * random.normal();
    each(random, n, |random| one(random) - one(random))
}

/// The machine gets slower all the time; which side is first is drawn.
fn drifting(random: &mut Random, n: usize) -> Vec<f64> {
    each(random, n, |random| {
        let order = if random.coin() { 1.0 } else { -1.0 };
        order * 0.5 + random.normal()
    })
}

const SHAPES: [(&str, Draw); 4] = [
    ("normal", normal),
    ("lognormal", lognormal),
    ("bimodal", bimodal),
    ("drifting", drifting),
];

fn covered(
    draws: usize,
    n: usize,
    draw: Draw,
    interval: impl Fn(&[f64]) -> Option<Interval>,
) -> f64 {
    let mut random = Random::seeded(95);
    let hits = (0..draws)
        .filter(|_| interval(&draw(&mut random, n)).is_some_and(|interval| interval.contains(0.0)));
    hits.count() as f64 / draws as f64
}

fn holds(what: &str, share: f64, draws: usize, range: (f64, f64)) {
    let room = 5.0 * (0.05 * 0.95 / draws as f64).sqrt();
    assert!(
        range.0 - room <= share && share <= range.1 + room,
        "{what}: {share}"
    );
}

#[test]
fn ninety_five_percent() {
    for (name, draw) in SHAPES {
        let draws = 2_000;
        let t = covered(draws, 30, draw, |x| t_interval(x, 0.05));
        holds(&format!("t, {name}"), t, draws, (0.93, 0.97));
        let flips = covered(draws, 8, draw, |x| sign_flip_interval(x, 0.05));
        holds(&format!("sign flips, {name}"), flips, draws, (0.93, 0.97));
        let ranks = covered(draws, 20, draw, |x| signed_rank_interval(x, 0.05));
        holds(&format!("signed ranks, {name}"), ranks, draws, (0.93, 0.97));
        let median = covered(draws, 40, draw, |x| quantile_interval(x, 0.5, 0.05));
        holds(&format!("median, {name}"), median, draws, (0.93, 0.975));
    }
}

/// The bootstrap takes its time: fewer draws.
#[test]
fn ninety_five_percent_of_pairs() {
    for (name, draw) in SHAPES {
        let draws = 200;
        let pairs = covered(draws, 20, draw, |x| {
            paired(x, 0.05).map(|found| found.interval)
        });
        holds(&format!("20 pairs, {name}"), pairs, draws, (0.93, 0.98));
    }
}
