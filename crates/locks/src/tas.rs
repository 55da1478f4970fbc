//! Test-and-set and its kin.

use crate::RawLock;
use crate::word::{Line, Word, wait};

/// How a waiter looks.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Look {
    Atomic,
    Read,
    /// After a failure only after up to so many relax instructions.
    Backoff(u32),
}

pub(crate) struct Tas<W> {
    taken: Line<W>,
    look: Look,
}

impl<W: Word> Tas<W> {
    pub fn new(look: Look) -> Self {
        Self {
            taken: Line(W::new(0)),
            look,
        }
    }
}

impl<W: Word> RawLock for Tas<W> {
    fn lock(&self, _: usize) {
        let mut delay = 1;
        loop {
            if !matches!(self.look, Look::Atomic) {
                wait::<W>(|| self.taken.0.load() == 0);
            }
            if self.taken.0.swap(1) == 0 {
                return;
            }
            match self.look {
                Look::Backoff(most) => {
                    (0..delay).for_each(|_| W::relax());
                    delay = (delay * 2).min(most);
                }
                Look::Atomic | Look::Read => W::relax(),
            }
        }
    }

    fn unlock(&self, _: usize) {
        self.taken.0.store(0);
    }
}
