//! Numbers at random that come out the same every time.

/// A seeded generator for resampling, permutation and simulation: SplitMix64 (Steele, Lea, Flood:
/// Fast splittable pseudorandom number generators, OOPSLA 2014), full period for every seed. No
/// secrets are made with it.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The numbers of `seed`.
    pub const fn seeded(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The numbers of part `part` of what `seed` decides: parts are independent of each other and
    /// of how many numbers another part took.
    #[must_use]
    pub fn part(seed: u64, part: u64) -> Self {
        let mut outer = Self::seeded(seed);
        let own = outer.bits();
        let mut inner = Self::seeded(own ^ part.wrapping_mul(0xd6e8_feb8_6659_fd93));
        Self::seeded(inner.bits())
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Evenly spread over (0, 1), neither end included.
    pub fn unit(&mut self) -> f64 {
        ((self.bits() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// One of `0..n`; `n` is at least 1. The bias, below n / 2^64, is of no account here.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// Heads or tails.
    pub fn coin(&mut self) -> bool {
        self.bits() >> 63 == 1
    }

    /// A standard normal deviate (Box and Muller, 1958).
    pub fn normal(&mut self) -> f64 {
        let (radius, turn) = (self.unit(), self.unit());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * turn).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_itself_and_parts_differ() {
        let take = |mut random: Random| (0..8).map(|_| random.bits()).collect::<Vec<_>>();
        assert_eq!(take(Random::seeded(7)), take(Random::seeded(7)));
        assert_ne!(take(Random::seeded(7)), take(Random::seeded(8)));
        assert_eq!(take(Random::part(7, 3)), take(Random::part(7, 3)));
        assert_ne!(take(Random::part(7, 3)), take(Random::part(7, 4)));
    }

    #[test]
    fn published_first_numbers() {
        // The reference implementation's with seed 1234567 (prng.di.unimi.it/splitmix64.c).
        let mut random = Random::seeded(1_234_567);
        let first: Vec<_> = (0..3).map(|_| random.bits()).collect();
        let expected: [u64; 3] = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!(first, expected);
    }

    #[test]
    fn moments() {
        let mut random = Random::seeded(1);
        let n = 200_000;
        let draws: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let mean = draws.iter().sum::<f64>() / f64::from(n);
        let square = draws.iter().map(|x| x * x).sum::<f64>() / f64::from(n);
        assert!(
            mean.abs() < 0.01 && (square - 1.0).abs() < 0.02,
            "{mean} {square}"
        );
        let heads = (0..n).filter(|_| random.coin()).count() as f64 / f64::from(n);
        assert!((heads - 0.5).abs() < 0.01);
        let mut seen = [0; 6];
        (0..60_000).for_each(|_| seen[random.below(6)] += 1);
        assert!(seen.iter().all(|n| (9_500..10_500).contains(n)), "{seen:?}");
    }
}
