//! Linux's queued spinlock: locked bit, pending bit and the tail of an MCS queue in one word.

use crate::RawLock;
use crate::word::{Line, Word, wait};

const LOCKED: u32 = 1;
const PENDING: u32 = 1 << 8;
const TAIL: u32 = 16;

pub(crate) struct Qspin<W> {
    word: Line<W>,
    nodes: Vec<Line<Node<W>>>,
}

struct Node<W> {
    next: W,
    turn: W,
}

impl<W: Word> Qspin<W> {
    /// At most 65534 waiters have a tail.
    pub fn new(waiters: usize) -> Self {
        let node = |_| {
            Line(Node {
                next: W::new(0),
                turn: W::new(0),
            })
        };
        Self {
            word: Line(W::new(0)),
            nodes: (0..waiters.min(u16::MAX as usize - 1)).map(node).collect(),
        }
    }

    /// Changes the word by `change`; what it was.
    fn update(&self, change: impl Fn(u32) -> u32) -> u32 {
        loop {
            let old = self.word.0.load();
            if self.word.0.replace(old, change(old)) {
                return old;
            }
        }
    }

    fn queue(&self, me: usize) {
        let name = me as u32 + 1;
        let node = &self.nodes[me].0;
        node.next.store(0);
        node.turn.store(0);
        let old = self.update(|word| word & (LOCKED | PENDING) | name << TAIL);
        let before = old >> TAIL;
        if before != 0 {
            self.nodes[before as usize - 1].0.next.store(name);
            wait::<W>(|| node.turn.load() == 1);
        }
        wait::<W>(|| self.word.0.load() & (LOCKED | PENDING) == 0);
        // Only the head takes a word with a tail; others may put themselves behind it meanwhile.
        loop {
            let word = self.word.0.load();
            if word >> TAIL == name {
                if self.word.0.replace(word, LOCKED) {
                    return;
                }
            } else if self.word.0.replace(word, word | LOCKED) {
                break;
            }
        }
        wait::<W>(|| node.next.load() != 0);
        self.nodes[node.next.load() as usize - 1].0.turn.store(1);
    }
}

impl<W: Word> RawLock for Qspin<W> {
    fn lock(&self, me: usize) {
        if self.word.0.replace(0, LOCKED) {
            return;
        }
        if self.word.0.load() & !LOCKED != 0 {
            return self.queue(me);
        }
        let old = self.word.0.set(PENDING);
        if old & !LOCKED != 0 {
            if old & PENDING == 0 {
                self.update(|word| word & !PENDING);
            }
            return self.queue(me);
        }
        wait::<W>(|| self.word.0.load() & LOCKED == 0);
        self.update(|word| word & !PENDING | LOCKED);
    }

    fn unlock(&self, _: usize) {
        self.update(|word| word & !LOCKED);
    }
}
