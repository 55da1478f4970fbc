//! Small changes to an input, always the same ones for the same seed.

/// An endless source of changed inputs.
#[derive(Debug)]
pub struct Mutation {
    state: u64,
}

impl Mutation {
    /// A source whose changes are those of `seed`.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// `input` with one to four changes; `other` lends pieces.
    pub fn of(&mut self, input: &[u8], other: &[u8]) -> Vec<u8> {
        let mut data = input.to_vec();
        for _ in 0..=self.below(3) {
            self.change(&mut data, other);
        }
        data
    }

    fn change(&mut self, data: &mut Vec<u8>, other: &[u8]) {
        let at = self.below(data.len());
        let end = data.len().min(at + 1 + self.below(64));
        match self.below(8) {
            0 => data.truncate(at),
            1 => data.insert(at, self.next() as u8),
            2 => drop(data.drain(at..end)),
            3 => {
                let piece = data[at..end].to_vec();
                data.splice(at..at, piece);
            }
            4 => {
                let from = self.below(other.len());
                let to = other.len().min(from + 1 + self.below(256));
                data.splice(at..end, other[from..to].iter().copied());
            }
            // Lengths and counts that sit on an edge.
            5 if data.len() >= at + 4 => {
                let edges = [
                    0,
                    1,
                    0xff,
                    0xffff,
                    1 << 20,
                    (1 << 20) + 1,
                    64 << 20,
                    u32::MAX,
                ];
                let edge = edges[self.below(edges.len() - 1)];
                data[at..at + 4].copy_from_slice(&edge.to_be_bytes());
            }
            // A digit of a number, a bracket, a quote.
            6 if at < data.len() => {
                let bytes = b"0129-.e[]{}\",:\\u";
                data[at] = bytes[self.below(bytes.len() - 1)];
            }
            _ if at < data.len() => data[at] ^= 1 << self.below(7),
            _ => data.push(self.next() as u8),
        }
    }

    /// 0 to `most`.
    fn below(&mut self, most: usize) -> usize {
        (self.next() % (most as u64 + 1)) as usize
    }

    /// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_changes() {
        let changed = |seed| {
            let mut mutation = Mutation::new(seed);
            let changed = (0..100).map(|_| mutation.of(b"{\"start\":{}}", b"other"));
            changed.collect::<Vec<_>>()
        };
        assert_eq!(changed(1), changed(1));
        assert_ne!(changed(1), changed(2));
    }

    #[test]
    fn nothing_at_all_can_be_changed_too() {
        let mut mutation = Mutation::new(3);
        for _ in 0..1000 {
            mutation.of(b"", b"");
        }
    }
}
