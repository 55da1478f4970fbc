//! Threads on a real lock.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread;

use locks::RawLock;
use report::lab::document::Measured;
use sim::Histogram;
use sys::clock;
use units::Nanos;

/// A contest on real threads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contest<'a> {
    pub lock: &'a str,
    pub threads: usize,
    pub think: f64,
    pub hold: f64,
    pub time: Nanos,
}

struct Thread {
    sections: u64,
    waits: Histogram,
}

impl Contest<'_> {
    /// Runs it. None for a lock that is only simulated.
    pub fn run(&self) -> Option<Measured> {
        let lock = locks::named::<AtomicU32>(self.lock, self.threads)?;
        let cpus = sys::thread::allowed_cpus();
        let (stop, count) = (AtomicBool::new(false), AtomicU64::new(0));
        let ready = Barrier::new(self.threads + 1);
        let (threads, seconds) = thread::scope(|scope| {
            let hands: Vec<_> = (0..self.threads)
                .map(|me| {
                    let cpu = cpus.get(me % cpus.len().max(1)).copied();
                    let (lock, stop, count, ready) = (&*lock, &stop, &count, &ready);
                    scope.spawn(move || {
                        // Where it cannot be pinned it runs where it may.
                        let _ = cpu.map(sys::thread::pin);
                        ready.wait();
                        self.compete(me, lock, stop, count)
                    })
                })
                .collect();
            ready.wait();
            let begin = clock::now();
            clock::sleep_until(Nanos::new(begin.get() + self.time.get()));
            stop.store(true, Ordering::Relaxed);
            let seconds = Nanos::new(clock::now().get() - begin.get()).as_secs_f64();
            let threads: Vec<Thread> = hands
                .into_iter()
                .filter_map(|hand| hand.join().ok())
                .collect();
            (threads, seconds)
        });
        let waits = Histogram::default();
        threads.iter().for_each(|one| waits.merge(&one.waits));
        let per_thread: Vec<u64> = threads.iter().map(|one| one.sections).collect();
        let shares: Vec<f64> = per_thread.iter().map(|count| *count as f64).collect();
        let sections: u64 = per_thread.iter().sum();
        Some(Measured {
            per_second: sections as f64 / seconds,
            fairness: stats::jain(&shares),
            per_thread,
            seconds,
            wait_ns_log2: waits.bars(),
            wait_max_ns: waits.greatest(),
            measures_scheduler: self.threads > cpus.len(),
            cpus: cpus.len(),
            lost: sections.saturating_sub(count.load(Ordering::Relaxed)),
        })
    }

    fn compete(
        &self,
        me: usize,
        lock: &dyn RawLock,
        stop: &AtomicBool,
        count: &AtomicU64,
    ) -> Thread {
        let waits = Histogram::default();
        let mut sections = 0;
        while !stop.load(Ordering::Relaxed) {
            pass(self.think);
            let begin = clock::now();
            lock.lock(me);
            waits.add(clock::now().get() - begin.get());
            // Read and written apart: if two were inside, a step would be lost.
            let seen = count.load(Ordering::Relaxed);
            if self.hold > 0.0 {
                pass(self.hold);
            }
            count.store(seen + 1, Ordering::Relaxed);
            lock.unlock(me);
            sections += 1;
        }
        Thread { sections, waits }
    }
}

/// Work of so many nanoseconds.
fn pass(nanos: f64) {
    let end = clock::now().get() + nanos as u64;
    while clock::now().get() < end {
        std::hint::spin_loop();
    }
}
