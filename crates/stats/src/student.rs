//! Means of normal data: Student's interval, Welch's test, Fieller's interval, and the quantiles
//! that they need.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::{Interval, mean, standard_deviation};

/// Quantile of the standard normal distribution; infinite at 0 and 1.
pub fn normal_quantile(probability: f64) -> f64 {
    match probability {
        p if p <= 0.0 => f64::NEG_INFINITY,
        p if p >= 1.0 => f64::INFINITY,
        p => Normal::standard().inverse_cdf(p),
    }
}

/// Share of the standard normal distribution below `value`.
pub fn normal_share(value: f64) -> f64 {
    Normal::standard().cdf(value)
}

/// Quantile of Student's t with `freedom` degrees of freedom.
pub fn t_quantile(probability: f64, freedom: f64) -> f64 {
    let extreme = !(0.0 < probability && probability < 1.0);
    match StudentsT::new(0.0, 1.0, freedom) {
        // Symmetry keeps the bisection in the half where it is exact.
        Ok(t) if !extreme && probability < 0.5 => -t.inverse_cdf(1.0 - probability),
        Ok(t) if !extreme => t.inverse_cdf(probability),
        _ => normal_quantile(probability),
    }
}

/// Two-sided p value of a statistic `t` with `freedom` degrees of freedom.
pub fn t_two_sided(t: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |student| 2.0 * student.cdf(-t.abs()))
}

/// Interval for the mean that misses with probability `alpha`; none for fewer than two values.
pub fn t_interval(values: &[f64], alpha: f64) -> Option<Interval> {
    let (center, spread) = (mean(values)?, standard_deviation(values)?);
    let n = values.len() as f64;
    let t = t_quantile(1.0 - alpha / 2.0, n - 1.0);
    Some(Interval::around(center, scaled(t, spread / n.sqrt())))
}

/// Without spread there is no width, however large the quantile.
fn scaled(quantile: f64, error: f64) -> f64 {
    if error == 0.0 { 0.0 } else { quantile * error }
}

/// Two means that are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Welch {
    /// Mean of `b` less mean of `a`.
    pub difference: f64,
    /// The statistic.
    pub t: f64,
    /// Degrees of freedom by Welch and Satterthwaite.
    pub freedom: f64,
    /// Two-sided.
    pub p: f64,
}

/// Welch's test of equal means (Biometrika 34, 1947), for independent samples of unlike variance.
/// None for fewer than two values on a side, or when neither side has any spread.
pub fn welch(a: &[f64], b: &[f64]) -> Option<Welch> {
    let part = |values: &[f64]| {
        let n = values.len() as f64;
        Some((standard_deviation(values)?.powi(2) / n, n))
    };
    let ((a_error, a_n), (b_error, b_n)) = (part(a)?, part(b)?);
    let error = a_error + b_error;
    if error <= 0.0 {
        return None;
    }
    let difference = mean(b)? - mean(a)?;
    let freedom = error.powi(2) / (a_error.powi(2) / (a_n - 1.0) + b_error.powi(2) / (b_n - 1.0));
    let t = difference / error.sqrt();
    Some(Welch {
        difference,
        t,
        freedom,
        p: t_two_sided(t, freedom),
    })
}

/// Fieller's interval for mean of `b` over mean of `a` of independent samples (E. C. Fieller,
/// JRSS B 16, 1954), with Welch and Satterthwaite's degrees of freedom. None for fewer than two
/// values on a side, and where the mean of `a` is not told from zero, so that no ratio is bounded.
pub fn fieller(a: &[f64], b: &[f64], alpha: f64) -> Option<Interval> {
    let error = |values: &[f64]| Some(standard_deviation(values)?.powi(2) / values.len() as f64);
    let (a_mean, b_mean, a_error, b_error) = (mean(a)?, mean(b)?, error(a)?, error(b)?);
    let quantile = welch(a, b).map_or(0.0, |welch| t_quantile(1.0 - alpha / 2.0, welch.freedom));
    let g = quantile.powi(2) * a_error / a_mean.powi(2);
    if a_mean == 0.0 || g >= 1.0 {
        return None;
    }
    let ratio = b_mean / a_mean;
    let root = (b_error * (1.0 - g) + ratio.powi(2) * a_error).sqrt();
    let half = quantile / a_mean.abs() * root / (1.0 - g);
    Some(Interval::around(ratio / (1.0 - g), half))
}

#[cfg(test)]
mod tests;
