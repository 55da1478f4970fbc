//! iperf's histograms: bins of one width, filled by one thread and read by another.

use std::sync::atomic::{AtomicU64, Ordering};

use units::Nanos;

/// How fine, and how far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BinScale {
    /// Width of a bin.
    pub width: Nanos,
    /// How many.
    pub bins: u32,
}

/// Counts of times. Bin `k`, from 1, holds times in `((k-1)·w, k·w]`.
pub(crate) struct Bins {
    scale: BinScale,
    counts: Box<[AtomicU64]>,
    below: AtomicU64,
    above: AtomicU64,
    longest: AtomicU64,
    longest_at: AtomicU64,
}

/// What was counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinCounts {
    /// The scale.
    pub scale: BinScale,
    /// Bins that are not empty: number from 1, count.
    pub counts: Vec<(u64, u64)>,
    /// Times below zero: clocks that disagree.
    pub below: u64,
    /// Times beyond the last bin.
    pub above: u64,
    /// The longest time so far, us, and when it was, us since 1970.
    pub longest: Option<(u64, u64)>,
}

impl Bins {
    pub fn new(scale: BinScale) -> Self {
        Self {
            scale,
            counts: (0..scale.bins).map(|_| AtomicU64::new(0)).collect(),
            below: AtomicU64::new(0),
            above: AtomicU64::new(0),
            longest: AtomicU64::new(0),
            longest_at: AtomicU64::new(0),
        }
    }

    /// Counts a time of `micros` that ended at `at`, us since 1970. Only the single writer may
    /// call it.
    #[inline]
    pub fn record(&self, micros: f64, at: u64) {
        let more = |count: &AtomicU64| {
            count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        };
        if micros < 0.0 {
            return more(&self.below);
        }
        let nanos = micros * 1000.0;
        let bin = (nanos / self.scale.width.get().max(1) as f64)
            .ceil()
            .max(1.0) as usize;
        more(self.counts.get(bin - 1).unwrap_or(&self.above));
        if micros as u64 > self.longest.load(Ordering::Relaxed) {
            self.longest.store(micros as u64, Ordering::Relaxed);
            self.longest_at.store(at, Ordering::Relaxed);
        }
    }

    pub fn read(&self) -> BinCounts {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let counts = (1..).zip(&self.counts).filter_map(|(bin, count)| {
            let count = load(count);
            (count > 0).then_some((bin, count))
        });
        let longest_at = load(&self.longest_at);
        BinCounts {
            scale: self.scale,
            counts: counts.collect(),
            below: load(&self.below),
            above: load(&self.above),
            longest: (longest_at > 0).then(|| (load(&self.longest), longest_at)),
        }
    }
}

impl BinCounts {
    /// What came since `before`.
    pub fn since(&self, before: &Self) -> Self {
        Self {
            counts: stats::subtract(&self.counts, &before.counts),
            below: self.below - before.below,
            above: self.above - before.above,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_open_below_and_closed_above() {
        let bins = Bins::new(BinScale {
            width: Nanos::new(100_000),
            bins: 3,
        });
        for micros in [0.0, 0.1, 100.0, 100.1, 300.0, 300.1, -1.0] {
            bins.record(micros, 1_000_000);
        }
        let counts = bins.read();
        assert_eq!(counts.counts, [(1, 3), (2, 1), (3, 1)]);
        assert_eq!((counts.below, counts.above), (1, 1));
        assert_eq!(counts.longest, Some((300, 1_000_000)));
        bins.record(250.0, 2_000_000);
        let later = bins.read().since(&counts);
        assert_eq!(later.counts, [(3, 1)]);
        assert_eq!((later.below, later.above), (0, 0));
    }
}
