//! How long a test lasts, in one word.

use units::{Bytes, Nanos};

/// Time or bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Counted in hundredths of a second.
    Time(Nanos),
    /// At most 2^31 - 1 bytes: the top bit says that it is time.
    Bytes(Bytes),
}

/// A hundredth of a second.
const HUNDREDTH: u64 = 10_000_000;

impl Amount {
    /// The longest time that can be asked, 248 days: what stands for "for ever". iperf itself
    /// asks for 1000 bytes then.
    pub const FOR_EVER: Self = Self::Time(Nanos::new((1 << 31) * HUNDREDTH));
    /// The most bytes that can be asked.
    pub const MOST_BYTES: Bytes = Bytes::new((1 << 31) - 1);

    /// What the word asks for.
    pub const fn of_word(word: u32) -> Self {
        if word >> 31 == 1 {
            Self::Time(Nanos::new(word.wrapping_neg() as u64 * HUNDREDTH))
        } else {
            Self::Bytes(Bytes::new(word as u64))
        }
    }

    /// The word; what does not fit is the most that does. A time is at least a hundredth.
    pub fn word(self) -> u32 {
        match self {
            Self::Time(time) => {
                let hundredths = (time.get() + HUNDREDTH / 2) / HUNDREDTH;
                (hundredths.clamp(1, 1 << 31) as u32).wrapping_neg()
            }
            Self::Bytes(bytes) => bytes.get().min(Self::MOST_BYTES.get()) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_of_the_command_line() {
        let seconds = |s| Amount::Time(Nanos::from_secs(s));
        assert_eq!(seconds(1).word(), 0xffff_ff9c);
        assert_eq!(seconds(10).word(), 0xffff_fc18);
        assert_eq!(Amount::Bytes(Bytes::new(204_800)).word(), 0x0003_2000);
        assert_eq!(Amount::FOR_EVER.word(), 0x8000_0000);
        assert_eq!(Amount::of_word(0x8000_0000), Amount::FOR_EVER);
        assert_eq!(Amount::Bytes(Bytes::new(3 << 30)).word(), 0x7fff_ffff);
        assert_eq!(Amount::Time(Nanos::ZERO).word(), 0xffff_ffff, "not 0 bytes");
    }

    proptest! {
        #[test]
        fn a_word_reads_back(word: u32) {
            prop_assert_eq!(Amount::of_word(word).word(), word);
        }
    }
}
