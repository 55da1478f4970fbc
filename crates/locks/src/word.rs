//! The atomic word that locks are made of.

use std::sync::atomic::{AtomicU32, Ordering};

/// A 32-bit atomic. Loads acquire, stores release, and read-modify-writes do both: what a lock
/// needs, and no more.
pub trait Word: Send + Sync {
    /// A word of this value.
    fn new(value: u32) -> Self;
    /// Reads it.
    fn load(&self) -> u32;
    /// Writes it.
    fn store(&self, value: u32);
    /// Writes it; what it was.
    fn swap(&self, value: u32) -> u32;
    /// Adds to it, wrapping; what it was.
    fn add(&self, value: u32) -> u32;
    /// Sets bits; what it was.
    fn set(&self, bits: u32) -> u32;
    /// Writes `new` if it is `old`; whether it was.
    fn replace(&self, old: u32, new: u32) -> bool;
    /// What a waiter does between two looks.
    fn relax();
}

impl Word for AtomicU32 {
    fn new(value: u32) -> Self {
        Self::new(value)
    }

    fn load(&self) -> u32 {
        self.load(Ordering::Acquire)
    }

    fn store(&self, value: u32) {
        self.store(value, Ordering::Release);
    }

    fn swap(&self, value: u32) -> u32 {
        self.swap(value, Ordering::AcqRel)
    }

    fn add(&self, value: u32) -> u32 {
        self.fetch_add(value, Ordering::AcqRel)
    }

    fn set(&self, bits: u32) -> u32 {
        self.fetch_or(bits, Ordering::AcqRel)
    }

    fn replace(&self, old: u32, new: u32) -> bool {
        self.compare_exchange(old, new, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    fn relax() {
        std::hint::spin_loop();
    }
}

/// A word on a line of its own: 128 bytes, since neighbouring lines are fetched in pairs.
#[repr(align(128))]
pub(crate) struct Line<W>(pub W);

/// Waits until `done`.
pub(crate) fn wait<W: Word>(done: impl Fn() -> bool) {
    while !done() {
        W::relax();
    }
}
