//! Compact NUMA-aware queue: a main queue, and another for waiters of other memory nodes.

use super::{LOCKED, Qspin};
use crate::lock::Locks;
use crate::machine::Cpu;

/// Handoffs within a node before the others are let in. The series has a time of 10 ms; counted
/// here, so that fairness does not depend on how long a critical section is.
const STREAK_MAX: u32 = 1 << 10;

impl Qspin {
    /// While it waits at the head: looks for a successor of its own node and sets those before it
    /// aside.
    pub(super) async fn sort(&self, cpu: Cpu<'_>, locks: &Locks<'_>, mine: u32) {
        if self.streak.get() >= STREAK_MAX {
            return;
        }
        let socket = cpu.machine().topology().socket(cpu.id());
        let node = locks.nodes.get(mine);
        let Some(first) = node.next.get() else { return };
        let mut found = Some(first);
        let mut passed = 0_usize;
        while let Some(at) = found {
            let waiter = locks.nodes.get(at);
            cpu.read(waiter.line).await;
            if cpu.machine().topology().socket(waiter.cpu) == socket {
                break;
            }
            passed += 1;
            found = waiter.next.get();
        }
        let Some(successor) = found else { return };
        if passed == 0 {
            return;
        }
        // What was set aside before goes on with these, not with whom it stood before then.
        let before = self.aside.borrow().back().copied();
        if let Some(before) = before {
            let before = locks.nodes.get(before);
            cpu.write(before.line).await;
            before.next.set(Some(first));
        }
        let mut at = first;
        while at != successor {
            self.aside.borrow_mut().push_back(at);
            match locks.nodes.get(at).next.get() {
                Some(next) => at = next,
                None => break,
            }
        }
        cpu.write(node.line).await;
        node.next.set(Some(successor));
    }

    /// Takes the lock and passes the turn on, with waiters set aside.
    pub(super) async fn take_and_pass_numa(&self, cpu: Cpu<'_>, locks: &Locks<'_>, mine: u32) {
        let node = locks.nodes.get(mine);
        cpu.atomic(self.word).await;
        self.change(0, LOCKED);
        let last = self.tail.get() == Some(mine);
        if !last {
            cpu.spin(node.line, || node.next.get().is_some()).await;
        }
        let near = node.next.get().filter(|next| {
            let topology = cpu.machine().topology();
            topology.socket(locks.nodes.get(*next).cpu) == topology.socket(cpu.id())
        });
        if let Some(next) = near.filter(|_| self.streak.get() < STREAK_MAX) {
            self.streak.set(self.streak.get() + 1);
            return self.pass(cpu, locks, next).await;
        }
        // Those set aside come back before the rest.
        self.streak.set(0);
        let (Some(front), Some(back)) = ({
            let mut aside = self.aside.borrow_mut();
            let ends = (aside.front().copied(), aside.back().copied());
            aside.clear();
            ends
        }) else {
            return;
        };
        let back_node = locks.nodes.get(back);
        cpu.write(back_node.line).await;
        back_node.next.set(node.next.get());
        if last && self.tail.get() == Some(mine) {
            self.tail.set(Some(back));
        } else if last {
            // Someone joined behind us meanwhile.
            cpu.spin(node.line, || node.next.get().is_some()).await;
            back_node.next.set(node.next.get());
        }
        self.pass(cpu, locks, front).await;
    }
}
