//! Sparse histograms: (lowest value of a [`Scale`] bucket, samples in it).

use hdrhistogram::Histogram;

use crate::Scale;

/// What a histogram says. Percentiles are the highest value of their bucket, so that "99 % took
/// no longer than this" holds; `min` is the lowest value of its bucket.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// How many values were counted.
    pub samples: u64,
    /// Smallest.
    pub min: u64,
    /// Arithmetic mean, each sample taken at the middle of its bucket.
    pub mean: f64,
    /// Median.
    pub p50: u64,
    /// 90th percentile.
    pub p90: u64,
    /// 95th percentile.
    pub p95: u64,
    /// 99th percentile.
    pub p99: u64,
    /// 99.9th percentile.
    pub p999: u64,
    /// Largest.
    pub max: u64,
}

/// Summary of the samples in `buckets`, in any order; none when there is no sample.
pub fn summary(buckets: &[(u64, u64)]) -> Option<Summary> {
    let mut histogram = Histogram::<u64>::new_with_bounds(1, Scale::MAX, 3).ok()?;
    for &(value, count) in buckets.iter().filter(|(_, count)| *count > 0) {
        // Counts may come from a peer: what does not fit in 64 bits is not counted.
        let room = u64::MAX - histogram.len();
        histogram.saturating_record_n(value.min(Scale::MAX), count.min(room));
    }
    (!histogram.is_empty()).then(|| Summary {
        samples: histogram.len(),
        min: histogram.min(),
        mean: histogram.mean(),
        p50: histogram.value_at_quantile(0.5),
        p90: histogram.value_at_quantile(0.9),
        p95: histogram.value_at_quantile(0.95),
        p99: histogram.value_at_quantile(0.99),
        p999: histogram.value_at_quantile(0.999),
        max: histogram.max(),
    })
}

/// All samples of both, ascending.
pub fn merge(a: &[(u64, u64)], b: &[(u64, u64)]) -> Vec<(u64, u64)> {
    combine(a, b, u64::saturating_add)
}

/// The samples that `later`, a cumulative histogram, has more than `earlier`, ascending.
pub fn subtract(later: &[(u64, u64)], earlier: &[(u64, u64)]) -> Vec<(u64, u64)> {
    combine(later, earlier, u64::saturating_sub)
}

/// Bucket by bucket `op(a, b)`; empty buckets are left out.
fn combine(a: &[(u64, u64)], b: &[(u64, u64)], op: fn(u64, u64) -> u64) -> Vec<(u64, u64)> {
    let mut counts = std::collections::BTreeMap::<u64, (u64, u64)>::new();
    for &(value, count) in a {
        let counted = &mut counts.entry(value).or_default().0;
        *counted = counted.saturating_add(count);
    }
    for &(value, count) in b {
        let counted = &mut counts.entry(value).or_default().1;
        *counted = counted.saturating_add(count);
    }
    let combined = counts.into_iter().map(|(value, (a, b))| (value, op(a, b)));
    combined.filter(|(_, count)| *count > 0).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bucketed(values: &[u64]) -> Vec<(u64, u64)> {
        let lowest = |value: &u64| (Scale::lowest(Scale::index(*value)), 1);
        merge(&values.iter().map(lowest).collect::<Vec<_>>(), &[])
    }

    #[test]
    fn nothing_has_no_summary() {
        assert_eq!(summary(&[]), None);
        assert_eq!(summary(&[(5, 0)]), None);
    }

    #[test]
    fn small_values_give_exact_figures() {
        let values: Vec<u64> = (1..=1000).collect();
        let all = summary(&bucketed(&values)).unwrap();
        assert_eq!((all.samples, all.min, all.max), (1000, 1, 1000));
        assert_eq!((all.p50, all.p90, all.p95), (500, 900, 950));
        assert_eq!((all.p99, all.p999), (990, 999));
        assert_eq!(all.mean, 500.5);
    }

    #[test]
    fn one_sample_is_every_percentile() {
        let one = summary(&[(1536, 1)]).unwrap();
        assert_eq!([one.min, one.p50, one.p999, one.max], [1536; 4]);
    }

    #[test]
    fn absurd_counts_and_values_do_no_harm() {
        let buckets = [(u64::MAX, u64::MAX), (3, u64::MAX), (0, 7)];
        let all = summary(&buckets).unwrap();
        assert_eq!((all.samples, all.max), (u64::MAX, Scale::MAX));
        assert_eq!(merge(&buckets, &buckets)[0], (0, 14));
        assert_eq!(merge(&buckets, &buckets)[1], (3, u64::MAX));
    }

    #[test]
    fn order_and_repeats_of_buckets_do_not_matter() {
        assert_eq!(
            summary(&[(7, 1), (3, 2), (7, 1)]),
            summary(&[(3, 2), (7, 2)])
        );
        assert_eq!(merge(&[(7, 1), (3, 2)], &[(7, 1)]), vec![(3, 2), (7, 2)]);
    }

    proptest! {
        #[test]
        fn figures_ascend_and_bound_the_values(
            values in prop::collection::vec(0..=Scale::MAX, 1..200)
        ) {
            let s = summary(&bucketed(&values)).unwrap();
            let ascending = [s.min, s.p50, s.p90, s.p95, s.p99, s.p999, s.max];
            prop_assert!(ascending.is_sorted());
            prop_assert!(s.min as f64 <= s.mean && s.mean <= s.max as f64);
            prop_assert!(s.min <= *values.iter().min().unwrap());
            prop_assert!(s.max >= *values.iter().max().unwrap());
            prop_assert_eq!(s.samples, values.len() as u64);
        }

        #[test]
        fn a_sum_less_one_part_is_the_other(
            a in prop::collection::vec(0..=Scale::MAX, 0..100),
            b in prop::collection::vec(0..=Scale::MAX, 0..100),
        ) {
            let (a, b) = (bucketed(&a), bucketed(&b));
            let sum = merge(&a, &b);
            prop_assert_eq!(&subtract(&sum, &a), &b);
            prop_assert_eq!(&merge(&b, &a), &sum);
        }
    }
}
