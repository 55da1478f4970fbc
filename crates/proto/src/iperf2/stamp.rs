//! An instant of wall time as iperf 2 writes it.

use super::words::{put, word};

/// Seconds since 1970 and microseconds, both in 32 bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp {
    /// Seconds since 1970-01-01 UTC.
    pub seconds: u32,
    /// Microseconds of the second.
    pub micros: u32,
}

impl Stamp {
    /// The instant `micros` after 1970.
    #[inline]
    pub const fn from_micros(micros: u64) -> Self {
        Self {
            seconds: (micros / 1_000_000) as u32,
            micros: (micros % 1_000_000) as u32,
        }
    }

    /// Microseconds since 1970. A peer's nonsense is a number too.
    #[inline]
    pub const fn as_micros(self) -> i64 {
        self.seconds as i64 * 1_000_000 + self.micros as i64
    }

    /// Whether nothing was filled in.
    pub const fn is_zero(self) -> bool {
        self.seconds == 0 && self.micros == 0
    }

    /// Reads the two words at `at`.
    #[inline]
    pub(super) fn read(bytes: &[u8], at: usize) -> Self {
        Self {
            seconds: word(bytes, at),
            micros: word(bytes, at + 4),
        }
    }

    /// Writes the two words at `at`.
    #[inline]
    pub(super) fn write(self, bytes: &mut [u8], at: usize) {
        put(bytes, at, self.seconds);
        put(bytes, at + 4, self.micros);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microseconds_both_ways() {
        let stamp = Stamp::from_micros(1_796_054_800_031_277);
        assert_eq!((stamp.seconds, stamp.micros), (1_796_054_800, 31_277));
        assert_eq!(stamp.as_micros(), 1_796_054_800_031_277);
        let nonsense = Stamp {
            seconds: u32::MAX,
            micros: u32::MAX,
        };
        assert_eq!(nonsense.as_micros(), 4_294_967_295_000_000 + 4_294_967_295);
    }
}
