//! The permutation test of paired data: the sign of each pair's difference could as well have
//! been the other, if it made no difference which side was which.

use crate::order::sorted;
use crate::{Interval, Random};

/// Pairs up to which all sign patterns are looked at.
const EXACT: usize = 16;
/// Patterns that stand for all of them above that.
const DRAWN: usize = 9_999;
const SEED: u64 = 0x5169_6e46_6c69_7073;

/// Interval for the centre of the differences that misses with probability `alpha` at most: every
/// centre that the sign-flip test of the sum does not reject. Its ends are order statistics of
/// the means of all subsets of the values (J. A. Hartigan, JASA 64, 1969), so for up to 16 values
/// it is exact, and above it takes 9,999 subsets at random with a fixed seed, which keeps the
/// rate as well. Infinite where the values are too few for `alpha`.
pub fn sign_flip_interval(values: &[f64], alpha: f64) -> Option<Interval> {
    if values.is_empty() {
        return None;
    }
    let means = sorted(&match values.len() {
        n if n <= EXACT => (1..1_u32 << n).map(|set| mean_of(values, set)).collect(),
        _ => drawn(values),
    });
    let outside = (alpha / 2.0 * (means.len() + 1) as f64 * (1.0 + 1e-12)).floor() as usize;
    Some(match outside {
        0 => Interval::ALL,
        n => Interval::between(means[n - 1], means[means.len() - n]),
    })
}

/// Smallest two-sided p value that so many pairs can give.
pub fn smallest_p(pairs: usize) -> f64 {
    2.0 * 0.5_f64.powi(i32::try_from(pairs).unwrap_or(i32::MAX))
}

fn mean_of(values: &[f64], set: u32) -> f64 {
    let members = (0..values.len()).filter(|i| set >> i & 1 == 1);
    members.map(|i| values[i]).sum::<f64>() / f64::from(set.count_ones())
}

fn drawn(values: &[f64]) -> Vec<f64> {
    let mut random = Random::seeded(SEED);
    let mut subset = || loop {
        let members: Vec<f64> = values.iter().copied().filter(|_| random.coin()).collect();
        if let Some(mean) = crate::mean(&members) {
            return mean;
        }
    };
    (0..DRAWN).map(|_| subset()).collect()
}

#[cfg(test)]
mod tests;
