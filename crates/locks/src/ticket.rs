//! Tickets: both counters in one line, as in Linux.

use crate::RawLock;
use crate::word::{Line, Word};

pub(crate) struct Ticket<W> {
    counters: Line<Counters<W>>,
    /// Relax instructions for each waiter ahead; 0: spin.
    delay: u32,
}

struct Counters<W> {
    next: W,
    now: W,
}

impl<W: Word> Ticket<W> {
    pub fn new(delay: u32) -> Self {
        Self {
            counters: Line(Counters {
                next: W::new(0),
                now: W::new(0),
            }),
            delay,
        }
    }
}

impl<W: Word> RawLock for Ticket<W> {
    fn lock(&self, _: usize) {
        let counters = &self.counters.0;
        let mine = counters.next.add(1);
        loop {
            let ahead = mine.wrapping_sub(counters.now.load());
            if ahead == 0 {
                return;
            }
            // The next in line spins.
            let pause = self.delay.saturating_mul(ahead - 1).max(1);
            (0..pause).for_each(|_| W::relax());
        }
    }

    fn unlock(&self, _: usize) {
        let now = &self.counters.0.now;
        now.store(now.load().wrapping_add(1));
    }
}
