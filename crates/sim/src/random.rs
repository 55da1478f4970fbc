//! Chance: one seed, a stream of its own for every entity.

use std::cell::Cell;

use crate::picos::Picos;

/// A stream of random numbers (splitmix64, Steele et al., OOPSLA 2014: 64 bits of state, equally
/// distributed, no correlation between streams of mixed seeds).
#[derive(Debug)]
pub struct Stream {
    state: Cell<u64>,
}

impl Stream {
    /// The stream of one entity under the simulation's seed.
    pub fn new(seed: u64, entity: u64) -> Self {
        let state = mix(mix(seed.wrapping_add(GOLDEN)) ^ entity.wrapping_mul(GOLDEN));
        Self {
            state: Cell::new(state),
        }
    }

    /// 64 bits.
    pub fn bits(&self) -> u64 {
        let state = self.state.get().wrapping_add(GOLDEN);
        self.state.set(state);
        mix(state)
    }

    /// One of `0..n`; `n` is not zero.
    pub fn below(&self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// From 0 up to but not including 1.
    pub fn unit(&self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Whether an event of this probability happens.
    pub fn chance(&self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// A span with an exponential law.
    pub fn exponential(&self, mean: Picos) -> Picos {
        Picos::new((-(1.0 - self.unit()).ln() * mean.get() as f64).round() as u64)
    }

    /// A span within `share` of `mean` on either side.
    pub fn around(&self, mean: Picos, share: f64) -> Picos {
        let factor = 1.0 + share * (2.0 * self.unit() - 1.0);
        Picos::new((mean.get() as f64 * factor).round() as u64)
    }
}

/// 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Every bit of the result depends on every bit of `z`.
pub(crate) fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_repeatable_and_apart() {
        let draw = |seed, entity| {
            let stream = Stream::new(seed, entity);
            [stream.bits(), stream.bits()]
        };
        assert_eq!(draw(1, 2), draw(1, 2));
        assert_ne!(draw(1, 2), draw(1, 3));
        assert_ne!(draw(1, 2), draw(2, 2));
    }

    #[test]
    fn the_exponential_law_has_its_mean_and_deviation() {
        let stream = Stream::new(7, 0);
        let draws: Vec<f64> = (0..100_000)
            .map(|_| stream.exponential(Picos::new(1_000_000)).get() as f64 / 1e6)
            .collect();
        let mean = draws.iter().sum::<f64>() / 1e5;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 1e5;
        assert!((mean - 1.0).abs() < 0.02, "{mean}");
        assert!((variance - 1.0).abs() < 0.04, "{variance}");
    }

    #[test]
    fn below_reaches_every_value_and_no_other() {
        let stream = Stream::new(3, 3);
        let mut seen = [false; 5];
        (0..200).for_each(|_| seen[stream.below(5)] = true);
        assert_eq!(seen, [true; 5]);
    }
}
