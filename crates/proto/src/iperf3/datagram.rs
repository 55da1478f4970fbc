//! The head of a datagram.

use units::Nanos;

/// How long a datagram's number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// The usual one.
    Bits32,
    /// For long tests.
    Bits64,
}

/// When a datagram was sent, and its number. The first one is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Datagram {
    /// By a clock of the sender's, to the microsecond: only differences mean something.
    pub sent: Nanos,
    /// Its number.
    pub number: u64,
}

impl Counter {
    /// Bytes of a head.
    pub const fn head(self) -> usize {
        match self {
            Self::Bits32 => 12,
            Self::Bits64 => 16,
        }
    }

    /// A number of 32 bits made whole again: it goes on behind `highest` when that is close to
    /// the end of 32 bits and the number close to their beginning.
    pub const fn extend(self, number: u64, highest: u64) -> u64 {
        const QUARTER: u64 = 1 << 30;
        if matches!(self, Self::Bits64) {
            return number;
        }
        let (turns, low) = (highest >> 32 << 32, highest & 0xffff_ffff);
        if low >= 3 * QUARTER && number < QUARTER {
            turns + (1 << 32) + number
        } else if turns > 0 && low < QUARTER && number >= 3 * QUARTER {
            turns - (1 << 32) + number
        } else {
            turns + number
        }
    }
}

impl Datagram {
    /// Bytes of the longest head.
    pub const LONGEST: usize = 16;

    /// Writes the head of a datagram.
    #[inline]
    pub fn encode_into(&self, counter: Counter, bytes: &mut [u8]) {
        let microseconds = self.sent.get() / 1000;
        let seconds = (microseconds / 1_000_000) as u32;
        let rest = (microseconds % 1_000_000) as u32;
        bytes[..4].copy_from_slice(&seconds.to_be_bytes());
        bytes[4..8].copy_from_slice(&rest.to_be_bytes());
        match counter {
            Counter::Bits32 => {
                bytes[8..12].copy_from_slice(&(self.number as u32).to_be_bytes());
            }
            Counter::Bits64 => bytes[8..16].copy_from_slice(&self.number.to_be_bytes()),
        }
    }

    /// Reads the head of a datagram; none for one that is too short for it.
    #[inline]
    pub fn parse(counter: Counter, bytes: &[u8]) -> Option<Self> {
        let (seconds, rest) = bytes.split_first_chunk()?;
        let (microseconds, rest) = rest.split_first_chunk()?;
        let (seconds, microseconds) = (
            u32::from_be_bytes(*seconds),
            u32::from_be_bytes(*microseconds),
        );
        let number = match counter {
            Counter::Bits32 => u32::from_be_bytes(*rest.first_chunk()?).into(),
            Counter::Bits64 => u64::from_be_bytes(*rest.first_chunk()?),
        };
        let sent = u64::from(seconds) * 1_000_000 + u64::from(microseconds);
        Some(Self {
            sent: Nanos::new(sent * 1000),
            number,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_as_seen_on_the_wire() {
        let bytes = [
            0, 0, 2, 0xa8, 0, 9, 0x2b, 0xe7, 0, 0, 0, 1, 0xaa, 0xaa, 0xaa, 0xaa,
        ];
        let head = Datagram::parse(Counter::Bits32, &bytes).unwrap();
        assert_eq!(head.sent, Nanos::new(680_601_063_000));
        assert_eq!(head.number, 1);
        let mut again = bytes;
        again[..12].fill(0);
        head.encode_into(Counter::Bits32, &mut again);
        assert_eq!(again, bytes, "what follows is left alone");
        let bytes = [0, 0, 0x0e, 0x18, 0, 1, 0x44, 0x38, 0, 0, 0, 1, 0, 0, 0, 5];
        let head = Datagram::parse(Counter::Bits64, &bytes).unwrap();
        assert_eq!(head.number, (1 << 32) + 5);
        let mut again = [0; 16];
        head.encode_into(Counter::Bits64, &mut again);
        assert_eq!(again, bytes);
        assert_eq!(Datagram::parse(Counter::Bits64, &bytes[..15]), None);
        assert_eq!(Datagram::parse(Counter::Bits32, &bytes[..11]), None);
    }

    #[test]
    fn a_number_of_32_bits_goes_on_behind_its_end() {
        let extend = |number, highest| Counter::Bits32.extend(number, highest);
        let turn = 1 << 32;
        assert_eq!(extend(5, turn - 3), turn + 5);
        assert_eq!(extend(turn - 3, turn + 5), turn - 3, "a late one");
        assert_eq!(extend(7, turn + 5), turn + 7);
        assert_eq!(extend(turn - 1, 2), turn - 1, "a jump is a loss");
        assert_eq!(Counter::Bits64.extend(5, turn - 3), 5);
    }
}
