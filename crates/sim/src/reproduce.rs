//! Published figures, predicted. What is fitted is fitted to other figures than those that are
//! predicted; a prediction that fails stays as it is.

mod busylock;
mod deferred;
mod fit;
mod htb;
mod hypotheses;
mod lockless;
mod paced;
mod shapes;
mod waiting;

use serde::Serialize;
use thiserror::Error;

pub use hypotheses::{Hypothesis, hypotheses};

/// One number with its name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// What it is.
    pub name: String,
    /// How much.
    pub value: f64,
    /// Of what.
    pub unit: &'static str,
}

/// One experiment: what was fitted, what that predicts, and what was published.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Experiment {
    /// E1 to E12.
    pub id: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// Always `simulated`, or `closed form and simulated`.
    pub provenance: &'static str,
    /// Parameters, and the figures that they were fitted to as they come out.
    pub fitted: Vec<Figure>,
    /// Figures that nothing was fitted to.
    pub predicted: Vec<Figure>,
    /// The same as published.
    pub published: Vec<Figure>,
    /// Published from memory: never verified, and no criterion.
    pub not_verified: Vec<Figure>,
    /// What must hold of the prediction.
    pub criterion: &'static str,
    /// Whether it does.
    pub pass: bool,
    /// What was assumed, and where a fit does not reach its figure.
    pub notes: Vec<String>,
}

/// There is no such experiment.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no experiment '{0}': use E1 to E12")]
pub struct UnknownExperiment(String);

type Run = fn(u64) -> Experiment;

const EXPERIMENTS: [(&str, Run); 12] = [
    ("E1", busylock::e1),
    ("E2", busylock::e2),
    ("E3", htb::e3),
    ("E4", htb::e4),
    ("E5", htb::e5),
    ("E6", deferred::e6),
    ("E7", lockless::e7),
    ("E8", shapes::e8),
    ("E9", shapes::e9),
    ("E10", paced::e10),
    ("E11", paced::e11),
    ("E12", waiting::e12),
];

/// The names of all experiments.
pub fn names() -> impl Iterator<Item = &'static str> {
    EXPERIMENTS.iter().map(|(name, _)| *name)
}

/// Runs one.
pub fn run(name: &str, seed: u64) -> Result<Experiment, UnknownExperiment> {
    let found = EXPERIMENTS
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name));
    found
        .map(|(_, run)| run(seed))
        .ok_or_else(|| UnknownExperiment(name.to_owned()))
}

fn figure(name: impl Into<String>, value: f64, unit: &'static str) -> Figure {
    Figure {
        name: name.into(),
        value,
        unit,
    }
}
