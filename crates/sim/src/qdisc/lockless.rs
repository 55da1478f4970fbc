//! pfifo_fast without a root lock: a ring, and a sequence lock that is only tried.

use super::path::{Packet, Path, count};
use super::queue::Qdisc;
use crate::lock::Held;
use crate::machine::{Activity, Cpu};

/// Pointers in one line of the ring.
const SLOTS: u64 = 8;

/// The consumer frees this many slots at a time, so that it is not where the producers are
/// (include/linux/ptr_ring.h: two lines).
const FREED: u64 = 2 * SLOTS;

impl Path<'_> {
    pub(super) async fn send_lockless(&self, cpu: Cpu<'_>, index: usize, packet: Packet) {
        let qdisc = &self.qdiscs[index];
        if self.setup.switches.bypass {
            cpu.read(qdisc.state).await;
            if !qdisc.missed.get() && qdisc.backlog() == 0 {
                let held = qdisc.root.try_acquire(cpu, &self.locks).await;
                if let Some(held) = held {
                    qdisc.running.set(true);
                    if qdisc.backlog() == 0 {
                        self.bypass(cpu, packet).await;
                    } else if !self.push(cpu, qdisc, packet).await {
                        self.drop_packet(&packet);
                    }
                    self.drain(cpu, index).await;
                    return self.run_end(cpu, index, held).await;
                }
            }
        }
        let fitted = self.push(cpu, qdisc, packet).await;
        // Also after a drop: the ring may be full because nobody empties it.
        self.run_lockless(cpu, index).await;
        if !fitted {
            cpu.enter(Activity::Think);
            self.drop_packet(&packet);
            cpu.work(self.spans.drop).await;
        }
    }

    /// Runs the qdisc unless another CPU does, which then is told that there is more.
    pub(super) async fn run_lockless(&self, cpu: Cpu<'_>, index: usize) {
        let qdisc = &self.qdiscs[index];
        let mut held = qdisc.root.try_acquire(cpu, &self.locks).await;
        if held.is_none() {
            cpu.read(qdisc.state).await;
            if qdisc.missed.get() {
                return;
            }
            cpu.atomic(qdisc.state).await;
            qdisc.missed.set(true);
            held = qdisc.root.try_acquire(cpu, &self.locks).await;
        }
        if let Some(held) = held {
            qdisc.running.set(true);
            self.drain(cpu, index).await;
            self.run_end(cpu, index, held).await;
        }
    }

    async fn run_end(&self, cpu: Cpu<'_>, index: usize, held: Held) {
        let qdisc = &self.qdiscs[index];
        qdisc.running.set(false);
        if qdisc.tenure.get() > 0 {
            self.tally.tenure.add(qdisc.tenure.replace(0));
        }
        qdisc.root.release(cpu, &self.locks, held).await;
        cpu.read(qdisc.state).await;
        if qdisc.missed.get() {
            self.schedule(cpu.id(), index);
        }
    }

    async fn push(&self, cpu: Cpu<'_>, qdisc: &Qdisc, packet: Packet) -> bool {
        let held = qdisc.producer.acquire(cpu, &self.locks).await;
        cpu.enter(Activity::Hold);
        cpu.work(self.spans.push).await;
        let at = qdisc.pushed.get();
        let room = (self.setup.limit as u64).max(FREED);
        // Full is seen by the slot that is not free.
        cpu.read(self.slot(qdisc, at)).await;
        let fits = at - qdisc.freed.get() < room;
        if fits {
            cpu.write(self.slot(qdisc, at)).await;
            qdisc.queue.borrow_mut().push_back(packet);
            count(&qdisc.counts.enqueued);
            qdisc.pushed.set(at + 1);
        } else {
            count(&qdisc.counts.dropped);
        }
        qdisc.producer.release(cpu, &self.locks, held).await;
        cpu.enter(Activity::Think);
        fits
    }

    fn slot(&self, qdisc: &Qdisc, at: u64) -> crate::line::LineId {
        qdisc.slots[(at / SLOTS) as usize % qdisc.slots.len()]
    }

    /// Sends what is in the ring; the CPU holds the sequence lock.
    async fn drain(&self, cpu: Cpu<'_>, index: usize) {
        let qdisc = &self.qdiscs[index];
        let mut quota = self.setup.switches.quota;
        loop {
            let mut batch = self.buffers[cpu.id()].take();
            batch.clear();
            self.pop(cpu, qdisc, &mut batch).await;
            let popped = batch.len();
            if popped > 0 {
                self.tally.batch.add(popped as u64);
                self.transmit(cpu, &mut batch).await;
                qdisc.tenure.set(qdisc.tenure.get() + popped as u64);
                let requeued = &qdisc.counts.requeued;
                requeued.set(requeued.get() + batch.len() as u64);
                qdisc.requeued.borrow_mut().extend(batch.drain(..));
            }
            let refused = !qdisc.requeued.borrow().is_empty();
            self.buffers[cpu.id()].set(batch);
            if popped == 0 && qdisc.missed.get() {
                // What was missed is looked for once more.
                cpu.atomic(qdisc.state).await;
                qdisc.missed.set(false);
                if qdisc.backlog() > 0 {
                    continue;
                }
            }
            quota = quota.saturating_sub(popped);
            if quota == 0 && popped > 0 {
                self.schedule(cpu.id(), index);
            }
            if popped == 0 || refused || quota == 0 {
                return;
            }
        }
    }

    async fn pop(&self, cpu: Cpu<'_>, qdisc: &Qdisc, batch: &mut Vec<Packet>) {
        while batch.len() < self.setup.batch {
            let again = qdisc.requeued.borrow_mut().pop_front();
            if let Some(packet) = again {
                count(&qdisc.counts.dequeued);
                batch.push(packet);
                continue;
            }
            let at = qdisc.popped.get();
            cpu.read(self.slot(qdisc, at)).await;
            let Some(packet) = qdisc.queue.borrow_mut().pop_front() else {
                return;
            };
            count(&qdisc.counts.dequeued);
            qdisc.popped.set(at + 1);
            batch.push(packet);
            cpu.work(self.spans.pop).await;
            if (at + 1).is_multiple_of(FREED) {
                for back in [SLOTS, 0] {
                    cpu.write(self.slot(qdisc, at - back)).await;
                }
                qdisc.freed.set(at + 1);
            }
        }
    }
}
