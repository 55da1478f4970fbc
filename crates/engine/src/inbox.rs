//! Connections that come while a run is under way, on their way to the worker that answers them.

use std::os::fd::OwnedFd;
use std::sync::{Mutex, PoisonError};

use sys::Wake;

/// One worker's inbox. Filled by the acceptor, emptied by the worker.
#[derive(Debug)]
pub(crate) struct Inbox {
    waiting: Mutex<Vec<(u32, OwnedFd)>>,
    pub wake: Wake,
}

impl Inbox {
    pub fn new() -> std::io::Result<Self> {
        Ok(Self {
            waiting: Mutex::default(),
            wake: Wake::new()?,
        })
    }

    /// A connection of flow `flow`.
    pub fn put(&self, flow: u32, socket: OwnedFd) {
        self.waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((flow, socket));
        self.wake.wake();
    }

    /// All that wait.
    pub fn take(&self) -> Vec<(u32, OwnedFd)> {
        self.wake.clear();
        std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
