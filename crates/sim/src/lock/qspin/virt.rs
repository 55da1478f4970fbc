//! In a guest (kernel/locking/qspinlock_paravirt.h).

use super::{LOCKED, PENDING, Qspin};
use crate::lock::Locks;
use crate::machine::Cpu;
use crate::picos::Picos;

impl Qspin {
    /// One attempt past the queue.
    pub(super) async fn steal(&self, cpu: Cpu<'_>) -> bool {
        cpu.read(self.word).await;
        if self.locked() || self.pending() {
            return false;
        }
        cpu.atomic(self.word).await;
        let free = !self.locked() && !self.pending();
        if free {
            self.change(0, LOCKED);
        }
        free
    }

    /// In the queue: spins for a while, then halts until the predecessor wakes it.
    pub(super) async fn wait_turn(&self, cpu: Cpu<'_>, locks: &Locks<'_>, mine: u32) {
        let node = locks.nodes.get(mine);
        let come = cpu
            .spin_until(node.line, || node.turn.get(), deadline(cpu, locks))
            .await;
        if come {
            return;
        }
        cpu.atomic(node.line).await;
        while !node.turn.get() {
            node.halted.set(true);
            cpu.wait(Picos::NEVER).await;
        }
        node.halted.set(false);
    }

    /// At the head: holds others off from stealing while it spins; halts after a while. A thief
    /// may still come first while it halts, so the lock is taken with an atomic.
    pub(super) async fn take_virtual(&self, cpu: Cpu<'_>, locks: &Locks<'_>, mine: u32) {
        loop {
            cpu.write(self.word).await;
            self.change(0, PENDING);
            let free = || !self.locked();
            let come = cpu.spin_until(self.word, free, deadline(cpu, locks)).await;
            cpu.atomic(self.word).await;
            self.change(PENDING, 0);
            if !self.locked() {
                self.change(0, LOCKED);
                break;
            }
            if !come {
                self.halted.set(Some(mine));
                cpu.wait(Picos::NEVER).await;
            }
        }
        match self.tail.get() == Some(mine) {
            true => self.tail.set(None),
            false => self.pass_on(cpu, locks, mine).await,
        }
    }

    /// Wakes a halted CPU.
    pub(super) async fn kick(&self, cpu: Cpu<'_>, locks: &Locks<'_>, sleeper: u32) {
        let sleeper = locks.nodes.get(sleeper).cpu;
        let machine = cpu.machine();
        machine.wake(sleeper, cpu.now() + locks.virtual_cpus.wake);
        cpu.work(locks.virtual_cpus.kick).await;
    }
}

fn deadline(cpu: Cpu<'_>, locks: &Locks<'_>) -> Picos {
    cpu.now() + cpu.machine().memory().relax * locks.virtual_cpus.spin_rounds
}
