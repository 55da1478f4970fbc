//! How long a test is.

/// The end of a test, as `-l` says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// Until the client ends it.
    Unlimited,
    /// So many seconds.
    Seconds(u32),
    /// So many transactions, or bytes in one direction.
    Count(u32),
}

impl Length {
    /// Seconds are positive, counts negative; 0 is without end.
    pub(super) const fn of_word(word: u32) -> Self {
        let number = word as i32;
        match number {
            0 => Self::Unlimited,
            1.. => Self::Seconds(word),
            _ => Self::Count(number.unsigned_abs()),
        }
    }

    /// The word; what does not fit is the most that does.
    pub(super) fn word(self) -> u32 {
        match self {
            Self::Unlimited => 0,
            Self::Seconds(seconds) => seconds.min(i32::MAX as u32),
            Self::Count(count) => count.min(i32::MIN.unsigned_abs()).wrapping_neg(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_tells_seconds_from_counts() {
        for (word, length) in [
            (0, Length::Unlimited),
            (1, Length::Seconds(1)),
            (0x7fff_ffff, Length::Seconds(0x7fff_ffff)),
            (0xffff_ffff, Length::Count(1)),
            (0xffff_fc18, Length::Count(1000)),
            (0x8000_0000, Length::Count(0x8000_0000)),
        ] {
            assert_eq!(Length::of_word(word), length, "{word:#x}");
            assert_eq!(length.word(), word, "{length:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_the_most_that_does() {
        assert_eq!(Length::Seconds(u32::MAX).word(), 0x7fff_ffff);
        assert_eq!(Length::Count(u32::MAX).word(), 0x8000_0000);
    }
}
