//! A traffic thread that hands records to a reporter through a ring: what the ways of waiting for
//! each other cost.

mod threads;

use serde::{Serialize, Serializer};

use crate::machine::{Activity, Machine, Play, Script};
use crate::picos::Picos;
use crate::platform::{self, Platform};
use crate::topology::{Shape, Topology};

/// How the two threads wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Waiting {
    /// They poll each other.
    Spin,
    /// They poll, and yield the CPU between looks.
    Yield,
    /// The reporter is signalled, works off what there is, and sleeps.
    Condvar,
    /// The traffic thread counts; the reporter reads the counts at its edges.
    Snapshot,
}

impl std::str::FromStr for Waiting {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "spin" => Ok(Self::Spin),
            "yield" => Ok(Self::Yield),
            "condvar" => Ok(Self::Condvar),
            "snapshot" => Ok(Self::Snapshot),
            _ => Err(format!(
                "'{word}' is none of: spin, yield, condvar, snapshot"
            )),
        }
    }
}

/// Two threads and a ring.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Reporter {
    /// How they wait.
    pub waiting: Waiting,
    /// What lines and atomics cost; two cores with a cache in common.
    #[serde(serialize_with = "by_name")]
    #[schemars(with = "String")]
    pub platform: Platform,
    /// CPUs: 2 for a thread each, 1 for both.
    pub cpus: usize,
    /// Records per second that the network lets through.
    pub records_per_second: f64,
    /// The traffic thread's work for one record: the system call and all below it.
    pub produce_ns: f64,
    /// The reporter's work for one record.
    pub report_ns: f64,
    /// A wake-up, half at either side.
    pub wake_ns: f64,
    /// A look that yields the CPU.
    pub yield_ns: f64,
    /// Records that the ring holds.
    pub ring: u64,
    /// The reporter's sleep after each pass.
    pub sleep_ns: f64,
    /// Between two readings of the counts.
    pub edge_ns: f64,
    /// Simulated, after a tenth as much of warm-up.
    pub simulated_ns: f64,
}

fn by_name<S: Serializer>(platform: &Platform, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&platform.name)
}

/// What it came to.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Reported {
    /// Records per second.
    pub records_per_second: f64,
    /// CPU time over time: 1 is one CPU.
    pub cpu: f64,
    /// The part that was spent polling.
    pub polling: f64,
    /// Share of the time that the traffic was held up by a full ring.
    pub blocked: f64,
    /// Wake-ups per second.
    pub wakeups: f64,
    /// Lines moved between the two CPUs for each record.
    pub transfers: f64,
    /// The same for the same run.
    pub trace: String,
}

impl Reporter {
    /// iperf 2.0.2 at 1 Gbit/s in writes of 8 KiB on a Core 2 Duo.
    pub fn gigabit(waiting: Waiting) -> Self {
        Self {
            waiting,
            platform: platform::e5450(),
            cpus: 2,
            records_per_second: 1e9 / 8.0 / 8192.0,
            produce_ns: 5500.0,
            report_ns: 500.0,
            wake_ns: 5000.0,
            yield_ns: 500.0,
            ring: 700,
            sleep_ns: 10e6,
            edge_ns: 100e6,
            simulated_ns: 500e6,
        }
    }

    /// Runs it.
    pub fn run(&self) -> Reported {
        // The two cores of one die.
        let topology = Topology::new(Shape::flat(2));
        let machine = Machine::new(topology, self.platform.memory(), 1);
        let ring = threads::Ring::new(&machine, self);
        let scripts: Vec<Script<'_>> = vec![
            Box::pin(ring.traffic(machine.cpu(0))),
            Box::pin(ring.reporter(machine.cpu(1))),
        ];
        let mut play = Play::new(&machine, scripts);
        let span = Picos::from_nanos(self.simulated_ns);
        let warm = Picos::new(span.get() / 10);
        play.until(warm);
        machine.clear_accounts();
        ring.clear();
        play.until(warm + span);
        let seconds = span.seconds();
        let spent = |activity: Activity| -> f64 {
            let both = (0..2).map(|cpu| machine.spent(cpu)[activity as usize].seconds());
            both.sum::<f64>() / seconds
        };
        let rate = |count: &std::cell::Cell<u64>| count.get() as f64 / seconds;
        let records = rate(&ring.counts.records);
        let moved: u64 = machine.transfers().iter().sum();
        Reported {
            records_per_second: records,
            cpu: 2.0 - spent(Activity::Idle),
            polling: spent(threads::POLLS),
            blocked: ring.blocked().seconds() / seconds,
            wakeups: rate(&ring.counts.wakeups),
            transfers: moved as f64 / seconds / records.max(1.0),
            trace: format!("{:016x}", machine.trace()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::{Item, Tag};

    #[test]
    fn polling_takes_a_cpu_and_waiting_does_not() {
        for cpus in [1, 2] {
            for waiting in [Waiting::Spin, Waiting::Yield] {
                let polled = Reporter {
                    cpus,
                    ..Reporter::gigabit(waiting)
                }
                .run();
                assert!((0.99..1.2).contains(&polled.cpu), "{waiting:?} {polled:?}");
                assert!(polled.polling > 0.85, "{waiting:?} {polled:?}");
                assert!(polled.records_per_second > 15_000.0, "{polled:?}");
            }
        }
        let condvar = Reporter::gigabit(Waiting::Condvar).run();
        let snapshot = Reporter::gigabit(Waiting::Snapshot).run();
        assert!(
            snapshot.cpu < condvar.cpu && condvar.cpu < 0.2,
            "{condvar:?} {snapshot:?}"
        );
        assert_eq!((condvar.polling, condvar.blocked), (0.0, 0.0));
        assert!(condvar.wakeups > 50.0 && snapshot.wakeups < 50.0);
        assert_eq!(condvar, Reporter::gigabit(Waiting::Condvar).run());
    }

    /// Polling moves a line for each record; counting moves one at an edge.
    #[test]
    fn slow_lines_cost_those_that_poll() {
        let cpu = |waiting, transfer: f64| {
            let mut reporter = Reporter::gigabit(waiting);
            let costs = &mut reporter.platform.costs;
            costs.set(Item::TransferCluster, transfer, Tag::U, "the test");
            reporter.run().cpu
        };
        let grows = |waiting| cpu(waiting, 2000.0) - cpu(waiting, 20.0);
        // 15259 records/s of 1.98 us more.
        assert!((grows(Waiting::Spin) - 0.030).abs() < 0.005);
        assert!(grows(Waiting::Snapshot) < 0.001);
    }

    /// A reporter that sleeps 10 ms bounds the rate at a ring in 10 ms.
    #[test]
    fn a_full_ring_blocks_small_datagrams() {
        let small = |waiting| {
            Reporter {
                records_per_second: 250_000.0,
                produce_ns: 2000.0,
                ..Reporter::gigabit(waiting)
            }
            .run()
        };
        let condvar = small(Waiting::Condvar);
        assert!(
            (condvar.records_per_second / 70_000.0 - 1.0).abs() < 0.05,
            "{condvar:?}"
        );
        assert!(condvar.blocked > 0.5);
        let snapshot = small(Waiting::Snapshot);
        assert!(
            (snapshot.records_per_second / 250_000.0 - 1.0).abs() < 0.01,
            "{snapshot:?}"
        );
    }

    /// On one CPU the poller takes what the traffic leaves, and no more.
    #[test]
    fn threads_of_one_cpu_share_it() {
        let spin = Reporter {
            cpus: 1,
            ..Reporter::gigabit(Waiting::Spin)
        }
        .run();
        assert!((spin.cpu - 1.0).abs() < 0.01, "{spin:?}");
    }
}
