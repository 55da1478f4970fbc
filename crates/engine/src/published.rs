//! Figures that one thread writes and others may read at any instant: a sequence lock.

use std::sync::atomic::{AtomicU64, Ordering, fence};

/// `N` figures with a single writer. Writing is `N + 2` plain stores; the writer never waits.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Published<const N: usize> {
    version: AtomicU64,
    figures: [AtomicU64; N],
}

impl<const N: usize> Default for Published<N> {
    fn default() -> Self {
        Self {
            version: AtomicU64::new(0),
            figures: [const { AtomicU64::new(0) }; N],
        }
    }
}

impl<const N: usize> Published<N> {
    /// How often a reader tries for a consistent set. A writer is between its two version stores
    /// for a few ns; when it was preempted just there, the reader takes what stands instead of
    /// waiting for it: each figure is right by itself, and the next edge sets it straight.
    const TRIES: u32 = 64;

    /// Publishes a new set. Only the single writer may call it.
    #[inline]
    pub fn set(&self, figures: [u64; N]) {
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version + 1, Ordering::Relaxed);
        fence(Ordering::Release);
        for (place, figure) in self.figures.iter().zip(figures) {
            place.store(figure, Ordering::Relaxed);
        }
        self.version.store(version + 2, Ordering::Release);
    }

    /// The latest set.
    pub fn get(&self) -> [u64; N] {
        let mut figures = [0; N];
        for _ in 0..Self::TRIES {
            let before = self.version.load(Ordering::Acquire);
            for (figure, place) in figures.iter_mut().zip(&self.figures) {
                *figure = place.load(Ordering::Relaxed);
            }
            fence(Ordering::Acquire);
            if before.is_multiple_of(2) && self.version.load(Ordering::Relaxed) == before {
                break;
            }
        }
        figures
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn figures_never_go_back_and_a_set_is_whole() {
        let published = Published::<3>::default();
        let done = AtomicBool::new(false);
        let (mut reads, mut torn) = (0u64, 0u64);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for i in 0..200_000 {
                    published.set([i, 2 * i, 3 * i]);
                }
                done.store(true, Ordering::Relaxed);
            });
            let mut last = [0; 3];
            while !done.load(Ordering::Relaxed) {
                let now = published.get();
                assert!(
                    (0..3).all(|i| now[i] >= last[i]),
                    "went back from {last:?} to {now:?}"
                );
                reads += 1;
                torn += u64::from(now[1] != 2 * now[0] || now[2] != 3 * now[0]);
                last = now;
            }
        });
        // Only a writer that was preempted between its version stores may leave a torn set.
        assert!(torn * 10 <= reads, "{torn} of {reads} sets were torn");
        assert_eq!(published.get(), [199_999, 399_998, 599_997]);
    }
}
