//! Hodges and Lehmann's estimates of location, and Wilcoxon's intervals around them.

use crate::order::sorted;
use crate::{Interval, median};

/// Means of all pairs of values, each value with itself as well.
fn averages(values: &[f64]) -> Vec<f64> {
    let pairs = values.iter().enumerate();
    pairs
        .flat_map(|(i, a)| values[i..].iter().map(move |b| f64::midpoint(*a, *b)))
        .collect()
}

/// Median of the Walsh averages (Hodges and Lehmann, Ann. Math. Statist. 34, 1963): as steady as
/// a median against outliers, nearly as sharp as a mean for normal data. None without values.
pub fn hodges_lehmann(values: &[f64]) -> Option<f64> {
    let mut all = averages(values);
    let middle = all.len().checked_sub(1)? / 2;
    let even = all.len().is_multiple_of(2);
    let (_, low, above) = all.select_nth_unstable_by(middle, f64::total_cmp);
    let low = *low;
    let next = above
        .iter()
        .copied()
        .min_by(f64::total_cmp)
        .filter(|_| even);
    Some(next.map_or(low, |next| f64::midpoint(low, next)))
}

/// The Walsh averages of some values, in order, from which the estimate of any resample of the
/// values is read without sorting again.
pub(crate) struct Walsh {
    /// Average, and the positions of the two values.
    averages: Vec<(f64, usize, usize)>,
}

impl Walsh {
    pub fn of(values: &[f64]) -> Self {
        let pair = |i: usize, j: usize| (f64::midpoint(values[i], values[j]), i, j);
        let mut averages: Vec<_> = (0..values.len())
            .flat_map(|i| (i..values.len()).map(move |j| pair(i, j)))
            .collect();
        averages.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self { averages }
    }

    /// Hodges and Lehmann's estimate of the sample that has each value so many `times`.
    pub fn median(&self, times: &[u32]) -> Option<f64> {
        let n: u64 = times.iter().map(|times| u64::from(*times)).sum();
        let all = n * (n + 1) / 2;
        let (lower, upper) = (all.checked_sub(1)? / 2, all / 2);
        let mut passed = 0;
        let mut low = None;
        for (average, i, j) in &self.averages {
            let (a, b) = (u64::from(times[*i]), u64::from(times[*j]));
            passed += if i == j { a * (a + 1) / 2 } else { a * b };
            if low.is_none() && passed > lower {
                low = Some(*average);
            }
            if passed > upper {
                return low.map(|low| f64::midpoint(low, *average));
            }
        }
        low
    }
}

/// Median of all differences, a value of `b` less one of `a`: the shift between two independent
/// samples.
pub fn shift(a: &[f64], b: &[f64]) -> Option<f64> {
    let all: Vec<f64> = b
        .iter()
        .flat_map(|b| a.iter().map(move |a| b - a))
        .collect();
    median(&all)
}

/// Interval for the middle of a symmetric distribution that misses with probability `alpha` at
/// most: every middle that Wilcoxon's signed-rank test does not reject. Exact, since under the
/// null hypothesis every sign is as likely as its opposite; infinite where the values are too few.
pub fn signed_rank_interval(values: &[f64], alpha: f64) -> Option<Interval> {
    let all = sorted(&averages(values));
    let rank = signed_rank_quantile(values.len(), alpha / 2.0);
    let last = all.len().checked_sub(1)?;
    Some(match rank {
        0 => Interval::ALL,
        rank => Interval::between(all[rank - 1], all[last + 1 - rank]),
    })
}

/// How many Walsh averages lie outside at each end: the largest k for which the signed-rank
/// statistic is below k with probability `tail` at most.
fn signed_rank_quantile(n: usize, tail: f64) -> usize {
    // ways[w]: in how many of the 2^n choices of signs the positive ranks add up to w, as a share.
    let mut shares = vec![0.0; n * (n + 1) / 2 + 1];
    shares[0] = 1.0;
    for rank in 1..=n {
        for sum in (0..shares.len()).rev() {
            let with = if sum >= rank { shares[sum - rank] } else { 0.0 };
            shares[sum] = f64::midpoint(shares[sum], with);
        }
    }
    let mut below = 0.0;
    let fit = shares.iter().take_while(|share| {
        below += **share;
        below <= tail * (1.0 + 1e-12)
    });
    fit.count()
}

#[cfg(test)]
mod tests;
