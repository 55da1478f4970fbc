//! Queue nodes of waiters: some for each CPU, one for each level of nesting.

use std::cell::Cell;
use std::rc::Rc;

use crate::line::LineId;
use crate::machine::{Cpu, Effect, Machine};

/// Nested locks that a CPU can wait for or hold at once: root, busy, transmit queue, and the same
/// from a softirq.
const LEVELS: usize = 8;

#[derive(Debug)]
pub(super) struct Nodes {
    nodes: Vec<Node>,
    /// For each CPU, a bit for each of its nodes.
    used: Vec<Cell<u32>>,
}

#[derive(Debug)]
pub(super) struct Node {
    pub line: LineId,
    pub cpu: usize,
    pub next: Rc<Cell<Option<u32>>>,
    /// The predecessor has passed the turn on.
    pub turn: Rc<Cell<bool>>,
    /// The virtual CPU sleeps.
    pub halted: Cell<bool>,
}

impl Nodes {
    pub fn new(machine: &Machine) -> Self {
        let cpus = machine.topology().cpus();
        let node = |index: usize| Node {
            line: machine.line(),
            cpu: index / LEVELS,
            next: Rc::default(),
            turn: Rc::default(),
            halted: Cell::new(false),
        };
        Self {
            nodes: (0..cpus * LEVELS).map(node).collect(),
            used: vec![Cell::new(0); cpus],
        }
    }

    /// A free node of a CPU, cleared. Locks nest no deeper than there are levels.
    pub fn take(&self, cpu: usize) -> u32 {
        let used = &self.used[cpu];
        let level = used.get().trailing_ones();
        used.set(used.get() | 1 << level);
        let index = cpu as u32 * LEVELS as u32 + level;
        let node = self.get(index);
        node.next.set(None);
        node.turn.set(false);
        node.halted.set(false);
        index
    }

    /// Gives a node back.
    pub fn give_back(&self, index: u32) {
        let used = &self.used[self.get(index).cpu];
        used.set(used.get() & !(1 << (index % LEVELS as u32)));
    }

    pub fn get(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }
}

impl Node {
    /// The node gets a successor.
    pub async fn link(&self, cpu: Cpu<'_>, successor: u32) {
        let next = Rc::clone(&self.next);
        cpu.post(self.line, Effect::Link(next, successor)).await;
    }

    /// Its turn has come.
    pub async fn pass(&self, cpu: Cpu<'_>) {
        let turn = Rc::clone(&self.turn);
        cpu.post(self.line, Effect::Flag(turn, true)).await;
    }
}
