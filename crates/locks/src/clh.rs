//! The queue lock of Craig, Landin and Hagersten: each waits on its predecessor's node, and takes
//! it over when it leaves.

use crate::RawLock;
use crate::word::{Line, Word, wait};

pub(crate) struct Clh<W> {
    tail: Line<W>,
    busy: Vec<Line<W>>,
    /// For each waiter, the node that it owns, and that of its predecessor: its own notes.
    own: Vec<Line<(W, W)>>,
}

impl<W: Word> Clh<W> {
    pub fn new(waiters: usize) -> Self {
        Self {
            // The last node is nobody's, and free.
            tail: Line(W::new(waiters as u32)),
            busy: (0..=waiters).map(|_| Line(W::new(0))).collect(),
            own: (0..waiters)
                .map(|me| Line((W::new(me as u32), W::new(0))))
                .collect(),
        }
    }
}

impl<W: Word> RawLock for Clh<W> {
    fn lock(&self, me: usize) {
        let (own, before) = &self.own[me].0;
        let mine = own.load();
        self.busy[mine as usize].0.store(1);
        let last = self.tail.0.swap(mine);
        before.store(last);
        wait::<W>(|| self.busy[last as usize].0.load() == 0);
    }

    fn unlock(&self, me: usize) {
        let (own, before) = &self.own[me].0;
        let mine = own.load();
        own.store(before.load());
        self.busy[mine as usize].0.store(0);
    }
}
