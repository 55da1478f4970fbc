//! Counts by powers of two: what a tracer would print.

use std::cell::Cell;

/// How often values of each magnitude came.
#[derive(Debug)]
pub struct Histogram {
    counts: [Cell<u64>; 64],
    sum: Cell<u128>,
    greatest: Cell<u64>,
}

/// A histogram as it is shown: `count` values from `from` up to twice that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Bar {
    /// The least value of the bar: a power of two, or 0.
    pub from: u64,
    /// How many fell in.
    pub count: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            counts: [const { Cell::new(0) }; 64],
            sum: Cell::new(0),
            greatest: Cell::new(0),
        }
    }
}

impl Histogram {
    /// One value.
    pub fn add(&self, value: u64) {
        let bar = &self.counts[value
            .checked_ilog2()
            .map_or(0, |log| (log as usize + 1).min(63))];
        bar.set(bar.get() + 1);
        self.sum.set(self.sum.get() + u128::from(value));
        self.greatest.set(self.greatest.get().max(value));
    }

    /// Adds the values of another.
    pub fn merge(&self, other: &Self) {
        for (into, from) in self.counts.iter().zip(&other.counts) {
            into.set(into.get() + from.get());
        }
        self.sum.set(self.sum.get() + other.sum.get());
        self.greatest
            .set(self.greatest.get().max(other.greatest.get()));
    }

    /// Forgets all values.
    pub fn clear(&self) {
        self.counts.iter().for_each(|count| count.set(0));
        self.sum.set(0);
        self.greatest.set(0);
    }

    /// How many values there are.
    pub fn count(&self) -> u64 {
        self.counts.iter().map(Cell::get).sum()
    }

    /// All values together.
    pub fn sum(&self) -> u128 {
        self.sum.get()
    }

    /// The greatest value; 0 without any.
    pub fn greatest(&self) -> u64 {
        self.greatest.get()
    }

    /// The mean, if there are values.
    pub fn mean(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| self.sum.get() as f64 / count as f64)
    }

    /// The bars that are not empty.
    pub fn bars(&self) -> Vec<Bar> {
        let counts = self.counts.iter().map(Cell::get).enumerate();
        counts
            .filter(|(_, count)| *count > 0)
            .map(|(at, count)| Bar {
                from: if at == 0 { 0 } else { 1 << (at - 1) },
                count,
            })
            .collect()
    }

    /// The least value of the bar with most values.
    pub fn mode(&self) -> Option<u64> {
        let most = self.bars().into_iter().max_by_key(|bar| bar.count)?;
        Some(most.from)
    }

    /// The value that a share of all values is below, from within its bar by proportion.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let wanted = share * self.count() as f64;
        let mut below = 0.0;
        for bar in self.bars() {
            let count = bar.count as f64;
            if below + count >= wanted {
                let width = bar.from.max(1) as f64;
                let inside = bar.from as f64 + width * ((wanted - below) / count);
                return Some(inside.min(self.greatest() as f64));
            }
            below += count;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_powers_of_two() {
        let histogram = Histogram::default();
        assert_eq!((histogram.mean(), histogram.quantile(0.5)), (None, None));
        for value in [0, 1, 2, 3, 4, 1000] {
            histogram.add(value);
        }
        let bars: Vec<_> = histogram
            .bars()
            .iter()
            .map(|bar| (bar.from, bar.count))
            .collect();
        assert_eq!(bars, [(0, 1), (1, 1), (2, 2), (4, 1), (512, 1)]);
        assert_eq!((histogram.count(), histogram.greatest()), (6, 1000));
        assert_eq!(histogram.mode(), Some(2));
        assert_eq!(histogram.quantile(0.5), Some(3.0));
        assert_eq!(histogram.quantile(1.0), Some(1000.0));
    }
}
