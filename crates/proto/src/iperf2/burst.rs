//! The header of each burst in a stream: of every write with trip times, of a frame, of a
//! periodic burst.

use super::stamp::Stamp;
use super::words::{put, put_wide, wide, word};

/// What stands at the front of a burst.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BurstHeader {
    /// When the test began.
    pub start: Stamp,
    /// When this was written.
    pub sent: Stamp,
    /// Distance of bursts, us; 0 without a period.
    pub period_us: u32,
    /// Which burst, from 1.
    pub id: u32,
    /// Its bytes, this header included.
    pub size: u32,
    /// 2, and all bytes of bursts so far, this one included.
    pub sequence: u64,
}

impl BurstHeader {
    /// Bytes of the header: the smallest burst.
    pub const LEN: usize = 92;

    /// Writes it to the front of a burst. What iperf leaves there of other headers is left here.
    #[inline]
    pub fn write(&self, burst: &mut [u8]) {
        self.start.write(burst, 12);
        self.sent.write(burst, 20);
        put(burst, 40, self.period_us);
        put(burst, 44, self.id);
        put(burst, 48, self.size);
        put_wide(burst, 56, 52, self.sequence);
    }

    /// Reads it; what is cut off is zero.
    #[inline]
    pub fn read(burst: &[u8]) -> Self {
        Self {
            start: Stamp::read(burst, 12),
            sent: Stamp::read(burst, 20),
            period_us: word(burst, 40),
            id: word(burst, 44),
            size: word(burst, 48),
            sequence: wide(burst, 56, 52),
        }
    }

    /// Bytes that follow the header. A sender that says less than a header is not believed.
    pub const fn rest(&self) -> usize {
        (self.size as usize).saturating_sub(Self::LEN)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    /// From `iperf -c … --trip-times` of 2.1.8.
    const BURST: &str = "400100a0 00000001 00001bbe 6b0dd923 00049273 6b0dd923 00049285 00000000
        00100000 00020001 00080003 00000001 00020000 00020002 00000000 00000000
        6b0dd923 000491f4 00000000 00000000 00000000 00000000 00000000";

    #[test]
    fn first_burst_of_2_1_8() {
        let bytes = fixture::bytes(BURST);
        assert_eq!(bytes.len(), BurstHeader::LEN);
        let header = BurstHeader::read(&bytes);
        assert_eq!((header.id, header.size), (1, 131_072));
        assert_eq!(header.sequence, 131_074);
        assert_eq!(header.sent.as_micros() - header.start.as_micros(), 18);
        let mut again = bytes.clone();
        again[12..28].fill(0);
        again[40..60].fill(0);
        header.write(&mut again);
        assert_eq!(again, bytes);
        assert_eq!(header.rest(), 131_072 - 92);
        assert_eq!(BurstHeader::read(&[]).rest(), 0);
    }
}
