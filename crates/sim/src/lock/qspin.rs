//! Linux's queued spinlock (kernel/locking/qspinlock.c): a locked byte, a pending byte and the
//! tail of a queue in one word; its form for guests; and its proposed form for memory nodes.

mod numa;
mod virt;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use super::{Locks, Tally};
use crate::line::LineId;
use crate::machine::{Cpu, Effect};
use crate::picos::Picos;

/// What differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variant {
    /// On real CPUs.
    Native,
    /// In a guest: steals, and halts the virtual CPU.
    Virtual,
    /// Hands over within a memory node (CNA).
    Numa,
}

/// The locked byte, and the pending one.
const LOCKED: u8 = 1;
const PENDING: u8 = 2;

#[derive(Debug)]
pub(super) struct Qspin {
    word: LineId,
    variant: Variant,
    /// [`LOCKED`] and [`PENDING`].
    bits: Rc<Cell<u8>>,
    tail: Cell<Option<u32>>,
    /// A guest's queue head that halted, to be woken by whoever unlocks.
    halted: Cell<Option<u32>>,
    /// Waiters of other nodes, set aside.
    aside: RefCell<VecDeque<u32>>,
    /// Handoffs within the node since the others were last let in.
    streak: Cell<u32>,
}

impl Qspin {
    pub fn new(word: LineId, variant: Variant) -> Self {
        Self {
            word,
            variant,
            bits: Rc::default(),
            tail: Cell::new(None),
            halted: Cell::new(None),
            aside: RefCell::default(),
            streak: Cell::new(0),
        }
    }

    fn is_clear(&self) -> bool {
        self.bits.get() == 0 && self.tail.get().is_none()
    }

    fn locked(&self) -> bool {
        self.bits.get() & LOCKED != 0
    }

    fn pending(&self) -> bool {
        self.bits.get() & PENDING != 0
    }

    /// Changes bits in a line that was just written to: those that go, those that come.
    fn change(&self, gone: u8, come: u8) {
        self.bits.set(self.bits.get() & !gone | come);
    }

    /// Changes them by a plain store.
    async fn store(&self, cpu: Cpu<'_>, gone: u8, come: u8) {
        let bits = Rc::clone(&self.bits);
        cpu.post(self.word, Effect::Bits(bits, gone, come)).await;
    }

    pub async fn acquire(&self, cpu: Cpu<'_>, locks: &Locks<'_>, tally: &Tally) {
        cpu.atomic(self.word).await;
        if self.is_clear() {
            self.change(0, LOCKED);
            return;
        }
        if self.variant == Variant::Virtual {
            return self.queue(cpu, locks, tally).await;
        }
        if self.pending() && !self.locked() && self.tail.get().is_none() {
            // The pending one is about to take it: look once more.
            cpu.read(self.word).await;
        }
        if self.pending() || self.tail.get().is_some() {
            return self.queue(cpu, locks, tally).await;
        }
        cpu.atomic(self.word).await;
        if self.pending() || self.tail.get().is_some() {
            if !self.pending() {
                // Our bit does not stay: the undo is a write to the word.
                cpu.write(self.word).await;
            }
            return self.queue(cpu, locks, tally).await;
        }
        self.change(0, PENDING);
        cpu.spin(self.word, || !self.locked()).await;
        self.store(cpu, PENDING, LOCKED).await;
    }

    async fn queue(&self, cpu: Cpu<'_>, locks: &Locks<'_>, tally: &Tally) {
        let begin = cpu.now();
        cpu.pause(locks.observer.cost).await;
        if self.variant == Variant::Virtual && self.steal(cpu).await {
            tally.see(cpu.now().since(begin));
            return cpu.pause(locks.observer.cost).await;
        }
        let mine = locks.nodes.take(cpu.id());
        let node = locks.nodes.get(mine);
        cpu.write(node.line).await;
        if !self.try_acquire(cpu).await {
            self.wait(cpu, locks, mine).await;
        }
        locks.nodes.give_back(mine);
        tally.see(cpu.now().since(begin));
        cpu.pause(locks.observer.cost).await;
    }

    async fn wait(&self, cpu: Cpu<'_>, locks: &Locks<'_>, mine: u32) {
        let node = locks.nodes.get(mine);
        cpu.atomic(self.word).await;
        if let Some(before) = self.tail.replace(Some(mine)) {
            locks.nodes.get(before).link(cpu, mine).await;
            match self.variant {
                Variant::Virtual => self.wait_turn(cpu, locks, mine).await,
                _ => cpu.spin(node.line, || node.turn.get()).await,
            }
        }
        if self.variant == Variant::Numa {
            self.sort(cpu, locks, mine).await;
        }
        match self.variant {
            Variant::Virtual => return self.take_virtual(cpu, locks, mine).await,
            _ => {
                let free = || !self.locked() && !self.pending();
                cpu.spin(self.word, free).await;
            }
        }
        if self.variant == Variant::Numa && !self.aside.borrow().is_empty() {
            return self.take_and_pass_numa(cpu, locks, mine).await;
        }
        if self.tail.get() == Some(mine) {
            cpu.atomic(self.word).await;
            self.change(0, LOCKED);
            if self.tail.get() == Some(mine) {
                self.tail.set(None);
                return;
            }
        } else {
            self.store(cpu, 0, LOCKED).await;
        }
        self.pass_on(cpu, locks, mine).await;
    }

    /// Makes the successor, who may not have linked itself yet, the head.
    async fn pass_on(&self, cpu: Cpu<'_>, locks: &Locks<'_>, mine: u32) {
        let node = locks.nodes.get(mine);
        cpu.spin(node.line, || node.next.get().is_some()).await;
        if let Some(next) = node.next.get() {
            self.pass(cpu, locks, next).await;
        }
    }

    async fn pass(&self, cpu: Cpu<'_>, locks: &Locks<'_>, next: u32) {
        let node = locks.nodes.get(next);
        if self.variant != Variant::Virtual {
            return node.pass(cpu).await;
        }
        cpu.write(node.line).await;
        node.turn.set(true);
        if node.halted.take() {
            self.kick(cpu, locks, next).await;
        }
    }

    pub async fn try_acquire(&self, cpu: Cpu<'_>) -> bool {
        cpu.read(self.word).await;
        if !self.is_clear() {
            return false;
        }
        cpu.atomic(self.word).await;
        let free = self.is_clear();
        if free {
            self.change(0, LOCKED);
        }
        free
    }

    pub async fn release(&self, cpu: Cpu<'_>, locks: &Locks<'_>) {
        if self.variant != Variant::Virtual {
            return self.store(cpu, LOCKED, 0).await;
        }
        cpu.atomic(self.word).await;
        self.change(LOCKED, 0);
        if let Some(halted) = self.halted.take() {
            // The address of the lock is looked up in a table, then its CPU is woken.
            cpu.pause(Picos::from_nanos(HASH_NANOS)).await;
            self.kick(cpu, locks, halted).await;
        }
    }
}

/// Finding a halted waiter by the lock's address: one miss in the table, as a fill.
const HASH_NANOS: f64 = 50.0;
