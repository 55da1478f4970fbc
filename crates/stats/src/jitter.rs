//! Interarrival jitter as RFC 3550 section 6.4.1 and appendix A.8 define it.

/// The estimator of one receiving flow. The two clocks need no common origin: only differences
/// of transit times count, and the first datagram gives none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Jitter {
    transit: Option<i64>,
    /// Sixteen times the estimate, as in the RFC's integer form, ns.
    scaled: Option<u64>,
}

impl Jitter {
    /// Takes a datagram's send time (sender's clock) and arrival time (ours), ns.
    #[inline]
    pub fn take(&mut self, sent: u64, arrived: u64) {
        let transit = arrived.wrapping_sub(sent) as i64;
        if let Some(before) = self.transit {
            let difference = transit.wrapping_sub(before).unsigned_abs();
            let scaled = self.scaled.unwrap_or(0);
            self.scaled = Some(
                scaled
                    .saturating_add(difference)
                    .saturating_sub((scaled + 8) >> 4),
            );
        }
        self.transit = Some(transit);
    }

    /// The estimate, ns; none before the second datagram.
    #[inline]
    pub fn nanos(&self) -> Option<u64> {
        self.scaled.map(|s| s >> 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_arrivals_have_none_however_far_apart_the_clocks_are() {
        let mut jitter = Jitter::default();
        assert_eq!(jitter.nanos(), None);
        for i in 0..100 {
            jitter.take(i * 1000, 5_000_000_000_000 + i * 1000);
        }
        assert_eq!(jitter.nanos(), Some(0));
        let mut behind = Jitter::default();
        behind.take(5_000_000_000_000, 1);
        behind.take(5_000_000_001_000, 1001);
        assert_eq!(behind.nanos(), Some(0));
    }

    #[test]
    fn converges_on_the_mean_difference() {
        let mut jitter = Jitter::default();
        for i in 0..2000u64 {
            jitter.take(i * 1_000_000, i * 1_000_000 + (i % 2) * 8_000);
        }
        let nanos = jitter.nanos().unwrap();
        assert!((7_900..=8_000).contains(&nanos), "{nanos}");
    }

    #[test]
    fn absurd_times_do_not_overflow() {
        let mut jitter = Jitter::default();
        for (sent, arrived) in [(0, u64::MAX), (u64::MAX, 0), (0, 1 << 63), (1 << 63, 0)] {
            jitter.take(sent, arrived);
        }
        assert!(jitter.nanos().is_some());
    }
}
