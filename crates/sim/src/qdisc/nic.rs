//! The device: rings, a wire, completions; and a shaper's timer.

use super::path::{Packet, Path};
use crate::machine::{Activity, Cpu};
use crate::picos::Picos;

impl Path<'_> {
    /// The driver puts a packet into the ring.
    pub(super) fn post(&self, index: usize, packet: Packet) {
        let nic = self.setup.nic;
        if nic.rate.is_none() {
            self.left(&packet, self.machine.now());
            return self.free(&packet);
        }
        let txq = &self.txqs[index];
        txq.ring.borrow_mut().push_back(packet);
        let in_device = txq.ring.borrow().len() + txq.done.borrow().len();
        let full = in_device >= nic.ring;
        let over = nic.bql && {
            let mut bql = txq.bql.borrow_mut();
            bql.send(self.setup.wire_bytes);
            bql.available() < 0
        };
        txq.stopped.set(full || over);
    }

    pub(super) fn ring_doorbell(&self) {
        if self.nic_idle.replace(false) {
            self.machine.device(0).notify();
        }
    }

    /// Sends from all rings in turn, at the line's rate.
    pub(super) async fn nic(&self, device: Cpu<'_>) {
        let nic = self.setup.nic;
        let rate = nic.rate.unwrap_or(1).max(1);
        let wire = Picos::from_nanos(self.setup.wire_bytes as f64 * 8e9 / rate as f64);
        let mut turn = 0;
        loop {
            let rings = (0..self.txqs.len()).map(|step| (turn + step) % self.txqs.len());
            let next = rings.into_iter().find_map(|index| {
                let packet = self.txqs[index].ring.borrow_mut().pop_front()?;
                Some((index, packet))
            });
            if let Some((index, packet)) = next {
                turn = index + 1;
                device.pause(wire).await;
                self.left(&packet, device.now());
                let mut done = self.txqs[index].done.borrow_mut();
                if done.is_empty() {
                    self.txqs[index].done_since.set(device.now());
                }
                done.push_back(packet);
            } else {
                self.nic_idle.set(true);
                device.wait(self.coalescing_ends()).await;
                self.nic_idle.set(false);
            }
            for index in 0..self.txqs.len() {
                self.interrupt_if_due(index, device.now());
            }
        }
    }

    fn coalescing_ends(&self) -> Picos {
        let due = self
            .txqs
            .iter()
            .filter(|txq| !txq.done.borrow().is_empty() && !txq.raised.get());
        due.map(|txq| txq.done_since.get() + self.setup.nic.coalesce_time)
            .min()
            .unwrap_or(Picos::NEVER)
    }

    fn interrupt_if_due(&self, index: usize, now: Picos) {
        let txq = &self.txqs[index];
        let nic = self.setup.nic;
        let frames = txq.done.borrow().len();
        let late = now >= txq.done_since.get() + nic.coalesce_time;
        if frames == 0 || txq.raised.get() || frames < nic.coalesce_frames && !late {
            return;
        }
        txq.raised.set(true);
        let cpu = txq.irq_cpu;
        self.machine.cpu(cpu).steal(self.spans.interrupt);
        self.pending[cpu].completions.borrow_mut().push_back(index);
        self.poke(cpu);
    }

    /// What interrupts and others have left for the softirq of this CPU.
    pub(super) async fn softirqs(&self, cpu: Cpu<'_>) {
        let pending = &self.pending[cpu.id()];
        if pending.completions.borrow().is_empty() && pending.qdiscs.borrow().is_empty() {
            return;
        }
        let before = cpu.enter(Activity::Softirq);
        cpu.work(self.spans.softirq).await;
        loop {
            let Some(index) = pending.completions.borrow_mut().pop_front() else {
                break;
            };
            self.complete(cpu, index).await;
        }
        let due = pending.qdiscs.borrow().len();
        for _ in 0..due {
            let Some(index) = pending.qdiscs.borrow_mut().pop_front() else {
                break;
            };
            cpu.enter(Activity::Softirq);
            self.run_scheduled(cpu, index).await;
        }
        cpu.enter(before);
    }

    async fn complete(&self, cpu: Cpu<'_>, index: usize) {
        let txq = &self.txqs[index];
        txq.raised.set(false);
        let count = txq.done.borrow().len() as u64;
        for packet in txq.done.borrow_mut().drain(..) {
            self.free(&packet);
        }
        cpu.work(self.spans.complete * count).await;
        if self.setup.nic.bql {
            let bytes = count * self.setup.wire_bytes;
            txq.bql.borrow_mut().complete(bytes, cpu.now());
        }
        let room = txq.ring.borrow().len() + txq.done.borrow().len() < self.setup.nic.ring;
        let under = !self.setup.nic.bql || txq.bql.borrow().available() >= 0;
        if txq.stopped.get() && room && under {
            txq.stopped.set(false);
            self.schedule(cpu.id(), self.qdisc_of(index));
        }
    }

    pub(super) fn arm_watchdog(&self, index: usize, cpu: usize, at: Picos) {
        let qdisc = &self.qdiscs[index];
        qdisc.watchdog.set(Some((at, cpu)));
        self.machine.device(1 + index).notify();
    }

    /// A shaper's timer: pinned to the CPU that set it.
    pub(super) async fn watchdog(&self, device: Cpu<'_>, index: usize) {
        let qdisc = &self.qdiscs[index];
        loop {
            let Some((at, cpu)) = qdisc.watchdog.get() else {
                device.wait(Picos::NEVER).await;
                continue;
            };
            if device.now() < at {
                device.wait(at).await;
                continue;
            }
            qdisc.watchdog.set(None);
            self.machine.cpu(cpu).steal(self.spans.interrupt);
            self.schedule(cpu, index);
            self.poke(cpu);
        }
    }
}
