//! The bias-corrected and accelerated bootstrap (B. Efron, JASA 82, 1987).

use crate::order::sorted;
use crate::{Interval, Random, mean, normal_quantile, normal_share};

/// Resamples of every interval.
pub const RESAMPLES: usize = 10_000;
const SEED: u64 = 0x4243_6120_626f_6f74;

/// Interval for a statistic of whatever `n` values were drawn from that misses with probability
/// `alpha`, from 10,000 resamples of a fixed seed. `statistic` is told how often each value is in
/// a sample. It covers too little for fewer than about twelve values. None where the statistic
/// has no value.
pub fn bca_interval(
    n: usize,
    alpha: f64,
    statistic: impl Fn(&[u32]) -> Option<f64>,
) -> Option<Interval> {
    let observed = statistic(&vec![1; n])?;
    let mut random = Random::seeded(SEED);
    let mut times = vec![0; n];
    let mut drawn = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        times.fill(0);
        (0..n).for_each(|_| times[random.below(n)] += 1);
        drawn.push(statistic(&times)?);
    }
    let drawn = sorted(&drawn);
    // Ties count half, so that a statistic on a grid is not taken for a biased one.
    let below = drawn.partition_point(|value| *value < observed);
    let equal = drawn.partition_point(|value| *value <= observed) - below;
    let share = (below as f64 + equal as f64 / 2.0) / RESAMPLES as f64;
    let bias = normal_quantile(share.clamp(1.0 / RESAMPLES as f64, 1.0 - 1.0 / RESAMPLES as f64));
    let acceleration = acceleration(n, statistic)?;
    let end = |probability: f64| {
        let z = bias + normal_quantile(probability);
        let moved = normal_share(bias + z / (1.0 - acceleration * z));
        // Between two resamples: the quantile is a share of them.
        let place = moved * (RESAMPLES + 1) as f64 - 1.0;
        drawn[(place.max(0.0) as usize).min(RESAMPLES - 1)]
    };
    Some(Interval::between(end(alpha / 2.0), end(1.0 - alpha / 2.0)))
}

/// From the jackknife: how fast the statistic's spread changes with its value.
fn acceleration(n: usize, statistic: impl Fn(&[u32]) -> Option<f64>) -> Option<f64> {
    let without = |left_out: usize| {
        let times: Vec<u32> = (0..n).map(|i| u32::from(i != left_out)).collect();
        statistic(&times)
    };
    let jackknife: Option<Vec<f64>> = (0..n).map(without).collect();
    let jackknife = jackknife?;
    let center = mean(&jackknife)?;
    let sum = |power| {
        jackknife
            .iter()
            .map(|t| (center - t).powi(power))
            .sum::<f64>()
    };
    let squares = sum(2);
    Some(if squares > 0.0 {
        sum(3) / (6.0 * squares.powf(1.5))
    } else {
        0.0
    })
}

#[cfg(test)]
mod tests;
