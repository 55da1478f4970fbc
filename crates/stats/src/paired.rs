//! What pairs of measurements say about the difference between their sides.

use crate::walsh::Walsh;
use crate::{
    Interval, Side, bca_interval, hodges_lehmann, mean, sign_flip_interval, signed_rank_interval,
    t_interval,
};

/// How the interval of a [`Paired`] was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PairedMethod {
    /// Exact sign flips and Student's t, the wider of the two at each end: below twelve pairs.
    SignFlips,
    /// BCa bootstrap and signed ranks, the wider of the two at each end: from twelve pairs on.
    Bootstrap,
}

/// The difference between two sides, from pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paired {
    /// Hodges and Lehmann's estimate.
    pub value: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Misses with the probability asked for; infinite where the pairs are too few.
    pub interval: Interval,
    /// How it was found.
    pub method: PairedMethod,
}

/// From so many pairs on the bootstrap is trusted.
const BOOTSTRAP: usize = 12;

/// The centre of `differences`, one per pair, with an interval that misses with probability
/// `alpha`. Either method rests on the order within pairs having been drawn at random, which makes
/// the signs exchangeable; the second opinion at each end is for data that are skewed, or that
/// scatter more than they show. None without pairs.
pub fn paired(differences: &[f64], alpha: f64) -> Option<Paired> {
    let (method, interval) = if differences.len() < BOOTSTRAP {
        let exact = sign_flip_interval(differences, alpha)?;
        let normal = t_interval(differences, alpha).unwrap_or(Interval::ALL);
        (PairedMethod::SignFlips, exact.hull(&normal))
    } else {
        let walsh = Walsh::of(differences);
        let bootstrap = bca_interval(differences.len(), alpha, |times| walsh.median(times))?;
        let ranks = signed_rank_interval(differences, alpha)?;
        (PairedMethod::Bootstrap, bootstrap.hull(&ranks))
    };
    Some(Paired {
        value: hodges_lehmann(differences)?,
        mean: mean(differences)?,
        interval,
        method,
    })
}

/// Where [`paired`]'s interval lies. The cheaper of the two opinions is heard first: where that
/// alone leaves the question open, a wider interval cannot close it.
pub fn paired_side(differences: &[f64], alpha: f64, margin: &Interval) -> Side {
    let open = |interval: Interval| Side::of(&interval, margin) == Side::Open;
    if differences.len() >= BOOTSTRAP && signed_rank_interval(differences, alpha).is_none_or(open) {
        return Side::Open;
    }
    paired(differences, alpha).map_or(Side::Open, |found| Side::of(&found.interval, margin))
}

/// The smallest two-sided error at which [`paired`]'s interval excludes zero, to a hundredth of
/// its size; 1 when even half a chance of error does not.
pub fn paired_p(differences: &[f64]) -> f64 {
    let nothing = Interval::around(0.0, 0.0);
    let excludes = |alpha: f64| match paired_side(differences, alpha, &nothing) {
        Side::Above | Side::Below => true,
        Side::Equivalent | Side::Open => false,
    };
    if !excludes(0.5) {
        return 1.0;
    }
    let (mut low, mut high) = (1e-6_f64, 0.5_f64);
    while high / low > 1.01 {
        let middle = (low * high).sqrt();
        if excludes(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn methods_by_number_of_pairs() {
        let values: Vec<f64> = (0..12).map(|i| 1.0 + f64::from(i % 5)).collect();
        assert_eq!(
            paired(&values[..11], 0.05).unwrap().method,
            PairedMethod::SignFlips
        );
        assert_eq!(
            paired(&values, 0.05).unwrap().method,
            PairedMethod::Bootstrap
        );
        assert_eq!(paired(&[], 0.05), None);
        assert_eq!(paired(&values[..5], 0.05).unwrap().interval, Interval::ALL);
    }

    #[test]
    fn p_is_where_zero_leaves_the_interval() {
        let values = [0.9, 1.1, 1.3, 0.8, 1.2, 1.0, 1.05, 0.95];
        // The smallest that eight pairs can give.
        assert!((paired_p(&values) / 0.0078125 - 1.0).abs() < 0.02);
        assert_eq!(paired_p(&[1.0, -1.0, 2.0, -2.0, 0.5, -0.5]), 1.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn swapping_the_sides_turns_the_answer(values in prop::collection::vec(-1.0..1.0, 6..15)) {
            let turned: Vec<f64> = values.iter().map(|x| -x).collect();
            let (one, other) = (paired(&values, 0.05).unwrap(), paired(&turned, 0.05).unwrap());
            prop_assert!((one.value + other.value).abs() < 1e-12);
            // The resamples of the turned values are the turned resamples, to within one of them.
            let slack = 0.05 * one.interval.width();
            prop_assert!((one.interval.low + other.interval.high).abs() <= slack + 1e-12);
            prop_assert!((one.interval.high + other.interval.low).abs() <= slack + 1e-12);
        }

        #[test]
        fn another_unit_is_another_unit(
            values in prop::collection::vec(-1.0..1.0, 6..15),
            times in 0.001..1000.0_f64,
        ) {
            let scaled: Vec<f64> = values.iter().map(|x| times * x).collect();
            let (one, other) = (paired(&values, 0.05).unwrap(), paired(&scaled, 0.05).unwrap());
            let slack = 1e-9 * times;
            prop_assert!((times * one.value - other.value).abs() <= slack);
            prop_assert!((times * one.interval.low - other.interval.low).abs() <= slack);
            prop_assert!((times * one.interval.high - other.interval.high).abs() <= slack);
        }
    }
}
