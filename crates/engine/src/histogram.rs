//! A histogram that one thread fills and another reads at any instant.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use record::Buckets;
use stats::Scale;

/// Counts per bucket of [`Scale`], with a single writer. Every sample lies in exactly one
/// bucket, so differences of two readings are the samples between them.
pub(crate) struct Histogram {
    counts: Box<[AtomicU64]>,
    /// One more than the highest bucket used, so that a reading scans no further.
    used: AtomicUsize,
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            counts: (0..Scale::LEN).map(|_| AtomicU64::new(0)).collect(),
            used: AtomicUsize::new(0),
        }
    }
}

impl Histogram {
    /// Counts one value (ns). Only the single writer may call it.
    #[inline]
    pub fn record(&self, nanos: u64) {
        let index = Scale::index(nanos);
        let count = &self.counts[index];
        count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        if index >= self.used.load(Ordering::Relaxed) {
            self.used.store(index + 1, Ordering::Release);
        }
    }

    /// What was counted so far.
    pub fn read(&self) -> Buckets {
        let used = self.used.load(Ordering::Acquire);
        let buckets = self.counts[..used]
            .iter()
            .enumerate()
            .filter_map(|(index, count)| {
                let count = count.load(Ordering::Relaxed);
                (count > 0).then(|| (Scale::lowest(index), count))
            });
        Buckets(buckets.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_is_in_one_bucket() {
        let histogram = Histogram::default();
        for nanos in [5, 5, 1_000_000, u64::MAX] {
            histogram.record(nanos);
        }
        let Buckets(buckets) = histogram.read();
        assert_eq!(buckets.len(), 3);
        assert_eq!(buckets[0], (5, 2));
        assert_eq!(buckets.iter().map(|(_, n)| n).sum::<u64>(), 4);
    }
}
