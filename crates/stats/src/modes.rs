//! Values that sit in two places.

use statrs::function::factorial::ln_binomial;

use crate::order::sorted;
use crate::{mean, median};

/// Two groups of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Modes {
    /// Mean of the lower group.
    pub low: f64,
    /// How many are in it.
    pub low_count: usize,
    /// Mean of the upper group.
    pub high: f64,
    /// How many are in it.
    pub high_count: usize,
    /// Between the groups.
    pub border: f64,
}

/// The two groups, if the largest gap between neighbours exceeds three times the median gap and
/// at least three values lie to each side of it.
///
/// For a few values that criterion fires on plain normal data too, so the gap must also be wider
/// than either group is on its own.
pub fn modes(values: &[f64]) -> Option<Modes> {
    let sorted = sorted(values);
    let gaps: Vec<f64> = sorted.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let usual = median(&gaps)?;
    let inner = 2..gaps.len().checked_sub(2)?;
    let widest = inner.max_by(|a, b| gaps[*a].total_cmp(&gaps[*b]))?;
    let (low, high) = sorted.split_at(widest + 1);
    let extent = |group: &[f64]| group[group.len() - 1] - group[0];
    let apart = gaps[widest] > 3.0 * usual && gaps[widest] > extent(low).max(extent(high));
    apart.then_some(Modes {
        low: mean(low)?,
        low_count: low.len(),
        high: mean(high)?,
        high_count: high.len(),
        border: f64::midpoint(low[low.len() - 1], high[0]),
    })
}

/// Fisher's exact test, two-sided, of two counts out of two totals: how likely a difference in
/// share at least as large is when there is none.
pub fn fisher(hits: [u64; 2], totals: [u64; 2]) -> f64 {
    let all = hits[0] + hits[1];
    let least = all.saturating_sub(totals[1]);
    let most = all.min(totals[0]);
    let log = |first: u64| {
        ln_binomial(totals[0], first) + ln_binomial(totals[1], all - first)
            - ln_binomial(totals[0] + totals[1], all)
    };
    let seen = log(hits[0]);
    let as_rare = (least..=most)
        .map(log)
        .filter(|other| *other <= seen + 1e-9);
    as_rare.map(f64::exp).sum::<f64>().min(1.0)
}

#[cfg(test)]
mod tests;
