//! Moments of the time between two edges and of all time, written by one thread and read by
//! another. Extremes of an interval cannot be had by subtraction, so the writer begins anew when
//! the reader says so.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::moments::Moments;
use crate::published::Published;

/// What reader and writer share.
#[derive(Debug, Default)]
pub(crate) struct Spread {
    /// The interval that the reader is in.
    wanted: AtomicU64,
    /// The writer's interval, and moments of all time, of that interval, of the one before.
    figures: Published<16>,
}

/// The writer's end.
#[derive(Debug)]
pub(crate) struct SpreadPen {
    shared: Arc<Spread>,
    interval: u64,
    all: Moments,
    this: Moments,
    before: Moments,
}

impl SpreadPen {
    pub fn new(shared: Arc<Spread>) -> Self {
        Self {
            shared,
            interval: 0,
            all: Moments::default(),
            this: Moments::default(),
            before: Moments::default(),
        }
    }

    /// Takes a sample.
    #[inline]
    pub fn take(&mut self, value: f64) {
        let wanted = self.shared.wanted.load(Ordering::Acquire);
        if wanted != self.interval {
            self.interval = wanted;
            self.before = std::mem::take(&mut self.this);
        }
        self.all.take(value);
        self.this.take(value);
        let mut words = [self.interval; 16];
        words[1..6].copy_from_slice(&self.all.words());
        words[6..11].copy_from_slice(&self.this.words());
        words[11..].copy_from_slice(&self.before.words());
        self.shared.figures.set(words);
    }
}

impl Spread {
    /// Ends an interval and gives what it held. Only the single reader may call it.
    pub fn turn(&self) -> Moments {
        let ended = self.wanted.fetch_add(1, Ordering::AcqRel);
        let words = self.figures.get();
        match words[0] {
            // The writer is on already.
            interval if interval > ended => Self::part(&words, 11),
            interval if interval == ended => Self::part(&words, 6),
            // No sample since the edge before.
            _ => Moments::default(),
        }
    }

    /// Of all time.
    pub fn all(&self) -> Moments {
        Self::part(&self.figures.get(), 1)
    }

    fn part(words: &[u64; 16], at: usize) -> Moments {
        let mut five = [0; 5];
        five.copy_from_slice(&words[at..at + 5]);
        Moments::of_words(five)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_have_their_own_extremes() {
        let spread = Arc::new(Spread::default());
        let mut pen = SpreadPen::new(spread.clone());
        assert_eq!(spread.turn().count, 0);
        pen.take(5.0);
        pen.take(7.0);
        let first = spread.turn();
        assert_eq!((first.count, first.min, first.max), (2, 5.0, 7.0));
        assert_eq!(spread.turn().count, 0, "nothing since");
        pen.take(1.0);
        let second = spread.turn();
        assert_eq!((second.count, second.min, second.max), (1, 1.0, 1.0));
        assert_eq!(spread.all().count, 3);
    }
}
