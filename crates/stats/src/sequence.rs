//! What a receiver learns from sequence numbers: loss, duplication and reordering kept apart.

/// Numbers that are remembered behind the highest one. A datagram that comes later than this
/// cannot be told from a duplicate and counts as reordered.
const WINDOW: u64 = 8192;
const WORDS: usize = (WINDOW / 64) as usize;

/// The state of one receiving flow. Sequence numbers start at 0.
#[derive(Debug, Clone)]
pub struct Sequence {
    /// One more than the highest number seen.
    next: u64,
    received: u64,
    duplicate: u64,
    reordered: u64,
    depth_max: u64,
    /// Bit `n % WINDOW` is set when number `n` of the last `WINDOW` was seen.
    seen: Box<[u64; WORDS]>,
}

/// What one arrival was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrived {
    /// The expected number.
    InOrder,
    /// A number above the expected one: so many before it are missing so far.
    After {
        /// Missing numbers right before this one.
        missing: u64,
    },
    /// A missing number, after all (RFC 4737: reordered).
    Late {
        /// How many numbers late it was.
        depth: u64,
    },
    /// A number that was seen before.
    Duplicate,
}

impl Default for Sequence {
    fn default() -> Self {
        Self {
            next: 0,
            received: 0,
            duplicate: 0,
            reordered: 0,
            depth_max: 0,
            seen: Box::new([0; WORDS]),
        }
    }
}

impl Sequence {
    /// Takes the number of an arrived datagram.
    #[inline]
    pub fn take(&mut self, number: u64) -> Arrived {
        if number >= self.next {
            let missing = number - self.next;
            self.forget(missing);
            self.mark(number);
            self.next = number.saturating_add(1);
            self.received += 1;
            return if missing == 0 {
                Arrived::InOrder
            } else {
                Arrived::After { missing }
            };
        }
        let depth = self.next - 1 - number;
        if depth < WINDOW && self.is_marked(number) {
            self.duplicate += 1;
            return Arrived::Duplicate;
        }
        if depth < WINDOW {
            self.mark(number);
        }
        self.received += 1;
        self.reordered += 1;
        self.depth_max = self.depth_max.max(depth);
        Arrived::Late { depth }
    }

    /// Distinct numbers that arrived.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Arrivals of a number that was there already.
    pub fn duplicate(&self) -> u64 {
        self.duplicate
    }

    /// Arrivals after a higher number.
    pub fn reordered(&self) -> u64 {
        self.reordered
    }

    /// The most that one of them was late, in numbers.
    pub fn depth_max(&self) -> u64 {
        self.depth_max
    }

    /// One more than the highest number seen.
    pub fn highest_plus_one(&self) -> u64 {
        self.next
    }

    /// Clears the marks of the `missing` numbers that `next` is about to skip.
    #[inline]
    fn forget(&mut self, missing: u64) {
        if missing >= WINDOW {
            self.seen.fill(0);
            return;
        }
        for number in self.next..=self.next.saturating_add(missing) {
            self.seen[(number % WINDOW / 64) as usize] &= !(1 << (number % 64));
        }
    }

    #[inline]
    fn mark(&mut self, number: u64) {
        self.seen[(number % WINDOW / 64) as usize] |= 1 << (number % 64);
    }

    #[inline]
    fn is_marked(&self, number: u64) -> bool {
        self.seen[(number % WINDOW / 64) as usize] & (1 << (number % 64)) != 0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    fn taken(numbers: &[u64]) -> Sequence {
        let mut sequence = Sequence::default();
        for number in numbers {
            sequence.take(*number);
        }
        sequence
    }

    #[test]
    fn loss_duplicates_and_reordering_are_apart() {
        let s = taken(&[0, 1, 4, 2, 2, 4, 5]);
        assert_eq!(s.received(), 5);
        assert_eq!(s.highest_plus_one() - s.received(), 1, "3 is lost");
        assert_eq!((s.duplicate(), s.reordered(), s.depth_max()), (2, 1, 2));
    }

    #[test]
    fn a_jump_over_the_whole_window_forgets_old_marks() {
        let mut s = taken(&[0, 1, 2]);
        assert_eq!(
            s.take(2 + WINDOW),
            Arrived::After {
                missing: WINDOW - 1
            }
        );
        assert_eq!(s.take(3), Arrived::Late { depth: WINDOW - 1 });
        assert_eq!(s.take(3), Arrived::Duplicate);
    }

    proptest! {
        #[test]
        fn agrees_with_a_set_of_all_numbers(numbers in prop::collection::vec(0u64..4000, 1..600)) {
            let mut seen = HashSet::new();
            let mut duplicate = 0;
            for number in &numbers {
                duplicate += u64::from(!seen.insert(*number));
            }
            let s = taken(&numbers);
            prop_assert_eq!(s.received(), seen.len() as u64);
            prop_assert_eq!(s.duplicate(), duplicate);
            prop_assert_eq!(s.highest_plus_one(), numbers.iter().max().unwrap() + 1);
        }

        #[test]
        fn received_never_exceeds_what_was_sent(numbers in prop::collection::vec(any::<u64>(), 0..50)) {
            let s = taken(&numbers);
            prop_assert!(s.received() + s.duplicate() == numbers.len() as u64);
        }
    }
}
