//! Location and spread of a few repeated measurements. NaN is nobody's measurement: callers pass
//! finite numbers, and a NaN gives NaN rather than a panic.

/// Smallest, median and largest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MinMedianMax {
    /// Smallest.
    pub min: f64,
    /// Median.
    pub median: f64,
    /// Largest.
    pub max: f64,
}

/// Arithmetic mean; none without values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The middle value, or the mean of the two middle ones; none without values.
pub fn median(values: &[f64]) -> Option<f64> {
    min_median_max(values).map(|all| all.median)
}

/// The three together, from one sort; none without values.
pub fn min_median_max(values: &[f64]) -> Option<MinMedianMax> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (min, max) = (*sorted.first()?, *sorted.last()?);
    let middle = &sorted[(sorted.len() - 1) / 2..=sorted.len() / 2];
    let median = mean(middle)?;
    Some(MinMedianMax { min, median, max })
}

/// Sample standard deviation (n - 1 in the denominator); none for fewer than two values.
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    let center = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|x| (x - center).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// Standard deviation over the mean's magnitude; none for fewer than two values or a mean of zero.
pub fn coefficient_of_variation(values: &[f64]) -> Option<f64> {
    let center = mean(values).filter(|mean| *mean != 0.0)?;
    Some(standard_deviation(values)? / center.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!(mean(&values), Some(5.0));
        assert_eq!(median(&values), Some(4.5));
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(standard_deviation(&values), Some((32.0_f64 / 7.0).sqrt()));
        assert_eq!(
            coefficient_of_variation(&[-1.0, -3.0]),
            Some(2.0_f64.sqrt() / 2.0)
        );
        let expected = MinMedianMax {
            min: 1.0,
            median: 2.0,
            max: 9.0,
        };
        assert_eq!(min_median_max(&[9.0, 1.0, 2.0]), Some(expected));
    }

    #[test]
    fn too_few_values_give_nothing() {
        assert_eq!(mean(&[]), None);
        assert_eq!(median(&[]), None);
        assert_eq!(min_median_max(&[]), None);
        assert_eq!(standard_deviation(&[1.0]), None);
        assert_eq!(coefficient_of_variation(&[1.0]), None);
        assert_eq!(coefficient_of_variation(&[-1.0, 1.0]), None);
    }

    #[test]
    fn a_nan_is_no_panic() {
        assert!(min_median_max(&[f64::NAN, 1.0]).is_some());
    }
}
