//! Mellor-Crummey and Scott's queue lock. A node is named by its waiter's number plus one; 0 is no
//! node.

use crate::RawLock;
use crate::word::{Line, Word, wait};

pub(crate) struct Mcs<W> {
    tail: Line<W>,
    nodes: Vec<Line<Node<W>>>,
}

struct Node<W> {
    next: W,
    turn: W,
}

impl<W: Word> Mcs<W> {
    pub fn new(waiters: usize) -> Self {
        let node = |_| {
            Line(Node {
                next: W::new(0),
                turn: W::new(0),
            })
        };
        Self {
            tail: Line(W::new(0)),
            nodes: (0..waiters).map(node).collect(),
        }
    }
}

impl<W: Word> RawLock for Mcs<W> {
    fn lock(&self, me: usize) {
        let name = me as u32 + 1;
        let node = &self.nodes[me].0;
        node.next.store(0);
        node.turn.store(0);
        let before = self.tail.0.swap(name);
        if before != 0 {
            self.nodes[before as usize - 1].0.next.store(name);
            wait::<W>(|| node.turn.load() == 1);
        }
    }

    fn unlock(&self, me: usize) {
        let name = me as u32 + 1;
        let node = &self.nodes[me].0;
        if node.next.load() == 0 {
            if self.tail.0.replace(name, 0) {
                return;
            }
            wait::<W>(|| node.next.load() != 0);
        }
        self.nodes[node.next.load() as usize - 1].0.turn.store(1);
    }
}
