//! What became of a wish to mark packets.

/// A socket priority or a type of service that the server reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mark {
    /// Nobody asked.
    #[default]
    Unset,
    /// Asked, and the system said no.
    Failed,
    /// The server's system has no such option.
    Unsupported,
    /// In effect.
    Set(u32),
}

impl Mark {
    pub(super) const fn of_word(word: u32) -> Self {
        match word as i32 {
            0.. => Self::Set(word),
            -2 => Self::Failed,
            -3 => Self::Unsupported,
            _ => Self::Unset,
        }
    }

    pub(super) const fn word(self) -> u32 {
        match self {
            Self::Set(value) => value,
            Self::Unset => -1_i32 as u32,
            Self::Failed => -2_i32 as u32,
            Self::Unsupported => -3_i32 as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_numbers_tell_why_there_is_none() {
        for (word, mark) in [
            (0, Mark::Set(0)),
            (46 << 2, Mark::Set(184)),
            (u32::MAX, Mark::Unset),
            (u32::MAX - 1, Mark::Failed),
            (u32::MAX - 2, Mark::Unsupported),
        ] {
            assert_eq!(Mark::of_word(word), mark);
            assert_eq!(mark.word(), word);
        }
        assert_eq!(Mark::of_word(0x8000_0000), Mark::Unset);
    }
}
