//! Paced flows: each send is set off by a timer, and where the timer runs is a policy.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serde::Serialize;

use crate::cost::Item;
use crate::machine::{ACTIVITIES, Activity, Cpu, Machine, Play, Script};
use crate::picos::Picos;
use crate::platform::Platform;
use crate::topology::Topology;

/// Where a timer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Migration {
    /// Armed by a CPU that is idle but for an interrupt: to a busy one (until 6.8).
    Push,
    /// Stays where it was armed.
    Pinned,
    /// Stays; an idle CPU's is run by a busy one that looks at its own tick (since 6.9).
    Pull,
}

impl std::str::FromStr for Migration {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "push" => Ok(Self::Push),
            "pinned" => Ok(Self::Pinned),
            "pull" => Ok(Self::Pull),
            _ => Err(format!("'{word}' is none of: push, pinned, pull")),
        }
    }
}

/// Paced flows on a machine.
#[derive(Debug, Clone)]
pub struct Paced {
    /// The machine.
    pub platform: Platform,
    /// Its CPUs that flows are spread over.
    pub cpus: usize,
    /// Flows.
    pub flows: usize,
    /// Bytes per second of each.
    pub pace: f64,
    /// Bytes of one burst: two segments.
    pub burst: f64,
    /// Interrupts of the network device for each burst: acknowledgements and completions.
    pub network_interrupts: f64,
    /// Where timers go.
    pub migration: Migration,
    /// Measured, after a tenth as much of warm-up.
    pub duration: Picos,
    /// The seed.
    pub seed: u64,
}

/// What the pacing cost.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Timed {
    /// Bursts per second.
    pub bursts_per_second: f64,
    /// All interrupts per second.
    pub interrupts_per_second: f64,
    /// Of these: timers,
    pub timer_interrupts: f64,
    /// the network device,
    pub network_interrupts: f64,
    /// and other CPUs'.
    pub remote_interrupts: f64,
    /// Share of timers that ran on another CPU than their flow's.
    pub migrated: f64,
    /// Share of all CPU time that is not idle.
    pub busy: f64,
    /// How late timers ran, in nanoseconds, on average.
    pub late_mean_ns: f64,
    /// The same for the same run.
    pub trace: String,
}

/// Timers by when they are due, the earliest on top, and whose they are.
type Due = BinaryHeap<Reverse<(Picos, usize)>>;

struct Wheel {
    /// Timers due on each CPU.
    due: Vec<RefCell<Due>>,
    asleep: Vec<Cell<bool>>,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    timers: Cell<u64>,
    network: Cell<u64>,
    remote: Cell<u64>,
    migrated: Cell<u64>,
    late: Cell<u64>,
}

impl Paced {
    /// Runs it.
    pub fn run(&self) -> Timed {
        let machine = Machine::new(
            Topology::new(self.platform.shape),
            self.platform.memory(),
            self.seed,
        );
        let wheel = Wheel {
            due: (0..self.cpus).map(|_| RefCell::default()).collect(),
            asleep: (0..self.cpus).map(|_| Cell::new(false)).collect(),
            counts: Counts::default(),
        };
        let gap = self.gap();
        let chance = machine.stream(machine.topology().cpus());
        for flow in 0..self.flows {
            let first = Picos::new(chance.bits() % gap.get());
            let mut due = wheel.due[flow % self.cpus].borrow_mut();
            due.push(Reverse((first, flow)));
        }
        let scripts =
            (0..self.cpus).map(|id| Box::pin(self.serve(machine.cpu(id), &wheel)) as Script<'_>);
        let mut play = Play::new(&machine, scripts.collect());
        let warm = Picos::new(self.duration.get() / 10);
        play.until(warm);
        machine.clear_accounts();
        wheel.counts.clear();
        play.until(warm + self.duration);
        self.result(&machine, &wheel)
    }

    fn gap(&self) -> Picos {
        Picos::from_nanos(self.burst / self.pace * 1e9)
    }

    fn result(&self, machine: &Machine, wheel: &Wheel) -> Timed {
        let seconds = self.duration.seconds();
        let rate = |count: &Cell<u64>| count.get() as f64 / seconds;
        let counts = &wheel.counts;
        let idle: f64 = (0..self.cpus)
            .map(|cpu| machine.spent(cpu)[Activity::Idle as usize].seconds())
            .sum();
        let (timers, network, remote) = (
            rate(&counts.timers),
            rate(&counts.network),
            rate(&counts.remote),
        );
        debug_assert_eq!(ACTIVITIES[0], Activity::Idle);
        Timed {
            bursts_per_second: timers,
            interrupts_per_second: timers + network + remote,
            timer_interrupts: timers,
            network_interrupts: network,
            remote_interrupts: remote,
            migrated: rate(&counts.migrated) / timers.max(1.0),
            busy: 1.0 - idle / seconds / self.cpus as f64,
            late_mean_ns: rate(&counts.late) / timers.max(1.0),
            trace: format!("{:016x}", machine.trace()),
        }
    }

    /// A CPU: sleeps until a timer of its own is due, runs it, sends, takes the interrupts that
    /// the send brings, and arms the next timer.
    async fn serve(&self, cpu: Cpu<'_>, wheel: &Wheel) {
        let costs = &self.platform.costs;
        let chance = cpu.machine().stream(cpu.id());
        loop {
            let next = wheel.due[cpu.id()].borrow().peek().map(|entry| entry.0);
            let (at, flow) = match next {
                Some(entry) if entry.0 <= cpu.now() => entry,
                other => {
                    let until = other.map_or(Picos::NEVER, |entry| entry.0);
                    cpu.enter(Activity::Idle);
                    wheel.asleep[cpu.id()].set(true);
                    cpu.wait(until).await;
                    wheel.asleep[cpu.id()].set(false);
                    if self.migration == Migration::Pull && self.pull(cpu, wheel) {
                        continue;
                    }
                    cpu.enter(Activity::Softirq);
                    continue;
                }
            };
            wheel.due[cpu.id()].borrow_mut().pop();
            let home = flow % self.cpus;
            let late = cpu.now().since(at).get() / 1000;
            wheel.counts.late.set(wheel.counts.late.get() + late);
            add(&wheel.counts.timers, 1.0, &chance);
            cpu.work(costs.span(Item::Timer)).await;
            if home != cpu.id() {
                add(&wheel.counts.migrated, 1.0, &chance);
                cpu.work(costs.span(Item::Remote)).await;
            }
            cpu.work(costs.span(Item::Think)).await;
            let interrupts = add(&wheel.counts.network, self.network_interrupts, &chance);
            cpu.work(costs.span(Item::Interrupt) * interrupts).await;
            self.arm(cpu, wheel, flow, at).await;
        }
    }

    /// An idle CPU's timer is run by one that is awake anyway; whether there is one.
    fn pull(&self, cpu: Cpu<'_>, wheel: &Wheel) -> bool {
        let migrator = (1..self.cpus)
            .map(|step| (cpu.id() + step) % self.cpus)
            .find(|other| {
                // It looks when it has nothing of its own to do.
                let due = wheel.due[*other].borrow();
                let overdue = due.peek().is_some_and(|next| next.0.0 <= cpu.now());
                !wheel.asleep[*other].get() && !overdue
            });
        let Some(migrator) = migrator else {
            return false;
        };
        let entry = wheel.due[cpu.id()].borrow_mut().pop();
        if let Some(entry) = entry {
            wheel.due[migrator].borrow_mut().push(entry);
        }
        true
    }

    async fn arm(&self, cpu: Cpu<'_>, wheel: &Wheel, flow: usize, last: Picos) {
        let home = flow % self.cpus;
        let at = (last + self.gap()).max(cpu.now());
        // The acknowledgement comes to the flow's own CPU, and that arms the timer. It is idle but
        // for that interrupt unless it had something else to do.
        let awake = |other: usize| !wheel.asleep[other].get() && other != cpu.id();
        let home_is_idle = wheel.asleep[home].get()
            || home == cpu.id()
                && wheel.due[home]
                    .borrow()
                    .peek()
                    .is_none_or(|next| next.0.0 > cpu.now());
        let busy = (1..self.cpus)
            .map(|step| (home + step) % self.cpus)
            .find(|other| awake(*other));
        let target = match (self.migration, busy) {
            (Migration::Push, Some(busy)) if home_is_idle => busy,
            _ => home,
        };
        let earliest = {
            let mut due = wheel.due[target].borrow_mut();
            let earliest = due.peek().is_none_or(|next| at < next.0.0);
            due.push(Reverse((at, flow)));
            earliest
        };
        if target != home {
            // The other CPU is interrupted to look at its wheel again.
            wheel.counts.remote.set(wheel.counts.remote.get() + 1);
            let cost = self.platform.costs.span(Item::Ipi);
            cpu.work(cost).await;
        }
        if earliest && wheel.asleep[target].get() {
            cpu.machine().cpu(target).notify();
        }
    }
}

/// Counts so many on average; how many now.
fn add(count: &Cell<u64>, mean: f64, chance: &crate::random::Stream) -> u64 {
    let whole = mean.floor();
    let more = u64::from(chance.chance(mean - whole));
    let number = whole as u64 + more;
    count.set(count.get() + number);
    number
}

impl Counts {
    fn clear(&self) {
        for count in [
            &self.timers,
            &self.network,
            &self.remote,
            &self.migrated,
            &self.late,
        ] {
            count.set(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Shape;

    fn paced(migration: Migration) -> Timed {
        let mut platform: Platform = "westmere".parse().unwrap();
        platform.shape = Shape::flat(8);
        Paced {
            platform,
            cpus: 8,
            flows: 20,
            pace: 3e6,
            burst: 2896.0,
            network_interrupts: 1.0,
            migration,
            duration: Picos::from_millis(100),
            seed: 1,
        }
        .run()
    }

    #[test]
    fn every_burst_is_a_timer_wherever_it_runs() {
        let expected = 20.0 * 3e6 / 2896.0;
        for migration in [Migration::Push, Migration::Pinned, Migration::Pull] {
            let out = paced(migration);
            assert!(
                (out.bursts_per_second / expected - 1.0).abs() < 0.02,
                "{out:?}"
            );
            assert_eq!(out, paced(migration));
        }
    }

    #[test]
    fn pushing_interrupts_others_and_pinning_does_not() {
        let (push, pinned) = (paced(Migration::Push), paced(Migration::Pinned));
        assert!(
            push.migrated > 0.05 && push.remote_interrupts > 0.0,
            "{push:?}"
        );
        assert_eq!((pinned.migrated, pinned.remote_interrupts), (0.0, 0.0));
        assert!(push.busy > pinned.busy);
    }
}
