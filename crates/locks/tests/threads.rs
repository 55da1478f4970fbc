//! On real threads.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use locks::{NAMES, named};

/// A count that is read and written apart loses steps if two are inside.
#[test]
fn nothing_is_lost() {
    for name in NAMES {
        let lock = named::<AtomicU32>(name, 2).unwrap();
        let count = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for me in 0..2 {
                let (lock, count) = (&lock, &count);
                scope.spawn(move || {
                    for _ in 0..500 {
                        lock.lock(me);
                        let seen = count.load(Ordering::Relaxed);
                        count.store(seen + 1, Ordering::Relaxed);
                        lock.unlock(me);
                    }
                });
            }
        });
        assert_eq!(count.load(Ordering::Relaxed), 1000, "{name}");
    }
    assert!(named::<AtomicU32>("cna", 2).is_none());
}
