//! Smallest, median and largest of a few figures.

use std::fmt;

use serde::Serialize;

/// Three figures for many.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// Smallest.
    pub min: f64,
    /// Median; the mean of the two middle ones for an even number.
    pub median: f64,
    /// Largest.
    pub max: f64,
}

impl Spread {
    /// None of no figures.
    pub fn of(mut figures: Vec<f64>) -> Option<Self> {
        figures.sort_by(f64::total_cmp);
        let (min, max) = (*figures.first()?, *figures.last()?);
        let middle = figures.len() / 2;
        let median = if figures.len() % 2 == 1 {
            figures[middle]
        } else {
            f64::midpoint(figures[middle - 1], figures[middle])
        };
        Some(Self { min, median, max })
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [min, median, max] = [self.min, self.median, self.max].map(figure);
        write!(f, "{min:>9} {median:>9} {max:>9}")
    }
}

/// Four significant digits, with a decimal prefix above 9999 and a power of ten below a thousandth.
fn figure(value: f64) -> String {
    let (scaled, prefix) = [(1e9, "G"), (1e6, "M"), (1e3, "k")]
        .into_iter()
        .find(|(unit, _)| value.abs() >= 10.0 * unit || (*unit > 1e3 && value.abs() >= *unit))
        .map_or((value, ""), |(unit, prefix)| (value / unit, prefix));
    if scaled == 0.0 {
        return "0".to_owned();
    }
    if scaled.abs() < 1e-3 {
        return format!("{scaled:.3e}");
    }
    let whole_digits = scaled.abs().log10().floor() as i32 + 1;
    let decimals = usize::try_from(4 - whole_digits).unwrap_or(0).min(5);
    format!("{scaled:.decimals$}{prefix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_even_and_none() {
        let spread = Spread::of(vec![3.0, 1.0, 2.0]).unwrap();
        assert_eq!((spread.min, spread.median, spread.max), (1.0, 2.0, 3.0));
        assert_eq!(Spread::of(vec![1.0, 2.0]).unwrap().median, 1.5);
        assert_eq!(Spread::of(vec![]), None);
    }

    #[test]
    fn figures_have_four_digits() {
        for (value, text) in [
            (0.98765, "0.9877"),
            (1.0, "1.000"),
            (16384.0, "16.38k"),
            (9999.0, "9999"),
            (123_456_789.0, "123.5M"),
            (2.5e10, "25.00G"),
            (0.0, "0"),
            (0.001_234_5, "0.00123"),
            (2.345_6e-11, "2.346e-11"),
        ] {
            assert_eq!(figure(value), text);
        }
    }
}
