//! Intervals for quantiles from the values' order alone.

use statrs::distribution::{Binomial, DiscreteCDF};

use crate::Interval;

/// Quantile `q` of the values, interpolated between neighbours (Hyndman and Fan's type 7, which
/// most programs use); none without values.
pub fn quantile(values: &[f64], q: f64) -> Option<f64> {
    let sorted = sorted(values);
    let place = q.clamp(0.0, 1.0) * (sorted.len().checked_sub(1)?) as f64;
    let (low, high) = (
        sorted[place.floor() as usize],
        sorted[place.ceil() as usize],
    );
    Some(low + (high - low) * place.fract())
}

/// Interval for quantile `q` of whatever the values were drawn from that misses with probability
/// `alpha` at most: between two of the values, by the binomial distribution of how many lie below
/// the quantile. An end is infinite where the values are too few to bound it.
pub fn quantile_interval(values: &[f64], q: f64, alpha: f64) -> Option<Interval> {
    let sorted = sorted(values);
    let n = sorted.len();
    let below = Binomial::new(q, u64::try_from(n).ok()?)
        .ok()
        .filter(|_| n > 0)?;
    // The r-th smallest value exceeds the quantile with probability P(B < r).
    let low = (1..=n)
        .take_while(|r| below.cdf(*r as u64 - 1) <= alpha / 2.0)
        .last();
    // The s-th smallest lies below it with probability P(B >= s).
    let high = (1..=n).find(|s| below.sf(*s as u64 - 1) <= alpha / 2.0);
    Some(Interval {
        low: low.map_or(f64::NEG_INFINITY, |r| sorted[r - 1]),
        high: high.map_or(f64::INFINITY, |s| sorted[s - 1]),
    })
}

/// Ascending; a NaN comes last.
pub(crate) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests;
