//! Ends by number: of all streams together, on whatever threads they are.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sys::Wake;

/// Blocks that may still be sent.
#[derive(Debug)]
pub(super) struct Budget(AtomicU64);

impl Budget {
    /// So many.
    pub fn new(blocks: u64) -> Self {
        Self(AtomicU64::new(blocks))
    }

    /// Takes up to `wanted`; how many it got.
    #[inline]
    pub fn take(&self, wanted: u64) -> u64 {
        let left = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                Some(left.saturating_sub(wanted))
            });
        left.unwrap_or_default().min(wanted)
    }

    /// Gives back what was taken and not sent.
    #[inline]
    pub fn give_back(&self, blocks: u64) {
        if blocks > 0 {
            self.0.fetch_add(blocks, Ordering::Relaxed);
        }
    }
}

/// Bytes that are still to be received.
#[derive(Debug)]
pub(super) struct Quota {
    left: AtomicU64,
    /// Told when they are.
    coordinator: Arc<Wake>,
}

impl Quota {
    /// So many.
    pub fn new(bytes: u64, coordinator: Arc<Wake>) -> Self {
        Self {
            left: AtomicU64::new(bytes),
            coordinator,
        }
    }

    /// Notes some.
    #[inline]
    pub fn received(&self, bytes: u64) {
        let left = self
            .left
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| {
                Some(left.saturating_sub(bytes))
            });
        if left.is_ok_and(|left| left > 0 && left <= bytes) {
            self.coordinator.wake();
        }
    }

    /// Whether all are here.
    pub fn is_reached(&self) -> bool {
        self.left.load(Ordering::Acquire) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_gets_more_than_there_is() {
        let budget = Budget::new(1000);
        let taken: u64 = std::thread::scope(|scope| {
            let takers = [(); 4].map(|()| {
                scope.spawn(|| {
                    std::iter::repeat_with(|| budget.take(3))
                        .take(200)
                        .sum::<u64>()
                })
            });
            takers.map(|taker| taker.join().unwrap()).iter().sum()
        });
        assert_eq!(taken, 1000);
        budget.give_back(2);
        assert_eq!((budget.take(5), budget.take(5)), (2, 0));
    }

    #[test]
    fn the_last_byte_is_told_once() {
        let quota = Quota::new(10, Arc::new(Wake::new().unwrap()));
        quota.received(9);
        assert!(!quota.is_reached());
        quota.received(5);
        assert!(quota.is_reached());
        quota.received(5);
        assert!(quota.is_reached());
    }
}
