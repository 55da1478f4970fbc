//! A span of time, or an instant counted from a named origin, in nanoseconds.

use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::suffix::{ParseError, exact, scale, split};

/// Nanoseconds: a span, or an instant of the monotonic clock or since a run's start.
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
pub struct Nanos(u64);

impl Nanos {
    /// No time.
    pub const ZERO: Self = Self(0);

    /// `n` nanoseconds.
    pub const fn new(n: u64) -> Self {
        Self(n)
    }

    /// `n` milliseconds.
    pub const fn from_millis(n: u64) -> Self {
        Self(n * 1_000_000)
    }

    /// `n` seconds.
    pub const fn from_secs(n: u64) -> Self {
        Self(n * 1_000_000_000)
    }

    /// Nanoseconds.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Seconds, with the fraction.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The text that parses back to exactly this, such as `250ms`, for files that people edit.
    pub fn exact(self) -> String {
        if self.is_zero() {
            return "0s".to_owned();
        }
        exact(
            self.0,
            &[
                (1_000_000_000, "s"),
                (1_000_000, "ms"),
                (1_000, "us"),
                (1, "ns"),
            ],
        )
    }

    /// What is left after taking `other` away; zero when there is nothing left.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Whether this is no time at all.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl Add for Nanos {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Nanos {
    type Output = Self;
    /// Saturates at zero: measured instants never give a negative span.
    fn sub(self, other: Self) -> Self {
        self.saturating_sub(other)
    }
}

impl From<Duration> for Nanos {
    fn from(duration: Duration) -> Self {
        Self(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl From<Nanos> for Duration {
    fn from(nanos: Nanos) -> Self {
        Self::from_nanos(nanos.0)
    }
}

impl FromStr for Nanos {
    type Err = ParseError;

    /// `10` (seconds), `1.5s`, `250ms`, `50us`, `100ns`, `2m`, `1h`.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let error = || ParseError {
            text: text.to_owned(),
            expected: "a time: seconds, or a number with ns, us, ms, s, m or h",
        };
        let (number, suffix) = split(text).ok_or_else(error)?;
        let factor = match suffix {
            "" | "s" | "sec" => 1e9,
            "ms" => 1e6,
            "us" | "µs" => 1e3,
            "ns" => 1.0,
            "m" | "min" => 60e9,
            "h" => 3600e9,
            _ => return Err(error()),
        };
        scale(number, factor).map(Self).ok_or_else(error)
    }
}

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.0 as f64;
        match value {
            v if v < 1e3 => f.pad(&format!("{} ns", self.0)),
            v if v < 1e6 => f.pad(&format!("{:.1} us", v / 1e3)),
            v if v < 1e9 => f.pad(&format!("{:.2} ms", v / 1e6)),
            v => f.pad(&format!("{:.2} s", v / 1e9)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_number_is_seconds() {
        for (text, nanos) in [
            ("10", 10_000_000_000),
            ("0.5", 500_000_000),
            ("20ms", 20_000_000),
            ("50us", 50_000),
            ("7ns", 7),
            ("2m", 120_000_000_000),
        ] {
            assert_eq!(text.parse(), Ok(Nanos::new(nanos)), "{text}");
        }
        assert!("soon".parse::<Nanos>().is_err());
        assert!("-1".parse::<Nanos>().is_err());
    }

    #[test]
    fn subtraction_never_wraps() {
        assert_eq!(Nanos::new(1) - Nanos::new(2), Nanos::ZERO);
    }

    #[test]
    fn exact_texts_parse_back() {
        for (nanos, text) in [
            (0, "0s"),
            (10_000_000_000, "10s"),
            (1_500_000_000, "1500ms"),
            (50_000, "50us"),
            (7, "7ns"),
        ] {
            assert_eq!(Nanos::new(nanos).exact(), text);
            assert_eq!(text.parse(), Ok(Nanos::new(nanos)));
        }
    }
}
