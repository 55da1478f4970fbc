//! The two threads, as scripts on the simulated machine.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use super::{Reporter, Waiting};
use crate::line::LineId;
use crate::machine::{Activity, Cpu, Machine};
use crate::picos::Picos;

/// What a thread's CPU does while it polls.
pub(super) const POLLS: Activity = Activity::WaitRoot;

pub(super) struct Ring<'a> {
    setup: &'a Reporter,
    /// The line of what was put in, which the traffic writes to, and that of what was taken out.
    put_line: LineId,
    taken_line: LineId,
    put: Cell<u64>,
    taken: Cell<u64>,
    /// Sleep until the other thread signals them.
    traffic_waits: Cell<bool>,
    reporter_waits: Cell<bool>,
    held_up: Cell<Picos>,
    core: Core,
    pub counts: Counts,
}

#[derive(Default)]
pub(super) struct Counts {
    pub records: Cell<u64>,
    pub wakeups: Cell<u64>,
}

/// The one CPU of two threads: who runs, and who would like to.
#[derive(Default)]
struct Core {
    shared: bool,
    runs: Cell<Option<usize>>,
    ready: RefCell<VecDeque<usize>>,
}

impl Core {
    /// Waits for the CPU, if the threads have only one.
    async fn take(&self, cpu: Cpu<'_>) {
        if !self.shared {
            return;
        }
        if self.runs.get().is_none() {
            return self.runs.set(Some(cpu.id()));
        }
        self.ready.borrow_mut().push_back(cpu.id());
        let before = cpu.enter(Activity::Idle);
        while self.runs.get() != Some(cpu.id()) {
            cpu.wait(Picos::NEVER).await;
        }
        cpu.enter(before);
    }

    /// Leaves it to the other.
    fn give(&self, cpu: Cpu<'_>) {
        if !self.shared {
            return;
        }
        let next = self.ready.borrow_mut().pop_front();
        self.runs.set(next);
        if let Some(next) = next {
            cpu.machine().cpu(next).notify();
        }
    }

    /// A thread that was woken comes before one that polls.
    async fn let_in(&self, cpu: Cpu<'_>) {
        if self.shared && !self.ready.borrow().is_empty() {
            self.give(cpu);
            self.take(cpu).await;
        }
    }
}

impl<'a> Ring<'a> {
    pub fn new(machine: &Machine, setup: &'a Reporter) -> Self {
        Self {
            setup,
            put_line: machine.line(),
            taken_line: machine.line(),
            put: Cell::new(0),
            taken: Cell::new(0),
            traffic_waits: Cell::new(false),
            reporter_waits: Cell::new(false),
            held_up: Cell::new(Picos::ZERO),
            core: Core {
                shared: setup.cpus == 1,
                ..Core::default()
            },
            counts: Counts::default(),
        }
    }

    /// How long the traffic was held up by a full ring since the counts were cleared.
    pub fn blocked(&self) -> Picos {
        self.held_up.get()
    }

    /// Sends, makes a record of it, and waits until the network takes more.
    pub async fn traffic(&self, cpu: Cpu<'_>) {
        let gap = Picos::from_nanos(1e9 / self.setup.records_per_second);
        let produce = Picos::from_nanos(self.setup.produce_ns);
        let mut next = cpu.now();
        self.core.take(cpu).await;
        loop {
            cpu.enter(Activity::Think);
            cpu.work(produce).await;
            if self.setup.waiting != Waiting::Snapshot {
                self.room(cpu).await;
            }
            cpu.enter(Activity::Think);
            cpu.write(self.put_line).await;
            self.put.set(self.put.get() + 1);
            self.counts.records.set(self.counts.records.get() + 1);
            if self.reporter_waits.replace(false) {
                self.signal(cpu, 1).await;
            }
            // What was held up is not sent faster later: the socket buffer is small.
            next = (next + gap).max(cpu.now());
            if next > cpu.now() {
                self.sleep(cpu, next).await;
            }
        }
    }

    /// Waits for room in the ring.
    async fn room(&self, cpu: Cpu<'_>) {
        let full = || self.put.get() - self.taken.get() >= self.setup.ring;
        if !full() {
            return;
        }
        let since = cpu.now();
        match self.setup.waiting {
            Waiting::Condvar => {
                while full() {
                    self.traffic_waits.set(true);
                    self.sleep(cpu, Picos::NEVER).await;
                    cpu.work(self.half_wake()).await;
                }
            }
            _ => self.poll(cpu, self.taken_line, || !full()).await,
        }
        let held_up = self.held_up.get() + cpu.now().since(since);
        self.held_up.set(held_up);
    }

    /// Works off the ring, in whatever way it waits for more.
    pub async fn reporter(&self, cpu: Cpu<'_>) {
        self.core.take(cpu).await;
        let mut edge = cpu.now();
        loop {
            match self.setup.waiting {
                Waiting::Spin | Waiting::Yield => {
                    self.poll(cpu, self.put_line, || self.more()).await;
                    self.pass(cpu).await;
                }
                Waiting::Condvar => {
                    if !self.more() {
                        self.reporter_waits.set(true);
                        self.sleep(cpu, Picos::NEVER).await;
                        cpu.work(self.half_wake()).await;
                    }
                    self.pass(cpu).await;
                    if self.traffic_waits.replace(false) {
                        self.signal(cpu, 0).await;
                    }
                    let until = cpu.now() + Picos::from_nanos(self.setup.sleep_ns);
                    self.sleep(cpu, until).await;
                    self.woken(cpu).await;
                }
                Waiting::Snapshot => {
                    edge += Picos::from_nanos(self.setup.edge_ns);
                    self.sleep(cpu, edge).await;
                    self.woken(cpu).await;
                    cpu.read(self.put_line).await;
                    cpu.work(Picos::from_nanos(self.setup.report_ns)).await;
                }
            }
        }
    }

    fn more(&self) -> bool {
        self.put.get() > self.taken.get()
    }

    async fn pass(&self, cpu: Cpu<'_>) {
        let report = Picos::from_nanos(self.setup.report_ns);
        cpu.enter(Activity::Think);
        cpu.read(self.put_line).await;
        while self.more() {
            cpu.work(report).await;
            cpu.write(self.taken_line).await;
            self.taken.set(self.taken.get() + 1);
        }
    }

    /// Looks again and again until `done`.
    async fn poll(&self, cpu: Cpu<'_>, line: LineId, done: impl Fn() -> bool) {
        let before = cpu.enter(POLLS);
        if self.setup.waiting == Waiting::Spin && !self.core.shared {
            cpu.spin(line, done).await;
        } else {
            let look = Picos::from_nanos(self.setup.yield_ns);
            cpu.read(line).await;
            while !done() {
                cpu.work(look).await;
                self.core.let_in(cpu).await;
                cpu.read(line).await;
            }
        }
        cpu.enter(before);
    }

    async fn sleep(&self, cpu: Cpu<'_>, until: Picos) {
        self.core.give(cpu);
        cpu.enter(Activity::Idle);
        cpu.wait(until).await;
        cpu.enter(Activity::Think);
        self.core.take(cpu).await;
    }

    /// Wakes the other thread.
    async fn signal(&self, cpu: Cpu<'_>, other: usize) {
        cpu.work(self.half_wake()).await;
        self.counts.wakeups.set(self.counts.wakeups.get() + 1);
        cpu.machine().cpu(other).notify();
    }

    /// A timer woke this thread.
    async fn woken(&self, cpu: Cpu<'_>) {
        self.counts.wakeups.set(self.counts.wakeups.get() + 1);
        cpu.work(self.half_wake()).await;
    }

    fn half_wake(&self) -> Picos {
        Picos::from_nanos(self.setup.wake_ns / 2.0)
    }

    /// Forgets what was counted so far.
    pub fn clear(&self) {
        self.held_up.set(Picos::ZERO);
        self.counts.records.set(0);
        self.counts.wakeups.set(0);
    }
}
