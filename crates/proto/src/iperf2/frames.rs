//! Frames and bursts at regular times: what is asked, and what each datagram says of its frame.

use super::stamp::Stamp;
use super::words::{put, word};

/// Bytes of either block.
pub(super) const LEN: usize = 32;

/// Frames per second and their sizes. Numbers with a fraction are an integer and millionths.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FrameSettings {
    /// Frames, or bursts, a second.
    pub per_second: f64,
    /// Mean rate in bit/s; for bursts, bytes of a burst.
    pub mean: f64,
    /// Standard deviation of the rate, bit/s.
    pub deviation: f64,
    /// Gap between the writes of a frame, ms.
    pub gap_ms: f64,
}

impl FrameSettings {
    /// Bytes of a frame of mean size.
    pub fn frame_bytes(&self) -> f64 {
        if self.per_second > 0.0 {
            self.mean / self.per_second / 8.0
        } else {
            0.0
        }
    }

    pub(super) fn read(bytes: &[u8], at: usize) -> Self {
        let number =
            |at| f64::from(word(bytes, at)) + f64::from(word(bytes, at + 4).min(999_999)) / 1e6;
        Self {
            per_second: number(at),
            mean: number(at + 8),
            deviation: number(at + 16),
            gap_ms: number(at + 24),
        }
    }

    pub(super) fn write(&self, bytes: &mut [u8], at: usize) {
        let numbers = [self.per_second, self.mean, self.deviation, self.gap_ms];
        for (i, number) in numbers.into_iter().enumerate() {
            // A cast of too large a number, or of none, saturates.
            let millionths = (number.fract() * 1e6).round() as u32;
            put(bytes, at + 8 * i, number as u32 + millionths / 1_000_000);
            put(bytes, at + 8 * i + 4, millionths % 1_000_000);
        }
    }
}

/// A datagram's place in its frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FrameBlock {
    /// Distance of frames, us.
    pub period_us: u32,
    /// When the first frame was due.
    pub start: Stamp,
    /// The frame before.
    pub previous: u32,
    /// This frame, from 1; 0 in what belongs to none.
    pub frame: u32,
    /// Bytes of the frame.
    pub size: u32,
    /// Bytes of it that are still to come, this datagram included.
    pub remaining: u32,
}

impl FrameBlock {
    /// Where 2.1 writes it in a datagram.
    const AT: usize = 76;
    /// Where 2.2 does.
    const AT_2_2: usize = 80;

    /// What a datagram of this sender says.
    pub fn read(datagram: &[u8], is_2_2: bool) -> Self {
        let at = if is_2_2 { Self::AT_2_2 } else { Self::AT };
        Self {
            period_us: word(datagram, at),
            start: Stamp::read(datagram, at + 4),
            previous: word(datagram, at + 12),
            frame: word(datagram, at + 16),
            size: word(datagram, at + 20),
            remaining: word(datagram, at + 24),
        }
    }

    /// Writes it as 2.1 does.
    pub fn write(&self, datagram: &mut [u8]) {
        let at = Self::AT;
        put(datagram, at, self.period_us);
        self.start.write(datagram, at + 4);
        for (i, value) in [self.previous, self.frame, self.size, self.remaining]
            .into_iter()
            .enumerate()
        {
            put(datagram, at + 12 + 4 * i, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_millionths() {
        let settings = FrameSettings {
            per_second: 29.97,
            mean: 4e6,
            deviation: 0.999_999_9,
            gap_ms: 0.005,
        };
        let mut bytes = [0; LEN];
        settings.write(&mut bytes, 0);
        let words: Vec<u32> = (0..8).map(|i| word(&bytes, 4 * i)).collect();
        assert_eq!(words, [29, 970_000, 4_000_000, 0, 1, 0, 0, 5000]);
        let read = FrameSettings::read(&bytes, 0);
        assert_eq!(read.per_second, 29.97);
        assert_eq!(FrameSettings::read(&[], 0).frame_bytes(), 0.0);
    }

    #[test]
    fn the_block_moved_by_four_bytes_in_2_2() {
        let block = FrameBlock {
            period_us: 20_000,
            start: Stamp::from_micros(1_000_000_000_005),
            previous: 6,
            frame: 7,
            size: 10_000,
            remaining: 1180,
        };
        let mut datagram = vec![0; 160];
        block.write(&mut datagram);
        assert_eq!(word(&datagram, 92), 7);
        assert_eq!(FrameBlock::read(&datagram, false), block);
        datagram.splice(76..76, [0; 4]);
        assert_eq!(FrameBlock::read(&datagram, true), block);
    }
}
