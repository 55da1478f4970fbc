//! The store buffer: a write to a line that the CPU does not hold waits there, and the CPU goes
//! on. Writes leave it in order; an atomic waits until it is empty (x86's total store order).

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use super::{Cpu, Machine};
use crate::line::{Access, LineId, Wish};

/// What a write changes once it is done.
#[derive(Debug, Clone)]
pub(crate) enum Effect {
    /// A flag gets a value.
    Flag(Rc<Cell<bool>>, bool),
    /// A pointer to a queue node.
    Link(Rc<Cell<Option<u32>>>, u32),
    /// A count goes up by one.
    Step(Rc<Cell<u64>>),
    /// Bits of a byte: those that go, then those that come.
    Bits(Rc<Cell<u8>>, u8, u8),
}

impl Effect {
    fn apply(self) {
        match self {
            Self::Flag(flag, value) => flag.set(value),
            Self::Link(link, node) => link.set(Some(node)),
            Self::Step(count) => count.set(count.get() + 1),
            Self::Bits(byte, gone, come) => byte.set(byte.get() & !gone | come),
        }
    }
}

/// The writes of one CPU that are not done yet.
#[derive(Debug, Default)]
pub(super) struct Stores {
    waiting: RefCell<VecDeque<(LineId, Effect)>>,
    /// The CPU waits until there are none.
    drained: Cell<bool>,
}

impl Stores {
    fn is_empty(&self) -> bool {
        self.waiting.borrow().is_empty()
    }

    fn has(&self, line: LineId) -> bool {
        self.waiting.borrow().iter().any(|(at, _)| *at == line)
    }
}

impl Machine {
    fn post(&self, cpu: usize, line: LineId, effect: Effect) {
        let operations = &self.tally.line_operations;
        operations.set(operations.get() + 1);
        let mut waiting = self.stores[cpu].waiting.borrow_mut();
        waiting.push_back((line, effect));
        if waiting.len() == 1 {
            drop(waiting);
            self.start_store(cpu);
        }
    }

    /// Does what can be done with copies that the CPU holds, and asks for the next line.
    fn start_store(&self, cpu: usize) {
        let stores = &self.stores[cpu];
        let mut waiting = stores.waiting.borrow_mut();
        let mut lines = self.lines.borrow_mut();
        while let Some((line, _)) = waiting.front() {
            let line = *line;
            let state = &mut lines[line.0 as usize];
            if state.hit(cpu, Access::Write, &self.memory).is_none() {
                let wish = Wish {
                    cpu: cpu as u16,
                    access: Access::Write,
                    posted: true,
                };
                if state.ask(wish) {
                    self.serve(line, state);
                }
                return;
            }
            if let Some((_, effect)) = waiting.pop_front() {
                effect.apply();
            }
        }
        if stores.drained.take() {
            self.wake(cpu, self.now());
        }
    }

    /// The line of the first write has come.
    pub(super) fn finish_store(&self, cpu: usize) {
        let first = self.stores[cpu].waiting.borrow_mut().pop_front();
        if let Some((_, effect)) = first {
            effect.apply();
        }
        self.start_store(cpu);
    }
}

impl Cpu<'_> {
    /// Writes to a line; what that changes is seen when the line has come. With a store buffer the
    /// CPU goes on meanwhile.
    pub(crate) async fn post(self, line: LineId, effect: Effect) {
        let machine = self.machine();
        if !machine.memory.store_buffer {
            self.write(line).await;
            return effect.apply();
        }
        machine.post(self.id(), line, effect);
        self.pause(machine.memory.hit).await;
    }

    /// Before an access: an atomic waits for all writes, any access for those to its own line. If
    /// so, the script is woken when they are done.
    pub(super) fn must_drain(self, line: LineId, access: Access) -> bool {
        let stores = &self.machine().stores[self.id()];
        let waits = !stores.is_empty() && (access == Access::Atomic || stores.has(line));
        if waits {
            stores.drained.set(true);
        }
        waits
    }
}
