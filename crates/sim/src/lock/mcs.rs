//! The queue lock of Mellor-Crummey and Scott: each waiter spins on a line of its own.

use std::cell::Cell;

use super::Tally;
use super::nodes::Nodes;
use crate::line::LineId;
use crate::machine::Cpu;

#[derive(Debug)]
pub(super) struct Mcs {
    word: LineId,
    tail: Cell<Option<u32>>,
}

impl Mcs {
    pub fn new(word: LineId) -> Self {
        Self {
            word,
            tail: Cell::new(None),
        }
    }

    pub async fn acquire(&self, cpu: Cpu<'_>, nodes: &Nodes, tally: &Tally) -> u32 {
        let mine = nodes.take(cpu.id());
        let node = nodes.get(mine);
        cpu.write(node.line).await;
        cpu.atomic(self.word).await;
        let before = self.tail.replace(Some(mine));
        let place = tally.join();
        if let Some(before) = before {
            nodes.get(before).link(cpu, mine).await;
            cpu.spin(node.line, || node.turn.get()).await;
        }
        tally.serve(place);
        mine
    }

    pub async fn try_acquire(&self, cpu: Cpu<'_>, nodes: &Nodes, tally: &Tally) -> Option<u32> {
        cpu.read(self.word).await;
        if self.tail.get().is_some() {
            return None;
        }
        cpu.atomic(self.word).await;
        if self.tail.get().is_some() {
            return None;
        }
        let mine = nodes.take(cpu.id());
        self.tail.set(Some(mine));
        tally.serve(tally.join());
        Some(mine)
    }

    pub async fn release(&self, cpu: Cpu<'_>, nodes: &Nodes, mine: u32) {
        let node = nodes.get(mine);
        cpu.read(node.line).await;
        if node.next.get().is_none() {
            cpu.atomic(self.word).await;
            if self.tail.get() == Some(mine) {
                self.tail.set(None);
                nodes.give_back(mine);
                return;
            }
            cpu.spin(node.line, || node.next.get().is_some()).await;
        }
        if let Some(next) = node.next.get() {
            nodes.get(next).pass(cpu).await;
        }
        nodes.give_back(mine);
    }
}
