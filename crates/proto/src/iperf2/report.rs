//! What a UDP server reports at the end.

use super::datagram::Shape;
use super::words::{put, put_wide, wide, word};

/// The figures of one flow.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ServerReport {
    /// All bytes, the last datagram's included.
    pub bytes: u64,
    /// From the first datagram to the last, us.
    pub duration_us: u64,
    /// Lost datagrams.
    pub lost: u64,
    /// Datagrams that came after a later one, or twice.
    pub out_of_order: u64,
    /// The highest number.
    pub datagrams: u64,
    /// Jitter, us.
    pub jitter_us: u64,
    /// More of it; not in legacy reports, and holds only if the server ran enhanced.
    pub extension: Option<ReportExtension>,
}

/// Transit times and rates. Times have the sign of clocks that disagree.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ReportExtension {
    /// Shortest, us.
    pub min_us: i64,
    /// Longest, us.
    pub max_us: i64,
    /// Sum, us.
    pub sum_us: i64,
    /// Mean, us.
    pub mean_us: i64,
    /// Sum of squared distances from the mean, us^2.
    pub m2_us2: f64,
    /// The last distance from the mean, us.
    pub last_deviation_us: i64,
    /// How many.
    pub count: u32,
    /// Datagrams a second.
    pub datagrams_per_second: u32,
}

/// Where a report stands in its datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportLayout {
    /// At 12, the first ten words only.
    Legacy,
    /// At 16.
    Modern,
}

/// The report holds.
const HOLDS: u32 = 0x8000_0000;
/// The extension holds.
const EXTENDED: u32 = 0x4000_0000;
/// Upper halves of counts hold.
const WIDE: u32 = 0x0800_0000;

impl ReportLayout {
    /// How a flow of this shape wants it.
    pub const fn for_shape(shape: Shape) -> Self {
        match shape {
            Shape::Legacy => Self::Legacy,
            Shape::Middle | Shape::Modern => Self::Modern,
        }
    }

    const fn at(self) -> usize {
        match self {
            Self::Legacy => 12,
            Self::Modern => 16,
        }
    }
}

impl ServerReport {
    /// Bytes of a report of 2.1.
    pub const LEN: usize = 128;
    /// Least bytes of a legacy one.
    pub const LEN_LEGACY: usize = 52;

    /// Writes itself into a datagram of [`Self::LEN`] bytes or more; the rest is left alone. The
    /// extension is always filled in, and `holds` says whether it is meant to be looked at.
    pub fn write(&self, datagram: &mut [u8], layout: ReportLayout, holds: bool) {
        let at = layout.at();
        let modern = layout == ReportLayout::Modern;
        let mut flags = HOLDS;
        if modern {
            flags |= WIDE;
        }
        if modern && holds && self.extension.is_some() {
            flags |= EXTENDED;
        }
        put(datagram, at, flags);
        put_wide(datagram, at + 4, at + 8, self.bytes);
        put_time(datagram, at + 12, self.duration_us as i64);
        for (i, count) in [self.lost, self.out_of_order, self.datagrams]
            .into_iter()
            .enumerate()
        {
            let low = at + 20 + 4 * i;
            if modern {
                put_wide(datagram, at + 100 + 4 * i, low, count);
            } else {
                put(datagram, low, count.min(i32::MAX as u64) as u32);
            }
        }
        put_time(datagram, at + 32, self.jitter_us as i64);
        if modern && let Some(extension) = &self.extension {
            extension.write(datagram, at + 40);
        }
    }

    /// Reads a datagram that a server sent; none if it is no report.
    pub fn parse(datagram: &[u8]) -> Option<(Self, ReportLayout)> {
        let layout = if datagram.len() > Self::LEN_LEGACY && word(datagram, 16) & HOLDS != 0 {
            ReportLayout::Modern
        } else if datagram.len() >= Self::LEN_LEGACY && word(datagram, 12) == HOLDS {
            ReportLayout::Legacy
        } else {
            return None;
        };
        let at = layout.at();
        let flags = word(datagram, at);
        let modern = layout == ReportLayout::Modern;
        let count = |i: usize| {
            let low = at + 20 + 4 * i;
            if modern && flags & WIDE != 0 {
                wide(datagram, at + 100 + 4 * i, low)
            } else {
                u64::from(word(datagram, low))
            }
        };
        let extended = modern && flags & EXTENDED != 0;
        let report = Self {
            bytes: wide(datagram, at + 4, at + 8),
            duration_us: time(datagram, at + 12).max(0) as u64,
            lost: count(0),
            out_of_order: count(1),
            datagrams: count(2),
            jitter_us: time(datagram, at + 32).max(0) as u64,
            extension: extended.then(|| ReportExtension::read(datagram, at + 40)),
        };
        Some((report, layout))
    }
}

impl ReportExtension {
    fn read(datagram: &[u8], at: usize) -> Self {
        let m2 = f64::from(word(datagram, at + 32)) + f64::from(word(datagram, at + 36)) / 1e6;
        Self {
            min_us: time(datagram, at),
            max_us: time(datagram, at + 8),
            sum_us: time(datagram, at + 16),
            mean_us: time(datagram, at + 24),
            m2_us2: m2,
            last_deviation_us: time(datagram, at + 40),
            count: word(datagram, at + 48),
            datagrams_per_second: word(datagram, at + 52),
        }
    }

    fn write(&self, datagram: &mut [u8], at: usize) {
        let times = [self.min_us, self.max_us, self.sum_us, self.mean_us];
        for (i, micros) in times.into_iter().enumerate() {
            put_time(datagram, at + 8 * i, micros);
        }
        // A cast of too large a number saturates.
        put(datagram, at + 32, self.m2_us2 as u32);
        put(datagram, at + 36, (self.m2_us2.fract() * 1e6) as u32);
        put_time(datagram, at + 40, self.last_deviation_us);
        put(datagram, at + 48, self.count);
        put(datagram, at + 52, self.datagrams_per_second);
        // What the field before is to be divided by.
        put(datagram, at + 56, 1);
    }
}

/// Seconds and microseconds, each with the sign, in us.
fn time(bytes: &[u8], at: usize) -> i64 {
    let signed = |at| i64::from(word(bytes, at) as i32);
    signed(at) * 1_000_000 + signed(at + 4)
}

fn put_time(bytes: &mut [u8], at: usize, micros: i64) {
    let seconds = micros / 1_000_000;
    let seconds = seconds.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
    put(bytes, at, seconds as u32);
    put(bytes, at + 4, (micros % 1_000_000) as i32 as u32);
}

#[cfg(test)]
mod tests;
