//! A comparison on its way, as far as it is kept.

use std::time::Duration;

use analyze::schedule::Schedule;
use analyze::warm_up::{self, Steady};
use record::{Design, Hosts, Sides, Trial};

use super::{ALPHA, Refused, is_run};
use crate::cli::Comparing;
use crate::exit::Exit;
use crate::label;
use crate::store::{Entry, Journal, Store};

/// Everything that a comparison knows of itself.
pub(super) struct State {
    pub id: String,
    pub started: String,
    pub command: Vec<String>,
    pub seed: u64,
    pub asked: Comparing,
    pub journal: Journal,
    pub trials: Vec<Trial>,
    pub hosts: Sides<Option<Hosts>>,
    /// What the pilots decided.
    pub steady: Option<Steady>,
}

impl State {
    /// A new one.
    pub fn begin(store: &Store, asked: &Comparing, command: Vec<String>) -> Result<Self, Refused> {
        let started = label::now();
        let id = label::run_id(&started);
        let seed = asked.seed.unwrap_or_else(crate::commands::run::random_seed);
        let refused = |error: anyhow::Error| (format!("{error:#}"), Exit::Missing);
        let mut journal = store.journal(&id).map_err(refused)?;
        let entry = Entry::Begin {
            id: id.clone(),
            started: started.clone(),
            command: command.clone(),
            seed,
        };
        journal.add(&entry).map_err(refused)?;
        Ok(Self {
            id,
            started,
            command,
            seed,
            asked: asked.clone(),
            journal,
            trials: Vec::new(),
            hosts: Sides::default(),
            steady: None,
        })
    }

    /// One that was interrupted or killed, with all that its journal holds.
    pub fn resume(store: &Store, asked: &Comparing, entries: Vec<Entry>) -> Result<Self, Refused> {
        let mut known = None;
        let (mut trials, mut hosts, mut steady) = (Vec::new(), Sides::default(), None);
        for entry in entries {
            match entry {
                Entry::Begin {
                    id,
                    started,
                    command,
                    seed,
                } => known = Some((id, started, command, seed)),
                Entry::Times { warm_up, trial } => steady = Some(Steady { warm_up, trial }),
                Entry::Hosts { side, hosts: found } => *hosts.of_mut(side) = Some(*found),
                Entry::Trial(trial) => trials.push(*trial),
            }
        }
        let (id, started, command, seed) =
            known.ok_or_else(|| ("the comparison never began".to_owned(), Exit::Usage))?;
        let journal = store
            .journal(&id)
            .map_err(|error| (format!("{error:#}"), Exit::Missing))?;
        Ok(Self {
            id,
            started,
            command,
            seed,
            asked: asked.clone(),
            journal,
            trials,
            hosts,
            steady,
        })
    }

    /// Whether something is left for pilots to decide, or to warm up: an external command's first
    /// run is one.
    pub fn needs_pilots(&self) -> bool {
        let asked = &self.asked;
        !(asked.time_said && asked.warm_up_said && is_run(&asked.sides.a.work))
    }

    /// Time that was spent before the comparison was resumed.
    pub fn elapsed_before(&self) -> Duration {
        let last = self.trials.last();
        Duration::from_nanos(last.map_or(0, |trial| trial.at_ns + trial.took_ns))
    }

    /// How it was done, for the document.
    pub fn design(&self, schedule: &Schedule) -> Design {
        let asked = &self.asked;
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let times = match &asked.sides.a.work {
            crate::cli::Work::Run { plan, .. } => {
                Some(super::trial::times(plan, asked, self.steady))
            }
            crate::cli::Work::Exec { .. } => None,
        };
        let rule = match (times.is_some(), self.needs_pilots()) {
            (false, _) => "the first run of each side does not count",
            (true, false) => "as asked",
            (true, true) => warm_up::RULE,
        };
        Design {
            aa: asked.aa,
            seed: self.seed,
            alpha: ALPHA,
            smallest_effect: asked.smallest_effect,
            primary: asked
                .primary
                .iter()
                .map(|metric| metric.name.clone())
                .collect(),
            pairs: schedule.planned().map(count),
            looks: schedule.looks().pairs().map(count).collect(),
            max_time_ns: asked.max_time.map(|time| time.get()),
            trial_ns: times
                .and_then(|times| times.duration)
                .map(|time| time.get()),
            warm_up_ns: times.map(|times| times.omit.get()),
            warm_up_rule: rule.to_owned(),
        }
    }
}
