//! From here to there.

/// A closed interval; infinite where the data do not bound it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Nothing is excluded.
    pub const ALL: Self = Self {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
    };

    /// Between two values, in any order.
    pub fn between(a: f64, b: f64) -> Self {
        Self {
            low: a.min(b),
            high: a.max(b),
        }
    }

    /// `half_width` to both sides of `middle`.
    pub fn around(middle: f64, half_width: f64) -> Self {
        Self {
            low: middle - half_width,
            high: middle + half_width,
        }
    }

    /// Whether `value` lies in it.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Whether all of it lies in `outer`.
    pub fn is_within(&self, outer: &Self) -> bool {
        outer.low <= self.low && self.high <= outer.high
    }

    /// The smallest interval that holds both: what is excluded is excluded by both.
    #[must_use]
    pub fn hull(&self, other: &Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Length.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    /// Both ends by `change`, which must grow with its argument.
    #[must_use]
    pub fn map(&self, change: impl Fn(f64) -> f64) -> Self {
        Self {
            low: change(self.low),
            high: change(self.high),
        }
    }
}
