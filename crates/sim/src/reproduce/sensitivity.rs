//! What a prediction depends on: every assumed number moved, every mechanism taken away, and the
//! whole experiment done again, fits and all.

use serde::Serialize;

use super::hypercube::Hypercube;
use super::trial::{Move, Trial};
use super::{Experiment, Figure, UnknownExperiment, known};

/// One thing that is changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Variation {
    /// For eyes.
    pub what: String,
    /// The run with it.
    pub trial: Trial,
}

/// What came of one change.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Varied {
    /// What was changed; `as it is` for nothing.
    pub what: String,
    /// Fitted anew.
    pub fitted: Vec<Figure>,
    /// Predicted with it.
    pub predicted: Vec<Figure>,
    /// Whether the criterion holds.
    pub pass: bool,
}

/// An experiment, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Sensitivity {
    /// E1 to E12.
    pub id: &'static str,
    /// What must hold of the prediction.
    pub criterion: &'static str,
    /// As it is, then with each change.
    pub varied: Vec<Varied>,
    /// With all assumed numbers moved at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hypercube: Option<Hypercube>,
}

impl Varied {
    /// An experiment's outcome with a change.
    pub fn of(what: &str, experiment: Experiment) -> Self {
        Self {
            what: what.to_owned(),
            fitted: experiment.fitted,
            predicted: experiment.predicted,
            pass: experiment.pass,
        }
    }
}

/// As it is, then every assumed number down and up: to the ends of its range, or by 30 %.
pub fn parameters(name: &str, seed: u64) -> Result<Vec<Variation>, UnknownExperiment> {
    let moves = known(name)?.assumed.iter().flat_map(|parameter| {
        [(0.0, "down"), (1.0, "up")].map(|(place, word)| Variation {
            what: format!("{parameter} {word}"),
            trial: Trial {
                moved: vec![Move { parameter, place }],
                ..Trial::plain(seed)
            },
        })
    });
    Ok(as_it_is(seed).chain(moves).collect())
}

/// As it is, then with each mechanism taken away or turned round.
pub fn ablations(name: &str, seed: u64) -> Result<Vec<Variation>, UnknownExperiment> {
    let without = known(name)?.ablations.iter().map(|ablation| Variation {
        what: ablation.name(),
        trial: Trial {
            ablation: Some(*ablation),
            ..Trial::plain(seed)
        },
    });
    Ok(as_it_is(seed).chain(without).collect())
}

fn as_it_is(seed: u64) -> impl Iterator<Item = Variation> {
    std::iter::once(Variation {
        what: "as it is".to_owned(),
        trial: Trial::plain(seed),
    })
}
