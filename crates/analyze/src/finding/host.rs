//! One host's rows, as the rules ask for them. None where the host did not tell.

use record::{End, HostObserved, Row, Run};

pub(super) struct Host<'a> {
    pub end: End,
    pub seen: &'a HostObserved,
    /// Between the two readings that the counters come from, s.
    pub seconds: f64,
}

/// Of one of netdyno's threads that carry flows.
pub(super) struct Worker<'a> {
    pub thread: &'a str,
    /// On a CPU, share of the time.
    pub running: f64,
    /// Waiting for a CPU, share of the time; none where the scheduler does not say.
    pub waiting: Option<f64>,
    pub migrations: Option<u64>,
}

impl<'a> Host<'a> {
    pub fn of(run: &'a Run, end: End) -> Option<Self> {
        let seen = run.hosts_observed.of(end)?;
        let seconds = seen.seconds.filter(|seconds| *seconds > 0.0)?;
        Some(Self { end, seen, seconds })
    }

    /// What a counter gained.
    pub fn counted(&self, source: &str, label: &str, name: &str) -> Option<u64> {
        self.seen.counted(source, label, name)
    }

    /// What all labels' counters of this name gained.
    pub fn sum(&self, source: &str, name: &str) -> u64 {
        self.seen.sum(source, name).unwrap_or(0)
    }

    /// Rows of a source and a name: label and gain.
    pub fn all(&self, source: &'a str, name: &'a str) -> impl Iterator<Item = (&'a str, u64)> {
        let wanted = move |row: &Row| row.source == source && row.name == name;
        let rows = self.seen.counted.iter().filter(wanted);
        rows.map(|row| (row.label, row.value))
    }

    /// Share of one CPU that a counter of ns took.
    pub fn share(&self, ns: u64) -> f64 {
        ns as f64 / 1e9 / self.seconds
    }

    /// The workers of load `load`, the busiest first.
    pub fn workers(&self, load: &str) -> Vec<Worker<'a>> {
        // The kernel keeps 15 bytes of a thread's name.
        let mut prefix = format!("{load}-");
        prefix.truncate(prefix.floor_char_boundary(15));
        let threads = self.seen.counted.labels("thread");
        let ours = threads.filter(|label| label.starts_with(&prefix));
        let mut workers: Vec<Worker> = ours.filter_map(|label| self.worker(label)).collect();
        workers.sort_by(|a, b| b.demand().total_cmp(&a.demand()));
        workers
    }

    fn worker(&self, thread: &'a str) -> Option<Worker<'a>> {
        let counted = |name: &str| self.counted("thread", thread, name);
        let ticks = || Some(counted("user_ns")?.saturating_add(counted("system_ns")?));
        Some(Worker {
            thread,
            running: self.share(counted("run_ns").or_else(ticks)?),
            waiting: counted("wait_ns").map(|ns| self.share(ns)),
            migrations: counted("migrations"),
        })
    }

    /// Share of the time that each CPU was neither idle nor waiting for I/O.
    pub fn busy_cpus(&self) -> Vec<(&'a str, f64)> {
        let cpus = self.seen.counted.labels("cpu");
        let busy = cpus.filter_map(|cpu| {
            let counted = |name: &str| self.counted("cpu", cpu, name);
            let parts = [
                "user_ns",
                "nice_ns",
                "system_ns",
                "irq_ns",
                "softirq_ns",
                "steal_ns",
            ];
            let busy = parts
                .into_iter()
                .filter_map(counted)
                .fold(0, u64::saturating_add) as f64;
            let idle = counted("idle_ns")? as f64 + counted("iowait_ns").unwrap_or(0) as f64;
            (busy + idle > 0.0).then(|| (cpu, busy / (busy + idle)))
        });
        busy.collect()
    }
}

impl Worker<'_> {
    /// How much of a CPU it wanted.
    pub fn demand(&self) -> f64 {
        self.running + self.waiting.unwrap_or(0.0)
    }
}
