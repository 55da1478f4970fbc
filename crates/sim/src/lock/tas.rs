//! Test-and-set and its kin.

use std::cell::Cell;
use std::rc::Rc;

use crate::line::LineId;
use crate::machine::{Cpu, Effect};

/// How a waiter looks.
#[derive(Debug, Clone, Copy)]
pub(super) enum Poll {
    /// With the atomic itself.
    Atomic,
    /// By reading.
    Read,
    /// By reading, and after a failure only after a delay of up to so many relax instructions.
    Backoff(u32),
}

#[derive(Debug)]
pub(super) struct Tas {
    word: LineId,
    taken: Rc<Cell<bool>>,
    poll: Poll,
}

impl Tas {
    pub fn new(word: LineId, poll: Poll) -> Self {
        Self {
            word,
            taken: Rc::default(),
            poll,
        }
    }

    pub async fn acquire(&self, cpu: Cpu<'_>) {
        let mut delay = 1;
        loop {
            if !matches!(self.poll, Poll::Atomic) {
                cpu.spin(self.word, || !self.taken.get()).await;
            }
            cpu.atomic(self.word).await;
            if !self.taken.replace(true) {
                return;
            }
            if let Poll::Backoff(max) = self.poll {
                cpu.relax(delay).await;
                delay = (delay * 2).min(u64::from(max));
            }
        }
    }

    pub async fn try_acquire(&self, cpu: Cpu<'_>) -> bool {
        cpu.read(self.word).await;
        if self.taken.get() {
            return false;
        }
        cpu.atomic(self.word).await;
        !self.taken.replace(true)
    }

    pub async fn release(&self, cpu: Cpu<'_>) {
        let taken = Rc::clone(&self.taken);
        cpu.post(self.word, Effect::Flag(taken, false)).await;
    }
}
