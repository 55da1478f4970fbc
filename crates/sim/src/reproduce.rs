//! Published figures, predicted. What is fitted is fitted to other figures than those that are
//! predicted; a prediction that fails stays as it is.

mod bulk;
mod busylock;
mod deferred;
mod fit;
mod htb;
mod hypercube;
mod hypotheses;
mod lockless;
mod paced;
mod sensitivity;
mod shapes;
mod spread;
mod trial;
mod waiting;

use serde::Serialize;
use thiserror::Error;

pub use hypercube::{Hypercube, Influence, Spread, hypercube};
pub use hypotheses::{Hypothesis, hypotheses};
pub use sensitivity::{Sensitivity, Variation, Varied, ablations, parameters};
pub use trial::{Ablation, Move, Trial};

/// One number with its name.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Figure {
    /// What it is.
    pub name: String,
    /// How much.
    pub value: f64,
    /// Of what.
    pub unit: &'static str,
}

/// One experiment: what was fitted, what that predicts, and what was published.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
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

/// How an experiment runs, the parameters whose values were assumed, and what can be taken away.
struct Known {
    name: &'static str,
    run: fn(&Trial) -> Experiment,
    assumed: &'static [&'static str],
    ablations: &'static [Ablation],
}

static EXPERIMENTS: [Known; 12] = [
    busylock::E1,
    busylock::E2,
    htb::E3,
    spread::E4,
    bulk::E5,
    deferred::E6,
    lockless::E7,
    shapes::E8,
    shapes::E9,
    paced::E10,
    paced::E11,
    waiting::E12,
];

/// The names of all experiments.
pub fn names() -> impl Iterator<Item = &'static str> {
    EXPERIMENTS.iter().map(|known| known.name)
}

/// Runs one.
pub fn run(name: &str, trial: &Trial) -> Result<Experiment, UnknownExperiment> {
    known(name).map(|known| (known.run)(trial))
}

fn known(name: &str) -> Result<&'static Known, UnknownExperiment> {
    EXPERIMENTS
        .iter()
        .find(|known| known.name.eq_ignore_ascii_case(name))
        .ok_or_else(|| UnknownExperiment(name.to_owned()))
}

fn figure(name: impl Into<String>, value: f64, unit: &'static str) -> Figure {
    Figure {
        name: name.into(),
        value,
        unit,
    }
}
