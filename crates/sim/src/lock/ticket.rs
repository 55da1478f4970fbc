//! Ticket locks, with and without a delay in proportion to the number of waiters ahead.

use std::cell::Cell;
use std::rc::Rc;

use super::delay::Policy;
use super::{Locks, Tally};
use crate::line::LineId;
use crate::machine::{Cpu, Effect};

#[derive(Debug)]
pub(super) struct Ticket {
    word: LineId,
    address: u32,
    policy: Option<Policy>,
    next: Cell<u64>,
    now: Rc<Cell<u64>>,
    first: Cell<First>,
}

/// One that comes before all with tickets: no real ticket lock has this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    None,
    Waits,
    Holds,
}

impl Ticket {
    pub fn new(word: LineId, address: u32, policy: Option<Policy>) -> Self {
        Self {
            word,
            address,
            policy,
            next: Cell::new(0),
            now: Rc::default(),
            first: Cell::new(First::None),
        }
    }

    pub async fn acquire(&self, cpu: Cpu<'_>, locks: &Locks<'_>, tally: &Tally) {
        cpu.atomic(self.word).await;
        let mine = self.next.replace(self.next.get() + 1);
        let place = tally.join();
        if self.now.get() != mine {
            match self.policy {
                None => cpu.spin(self.word, || self.now.get() == mine).await,
                Some(policy) => self.wait(cpu, locks, policy, mine).await,
            }
        }
        tally.serve(place);
    }

    async fn wait(&self, cpu: Cpu<'_>, locks: &Locks<'_>, policy: Policy, mine: u64) {
        let mut now = self.now.get();
        let mut delay = locks.delays.load(policy, cpu.id(), self.address);
        loop {
            let ahead = mine - now - 1;
            if ahead == 0 && policy.next_in_line_spins() {
                cpu.spin(self.word, || self.now.get() == mine).await;
                break;
            }
            let units = if policy.next_in_line_spins() {
                ahead
            } else {
                ahead + 1
            };
            delay.before();
            cpu.relax(delay.rounds(units)).await;
            cpu.read(self.word).await;
            now = self.now.get();
            if now == mine {
                delay.overslept();
                break;
            }
            delay.too_early();
        }
        locks.delays.store(policy, cpu.id(), self.address, delay);
    }

    pub async fn try_acquire(&self, cpu: Cpu<'_>, tally: &Tally) -> bool {
        cpu.read(self.word).await;
        if self.now.get() != self.next.get() {
            return false;
        }
        cpu.atomic(self.word).await;
        if self.now.get() != self.next.get() {
            return false;
        }
        self.next.set(self.next.get() + 1);
        tally.serve(tally.join());
        true
    }

    pub async fn acquire_first(&self, cpu: Cpu<'_>, tally: &Tally) {
        cpu.atomic(self.word).await;
        if self.now.get() == self.next.get() {
            self.next.set(self.next.get() + 1);
            tally.serve(tally.join());
            return;
        }
        self.first.set(First::Waits);
        // A release that was on its way may have freed the lock for the next ticket.
        let free = || self.now.get() == self.next.get();
        cpu.spin(self.word, || self.first.get() == First::Holds || free())
            .await;
        if self.first.get() == First::Waits {
            self.first.set(First::None);
            self.next.set(self.next.get() + 1);
            tally.serve(tally.join());
        }
    }

    pub async fn release(&self, cpu: Cpu<'_>) {
        if self.first.get() == First::None {
            let now = Rc::clone(&self.now);
            return cpu.post(self.word, Effect::Step(now)).await;
        }
        cpu.write(self.word).await;
        if self.first.get() == First::Waits {
            return self.first.set(First::Holds);
        }
        self.first.set(First::None);
        self.now.set(self.now.get() + 1);
    }
}
