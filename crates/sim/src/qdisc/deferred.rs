//! The list of 2025: who finds it empty takes the root lock and enqueues for all.

use super::path::{Packet, Path, count};
use crate::machine::{Activity, Cpu};

impl Path<'_> {
    pub(super) async fn send_deferred(&self, cpu: Cpu<'_>, index: usize, packet: Packet) {
        let qdisc = &self.qdiscs[index];
        cpu.enter(Activity::WaitBusy);
        cpu.read(qdisc.list).await;
        let first = loop {
            let seen = (qdisc.version.get(), qdisc.deferred.borrow().len());
            if seen.1 >= self.setup.switches.burst_max {
                count(&qdisc.counts.dropped);
                cpu.enter(Activity::Think);
                self.drop_packet(&packet);
                return cpu.work(self.spans.drop).await;
            }
            cpu.atomic(qdisc.list).await;
            if qdisc.version.get() == seen.0 {
                qdisc.version.set(seen.0 + 1);
                qdisc.deferred.borrow_mut().push(packet);
                break seen.1 == 0;
            }
        };
        cpu.enter(Activity::Think);
        if !first {
            return;
        }
        qdisc.drainers.set(qdisc.drainers.get() + 1);
        let most = qdisc.drainers_most.get().max(qdisc.drainers.get());
        qdisc.drainers_most.set(most);
        let mut root = qdisc.root.acquire(cpu, &self.locks).await;
        self.hold(cpu);
        let mut all = self.lists[cpu.id()].take();
        cpu.atomic(qdisc.list).await;
        qdisc.version.set(qdisc.version.get() + 1);
        std::mem::swap(&mut all, &mut qdisc.deferred.borrow_mut());
        qdisc.drainers.set(qdisc.drainers.get() - 1);
        if all.len() == 1 && self.may_bypass(qdisc) && !qdisc.running.get() {
            self.set_running(cpu, qdisc).await;
            qdisc.root.release(cpu, &self.locks, root).await;
            self.bypass(cpu, packet).await;
            root = self.root_again(cpu, qdisc).await;
            if qdisc.backlog() > 0 {
                root = self.run_qdisc(cpu, index, root).await;
            }
            self.clear_running(cpu, qdisc).await;
        } else {
            for (at, one) in all.iter().enumerate() {
                if at > 0 && self.setup.switches.drain_one {
                    qdisc.root.release(cpu, &self.locks, root).await;
                    root = qdisc.root.acquire(cpu, &self.locks).await;
                    self.hold(cpu);
                }
                cpu.work(self.moved(one, cpu.id())).await;
                if !self.enqueue(cpu, qdisc, *one).await {
                    self.drop_packet(one);
                }
            }
            if !qdisc.running.get() {
                self.set_running(cpu, qdisc).await;
                root = self.run_qdisc(cpu, index, root).await;
                self.clear_running(cpu, qdisc).await;
            }
        }
        qdisc.root.release(cpu, &self.locks, root).await;
        all.clear();
        self.lists[cpu.id()].set(all);
    }
}
