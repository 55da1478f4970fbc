//! The front of every datagram of a UDP test, and what a flow's first datagram tells.

use super::flags::Flags;
use super::header::TestHeader;
use super::stamp::Stamp;
use super::words::{half, put, word};

/// How a flow's datagrams begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Shape {
    /// 12 bytes, numbers of 32 bits from 0.
    Legacy,
    /// 16 bytes, of which the last four are no number; a last number has its top bit set (2.0.10).
    Middle,
    /// 16 bytes, numbers of 64 bits from 1.
    #[default]
    Modern,
}

/// A number and the time of sending. A number below zero ends the flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatagramHeader {
    /// The number.
    pub id: i64,
    /// When it was sent.
    pub sent: Stamp,
}

impl Shape {
    /// Bytes of the header.
    pub const fn header_len(self) -> usize {
        match self {
            Self::Legacy => 12,
            Self::Middle | Self::Modern => 16,
        }
    }

    /// The number of the first datagram.
    pub const fn first_id(self) -> i64 {
        match self {
            Self::Modern => 1,
            Self::Legacy | Self::Middle => 0,
        }
    }
}

impl DatagramHeader {
    /// The smallest datagram: number and time.
    pub const LEAST: usize = 12;
    /// Bytes that netdyno's own have.
    pub const LEN: usize = 16;

    /// Writes it as 2.1 does, as far as there is room.
    #[inline]
    pub fn write(&self, datagram: &mut [u8]) {
        put(datagram, 0, self.id as u32);
        self.sent.write(datagram, 4);
        put(datagram, 12, (self.id >> 32) as u32);
    }

    /// Reads the front of a datagram; none when it is too short.
    #[inline]
    pub fn parse(datagram: &[u8], shape: Shape) -> Option<Self> {
        if datagram.len() < Self::LEAST {
            return None;
        }
        let low = word(datagram, 0);
        let id = match shape {
            Shape::Modern if datagram.len() >= Self::LEN => {
                i64::from(word(datagram, 12) as i32) << 32 | i64::from(low)
            }
            Shape::Middle if low >> 31 == 1 => -i64::from(low & 0x7fff_ffff),
            Shape::Legacy | Shape::Middle | Shape::Modern => i64::from(low as i32),
        };
        Some(Self {
            id,
            sent: Stamp::read(datagram, 4),
        })
    }
}

/// What the first datagram of a flow tells.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstDatagram {
    /// How this one and those after it begin.
    pub shape: Shape,
    /// The test header; none of clients that send none.
    pub header: Option<TestHeader>,
    /// Trip times without a test header, in datagrams too small for one.
    pub has_small_trip_times: bool,
    /// Its number and time.
    pub front: DatagramHeader,
}

/// What stands at offset 16 when trip times come without a test header.
const SMALL_TRIP_TIMES: u16 = 0x0002;

impl FirstDatagram {
    /// Reads it; none when it begins no flow: too short, or an end.
    pub fn parse(datagram: &[u8]) -> Option<Self> {
        if datagram.len() < DatagramHeader::LEAST {
            return None;
        }
        let (at_12, at_16) = (word(datagram, 12), word(datagram, 16));
        let has_small_trip_times =
            datagram.len() >= 18 && half(datagram, 16) == SMALL_TRIP_TIMES && at_12 == 0;
        let modern = Flags::from_bits(at_16).has(Flags::EXTENDED | Flags::SEQ64);
        let is_first_of_legacy = word(datagram, 0) == 0;
        let (shape, header) = if has_small_trip_times {
            (Shape::Modern, None)
        } else if modern {
            (Shape::Modern, TestHeader::read_datagram(datagram))
        } else if at_16 == 0 && is_payload(at_12, 12) {
            (Shape::Middle, None)
        } else if matches!(at_12, 0 | 0x8000_0000 | 0x8000_0001) && is_first_of_legacy {
            (Shape::Legacy, TestHeader::read_legacy_datagram(datagram))
        } else if is_payload(at_12, 12) {
            (Shape::Legacy, None)
        } else {
            (Shape::Modern, None)
        };
        let mut front = DatagramHeader::parse(datagram, shape)?;
        if modern && is_payload(at_12, 12) {
            // 2.0.13 leaves it in the first datagram of `-d`.
            front.id = word(datagram, 0).into();
        }
        (front.id >= 0).then_some(Self {
            shape,
            header,
            has_small_trip_times,
            front,
        })
    }
}

/// Whether the word at `at` is the usual payload.
fn is_payload(word: u32, at: usize) -> bool {
    let digit = |i: usize| b'0' + ((at + i) % 10) as u8;
    word.to_be_bytes() == [digit(0), digit(1), digit(2), digit(3)]
}

#[cfg(test)]
mod tests;
