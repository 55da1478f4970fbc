//! Simulated time.

use std::ops::{Add, AddAssign, Mul, Sub};

/// Picoseconds: a span, or an instant since the simulation's start. Integers, so that the same
/// seed gives the same events on every machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Picos(u64);

impl Picos {
    /// No time.
    pub const ZERO: Self = Self(0);
    /// Later than anything.
    pub const NEVER: Self = Self(u64::MAX);

    /// `n` picoseconds.
    pub const fn new(n: u64) -> Self {
        Self(n)
    }

    /// The nearest whole number of picoseconds; nothing for less than none.
    pub fn from_nanos(nanos: f64) -> Self {
        Self((nanos * 1e3).round() as u64)
    }

    /// `n` microseconds.
    pub const fn from_micros(n: u64) -> Self {
        Self(n * 1_000_000)
    }

    /// `n` milliseconds.
    pub const fn from_millis(n: u64) -> Self {
        Self(n * 1_000_000_000)
    }

    /// Picoseconds.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Nanoseconds with the fraction.
    pub fn nanos(self) -> f64 {
        self.0 as f64 / 1e3
    }

    /// Seconds with the fraction.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e12
    }

    /// The span from `earlier`; none if that is later.
    pub fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

/// In nanoseconds: whoever writes one names its key so.
impl serde::Serialize for Picos {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.nanos())
    }
}

impl schemars::JsonSchema for Picos {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Nanoseconds".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        f64::json_schema(generator)
    }
}

impl Add for Picos {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Picos {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Picos {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<u64> for Picos {
    type Output = Self;
    fn mul(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }
}
