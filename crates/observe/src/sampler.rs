//! Reads all sources again and again, and tells what changed.

mod devices;
mod file;
mod workers;

use std::collections::BTreeSet;

use plan::Observe;
use record::{End, Observation, Rows};

use sys::clock::thread_cpu;
use units::Nanos;

use crate::source::{self, Unreadable};
use crate::tracing::{self, Locks, Queues, Timers};
use crate::tree::Tree;
use devices::{Carrier, Driver, Qdiscs};
use file::{Kept, Parse};
use workers::Workers;

/// A part of what is read.
pub(crate) trait Source: Send {
    /// Reads it into `rows`, which are empty. None when nothing can have changed since the
    /// reading before.
    fn read(&mut self, rows: &mut Rows) -> Result<Option<()>, Unreadable>;
}

/// A source and what it said last.
struct Part {
    source: Box<dyn Source>,
    rows: Rows,
    /// When it was read, and the CPU time that this took.
    read: Option<(Nanos, Nanos)>,
}

/// How much of the host is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// All of it.
    Whole,
    /// What has not been looked at for so long that the look costs next to nothing: a source that
    /// takes 20 us, ten times a second, one that takes 200 us, once.
    Cheap,
}

/// A source takes at most this part of one CPU, unless the whole is asked for: some 25 of them
/// together at most half a percent.
const SHARE: u64 = 5000;

/// All sources of this host, seen from the network namespace of the thread that opened them. Files
/// stay open, so that a reading costs no path look-ups.
pub struct Sampler {
    parts: Vec<Part>,
    /// What is new in `unread` goes out once.
    unread: Vec<String>,
    told: BTreeSet<String>,
    /// CPU time that all readings took, and their number.
    cost: (Nanos, u64),
}

/// Files that every host has or lacks as a whole.
const FILES: [(&str, Parse); 15] = [
    ("proc/stat", source::stat::stat),
    ("proc/vmstat", source::stat::vmstat),
    ("proc/interrupts", source::interrupts::interrupts),
    ("proc/softirqs", source::interrupts::softirqs),
    (
        "proc/thread-self/net/softnet_stat",
        source::softnet::softnet,
    ),
    ("proc/thread-self/net/snmp", source::protocols::snmp),
    ("proc/thread-self/net/netstat", source::protocols::netstat),
    ("proc/thread-self/net/snmp6", source::protocols::snmp6),
    ("proc/thread-self/net/sockstat", source::protocols::sockstat),
    (
        "proc/thread-self/net/sockstat6",
        source::protocols::sockstat,
    ),
    ("proc/thread-self/net/dev", source::traffic::interfaces),
    ("proc/pressure/cpu", |text, rows| {
        source::pressure::pressure("cpu", text, rows)
    }),
    ("proc/pressure/io", |text, rows| {
        source::pressure::pressure("io", text, rows)
    }),
    ("proc/pressure/memory", |text, rows| {
        source::pressure::pressure("memory", text, rows)
    }),
    ("proc/pressure/irq", |text, rows| {
        source::pressure::pressure("irq", text, rows)
    }),
];

impl Sampler {
    /// Opens what there is; `interface` is the one whose carrier and driver are asked for too. What
    /// this kernel lacks is left out; what may not be read is told with the first reading.
    pub fn new(interface: Option<&str>) -> Self {
        let mut sampler = Self::of(&Tree::here());
        sampler.add(Qdiscs::open());
        if let Some(interface) = interface {
            sampler.add(Carrier::open(interface));
            sampler.add(Driver::open(interface));
        }
        sampler
    }

    /// Traces what was asked in the kernel, from now on. What cannot be traced is told with the
    /// next reading.
    pub fn explain(&mut self, asked: Observe) {
        let tree = Tree::here();
        let types = asked.traces().then(tracing::types).flatten();
        if asked.locks {
            self.add(Locks::open(&tree, types.as_ref()));
        }
        if asked.timers {
            self.add(Timers::open(&tree, types.as_ref()));
        }
        if asked.queues {
            self.add(Queues::open(types.as_ref()));
        }
    }

    /// Tells with the next reading why something is not read.
    pub fn tell(&mut self, sentence: &str) {
        self.unread.push(sentence.to_owned());
    }

    fn of(tree: &Tree) -> Self {
        let mut sampler = Self {
            parts: Vec::new(),
            unread: Vec::new(),
            told: BTreeSet::new(),
            cost: (Nanos::ZERO, 0),
        };
        for (path, parse) in FILES {
            sampler.add(Kept::open(tree, path, parse));
        }
        for kept in file::cgroups(tree) {
            sampler.add(kept);
        }
        sampler.add(Ok(Some(Workers::new(tree))));
        sampler
    }

    fn add<S: Source + 'static>(&mut self, source: Result<Option<S>, Unreadable>) {
        match source {
            Ok(Some(source)) => self.parts.push(Part {
                source: Box::new(source),
                rows: Rows::default(),
                read: None,
            }),
            Ok(None) => (),
            Err(sentence) => self.unread.push(sentence),
        }
    }

    /// Reads: what changed since the last reading, or all of it the first time.
    pub fn observe(&mut self, end: End, at_ns: u64, effort: Effort) -> Observation {
        let mut observation = Observation {
            end,
            at_ns,
            ..Observation::default()
        };
        let (cpu, readings) = self.cost;
        let own = [("cpu_ns", cpu.get()), ("readings", readings)];
        for (name, value) in own {
            observation.rows.set("netdyno", "observer", name, value);
        }
        let mut now = thread_cpu();
        let began = now;
        for part in &mut self.parts {
            if effort == Effort::Cheap && !part.is_due(at_ns) {
                continue;
            }
            let mut rows = Rows::default();
            let before = now;
            let answer = part.source.read(&mut rows);
            now = thread_cpu();
            part.read = Some((Nanos::new(at_ns), now - before));
            match answer {
                Ok(None) => continue,
                Ok(Some(())) => (),
                Err(sentence) => {
                    // Half of a reading is none.
                    rows = Rows::default();
                    self.unread.push(sentence);
                }
            }
            observation.rows.apply(&rows.changed(&part.rows), &[]);
            observation.gone.extend(rows.gone(&part.rows));
            part.rows = rows;
        }
        self.cost = (cpu + (thread_cpu() - began), readings + 1);
        let news = self.unread.drain(..);
        observation.unread = news
            .filter(|sentence| self.told.insert(sentence.clone()))
            .collect();
        observation
    }
}

impl Part {
    fn is_due(&self, at_ns: u64) -> bool {
        self.read.is_none_or(|(at, took)| {
            at_ns.saturating_sub(at.get()) >= SHARE.saturating_mul(took.get())
        })
    }
}

#[cfg(test)]
mod tests;
