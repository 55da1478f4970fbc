//! Everything between the system call and the wire, put together and run.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use super::bql::Bql;
use super::queue::{Qdisc, qdisc};
use super::sender;
use super::setup::{Discipline, Mapping, Placement, Setup, SetupError};
use super::tally::{Sent, Tally};
use crate::cost::Item;
use crate::lock::{Lock, LockRow, Locks, Observer, VirtualCpus};
use crate::machine::{ACTIVITIES, Activity, Cpu, Machine, Play, Script};
use crate::picos::Picos;
use crate::random::Stream;
use crate::topology::Topology;

/// A packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packet {
    /// Whose sender made it.
    pub cpu: usize,
    pub sender: usize,
    pub txq: usize,
    pub born: Picos,
}

pub(super) struct Txq {
    pub lock: Lock,
    pub stopped: Cell<bool>,
    pub bql: RefCell<Bql>,
    pub ring: RefCell<VecDeque<Packet>>,
    /// Sent, but not yet completed.
    pub done: RefCell<VecDeque<Packet>>,
    /// Since when there is something to complete.
    pub done_since: Cell<Picos>,
    /// An interrupt is on its way.
    pub raised: Cell<bool>,
    pub irq_cpu: usize,
}

/// What a CPU's softirq has to do.
#[derive(Debug, Default)]
pub(super) struct Pending {
    pub qdiscs: RefCell<VecDeque<usize>>,
    pub completions: RefCell<VecDeque<usize>>,
    pub idle: Cell<bool>,
}

/// Spans of the setup's costs.
#[derive(Debug)]
pub(super) struct Spans {
    pub think: Picos,
    pub enqueue: Picos,
    pub dequeue: Picos,
    pub transmit: Picos,
    pub doorbell: Picos,
    pub drop: Picos,
    pub softirq: Picos,
    pub interrupt: Picos,
    pub switch: Picos,
    pub complete: Picos,
    pub push: Picos,
    pub pop: Picos,
}

pub(super) struct Path<'m> {
    pub machine: &'m Machine,
    pub locks: Locks<'m>,
    pub setup: &'m Setup,
    pub spans: Spans,
    pub qdiscs: Vec<Qdisc>,
    pub txqs: Vec<Txq>,
    pub pending: Vec<Pending>,
    pub tally: Tally,
    pub offered: Vec<Cell<u64>>,
    pub sent: Vec<Cell<u64>>,
    /// Senders on each CPU.
    pub placed: Vec<RefCell<Vec<usize>>>,
    /// Packets of each sender that are not freed yet, and whether it sleeps for that.
    pub unfreed: Vec<Cell<usize>>,
    pub blocked: Vec<Cell<bool>>,
    /// The transmit queue that each sender's socket chose first.
    pub cached: Vec<Cell<Option<usize>>>,
    /// On which CPU each sender is.
    pub home: Vec<Cell<usize>>,
    pub nic_idle: Cell<bool>,
    /// Lists for each CPU, kept so that nothing is allocated.
    pub buffers: Vec<Cell<Vec<Packet>>>,
    pub lists: Vec<Cell<Vec<Packet>>>,
    pub faults: RefCell<Vec<String>>,
}

/// Runs a setup.
pub fn simulate(setup: &Setup) -> Result<Sent, SetupError> {
    setup.check()?;
    let topology = Topology::new(setup.platform.shape);
    let machine = Machine::new(topology, setup.platform.memory(), setup.seed);
    let path = Path::new(&machine, setup);
    let senders =
        (0..setup.cpus).map(|cpu| Box::pin(sender::run(&path, machine.cpu(cpu))) as Script<'_>);
    // CPUs without senders have no script of their own, but take interrupts.
    let others = (setup.cpus..machine.topology().cpus())
        .map(|cpu| Box::pin(sender::run(&path, machine.cpu(cpu))) as Script<'_>);
    let devices = (0..setup.txqs.min(1))
        .filter(|_| setup.nic.rate.is_some())
        .map(|index| Box::pin(path.nic(machine.device(index))) as Script<'_>);
    let watchdogs = (0..path.qdiscs.len())
        .filter(|_| matches!(setup.discipline, Discipline::Tbf { .. }))
        .map(|qdisc| Box::pin(path.watchdog(machine.device(1 + qdisc), qdisc)) as Script<'_>);
    let mut scripts: Vec<Script<'_>> = senders.chain(others).collect();
    if setup.nic.rate.is_some() || matches!(setup.discipline, Discipline::Tbf { .. }) {
        scripts.extend(devices);
        if setup.nic.rate.is_none() {
            scripts.push(Box::pin(std::future::ready(())));
        }
        scripts.extend(watchdogs);
    }
    let mut play = Play::new(&machine, scripts);
    play.until(setup.warm_up);
    path.clear();
    play.until(setup.warm_up + setup.duration);
    Ok(path.result())
}

impl<'m> Path<'m> {
    fn new(machine: &'m Machine, setup: &'m Setup) -> Self {
        let costs = &setup.platform.costs;
        let span = |item| costs.span(item);
        let virtual_cpus = VirtualCpus {
            spin_rounds: 1 << 15,
            wake: span(Item::Wake),
            kick: span(Item::Kick),
        };
        let observer = Observer {
            cost: span(Item::Observe),
        };
        let locks = Locks::new(machine, virtual_cpus, observer);
        let qdiscs = match setup.multiqueue {
            true => setup.txqs,
            false => 1,
        };
        let htb = match setup.discipline {
            Discipline::HtbDirect => span(Item::Htb),
            _ => Picos::ZERO,
        };
        let spans = Spans {
            think: span(Item::Think),
            enqueue: span(Item::Enqueue) + htb,
            dequeue: span(Item::Dequeue) + htb,
            transmit: span(Item::Transmit),
            doorbell: span(Item::Doorbell),
            drop: span(Item::Drop),
            softirq: span(Item::Softirq),
            interrupt: span(Item::Interrupt),
            switch: span(Item::Switch),
            complete: span(Item::Complete),
            push: span(Item::RingPush),
            pop: span(Item::RingPop),
        };
        let cpus = machine.topology().cpus();
        let chance = machine.stream(cpus + 1);
        let placed: Vec<_> = (0..cpus).map(|_| RefCell::default()).collect();
        let home = vec![Cell::new(0); setup.senders];
        for (sender, home) in home.iter().enumerate() {
            let cpu = match setup.placement {
                Placement::Random => chance.below(setup.cpus),
                Placement::Floating => free_cpu(&placed[..setup.cpus], &chance),
                Placement::Pinned => sender % setup.cpus,
            };
            placed[cpu].borrow_mut().push(sender);
            home.set(cpu);
        }
        Self {
            qdiscs: (0..qdiscs).map(|_| qdisc(machine, &locks, setup)).collect(),
            txqs: (0..setup.txqs)
                .map(|index| Txq {
                    lock: locks.lock(setup.lock, machine.line(), Activity::WaitTxq),
                    stopped: Cell::new(false),
                    bql: RefCell::default(),
                    ring: RefCell::default(),
                    done: RefCell::default(),
                    done_since: Cell::new(Picos::ZERO),
                    raised: Cell::new(false),
                    irq_cpu: index * setup.cpus / setup.txqs,
                })
                .collect(),
            pending: (0..cpus).map(|_| Pending::default()).collect(),
            tally: Tally::default(),
            offered: (0..cpus).map(|_| Cell::new(0)).collect(),
            sent: (0..cpus).map(|_| Cell::new(0)).collect(),
            placed,
            unfreed: vec![Cell::new(0); setup.senders],
            blocked: vec![Cell::new(false); setup.senders],
            cached: cached(setup, &chance),
            home,
            nic_idle: Cell::new(false),
            buffers: (0..cpus).map(|_| Cell::default()).collect(),
            lists: (0..cpus).map(|_| Cell::default()).collect(),
            faults: RefCell::default(),
            machine,
            locks,
            setup,
            spans,
        }
    }

    /// Which transmit queue a sender's packet takes.
    pub fn txq_of(&self, sender: usize, cpu: usize) -> usize {
        let cached = &self.cached[sender];
        if let Some(txq) = cached.get().filter(|_| self.setup.switches.flow_caching) {
            return txq;
        }
        let txq = mapped(self.setup, sender, cpu);
        cached.set(Some(txq));
        txq
    }

    /// The qdisc of a transmit queue.
    pub fn qdisc_of(&self, txq: usize) -> usize {
        match self.setup.multiqueue {
            true => txq,
            false => 0,
        }
    }

    /// Moving a packet's own lines to a CPU.
    pub fn moved(&self, packet: &Packet, cpu: usize) -> Picos {
        let memory = self.machine.memory();
        match packet.cpu == cpu {
            true => memory.hit,
            false => memory.transfer[self.machine.topology().tier(packet.cpu, cpu) as usize],
        }
    }

    /// A packet has left.
    pub fn left(&self, packet: &Packet, now: Picos) {
        self.tally.sent.set(self.tally.sent.get() + 1);
        let sent = &self.sent[packet.cpu];
        sent.set(sent.get() + 1);
        self.tally.latency.add(now.since(packet.born).get() / 1000);
    }

    /// A packet's buffer is given back: a sender that waits for half of its own may go on.
    pub fn free(&self, packet: &Packet) {
        let unfreed = &self.unfreed[packet.sender];
        unfreed.set(unfreed.get().saturating_sub(1));
        let writable = unfreed.get() * 2 < self.setup.socket_packets;
        if writable && self.blocked[packet.sender].replace(false) {
            let home = self.home[packet.sender].get();
            self.poke(home);
        }
    }

    /// A packet that found no room.
    pub fn drop_packet(&self, packet: &Packet) {
        self.free(packet);
    }

    /// An interrupt's softirq on a CPU: wakes it if it sleeps.
    pub fn poke(&self, cpu: usize) {
        if self.pending[cpu].idle.replace(false) {
            self.machine.cpu(cpu).notify();
        }
    }

    fn clear(&self) {
        self.machine.clear_accounts();
        self.tally.clear();
        for count in self.offered.iter().chain(&self.sent) {
            count.set(0);
        }
        let now = self.machine.now();
        for txq in &self.txqs {
            txq.lock.tally().clear(now);
        }
        for qdisc in &self.qdiscs {
            for lock in [&qdisc.root, &qdisc.busy, &qdisc.producer] {
                lock.tally().clear(now);
            }
            let counts = &qdisc.counts;
            for count in [
                &counts.offered,
                &counts.enqueued,
                &counts.dropped,
                &counts.dequeued,
                &counts.requeued,
                &counts.bypassed,
            ] {
                count.set(0);
            }
            counts.backlog_then.set(qdisc.backlog());
        }
    }

    fn result(&self) -> Sent {
        let seconds = self.setup.duration.seconds();
        let sent = self.tally.sent.get();
        let taken = |counts: &[Cell<u64>]| -> Vec<u64> {
            counts[..self.setup.cpus].iter().map(Cell::get).collect()
        };
        let offered = taken(&self.offered);
        let shares: Vec<f64> = offered.iter().map(|count| *count as f64).collect();
        let mut activity = [0.0; ACTIVITIES.len()];
        for cpu in 0..self.setup.cpus {
            for (share, spent) in activity.iter_mut().zip(self.machine.spent(cpu)) {
                *share += spent.seconds() / seconds / self.setup.cpus as f64;
            }
        }
        let faults = self.faults();
        Sent {
            packets_per_second: sent as f64 / seconds,
            fairness: stats::jain(&shares),
            offered_per_cpu: offered,
            sent_per_cpu: taken(&self.sent),
            qdiscs: (self.qdiscs.iter().enumerate())
                .map(|(index, qdisc)| qdisc.row(&format!("qdisc {index}")))
                .collect(),
            locks: self.lock_rows(),
            activity,
            packets_per_tenure: self.tally.tenure.bars(),
            tenure_mean: self.tally.tenure.mean(),
            batch: self.tally.batch.bars(),
            batch_mean: self.tally.batch.mean(),
            batch_max: self.tally.batch.greatest(),
            send_ns_log2: self.tally.send.bars(),
            send_mean_ns: self.tally.send.mean(),
            latency_ns_log2: self.tally.latency.bars(),
            latency_median_ns: self.tally.latency.quantile(0.5),
            transfers: self
                .machine
                .transfers()
                .map(|moved| moved as f64 / sent.max(1) as f64),
            line_operations: self.machine.line_operations(),
            events: self.machine.events(),
            trace: format!("{:016x}", self.machine.trace()),
            faults,
        }
    }

    fn lock_rows(&self) -> Vec<LockRow> {
        let rows = |name: &str, lock: fn(&Qdisc) -> &Lock| {
            let all = self.qdiscs.iter().map(|qdisc| lock(qdisc).tally());
            crate::lock::Tally::sum(all, name)
        };
        let txqs = self.txqs.iter().map(|txq| txq.lock.tally());
        let all = [
            rows("root", |qdisc| &qdisc.root),
            rows("busy", |qdisc| &qdisc.busy),
            rows("producer", |qdisc| &qdisc.producer),
            crate::lock::Tally::sum(txqs, "txq"),
        ];
        all.into_iter().filter(|row| row.acquisitions > 0).collect()
    }

    fn faults(&self) -> Vec<String> {
        let mut faults = self.faults.borrow().clone();
        let fifo = self.setup.lock.is_fifo() && !self.setup.switches.dequeuer_first;
        for qdisc in &self.qdiscs {
            for lock in [&qdisc.root, &qdisc.busy, &qdisc.producer] {
                if lock.tally().intrusions() > 0 || fifo && lock.tally().overtakings() > 0 {
                    faults.push("a lock was held twice, or its order broken".to_owned());
                }
            }
            if qdisc.drainers_most.get() > 1 {
                faults.push("two CPUs drained the deferred list".to_owned());
            }
            let counts = &qdisc.counts;
            let into = counts.backlog_then.get() + counts.enqueued.get() + counts.requeued.get();
            let out = counts.dequeued.get() + qdisc.backlog();
            if into != out {
                faults.push(format!(
                    "{into} packets went into a qdisc, {out} came out or are in it"
                ));
            }
        }
        if !self.machine.is_coherent() {
            faults.push("a line has two writers".to_owned());
        }
        faults
    }
}

fn mapped(setup: &Setup, sender: usize, cpu: usize) -> usize {
    let txqs = setup.txqs;
    match setup.mapping {
        Mapping::Single => 0,
        Mapping::Hash => (crate::random::mix(sender as u64 + 1) >> 33) as usize % txqs,
        Mapping::Xps => (cpu * txqs / setup.cpus).min(txqs - 1),
    }
}

/// Floating senders have run for long: where each sent its first packet, and so chose its queue,
/// says nothing of where it is now.
fn cached(setup: &Setup, chance: &Stream) -> Vec<Cell<Option<usize>>> {
    let floating = setup.placement == Placement::Floating;
    let first = |sender| mapped(setup, sender, chance.below(setup.cpus));
    (0..setup.senders)
        .map(|sender| Cell::new(floating.then(|| first(sender))))
        .collect()
}

/// A random CPU among those with fewest senders.
fn free_cpu(placed: &[RefCell<Vec<usize>>], chance: &Stream) -> usize {
    let fewest = placed.iter().map(|senders| senders.borrow().len()).min();
    loop {
        let cpu = chance.below(placed.len());
        if Some(placed[cpu].borrow().len()) == fewest {
            return cpu;
        }
    }
}

/// One more.
pub(super) fn count(cell: &Cell<u64>) {
    cell.set(cell.get() + 1);
}

impl Path<'_> {
    /// What the CPU does while it holds the root lock.
    pub fn hold(&self, cpu: Cpu<'_>) {
        cpu.enter(Activity::Hold);
    }
}
