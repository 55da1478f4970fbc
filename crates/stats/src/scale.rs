//! Where a value lies in a histogram: HDR bucket arithmetic with fixed bounds.

/// The buckets of every latency histogram: three significant digits from 1 ns to 2^42 ns (about
/// 73 minutes). Values below 2048 have a bucket each; above, a bucket is at most 1/1024 of its
/// lowest value wide. The same buckets as HdrHistogram's with these bounds.
#[derive(Debug, Clone, Copy)]
pub struct Scale;

/// log2 of the buckets that one power of two is cut into: 1024 is the first power of two that
/// gives three significant digits.
const CUT: u32 = 10;

impl Scale {
    /// The largest value with a bucket of its own kind; larger ones are counted in the last.
    pub const MAX: u64 = (1 << 42) - 1;

    /// How many buckets there are.
    pub const LEN: usize = Self::index(Self::MAX) + 1;

    /// The bucket of `value`; values above [`Scale::MAX`] belong to the last.
    #[inline]
    pub const fn index(value: u64) -> usize {
        let value = if value > Self::MAX { Self::MAX } else { value };
        // `| 1023` makes everything below 2048 fall in the first, exact part.
        let shift = (value | ((1 << CUT) - 1)).ilog2().saturating_sub(CUT);
        ((shift as usize) << CUT) + (value >> shift) as usize
    }

    /// The lowest value of bucket `index`; `index` must be below [`Scale::LEN`].
    pub const fn lowest(index: usize) -> u64 {
        let shift = Self::shift(index);
        ((index - (shift << CUT)) as u64) << shift
    }

    /// The highest value of bucket `index`; `index` must be below [`Scale::LEN`].
    pub const fn highest(index: usize) -> u64 {
        Self::lowest(index) + (1 << Self::shift(index)) - 1
    }

    /// log2 of the width of bucket `index`.
    const fn shift(index: usize) -> usize {
        (index >> CUT).saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use hdrhistogram::Histogram;
    use proptest::prelude::*;

    use super::*;

    fn hdr() -> Histogram<u64> {
        Histogram::new_with_bounds(1, Scale::MAX, 3).unwrap()
    }

    #[test]
    fn small_values_are_exact() {
        for value in 0..2048 {
            let index = Scale::index(value);
            assert_eq!(index as u64, value);
            assert_eq!(
                (Scale::lowest(index), Scale::highest(index)),
                (value, value)
            );
        }
    }

    #[test]
    fn buckets_follow_each_other_without_hole_or_overlap() {
        let mut next = 0;
        for index in 0..Scale::LEN {
            assert_eq!(Scale::lowest(index), next, "bucket {index}");
            assert_eq!(Scale::index(Scale::lowest(index)), index);
            assert_eq!(Scale::index(Scale::highest(index)), index);
            next = Scale::highest(index) + 1;
        }
        assert_eq!(next, Scale::MAX + 1);
    }

    #[test]
    fn every_bucket_is_that_of_hdrhistogram() {
        let hdr = hdr();
        assert_eq!(Scale::LEN, hdr.distinct_values());
        for index in 0..Scale::LEN {
            let low = Scale::lowest(index);
            assert_eq!(low, hdr.lowest_equivalent(low), "bucket {index}");
            assert_eq!(
                Scale::highest(index),
                hdr.highest_equivalent(low),
                "bucket {index}"
            );
        }
    }

    #[test]
    fn what_is_too_large_is_in_the_last_bucket() {
        for value in [Scale::MAX, Scale::MAX + 1, u64::MAX] {
            assert_eq!(Scale::index(value), Scale::LEN - 1);
        }
    }

    proptest! {
        #[test]
        fn a_bucket_holds_its_value_and_is_narrow(value in 0..=Scale::MAX) {
            let index = Scale::index(value);
            let (low, high) = (Scale::lowest(index), Scale::highest(index));
            prop_assert!(low <= value && value <= high);
            prop_assert!((high - low) * 1024 <= low);
        }
    }
}
