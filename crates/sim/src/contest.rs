//! n CPUs and one lock.

use std::cell::Cell;

use serde::Serialize;

use crate::cost::Item;
use crate::line::{Growth, LineId};
use crate::lock::{Lock, LockKind, LockRow, Locks, Observer, VirtualCpus};
use crate::machine::{Activity, Cpu, Machine, Play, Script};
use crate::picos::Picos;
use crate::platform::Platform;
use crate::random::Stream;
use crate::topology::Topology;

/// What is simulated.
#[derive(Debug, Clone)]
pub struct Contest {
    /// The machine.
    pub platform: Platform,
    /// CPUs that take part, the machine's first ones.
    pub cpus: usize,
    /// The lock.
    pub lock: Contended,
    /// The mean time between a release and the next attempt.
    pub think: Picos,
    /// The time in the critical section beyond its lines.
    pub hold: Picos,
    /// Whether think and hold times are exponential; else think times spread by a tenth.
    pub exponential: bool,
    /// Lines that every critical section writes to.
    pub data_lines: usize,
    /// Whether the first of these is the lock's own.
    pub embedded: bool,
    /// Measured after a tenth as much of warm-up.
    pub duration: Picos,
    /// The seed.
    pub seed: u64,
}

/// What is contended for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contended {
    /// A real algorithm.
    Lock(LockKind),
    /// The closed-form models' server: `hold` is its service alone, so long it grows.
    Server(Picos, Growth),
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Contested {
    /// Critical sections per second.
    pub per_second: f64,
    /// For each CPU.
    pub per_cpu: Vec<u64>,
    /// Jain's index over the CPUs.
    pub fairness: Option<f64>,
    /// The lock.
    pub lock: LockRow,
    /// Line operations for each critical section.
    pub line_operations: f64,
    /// Lines moved for each critical section: core, cluster, socket, machine.
    pub transfers: [f64; 4],
    /// All events of the run.
    pub events: u64,
    /// The same for the same run.
    pub trace: String,
    /// Two held the lock, an order was broken, or a line had two writers: a fault of the lab.
    pub faults: u64,
    /// The mean number present, and what Little's law makes of arrivals and stays.
    pub little: (f64, f64),
}

/// What all CPUs meet at.
struct Ring<'a, 'm> {
    lock: &'a Lock,
    locks: &'a Locks<'m>,
    data: &'a [LineId],
}

impl Contest {
    /// Simulates it.
    pub fn run(&self) -> Contested {
        let topology = Topology::new(self.platform.shape);
        let machine = Machine::new(topology, self.platform.memory(), self.seed);
        let costs = &self.platform.costs;
        let virtual_cpus = VirtualCpus {
            spin_rounds: 1 << 15,
            wake: costs.span(Item::Wake),
            kick: costs.span(Item::Kick),
        };
        let observer = Observer {
            cost: costs.span(Item::Observe),
        };
        let locks = Locks::new(&machine, virtual_cpus, observer);
        let word = machine.line();
        let lock = match self.lock {
            Contended::Lock(kind) => locks.lock(kind, word, Activity::WaitRoot),
            Contended::Server(each, growth) => {
                let server = machine.server(self.hold, each, growth);
                locks.markov(server, Activity::WaitRoot)
            }
        };
        let mut data = machine.lines(self.data_lines);
        if let Some(first) = data.first_mut().filter(|_| self.embedded) {
            *first = word;
        }
        let counts: Vec<_> = (0..self.cpus).map(|_| Cell::new(0_u64)).collect();
        let ring = Ring {
            lock: &lock,
            locks: &locks,
            data: &data,
        };
        let scripts = counts.iter().enumerate();
        let scripts = scripts
            .map(|(id, count)| Box::pin(self.compete(machine.cpu(id), &ring, count)) as Script<'_>);
        let mut play = Play::new(&machine, scripts.collect());
        let warm = Picos::new(self.duration.get() / 10);
        play.until(warm);
        machine.clear_accounts();
        lock.tally().clear(machine.now());
        counts.iter().for_each(|count| count.set(0));
        play.until(warm + self.duration);

        let per_cpu: Vec<u64> = counts.iter().map(Cell::get).collect();
        let total = per_cpu.iter().sum::<u64>() as f64;
        let shares: Vec<f64> = per_cpu.iter().map(|count| *count as f64).collect();
        let tally = lock.tally();
        let fifo = matches!(self.lock, Contended::Lock(kind) if kind.is_fifo());
        let overtakings = if fifo { tally.overtakings() } else { 0 };
        Contested {
            per_second: total / self.duration.seconds(),
            fairness: stats::jain(&shares),
            lock: tally.row("lock"),
            line_operations: machine.line_operations() as f64 / total.max(1.0),
            transfers: machine
                .transfers()
                .map(|moved| moved as f64 / total.max(1.0)),
            events: machine.events(),
            trace: format!("{:016x}", machine.trace()),
            faults: tally.intrusions() + overtakings + u64::from(!machine.is_coherent()),
            little: tally.little(machine.now()),
            per_cpu,
        }
    }

    async fn compete(&self, cpu: Cpu<'_>, ring: &Ring<'_, '_>, count: &Cell<u64>) {
        let chance = cpu.machine().stream(cpu.id());
        loop {
            cpu.enter(Activity::Think);
            cpu.pause(self.thinking(&chance)).await;
            let held = ring.lock.acquire(cpu, ring.locks).await;
            cpu.enter(Activity::Hold);
            for line in ring.data {
                cpu.write(*line).await;
            }
            if matches!(self.lock, Contended::Lock(_)) {
                cpu.pause(self.holding(&chance)).await;
            }
            ring.lock.release(cpu, ring.locks, held).await;
            count.set(count.get() + 1);
        }
    }

    fn thinking(&self, chance: &Stream) -> Picos {
        match self.exponential {
            true => chance.exponential(self.think),
            false => chance.around(self.think, 0.1),
        }
    }

    fn holding(&self, chance: &Stream) -> Picos {
        match self.exponential {
            true => chance.exponential(self.hold),
            false => self.hold,
        }
    }
}
