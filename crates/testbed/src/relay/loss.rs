//! Random loss that comes out the same every time.

/// Decides for one frame after the other. SplitMix64 (Steele, Lea, Flood: Fast splittable
/// pseudorandom number generators, OOPSLA 2014): every seed gives a full period of 2^64.
#[derive(Debug)]
pub(super) struct Loss {
    state: u64,
    /// Numbers below it mean a loss.
    threshold: u64,
}

impl Loss {
    /// Loses the share `share` (0 to less than 1).
    pub(super) fn new(share: f64, seed: u64) -> Self {
        Self {
            state: seed,
            // The cast saturates.
            threshold: (share * 2f64.powi(64)) as u64,
        }
    }

    /// Whether the next frame is lost.
    pub(super) fn next(&mut self) -> bool {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) < self.threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(share: f64, seed: u64, frames: u32) -> u32 {
        let mut loss = Loss::new(share, seed);
        (0..frames).map(|_| u32::from(loss.next())).sum()
    }

    #[test]
    fn the_share_is_met() {
        assert_eq!(lost(0.0, 1, 100_000), 0);
        // Five standard deviations of the binomial distribution.
        for share in [0.001, 0.01, 0.5] {
            let n = 1_000_000.0;
            let expected: f64 = share * n;
            let deviation = (n * share * (1.0 - share)).sqrt();
            let counted = f64::from(lost(share, 7, 1_000_000));
            assert!(
                (counted - expected).abs() < 5.0 * deviation,
                "{share}: {counted}"
            );
        }
    }

    #[test]
    fn a_seed_repeats_itself_and_seeds_differ() {
        let run = |seed| {
            let mut loss = Loss::new(0.5, seed);
            (0..64).map(|_| loss.next()).collect::<Vec<_>>()
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }
}
