//! Random order from a seed.

/// SplitMix64 (Steele, Lea, Flood 2014): one word of state, good enough to shuffle.
pub struct Shuffle(u64);

impl Shuffle {
    /// The same seed gives the same orders.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Fisher and Yates. The bias of the remainder is below 2^-60 for lists like ours.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            let other = (self.next() % (last as u64 + 1)) as usize;
            list.swap(last, other);
        }
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_seed_decides_and_every_order_comes() {
        let orders = |seed| {
            let mut shuffle = Shuffle::new(seed);
            (0..200)
                .map(|_| {
                    let mut list = [1, 2, 3];
                    shuffle.shuffle(&mut list);
                    list
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(orders(7), orders(7));
        assert_ne!(orders(7), orders(8));
        assert_eq!(orders(7).into_iter().collect::<HashSet<_>>().len(), 6);
    }
}
