//! The steps of a long command: each announced, timed, and summed up at the end.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::Result;

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Well.
    Passed,
    /// Badly, with what to look at.
    Failed(String),
    /// It could not be tried here; not a failure.
    NotRun(String),
}

/// The steps so far.
#[derive(Debug, Default)]
pub struct Steps {
    done: Vec<(String, Duration, Outcome)>,
}

impl Outcome {
    /// Passed or failed.
    pub fn from_success(success: bool, failure: &str) -> Self {
        if success {
            Self::Passed
        } else {
            Self::Failed(failure.to_owned())
        }
    }

    /// Whether the whole command fails by it.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => write!(f, "passed"),
            Self::Failed(why) => write!(f, "FAILED: {why}"),
            Self::NotRun(why) => write!(f, "not run: {why}"),
        }
    }
}

impl Steps {
    /// Runs one step. A failure does not keep later steps from running, so that one call shows all.
    pub fn step(&mut self, name: &str, run: impl FnOnce() -> Result<Outcome>) {
        println!("\n== {name}");
        let began = Instant::now();
        let outcome = run().unwrap_or_else(|error| Outcome::Failed(format!("{error:#}")));
        let took = began.elapsed();
        println!("== {name}: {outcome} ({:.1} s)", took.as_secs_f64());
        self.done.push((name.to_owned(), took, outcome));
    }

    /// Whether no step failed.
    pub fn success(&self) -> bool {
        self.done
            .iter()
            .all(|(_, _, outcome)| !outcome.is_failure())
    }
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total: Duration = self.done.iter().map(|(_, took, _)| took).sum();
        for (name, took, outcome) in &self.done {
            writeln!(f, "{name:<16} {:>7.1} s  {outcome}", took.as_secs_f64())?;
        }
        write!(f, "{:<16} {:>7.1} s", "total", total.as_secs_f64())
    }
}
