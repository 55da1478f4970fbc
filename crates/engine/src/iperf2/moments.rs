//! Count, mean, extremes and spread of samples that come one by one.

/// What is known of the samples so far, in their unit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Moments {
    /// How many.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Sum of squared distances from the mean (Welford).
    pub m2: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

impl Moments {
    /// Takes one more.
    #[inline]
    pub fn take(&mut self, value: f64) {
        if self.count == 0 {
            (self.min, self.max) = (value, value);
        } else {
            self.min = self.min.min(value);
            self.max = self.max.max(value);
        }
        self.count += 1;
        let distance = value - self.mean;
        self.mean += distance / self.count as f64;
        self.m2 += distance * (value - self.mean);
    }

    /// Standard deviation of the sample; 0 of fewer than two.
    pub fn deviation(&self) -> f64 {
        if self.count < 2 {
            0.0
        } else {
            (self.m2 / (self.count - 1) as f64).max(0.0).sqrt()
        }
    }

    /// Both together (Chan et al.).
    pub fn with(&self, other: &Self) -> Self {
        if self.count == 0 || other.count == 0 {
            return if self.count == 0 { *other } else { *self };
        }
        let (a, b) = (self.count as f64, other.count as f64);
        let distance = other.mean - self.mean;
        Self {
            count: self.count + other.count,
            mean: self.mean + distance * b / (a + b),
            m2: self.m2 + other.m2 + distance * distance * a * b / (a + b),
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    pub(super) fn words(&self) -> [u64; 5] {
        let bits = f64::to_bits;
        [
            self.count,
            bits(self.mean),
            bits(self.m2),
            bits(self.min),
            bits(self.max),
        ]
    }

    pub(super) fn of_words([count, mean, m2, min, max]: [u64; 5]) -> Self {
        let float = f64::from_bits;
        Self {
            count,
            mean: float(mean),
            m2: float(m2),
            min: float(min),
            max: float(max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_together_are_the_whole() {
        let values = [3.0, -1.0, 4.0, 1.0, -5.0, 9.0];
        let of = |values: &[f64]| {
            let mut moments = Moments::default();
            values.iter().for_each(|value| moments.take(*value));
            moments
        };
        let (whole, parts) = (of(&values), of(&values[..2]).with(&of(&values[2..])));
        assert_eq!((whole.count, whole.min, whole.max), (6, -5.0, 9.0));
        assert!((whole.mean - 11.0 / 6.0).abs() < 1e-12);
        let deviation = stats::standard_deviation(&values).unwrap();
        assert!((whole.deviation() - deviation).abs() < 1e-12);
        assert!((parts.deviation() - deviation).abs() < 1e-12);
        assert_eq!((parts.min, parts.max, parts.count), (-5.0, 9.0, 6));
        assert_eq!(Moments::of_words(whole.words()), whole);
        assert_eq!(of(&[7.0]).deviation(), 0.0);
        assert_eq!(of(&[]).with(&whole), whole);
    }
}
