//! Histograms of times.

use super::{Id, table};

/// How often a time fell into each bin.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// Whose.
    pub id: Id,
    /// Since the flow's first byte.
    pub from_seconds: f64,
    /// Since the flow's first byte.
    pub to_seconds: f64,
    /// It is of the whole test.
    pub is_final: bool,
    /// What was timed.
    pub of: Timed,
    /// Width of a bin.
    pub width_usecs: u64,
    /// Number of bins.
    pub bins: u64,
    /// Bins that are not empty, from the lowest: their number, from 1, and how many times.
    pub counts: Vec<(u64, u64)>,
    /// Times below the first bin.
    pub below: u64,
    /// Times above the last bin.
    pub above: u64,
    /// The lower limit that is named.
    pub low_percent: f64,
    /// The upper limit that is named.
    pub high_percent: f64,
    /// The longest time and when it was, in microseconds since 1970.
    pub longest: Option<(f64, u64)>,
}

/// What was timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timed {
    /// The way of datagrams.
    Datagrams,
    /// How much the way of a datagram differs from that of the one before.
    Jitter,
    /// The way of bursts or frames.
    Bursts,
    /// Writes.
    Writes,
    /// Waiting for room to write.
    Waits,
    /// Requests and replies.
    RoundTrips,
}

/// The third limit.
const HIGHEST_PERCENT: f64 = 99.7;

impl Histogram {
    /// The line with its end.
    pub fn line(&self) -> String {
        let name = match self.of {
            Timed::Datagrams => "T8",
            Timed::Jitter => "J8",
            Timed::Bursts => "F8",
            Timed::Writes => "W8",
            Timed::Waits => "S8",
            Timed::RoundTrips => "BB8",
        };
        let mark = if self.is_final { "(f)" } else { "" };
        let width = match self.width_usecs {
            usecs if usecs >= 1000 && usecs.is_multiple_of(1000) => format!("{}ms", usecs / 1000),
            usecs => format!("{usecs}us"),
        };
        let counts: Vec<String> = self
            .counts
            .iter()
            .map(|(bin, count)| format!("{bin}:{count}"))
            .collect();
        let counts = match counts.is_empty() {
            true => String::new(),
            false => format!("={}", counts.join(",")),
        };
        let start = table::span(&self.id, self.from_seconds, self.to_seconds);
        let Self { below, above, .. } = self;
        format!(
            "{start}{name}{mark}-PDF: bin(w={width}):cnt({}){counts} ({},Outliers={},\
             obl/obu={below}/{above}){}\n",
            self.count(),
            self.limits(),
            self.outliers(),
            self.longest()
        )
    }

    fn count(&self) -> u64 {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    fn limits(&self) -> String {
        let Self {
            low_percent: low,
            high_percent: high,
            ..
        } = self;
        let [low_bin, high_bin, highest_bin] =
            [*low, *high, HIGHEST_PERCENT].map(|percent| self.bin_at(percent));
        if *high > HIGHEST_PERCENT {
            format!("{low:.2}/99.7/{high:.2}/%={low_bin}/{highest_bin}/{high_bin}")
        } else {
            format!("{low:.2}/{high:.2}/99.7%={low_bin}/{high_bin}/{highest_bin}")
        }
    }

    /// The bin at which the running count passes this share.
    fn bin_at(&self, percent: f64) -> u64 {
        let target = self.count() as f64 * percent / 100.0;
        let mut running = 0;
        let at = self.counts.iter().find(|(_, count)| {
            running += count;
            running as f64 > target
        });
        match at.or(self.counts.last()) {
            Some((bin, _)) => *bin,
            None if percent <= self.low_percent => 0,
            None => self.bins,
        }
    }

    /// The last bin that is not empty before the running count passes this share.
    fn bin_before(&self, percent: f64) -> u64 {
        let target = self.count() as f64 * percent / 100.0;
        let mut running = 0;
        let before = self.counts.iter().take_while(|(_, count)| {
            running += count;
            running as f64 <= target
        });
        before.last().map_or(0, |(bin, _)| *bin)
    }

    /// Times far above the most: three times the distance of the 10th and the 90th percentile.
    fn outliers(&self) -> u64 {
        let [low, high] = [10.0, 90.0].map(|percent| self.bin_before(percent));
        let limit = high + 3 * (high - low);
        let beyond = self.counts.iter().filter(|(bin, _)| *bin > limit);
        if limit == 0 {
            0
        } else {
            beyond.map(|(_, count)| count).sum()
        }
    }

    fn longest(&self) -> String {
        let Some((longest_ms, usecs)) = self.longest else {
            return String::new();
        };
        let (second, usec) = (usecs / 1_000_000, usecs % 1_000_000);
        format!(" ({longest_ms:.3} ms/{second}.{usec:06})")
    }
}
