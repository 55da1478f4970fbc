//! Every order of steps of two waiters that a memory model allows, and many of three.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use locks::{NAMES, RawLock, Word, named};
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU32, Ordering};

/// The same word, watched by the model checker.
struct Watched(AtomicU32);

impl Word for Watched {
    fn new(value: u32) -> Self {
        Self(AtomicU32::new(value))
    }
    fn load(&self) -> u32 {
        self.0.load(Ordering::Acquire)
    }
    fn store(&self, value: u32) {
        self.0.store(value, Ordering::Release);
    }
    fn swap(&self, value: u32) -> u32 {
        self.0.swap(value, Ordering::AcqRel)
    }
    fn add(&self, value: u32) -> u32 {
        self.0.fetch_add(value, Ordering::AcqRel)
    }
    fn set(&self, bits: u32) -> u32 {
        self.0.fetch_or(bits, Ordering::AcqRel)
    }
    fn replace(&self, old: u32, new: u32) -> bool {
        let swapped = self
            .0
            .compare_exchange(old, new, Ordering::AcqRel, Ordering::Acquire);
        swapped.is_ok()
    }
    fn relax() {
        loom::thread::yield_now();
    }
}

/// A count that is not atomic: two inside at once is what loom reports.
struct Guarded {
    lock: Box<dyn RawLock + Send>,
    count: AtomicU32,
    inside: UnsafeCell<u32>,
}

fn check(name: &'static str, waiters: usize, rounds: usize, preemptions: Option<usize>) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = preemptions;
    model.check(move || {
        #[expect(
            clippy::arc_with_non_send_sync,
            reason = "loom's threads take turns on one thread"
        )]
        let guarded = Arc::new(Guarded {
            lock: named::<Watched>(name, waiters).unwrap(),
            count: AtomicU32::new(0),
            inside: UnsafeCell::new(0),
        });
        let work = move |guarded: &Guarded, me: usize| {
            for _ in 0..rounds {
                guarded.lock.lock(me);
                // Loom tracks accesses by closure; the pointer itself is not followed.
                guarded.inside.with_mut(|_| {});
                let count = guarded.count.load(Ordering::Relaxed);
                guarded.count.store(count + 1, Ordering::Relaxed);
                guarded.lock.unlock(me);
            }
        };
        let others: Vec<_> = (1..waiters)
            .map(|me| {
                let guarded = Arc::clone(&guarded);
                loom::thread::spawn(move || work(&guarded, me))
            })
            .collect();
        work(&guarded, 0);
        for other in others {
            other.join().unwrap();
        }
        assert_eq!(
            guarded.count.load(Ordering::Relaxed),
            (waiters * rounds) as u32
        );
    });
}

/// Locks that hand over to whoever comes first have runs without an end, in which the holder is
/// never let on: a model checker has to follow each of them.
const UNFAIR: [&str; 3] = ["tas", "ttas", "ttas-exp"];

#[test]
fn two_waiters() {
    for name in NAMES.iter().filter(|name| !UNFAIR.contains(name)) {
        check(name, 2, 1, Some(3));
    }
}

#[test]
fn three_waiters() {
    for name in ["ticket", "mcs", "clh", "qspin"] {
        check(name, 3, 1, Some(1));
    }
}
