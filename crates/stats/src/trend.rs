//! What a series does over time: drift, memory, and values that do not belong.

use crate::{mean, median, t_two_sided};

/// A straight line through a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// Change from one value to the next.
    pub slope: f64,
    /// Two-sided, for a slope of zero.
    pub p: f64,
}

/// Least squares against the position; none for fewer than three values.
pub fn drift(values: &[f64]) -> Option<Drift> {
    let n = values.len() as f64;
    let (center, middle) = (mean(values)?, (n - 1.0) / 2.0);
    let freedom = n - 2.0;
    if freedom < 1.0 {
        return None;
    }
    let places = || {
        values
            .iter()
            .enumerate()
            .map(|(i, y)| (i as f64 - middle, y - center))
    };
    let squares: f64 = places().map(|(x, _)| x * x).sum();
    let slope = places().map(|(x, y)| x * y).sum::<f64>() / squares;
    let rest: f64 = places().map(|(x, y)| (y - slope * x).powi(2)).sum();
    let error = (rest / freedom / squares).sqrt();
    let p = match error > 0.0 {
        true => t_two_sided(slope / error, freedom),
        false if slope == 0.0 => 1.0,
        false => 0.0,
    };
    Some(Drift { slope, p })
}

/// Correlation of each value with the one before; none for fewer than three values or without
/// spread.
pub fn lag_one(values: &[f64]) -> Option<f64> {
    let center = mean(values).filter(|_| values.len() > 2)?;
    let squares: f64 = values.iter().map(|x| (x - center).powi(2)).sum();
    let products = values
        .windows(2)
        .map(|pair| (pair[0] - center) * (pair[1] - center));
    (squares > 0.0).then(|| products.sum::<f64>() / squares)
}

/// Independent values that say as much about the mean as `n` values of which each remembers
/// `lag_one` of the one before (an AR(1) process). Never more than `n`.
pub fn effective_size(n: usize, lag_one: f64) -> f64 {
    let memory = lag_one.clamp(0.0, 0.99);
    (n as f64 * (1.0 - memory) / (1.0 + memory)).max(1.0)
}

/// Positions of values further from the median than `cut` standard deviations, these estimated
/// by the median absolute deviation (1.4826 of it for normal data). None stand out where more
/// than half of the values are equal.
pub fn outliers(values: &[f64], cut: f64) -> Vec<usize> {
    let Some(center) = median(values) else {
        return Vec::new();
    };
    let away: Vec<f64> = values.iter().map(|x| (x - center).abs()).collect();
    let usual = 1.4826 * median(&away).unwrap_or(0.0);
    let far = |(_, away): &(usize, &f64)| usual > 0.0 && **away > cut * usual;
    away.iter()
        .enumerate()
        .filter(far)
        .map(|(i, _)| i)
        .collect()
}

#[cfg(test)]
mod tests;
