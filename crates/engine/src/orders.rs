//! What the coordinator tells the workers, and what they tell it. All waiting here is on a
//! condition or a descriptor, and happens outside the data path.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sys::{Wake, clock};
use units::Nanos;

/// How far the run is for a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Do the work.
    Run,
    /// Start nothing new: senders send no more, askers ask no more.
    Stop,
    /// Return, whatever is under way.
    Finish,
}

/// The instants of the run, known when it starts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Go {
    /// The run's common start.
    pub origin: Nanos,
    /// Seed of arrival processes.
    pub seed: u64,
}

/// Orders to all workers of one end.
#[derive(Debug)]
pub(crate) struct Orders {
    level: AtomicU8,
    /// Threads that have nothing left to do may go.
    released: AtomicBool,
    go: Mutex<Option<Go>>,
    changed: Condvar,
    /// Flows of active roles that are not through.
    active: AtomicUsize,
    /// Flows of passive roles that will see an end of file and have not.
    passive: AtomicUsize,
    /// Told when one of the two comes to zero.
    coordinator: Arc<Wake>,
}

impl Orders {
    pub fn new(coordinator: Arc<Wake>) -> Self {
        Self {
            level: AtomicU8::new(Level::Run as u8),
            released: AtomicBool::new(false),
            go: Mutex::new(None),
            changed: Condvar::new(),
            active: AtomicUsize::new(0),
            passive: AtomicUsize::new(0),
            coordinator,
        }
    }

    /// One load and one store on the data path.
    #[inline]
    pub fn level(&self) -> Level {
        match self.level.load(Ordering::Acquire) {
            0 => Level::Run,
            1 => Level::Stop,
            _ => Level::Finish,
        }
    }

    /// Raises the level; it never falls.
    pub fn raise(&self, level: Level) {
        self.level.fetch_max(level as u8, Ordering::AcqRel);
        // Taken so that a worker between its check and its wait cannot miss the change.
        drop(self.lock());
        self.changed.notify_all();
    }

    pub fn go(&self, go: Go) {
        *self.lock() = Some(go);
        self.changed.notify_all();
    }

    /// Waits for the start; none when the run is over before it began.
    pub fn wait_for_go(&self) -> Option<Go> {
        let mut go = self.lock();
        loop {
            if self.level() == Level::Finish {
                return None;
            }
            if go.is_some() {
                return *go;
            }
            go = self
                .changed
                .wait(go)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until `instant` or until the level rises.
    pub fn wait_until(&self, instant: Nanos) {
        let mut go = self.lock();
        while self.level() == Level::Run {
            let left = instant - clock::now();
            if left.is_zero() {
                return;
            }
            let wait = self.changed.wait_timeout(go, Duration::from(left));
            go = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits until the level is `level` or higher.
    pub fn wait_for(&self, level: Level) {
        let mut go = self.lock();
        while self.level() < level {
            go = self
                .changed
                .wait(go)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Threads that have nothing left to do may go.
    pub fn release(&self) {
        self.released.store(true, Ordering::Release);
        // As above.
        drop(self.lock());
        self.changed.notify_all();
    }

    /// Waits until the thread may go.
    pub fn wait_for_release(&self) {
        let mut go = self.lock();
        while !self.released.load(Ordering::Acquire) {
            go = self
                .changed
                .wait(go)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub fn expect(&self, active: usize, passive: usize) {
        self.active.fetch_add(active, Ordering::AcqRel);
        self.passive.fetch_add(passive, Ordering::AcqRel);
    }

    /// Notes the end of a flow.
    pub fn ended(&self, active: bool) {
        let left = if active { &self.active } else { &self.passive };
        if left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.coordinator.wake();
        }
    }

    pub fn active_left(&self) -> usize {
        self.active.load(Ordering::Acquire)
    }

    pub fn passive_left(&self) -> usize {
        self.passive.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Go>> {
        self.go.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
