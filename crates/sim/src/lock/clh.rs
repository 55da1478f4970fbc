//! The queue lock of Craig, Landin and Hagersten: each waiter spins on its predecessor's line.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::Tally;
use crate::line::LineId;
use crate::machine::{Cpu, Effect, Machine};

#[derive(Debug)]
pub(super) struct Clh {
    word: LineId,
    nodes: Vec<(LineId, Rc<Cell<bool>>)>,
    /// The node that each CPU owns; a release leaves it to the successor and takes the
    /// predecessor's.
    own: Vec<Cell<u32>>,
    before: RefCell<Vec<u32>>,
    tail: Cell<u32>,
}

impl Clh {
    pub fn new(machine: &Machine, word: LineId) -> Self {
        let cpus = machine.topology().cpus();
        let lines = machine.lines(cpus + 1);
        Self {
            word,
            nodes: lines
                .into_iter()
                .map(|line| (line, Rc::default()))
                .collect(),
            own: (0..cpus as u32).map(Cell::new).collect(),
            before: RefCell::new(vec![0; cpus]),
            tail: Cell::new(cpus as u32),
        }
    }

    pub async fn acquire(&self, cpu: Cpu<'_>, tally: &Tally) -> u32 {
        let mine = self.own[cpu.id()].get();
        let (line, busy) = &self.nodes[mine as usize];
        cpu.write(*line).await;
        busy.set(true);
        cpu.atomic(self.word).await;
        let before = self.tail.replace(mine);
        let place = tally.join();
        self.before.borrow_mut()[cpu.id()] = before;
        let (line, busy) = &self.nodes[before as usize];
        cpu.spin(*line, || !busy.get()).await;
        tally.serve(place);
        mine
    }

    /// The last node may be free: then it is taken as by a waiter that finds its turn come.
    pub async fn try_acquire(&self, cpu: Cpu<'_>, tally: &Tally) -> Option<u32> {
        cpu.read(self.word).await;
        let last = self.tail.get();
        cpu.read(self.nodes[last as usize].0).await;
        if self.nodes[last as usize].1.get() {
            return None;
        }
        let mine = self.own[cpu.id()].get();
        cpu.write(self.nodes[mine as usize].0).await;
        cpu.atomic(self.word).await;
        if self.tail.get() != last {
            return None;
        }
        self.nodes[mine as usize].1.set(true);
        self.tail.set(mine);
        self.before.borrow_mut()[cpu.id()] = last;
        tally.serve(tally.join());
        Some(mine)
    }

    pub async fn release(&self, cpu: Cpu<'_>, mine: u32) {
        let (line, busy) = &self.nodes[mine as usize];
        let before = self.before.borrow()[cpu.id()];
        cpu.post(*line, Effect::Flag(Rc::clone(busy), false)).await;
        self.own[cpu.id()].set(before);
    }
}
