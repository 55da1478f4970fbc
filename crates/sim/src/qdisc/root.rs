//! The path by the root lock, with and without the busylock (net/core/dev.c, __dev_xmit_skb, and
//! net/sched/sch_generic.c, __qdisc_run).

use std::rc::Rc;

use super::path::{Packet, Path, count};
use super::queue::Qdisc;
use super::setup::{Discipline, RootProtocol};
use crate::lock::Held;
use crate::machine::{Activity, Cpu, Effect};
use crate::picos::Picos;

impl Path<'_> {
    /// A packet comes to its qdisc.
    pub async fn send(&self, cpu: Cpu<'_>, packet: Packet) {
        let index = self.qdisc_of(packet.txq);
        count(&self.qdiscs[index].counts.offered);
        match self.setup.root {
            RootProtocol::None | RootProtocol::Busylock => {
                self.send_locked(cpu, index, packet).await;
            }
            RootProtocol::Lockless => self.send_lockless(cpu, index, packet).await,
            RootProtocol::Deferred => self.send_deferred(cpu, index, packet).await,
        }
    }

    async fn send_locked(&self, cpu: Cpu<'_>, index: usize, packet: Packet) {
        let qdisc = &self.qdiscs[index];
        let mut busy = None;
        if self.setup.root == RootProtocol::Busylock {
            // An unlocked look: only a heuristic.
            cpu.read(qdisc.state).await;
            if qdisc.running.get() {
                busy = Some(qdisc.busy.acquire(cpu, &self.locks).await);
            }
        }
        let mut root = qdisc.root.acquire(cpu, &self.locks).await;
        self.hold(cpu);
        let mut dropped = false;
        if self.may_bypass(qdisc) && !qdisc.running.get() {
            self.set_running(cpu, qdisc).await;
            count(&qdisc.counts.bypassed);
            qdisc.root.release(cpu, &self.locks, root).await;
            self.transmit_one(cpu, packet).await;
            root = self.root_again(cpu, qdisc).await;
            if qdisc.backlog() > 0 {
                self.let_busy_go(cpu, qdisc, &mut busy).await;
                root = self.run_qdisc(cpu, index, root).await;
            }
            self.clear_running(cpu, qdisc).await;
        } else {
            dropped = !self.enqueue(cpu, qdisc, packet).await;
            if !qdisc.running.get() {
                self.set_running(cpu, qdisc).await;
                self.let_busy_go(cpu, qdisc, &mut busy).await;
                root = self.run_qdisc(cpu, index, root).await;
                self.clear_running(cpu, qdisc).await;
            }
        }
        qdisc.root.release(cpu, &self.locks, root).await;
        self.let_busy_go(cpu, qdisc, &mut busy).await;
        if dropped {
            self.drop_packet(&packet);
        }
        if dropped && self.setup.switches.drop_outside {
            cpu.enter(Activity::Think);
            cpu.work(self.spans.drop).await;
        }
    }

    async fn let_busy_go(&self, cpu: Cpu<'_>, qdisc: &Qdisc, busy: &mut Option<Held>) {
        if let Some(held) = busy.take() {
            qdisc.busy.release(cpu, &self.locks, held).await;
        }
    }

    /// Whether a packet may pass an empty qdisc by.
    pub fn may_bypass(&self, qdisc: &Qdisc) -> bool {
        let may = matches!(
            self.setup.discipline,
            Discipline::Fifo | Discipline::PfifoFast
        );
        may && self.setup.switches.bypass && qdisc.backlog() == 0
    }

    pub async fn set_running(&self, cpu: Cpu<'_>, qdisc: &Qdisc) {
        qdisc.tenure.set(0);
        // Who decides by it holds the lock, whose release leaves this CPU after it.
        let running = Rc::clone(&qdisc.running);
        cpu.post(qdisc.state, Effect::Flag(running, true)).await;
    }

    pub async fn clear_running(&self, cpu: Cpu<'_>, qdisc: &Qdisc) {
        let running = Rc::clone(&qdisc.running);
        cpu.post(qdisc.state, Effect::Flag(running, false)).await;
        if qdisc.tenure.get() > 0 {
            self.tally.tenure.add(qdisc.tenure.get());
        }
    }

    /// The owner comes back for the root lock.
    pub async fn root_again(&self, cpu: Cpu<'_>, qdisc: &Qdisc) -> Held {
        let held = match self.setup.switches.dequeuer_first {
            true => qdisc.root.acquire_first(cpu, &self.locks).await,
            false => qdisc.root.acquire(cpu, &self.locks).await,
        };
        self.hold(cpu);
        held
    }

    /// Work on the list under the lock. With its data in the lock's line the list and the
    /// counters are two accesses that the spinning of others comes between.
    async fn touch(&self, cpu: Cpu<'_>, qdisc: &Qdisc, work: Picos) {
        cpu.write(qdisc.head).await;
        if self.setup.switches.embedded {
            let half = Picos::new(work.get() / 2);
            cpu.work(half).await;
            cpu.write(qdisc.head).await;
            cpu.work(half).await;
        } else {
            cpu.work(work).await;
        }
    }

    /// Puts a packet in; whether it fitted.
    pub async fn enqueue(&self, cpu: Cpu<'_>, qdisc: &Qdisc, packet: Packet) -> bool {
        if qdisc.queue.borrow().len() >= self.setup.limit {
            cpu.write(qdisc.head).await;
            count(&qdisc.counts.dropped);
            if !self.setup.switches.drop_outside {
                cpu.work(self.spans.drop).await;
            }
            return false;
        }
        self.touch(cpu, qdisc, self.spans.enqueue).await;
        // The packet before it gets a link.
        let last = qdisc.queue.borrow().back().copied();
        if let Some(last) = last {
            cpu.work(self.moved(&last, cpu.id())).await;
        }
        qdisc.queue.borrow_mut().push_back(packet);
        count(&qdisc.counts.enqueued);
        true
    }

    /// Sends what is queued, with the root lock held at the start and at the end.
    pub async fn run_qdisc(&self, cpu: Cpu<'_>, index: usize, root: Held) -> Held {
        let qdisc = &self.qdiscs[index];
        let mut root = root;
        let mut quota = self.setup.switches.quota;
        loop {
            let mut batch = self.buffers[cpu.id()].take();
            batch.clear();
            self.dequeue(cpu, index, &mut batch).await;
            let count = batch.len();
            if count == 0 {
                self.buffers[cpu.id()].set(batch);
                return root;
            }
            self.tally.batch.add(count as u64);
            qdisc.root.release(cpu, &self.locks, root).await;
            self.transmit(cpu, &mut batch).await;
            root = self.root_again(cpu, qdisc).await;
            let refused = batch.len();
            self.requeue(qdisc, &mut batch);
            self.buffers[cpu.id()].set(batch);
            qdisc
                .tenure
                .set(qdisc.tenure.get() + (count - refused) as u64);
            quota = quota.saturating_sub(count);
            if quota == 0 {
                self.schedule(cpu.id(), index);
            }
            if refused > 0 || quota == 0 {
                return root;
            }
        }
    }

    fn requeue(&self, qdisc: &Qdisc, batch: &mut Vec<Packet>) {
        let requeued = &qdisc.counts.requeued;
        requeued.set(requeued.get() + batch.len() as u64);
        for packet in batch.drain(..).rev() {
            qdisc.requeued.borrow_mut().push_front(packet);
        }
    }

    /// The softirq of this CPU is to run the qdisc.
    pub fn schedule(&self, cpu: usize, index: usize) {
        if !self.qdiscs[index].scheduled.replace(true) {
            self.pending[cpu].qdiscs.borrow_mut().push_back(index);
        }
    }

    /// Takes packets for one transmit queue out.
    async fn dequeue(&self, cpu: Cpu<'_>, index: usize, batch: &mut Vec<Packet>) {
        let qdisc = &self.qdiscs[index];
        loop {
            let again = qdisc.requeued.borrow().front().copied();
            let (next, fresh) = match again {
                Some(packet) => (packet, false),
                None => match qdisc.queue.borrow().front().copied() {
                    Some(packet) => (packet, true),
                    None => return,
                },
            };
            let txq = &self.txqs[next.txq];
            let fits = match batch.first() {
                None => !txq.stopped.get(),
                Some(first) => first.txq == next.txq && self.budget(next.txq, batch.len()) > 0,
            };
            if !fits || fresh && !self.may_go(qdisc, index, cpu.id()) {
                return;
            }
            count(&qdisc.counts.dequeued);
            if fresh {
                qdisc.queue.borrow_mut().pop_front();
            } else {
                qdisc.requeued.borrow_mut().pop_front();
            }
            batch.push(next);
            self.touch(cpu, qdisc, self.spans.dequeue).await;
            cpu.work(self.moved(&next, cpu.id())).await;
            if batch.len() >= self.setup.batch {
                return;
            }
        }
    }

    /// Bytes that byte queue limits leave after so many packets.
    fn budget(&self, txq: usize, packets: usize) -> i64 {
        if !self.setup.nic.bql {
            return 1;
        }
        let bytes = packets as u64 * self.setup.wire_bytes;
        self.txqs[txq].bql.borrow().available() - bytes as i64
    }

    /// Whether the token bucket lets a packet go; else its timer is set.
    fn may_go(&self, qdisc: &Qdisc, index: usize, cpu: usize) -> bool {
        let Discipline::Tbf { rate, burst } = self.setup.discipline else {
            return true;
        };
        let now = self.machine.now();
        let passed = now.since(qdisc.filled.replace(now)).seconds();
        let bytes = self.setup.wire_bytes as f64;
        let tokens = (qdisc.tokens.get() + passed * rate as f64 / 8.0)
            .min(burst.max(self.setup.wire_bytes) as f64);
        if tokens >= bytes {
            qdisc.tokens.set(tokens - bytes);
            return true;
        }
        qdisc.tokens.set(tokens);
        let missing = (bytes - tokens) * 8.0 / rate as f64;
        let at = now + Picos::from_nanos(missing * 1e9 + 1.0);
        self.arm_watchdog(index, cpu, at);
        false
    }

    async fn transmit_one(&self, cpu: Cpu<'_>, packet: Packet) {
        let mut batch = self.buffers[cpu.id()].take();
        batch.clear();
        batch.push(packet);
        self.tally.batch.add(1);
        self.transmit(cpu, &mut batch).await;
        let qdisc = &self.qdiscs[self.qdisc_of(packet.txq)];
        let refused = batch.len();
        if refused > 0 {
            // It never was in the qdisc; now it is.
            self.requeue(qdisc, &mut batch);
        } else {
            qdisc.tenure.set(qdisc.tenure.get() + 1);
        }
        self.buffers[cpu.id()].set(batch);
    }

    pub async fn bypass(&self, cpu: Cpu<'_>, packet: Packet) {
        count(&self.qdiscs[self.qdisc_of(packet.txq)].counts.bypassed);
        self.transmit_one(cpu, packet).await;
    }

    /// Hands packets of one transmit queue to the driver; those that it refuses stay.
    pub async fn transmit(&self, cpu: Cpu<'_>, batch: &mut Vec<Packet>) {
        let Some(first) = batch.first() else { return };
        let txq = &self.txqs[first.txq];
        let index = first.txq;
        let held = match self.setup.switches.txq_lock {
            true => Some(txq.lock.acquire(cpu, &self.locks).await),
            false => None,
        };
        cpu.enter(Activity::Transmit);
        let mut gone = 0;
        for packet in batch.iter() {
            if txq.stopped.get() {
                break;
            }
            cpu.work(self.spans.transmit + self.moved(packet, cpu.id()))
                .await;
            self.post(index, *packet);
            gone += 1;
        }
        if gone > 0 {
            cpu.work(self.spans.doorbell).await;
            self.ring_doorbell();
        }
        batch.drain(..gone);
        if let Some(held) = held {
            txq.lock.release(cpu, &self.locks, held).await;
        }
    }

    /// The softirq runs a qdisc.
    pub async fn run_scheduled(&self, cpu: Cpu<'_>, index: usize) {
        let qdisc = &self.qdiscs[index];
        if self.setup.root == RootProtocol::Lockless {
            qdisc.scheduled.set(false);
            return self.run_lockless(cpu, index).await;
        }
        let held = match self.setup.switches.softirq_trylock {
            true => qdisc.root.try_acquire(cpu, &self.locks).await,
            false => Some(qdisc.root.acquire(cpu, &self.locks).await),
        };
        let Some(mut root) = held else {
            // Again later.
            self.pending[cpu.id()].qdiscs.borrow_mut().push_back(index);
            return;
        };
        self.hold(cpu);
        qdisc.scheduled.set(false);
        if !qdisc.running.get() {
            self.set_running(cpu, qdisc).await;
            root = self.run_qdisc(cpu, index, root).await;
            self.clear_running(cpu, qdisc).await;
        }
        qdisc.root.release(cpu, &self.locks, root).await;
    }
}
