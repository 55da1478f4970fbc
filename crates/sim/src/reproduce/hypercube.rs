//! All assumed numbers moved at once: how often a conclusion holds, and what turns it.

use serde::Serialize;

use super::sensitivity::{Variation, Varied};
use super::trial::{Move, Trial};
use super::{Figure, UnknownExperiment, known};
use crate::random::Stream;

/// A Latin hypercube over an experiment's assumed numbers (McKay, Beckman and Conover,
/// Technometrics 21, 1979): of so many points, each takes another slice of every range.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Hypercube {
    /// How many points there are.
    pub points: usize,
    /// At how many of them the criterion holds.
    pub holds: usize,
    /// Whether it holds as it is.
    pub as_it_is: bool,
    /// What each predicted figure ranges over.
    pub predicted: Vec<Spread>,
    /// What each assumed number has to do with it.
    pub parameters: Vec<Influence>,
}

/// A predicted figure over all points.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Spread {
    /// What it is.
    pub name: String,
    /// Of what.
    pub unit: &'static str,
    /// A tenth of the points is below,
    pub low: f64,
    /// half,
    pub median: f64,
    /// and nine tenths.
    pub high: f64,
}

/// Where an assumed number is in its range, on average, from 0 to 1.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Influence {
    /// Which.
    pub parameter: &'static str,
    /// At points where the criterion holds; none if it never does.
    pub where_it_holds: Option<f64>,
    /// At those where it does not.
    pub where_it_fails: Option<f64>,
}

/// The points. None for an experiment that assumes nothing.
pub fn hypercube(
    name: &str,
    seed: u64,
    points: usize,
) -> Result<Vec<Variation>, UnknownExperiment> {
    let assumed = known(name)?.assumed;
    let places: Vec<Vec<f64>> = (0..assumed.len())
        .map(|parameter| slices(points, &Stream::new(seed, parameter as u64)))
        .collect();
    let point = |at: usize| {
        let moves = assumed.iter().zip(&places);
        moves
            .map(|(parameter, places)| Move {
                parameter,
                place: places[at],
            })
            .collect()
    };
    let points = match assumed.is_empty() {
        true => 0,
        false => points,
    };
    Ok((0..points)
        .map(|at| Variation {
            what: format!("point {}", at + 1),
            trial: Trial {
                moved: point(at),
                ..Trial::plain(seed)
            },
        })
        .collect())
}

/// One place in each slice of the range, in random order.
fn slices(points: usize, chance: &Stream) -> Vec<f64> {
    let mut places: Vec<f64> = (0..points)
        .map(|slice| (slice as f64 + chance.unit()) / points as f64)
        .collect();
    for last in (1..points).rev() {
        places.swap(last, chance.below(last + 1));
    }
    places
}

impl Hypercube {
    /// From the outcome of each point. None without any.
    pub fn of(points: &[(Variation, Varied)], as_it_is: bool) -> Option<Self> {
        let (first, outcome) = points.first()?;
        let moves = |at: usize, pass: bool| {
            let of_kind = points.iter().filter(|(_, varied)| varied.pass == pass);
            let places: Vec<f64> = of_kind
                .filter_map(|(point, _)| point.trial.moved.get(at))
                .map(|moved| moved.place)
                .collect();
            stats::mean(&places)
        };
        let parameters = first.trial.moved.iter().enumerate();
        Some(Self {
            points: points.len(),
            holds: points.iter().filter(|(_, varied)| varied.pass).count(),
            as_it_is,
            predicted: outcome
                .predicted
                .iter()
                .filter_map(|figure| Spread::of(figure, points))
                .collect(),
            parameters: parameters
                .map(|(at, moved)| Influence {
                    parameter: moved.parameter,
                    where_it_holds: moves(at, true),
                    where_it_fails: moves(at, false),
                })
                .collect(),
        })
    }
}

impl Spread {
    fn of(figure: &Figure, points: &[(Variation, Varied)]) -> Option<Self> {
        let values: Vec<f64> = points
            .iter()
            .flat_map(|(_, varied)| &varied.predicted)
            .filter(|one| one.name == figure.name && one.value.is_finite())
            .map(|one| one.value)
            .collect();
        Some(Self {
            name: figure.name.clone(),
            unit: figure.unit,
            low: stats::quantile(&values, 0.1)?,
            median: stats::quantile(&values, 0.5)?,
            high: stats::quantile(&values, 0.9)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slice_of_every_range_has_one_point() {
        let points = hypercube("E12", 7, 50).unwrap();
        assert_eq!(points.len(), 50);
        for at in 0..points[0].trial.moved.len() {
            let slice = |point: &Variation| (point.trial.moved[at].place * 50.0) as usize;
            let mut slices: Vec<usize> = points.iter().map(slice).collect();
            slices.sort_unstable();
            assert_eq!(slices, (0..50).collect::<Vec<_>>());
        }
        assert_eq!(points, hypercube("E12", 7, 50).unwrap());
        assert_ne!(points, hypercube("E12", 8, 50).unwrap());
        assert!(hypercube("E9", 1, 50).unwrap().is_empty());
    }

    #[test]
    fn what_turns_a_conclusion_is_seen() {
        let points: Vec<_> = hypercube("E12", 1, 100)
            .unwrap()
            .into_iter()
            .map(|point| {
                let place = point.trial.moved[0].place;
                let varied = Varied {
                    what: point.what.clone(),
                    fitted: Vec::new(),
                    predicted: vec![super::super::figure("x", place, "")],
                    pass: place < 0.25,
                };
                (point, varied)
            })
            .collect();
        let cube = Hypercube::of(&points, true).unwrap();
        assert_eq!((cube.points, cube.holds), (100, 25));
        let turns = &cube.parameters[0];
        assert!(turns.where_it_holds < Some(0.2) && turns.where_it_fails > Some(0.5));
        let other = &cube.parameters[1];
        assert!((other.where_it_holds.unwrap() - 0.5).abs() < 0.2);
        let spread = &cube.predicted[0];
        assert!((spread.low - 0.1).abs() < 0.02 && (spread.high - 0.9).abs() < 0.02);
        assert_eq!(Hypercube::of(&[], true), None);
    }
}
