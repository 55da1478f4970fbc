//! Locks as scripts of line operations. What a handoff costs comes out; nothing is assumed of it.

mod clh;
mod delay;
mod kind;
mod mcs;
mod nodes;
mod qspin;
mod tally;
mod tas;
mod ticket;

use std::cell::Cell;

pub use delay::{Delays, Policy};
pub use kind::{LockKind, UnknownLock};
pub use tally::{LockRow, Tally};

use crate::line::LineId;
use crate::machine::{Activity, Cpu, Machine};
use crate::picos::Picos;
use nodes::Nodes;

/// What all locks of one machine have in common: queue nodes and delays belong to CPUs.
#[derive(Debug)]
pub struct Locks<'m> {
    machine: &'m Machine,
    nodes: Nodes,
    delays: Delays,
    virtual_cpus: VirtualCpus,
    observer: Observer,
    made: Cell<u32>,
}

/// What paravirtual locks cost.
#[derive(Debug, Clone, Copy)]
pub struct VirtualCpus {
    /// Rounds of spinning before a waiter halts its virtual CPU.
    pub spin_rounds: u64,
    /// Until a halted CPU runs again.
    pub wake: Picos,
    /// What waking it costs the waker.
    pub kick: Picos,
}

/// A tracer on contention_begin and contention_end.
#[derive(Debug, Clone, Copy, Default)]
pub struct Observer {
    /// What one event costs.
    pub cost: Picos,
}

/// A lock and its figures.
#[derive(Debug)]
pub struct Lock {
    algorithm: Algorithm,
    waiting: Activity,
    tally: Tally,
}

#[derive(Debug)]
enum Algorithm {
    Tas(tas::Tas),
    Ticket(ticket::Ticket),
    Mcs(mcs::Mcs),
    Clh(clh::Clh),
    Qspin(qspin::Qspin),
    Markov(LineId),
}

/// Shows that a lock is held; goes back with the release.
#[derive(Debug)]
#[must_use]
pub struct Held {
    node: Option<u32>,
}

impl<'m> Locks<'m> {
    /// For the locks of a machine.
    pub fn new(machine: &'m Machine, virtual_cpus: VirtualCpus, observer: Observer) -> Self {
        Self {
            nodes: Nodes::new(machine),
            delays: Delays::new(machine.topology().cpus()),
            made: Cell::new(0),
            machine,
            virtual_cpus,
            observer,
        }
    }

    /// A lock whose word is in a line; data may be in the same one.
    pub fn lock(&self, kind: LockKind, word: LineId, waiting: Activity) -> Lock {
        let address = self.made.replace(self.made.get() + 1);
        let algorithm = match kind {
            LockKind::Tas => Algorithm::Tas(tas::Tas::new(word, tas::Poll::Atomic)),
            LockKind::Ttas => Algorithm::Tas(tas::Tas::new(word, tas::Poll::Read)),
            LockKind::TtasExp { max } => {
                Algorithm::Tas(tas::Tas::new(word, tas::Poll::Backoff(max)))
            }
            LockKind::Ticket => Algorithm::Ticket(ticket::Ticket::new(word, address, None)),
            LockKind::TicketProp(policy) => {
                Algorithm::Ticket(ticket::Ticket::new(word, address, Some(policy)))
            }
            LockKind::Mcs => Algorithm::Mcs(mcs::Mcs::new(word)),
            LockKind::Clh => Algorithm::Clh(clh::Clh::new(self.machine, word)),
            LockKind::Qspin => Algorithm::Qspin(qspin::Qspin::new(word, qspin::Variant::Native)),
            LockKind::QspinPv => Algorithm::Qspin(qspin::Qspin::new(word, qspin::Variant::Virtual)),
            LockKind::Cna => Algorithm::Qspin(qspin::Qspin::new(word, qspin::Variant::Numa)),
        };
        Lock {
            algorithm,
            waiting,
            tally: Tally::default(),
        }
    }

    /// The lock of the closed-form models: waiting in the queue of an exponential server that
    /// does handoff and critical section in one.
    pub fn markov(&self, server: LineId, waiting: Activity) -> Lock {
        Lock {
            algorithm: Algorithm::Markov(server),
            waiting,
            tally: Tally::default(),
        }
    }

    /// What each CPU has learnt about how long to wait.
    pub fn delays(&self) -> &Delays {
        &self.delays
    }
}

impl Lock {
    /// Waits for the lock and takes it.
    pub async fn acquire(&self, cpu: Cpu<'_>, locks: &Locks<'_>) -> Held {
        let before = cpu.enter(self.waiting);
        let arrival = self.tally.arrive(cpu);
        let node = match &self.algorithm {
            Algorithm::Tas(lock) => {
                lock.acquire(cpu).await;
                None
            }
            Algorithm::Ticket(lock) => {
                lock.acquire(cpu, locks, &self.tally).await;
                None
            }
            Algorithm::Mcs(lock) => Some(lock.acquire(cpu, &locks.nodes, &self.tally).await),
            Algorithm::Clh(lock) => Some(lock.acquire(cpu, &self.tally).await),
            Algorithm::Qspin(lock) => {
                lock.acquire(cpu, locks, &self.tally).await;
                None
            }
            Algorithm::Markov(server) => {
                cpu.write(*server).await;
                None
            }
        };
        self.tally.grant(cpu, arrival);
        cpu.enter(before);
        Held { node }
    }

    /// As [`Self::acquire`], but before all that wait, where the lock can do that.
    pub async fn acquire_first(&self, cpu: Cpu<'_>, locks: &Locks<'_>) -> Held {
        let Algorithm::Ticket(lock) = &self.algorithm else {
            return self.acquire(cpu, locks).await;
        };
        let before = cpu.enter(self.waiting);
        let arrival = self.tally.arrive(cpu);
        lock.acquire_first(cpu, &self.tally).await;
        self.tally.grant(cpu, arrival);
        cpu.enter(before);
        Held { node: None }
    }

    /// Takes the lock if it is free.
    pub async fn try_acquire(&self, cpu: Cpu<'_>, locks: &Locks<'_>) -> Option<Held> {
        let before = cpu.enter(self.waiting);
        let node = match &self.algorithm {
            Algorithm::Tas(lock) => lock.try_acquire(cpu).await.then_some(None),
            Algorithm::Ticket(lock) => lock.try_acquire(cpu, &self.tally).await.then_some(None),
            Algorithm::Mcs(lock) => {
                let node = lock.try_acquire(cpu, &locks.nodes, &self.tally).await;
                node.map(Some)
            }
            Algorithm::Clh(lock) => lock.try_acquire(cpu, &self.tally).await.map(Some),
            Algorithm::Qspin(lock) => lock.try_acquire(cpu).await.then_some(None),
            Algorithm::Markov(..) => None,
        };
        let held = node.map(|node| {
            let arrival = self.tally.arrive(cpu);
            self.tally.grant(cpu, arrival);
            Held { node }
        });
        cpu.enter(before);
        held
    }

    /// Lets the lock go.
    pub async fn release(&self, cpu: Cpu<'_>, locks: &Locks<'_>, held: Held) {
        self.tally.let_go(cpu);
        match (&self.algorithm, held.node) {
            (Algorithm::Tas(lock), _) => lock.release(cpu).await,
            (Algorithm::Ticket(lock), _) => lock.release(cpu).await,
            (Algorithm::Mcs(lock), Some(node)) => lock.release(cpu, &locks.nodes, node).await,
            (Algorithm::Clh(lock), Some(node)) => lock.release(cpu, node).await,
            (Algorithm::Qspin(lock), _) => lock.release(cpu, locks).await,
            (Algorithm::Markov(..) | Algorithm::Mcs(_) | Algorithm::Clh(_), _) => {}
        }
    }

    /// Its figures.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }
}
