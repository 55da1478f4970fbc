//! A traffic thread that hands records to a reporter through a ring: what the two ways of waiting
//! cost.

use serde::Serialize;

/// How the two threads wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Waiting {
    /// They poll each other.
    Spin,
    /// They poll, and yield the CPU between looks.
    Yield,
    /// The reporter is signalled, works off what there is, and sleeps 10 ms.
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
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reporter {
    /// How they wait.
    pub waiting: Waiting,
    /// Records per second that the traffic would make if it were never blocked.
    pub records_per_second: f64,
    /// The traffic thread's work for one record: the system call and all below it.
    pub produce_ns: f64,
    /// The reporter's work for one record.
    pub report_ns: f64,
    /// A wake-up, both sides together.
    pub wake_ns: f64,
    /// Records that the ring holds.
    pub ring: u64,
    /// The reporter's sleep after each pass.
    pub sleep_ns: f64,
    /// Between two readings of the counts.
    pub edge_ns: f64,
}

/// What it came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reported {
    /// Records per second.
    pub records_per_second: f64,
    /// CPU time over time: 1 is one CPU.
    pub cpu: f64,
    /// The part that was spent polling.
    pub polling: f64,
    /// Share of the time that the traffic was blocked by a full ring.
    pub blocked: f64,
    /// Wake-ups per second.
    pub wakeups: f64,
}

impl Reporter {
    /// Ten simulated seconds.
    pub fn run(&self) -> Reported {
        match self.waiting {
            Waiting::Spin | Waiting::Yield => self.polled(),
            Waiting::Condvar => self.signalled(),
            Waiting::Snapshot => {
                let work = self.records_per_second * self.produce_ns / 1e9;
                let edges = 1e9 / self.edge_ns;
                Reported {
                    records_per_second: self.records_per_second,
                    cpu: work + edges * (self.report_ns + self.wake_ns) / 1e9,
                    polling: 0.0,
                    blocked: 0.0,
                    wakeups: edges,
                }
            }
        }
    }

    /// Whoever has nothing to do takes the rest of the one CPU that the two share: the scheduler
    /// has no one else to run, so the CPU is never idle, yielding or not.
    fn polled(&self) -> Reported {
        let work = self.produce_ns + self.report_ns;
        let most = 1e9 / work;
        let rate = self.records_per_second.min(most);
        let busy = rate * work / 1e9;
        Reported {
            records_per_second: rate,
            cpu: 1.0,
            polling: 1.0 - busy,
            blocked: 0.0,
            wakeups: 0.0,
        }
    }

    /// Pass by pass: work off the ring, sleep, be signalled when a record comes.
    fn signalled(&self) -> Reported {
        let seconds = 10.0;
        let gap = 1e9 / self.records_per_second;
        let (mut now, mut cpu, mut records, mut blocked, mut wakeups) = (0.0, 0.0, 0.0, 0.0, 0.0);
        while now < seconds * 1e9 {
            // While the reporter sleeps and then wakes, the traffic goes on until the ring is full.
            let asleep = self.sleep_ns + self.wake_ns;
            let offered = asleep / gap;
            let taken = offered.min(self.ring as f64).max(1.0);
            let full_for = (asleep - taken * gap).max(0.0);
            let pass = taken * self.report_ns;
            // The reporter drains on its own CPU; what comes meanwhile is part of the next pass.
            cpu += taken * (self.produce_ns + self.report_ns) + 2.0 * self.wake_ns;
            records += taken;
            blocked += full_for;
            wakeups += 2.0;
            // Less than a record in a sleep: the reporter waits for it.
            now += asleep.max(taken * gap - full_for.min(0.0)).max(pass);
        }
        Reported {
            records_per_second: records * 1e9 / now,
            cpu: cpu / now,
            polling: 0.0,
            blocked: blocked / now,
            wakeups: wakeups * 1e9 / now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gigabit(waiting: Waiting) -> Reporter {
        Reporter {
            waiting,
            records_per_second: 1e9 / 8.0 / 8192.0,
            produce_ns: 5000.0,
            report_ns: 500.0,
            wake_ns: 5000.0,
            ring: 700,
            sleep_ns: 10e6,
            edge_ns: 1e9,
        }
    }

    #[test]
    fn polling_takes_a_cpu_and_waiting_does_not() {
        assert_eq!(gigabit(Waiting::Spin).run().cpu, 1.0);
        let condvar = gigabit(Waiting::Condvar).run();
        let snapshot = gigabit(Waiting::Snapshot).run();
        assert!(
            snapshot.cpu < condvar.cpu && condvar.cpu < 0.2,
            "{condvar:?}"
        );
        assert_eq!(condvar.blocked, 0.0);
    }

    /// A reporter that sleeps 10 ms bounds the rate at a ring in 10 ms.
    #[test]
    fn a_full_ring_blocks_small_datagrams() {
        let small = Reporter {
            records_per_second: 250_000.0,
            produce_ns: 2000.0,
            ..gigabit(Waiting::Condvar)
        }
        .run();
        assert!(
            (small.records_per_second / 70_000.0 - 1.0).abs() < 0.01,
            "{small:?}"
        );
        assert!(small.blocked > 0.5);
    }
}
