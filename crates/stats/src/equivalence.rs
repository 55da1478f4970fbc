//! Verdicts from where an interval lies. "No difference" is never concluded from a test that did
//! not reject: an effect is called small only when the interval excludes every larger one.

use std::ops::RangeInclusive;

use crate::{Interval, mean, standard_deviation, t_quantile, t_two_sided};

/// Where an interval for a difference lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Above zero, and not within the margin.
    Above,
    /// Below zero, and not within the margin.
    Below,
    /// Within the margin.
    Equivalent,
    /// None of these.
    Open,
}

impl Side {
    /// Where `interval` lies, given that a difference within `margin` is of no account.
    pub fn of(interval: &Interval, margin: &Interval) -> Self {
        match interval {
            inside if inside.is_within(margin) => Self::Equivalent,
            Interval { low, .. } if *low > 0.0 => Self::Above,
            Interval { high, .. } if *high < 0.0 => Self::Below,
            _ => Self::Open,
        }
    }
}

/// The larger p value of two one-sided t tests that the mean lies within `margin` (D. J.
/// Schuirmann, J. Pharmacokin. Biopharm. 15, 1987). None for fewer than two values.
pub fn tost(values: &[f64], margin: &Interval) -> Option<f64> {
    let (center, spread) = (mean(values)?, standard_deviation(values)?);
    let n = values.len() as f64;
    let error = spread / n.sqrt();
    let inside = (center - margin.low).min(margin.high - center);
    if error == 0.0 {
        return Some(if inside > 0.0 { 0.0 } else { 1.0 });
    }
    let tail = t_two_sided(inside / error, n - 1.0) / 2.0;
    Some(if inside > 0.0 { tail } else { 1.0 - tail })
}

/// Pairs after which a difference of `effect` is found with probability `power` when each pair's
/// difference scatters by `spread`, at a two-sided `alpha`: by Student's quantiles, so it holds
/// for few pairs too. None when no number in `range` is enough.
pub fn pairs_needed(
    effect: f64,
    spread: f64,
    alpha: f64,
    power: f64,
    mut range: RangeInclusive<usize>,
) -> Option<usize> {
    range.find(|pairs| {
        let n = *pairs as f64;
        let quantiles = t_quantile(1.0 - alpha / 2.0, n - 1.0) + t_quantile(power, n - 1.0);
        quantiles * spread <= effect.abs() * n.sqrt()
    })
}

#[cfg(test)]
mod tests;
