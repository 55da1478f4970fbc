//! A rate of data in bits per second.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::suffix::{ParseError, exact, scale, split};
use crate::{Bytes, Nanos};

/// A rate of data, in bits per second.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(transparent)]
pub struct BitRate(u64);

impl BitRate {
    /// `n` bits per second.
    pub const fn new(n: u64) -> Self {
        Self(n)
    }

    /// The rate at which `bytes` moved in `time`; none when no time passed.
    pub fn of(bytes: Bytes, time: Nanos) -> Option<Self> {
        (time.get() > 0)
            .then(|| Self((bytes.get() as f64 * 8e9 / time.get() as f64).round() as u64))
    }

    /// Bits per second.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The text that parses back to exactly this, such as `20M`, for files that people edit.
    pub fn exact(self) -> String {
        exact(
            self.0,
            &[
                (1_000_000_000_000, "T"),
                (1_000_000_000, "G"),
                (1_000_000, "M"),
                (1_000, "k"),
            ],
        )
    }

    /// Bytes per second, rounded down.
    pub const fn bytes_per_second(self) -> u64 {
        self.0 / 8
    }

    /// How long `bytes` take at this rate; none at a rate of zero.
    pub fn time_for(self, bytes: Bytes) -> Option<Nanos> {
        (self.0 > 0).then(|| {
            let nanos = u128::from(bytes.get()) * 8_000_000_000 / u128::from(self.0);
            Nanos::new(u64::try_from(nanos).unwrap_or(u64::MAX))
        })
    }
}

impl FromStr for BitRate {
    type Err = ParseError;

    /// `1000000`, `1M`, `2.5G`, `100mbit`, `1Gbit/s`: k, M, G, T are powers of 1000.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let error = || ParseError {
            text: text.to_owned(),
            expected: "a rate: bits per second, with k, M, G or T for powers of 1000",
        };
        let (number, suffix) = split(text).ok_or_else(error)?;
        let suffix = suffix.to_ascii_lowercase();
        let suffix = suffix
            .strip_suffix("/s")
            .or(suffix.strip_suffix("ps"))
            .unwrap_or(&suffix);
        let suffix = suffix
            .strip_suffix("bit")
            .or(suffix.strip_suffix('b'))
            .unwrap_or(suffix);
        let factor = match suffix {
            "" => 1.0,
            "k" => 1e3,
            "m" => 1e6,
            "g" => 1e9,
            "t" => 1e12,
            _ => return Err(error()),
        };
        scale(number, factor)
            // What rounds to nothing was not meant as nothing.
            .filter(|rate| *rate > 0 || number == 0.0)
            .map(Self)
            .ok_or_else(error)
    }
}

impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.0 as f64;
        let (scaled, unit) = match value {
            v if v < 1e3 => return f.pad(&format!("{} bit/s", self.0)),
            v if v < 1e6 => (v / 1e3, "kbit/s"),
            v if v < 1e9 => (v / 1e6, "Mbit/s"),
            v if v < 1e12 => (v / 1e9, "Gbit/s"),
            v => (v / 1e12, "Tbit/s"),
        };
        f.pad(&format!("{scaled:.2} {unit}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_decimal() {
        for (text, rate) in [
            ("0", 0),
            ("1k", 1_000),
            ("2.5G", 2_500_000_000),
            ("100mbit", 100_000_000),
            ("1Gbit/s", 1_000_000_000),
            ("3Mbps", 3_000_000),
        ] {
            assert_eq!(text.parse(), Ok(BitRate::new(rate)), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "0.0001", "fast", "-1M", "1MiB", "1q"] {
            assert!(text.parse::<BitRate>().is_err(), "{text}");
        }
    }

    #[test]
    fn time_and_rate_agree() {
        let rate = BitRate::new(20_000_000);
        assert_eq!(rate.time_for(Bytes::new(1200)), Some(Nanos::new(480_000)));
        assert_eq!(
            BitRate::of(Bytes::new(1200), Nanos::new(480_000)),
            Some(rate)
        );
        assert_eq!(BitRate::of(Bytes::new(1), Nanos::default()), None);
        assert_eq!(BitRate::new(0).time_for(Bytes::new(1)), None);
    }

    #[test]
    fn exact_texts_parse_back() {
        for (rate, text) in [
            (0, "0"),
            (1024, "1024"),
            (20_000_000, "20M"),
            (1500, "1500"),
        ] {
            assert_eq!(BitRate::new(rate).exact(), text);
            assert_eq!(text.parse(), Ok(BitRate::new(rate)));
        }
    }
}
