//! The threads of this process: CPU time, waiting, migrations.

use std::collections::BTreeMap;

use record::Rows;

use super::Source;
use super::file::Text;
use crate::source::{Unreadable, thread};
use crate::tree::Tree;

/// Threads that are watched: more have no rows. Each has three open files.
const MOST: usize = 64;

pub(super) struct Workers {
    tree: Tree,
    /// By thread number; None for files that this kernel lacks.
    threads: BTreeMap<u32, Thread>,
}

struct Thread {
    label: String,
    stat: Text,
    schedstat: Option<Text>,
    sched: Option<Text>,
}

const TASKS: &str = "proc/self/task";

impl Workers {
    pub fn new(tree: &Tree) -> Self {
        Self {
            tree: tree.clone(),
            threads: BTreeMap::new(),
        }
    }

    /// A thread that ended in between is none.
    fn meet(&self, id: u32) -> Option<Thread> {
        let open = |name: &str| {
            Text::open(&self.tree, &format!("{TASKS}/{id}/{name}"))
                .ok()
                .flatten()
        };
        let mut stat = open("stat")?;
        let label = format!("{}/{id}", thread::name(stat.read().ok()??)?);
        Some(Thread {
            label,
            stat: open("stat")?,
            schedstat: open("schedstat"),
            sched: open("sched"),
        })
    }
}

impl Source for Workers {
    fn read(&mut self, rows: &mut Rows) -> Result<Option<()>, Unreadable> {
        let ids: Vec<u32> = self.tree.numbers(TASKS).into_iter().take(MOST).collect();
        self.threads.retain(|id, _| ids.contains(id));
        for id in ids {
            if let (false, Some(thread)) = (self.threads.contains_key(&id), self.meet(id)) {
                self.threads.insert(id, thread);
            }
        }
        for thread in self.threads.values_mut() {
            thread.read(rows);
        }
        Ok(Some(()))
    }
}

impl Thread {
    /// One that ended in between has no rows.
    fn read(&mut self, rows: &mut Rows) {
        let label = self.label.as_str();
        if let Some(text) = self.stat.whole() {
            thread::stat(label, text, rows);
        }
        if let Some(text) = self.schedstat.as_mut().and_then(Text::whole) {
            thread::schedstat(label, text, rows);
        }
        if let Some(text) = self.sched.as_mut().and_then(Text::whole) {
            thread::sched(label, text, rows);
        }
    }
}
