//! Reads all sources again and again, and tells what changed.

mod file;
mod workers;

use std::collections::BTreeSet;

use record::{End, Observation, Rows};

use crate::source::{self, Unreadable};
use crate::tree::Tree;
use file::{Kept, Parse};
use workers::Workers;

/// A part of what is read.
trait Source: Send {
    /// Reads it into `rows`, which are empty. None when nothing can have changed since the
    /// reading before.
    fn read(&mut self, rows: &mut Rows) -> Result<Option<()>, Unreadable>;
}

/// A source and what it said last.
struct Part {
    source: Box<dyn Source>,
    rows: Rows,
}

/// All sources of this host, seen from the network namespace of the thread that opened them. Files
/// stay open, so that a reading costs no path look-ups.
pub struct Sampler {
    parts: Vec<Part>,
    /// What is new in `unread` goes out once.
    unread: Vec<String>,
    told: BTreeSet<String>,
}

/// Files that every host has or lacks as a whole.
const FILES: [(&str, Parse); 14] = [
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
    ("proc/pressure/memory", |text, rows| {
        source::pressure::pressure("memory", text, rows)
    }),
    ("proc/pressure/irq", |text, rows| {
        source::pressure::pressure("irq", text, rows)
    }),
];

impl Sampler {
    /// Opens what there is. What this kernel lacks is left out; what may not be read is told with
    /// the first reading.
    pub fn new() -> Self {
        Self::of(&Tree::here())
    }

    fn of(tree: &Tree) -> Self {
        let mut sampler = Self {
            parts: Vec::new(),
            unread: Vec::new(),
            told: BTreeSet::new(),
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
            }),
            Ok(None) => (),
            Err(sentence) => self.unread.push(sentence),
        }
    }

    /// Reads everything: what changed since the last reading, or all of it the first time.
    pub fn observe(&mut self, end: End, at_ns: u64) -> Observation {
        let mut observation = Observation {
            end,
            at_ns,
            ..Observation::default()
        };
        for part in &mut self.parts {
            let mut rows = Rows::default();
            match part.source.read(&mut rows) {
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
        let news = self.unread.drain(..);
        observation.unread = news
            .filter(|sentence| self.told.insert(sentence.clone()))
            .collect();
        observation
    }
}

impl Default for Sampler {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests;
