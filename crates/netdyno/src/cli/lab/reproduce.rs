//! `netdyno lab reproduce`.

use clap::Args;

use super::{Form, FormArgs};

/// Published figures: fit, predict, compare
#[derive(Debug, Args)]
pub struct ReproduceArgs {
    /// E1 to E12; all of them, and the hypotheses, when left out
    #[arg(value_name = "EXPERIMENT")]
    names: Vec<String>,
    /// Also put the hypotheses H1 to H5 to the test
    #[arg(long)]
    hypotheses: bool,
    /// Instead: what each assumed number does to the prediction, moved to the ends of its range or
    /// by 30 %, and then all of them at once
    #[arg(long, conflicts_with_all = ["hypotheses", "ablations"])]
    sensitivity: bool,
    /// With --sensitivity: points of the Latin hypercube over all assumed numbers; 0 for none
    #[arg(
        long,
        value_name = "N",
        default_value = "200",
        requires = "sensitivity",
        allow_negative_numbers = true
    )]
    points: String,
    /// Instead: what each mechanism does to the prediction, taken away or turned round
    #[arg(long, conflicts_with = "hypotheses")]
    ablations: bool,
    /// The same seed gives the same events
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    form: FormArgs,
}

/// Experiments.
#[derive(Debug, Clone, PartialEq)]
pub struct ReproduceRequest {
    /// Which, as they are called.
    pub names: Vec<&'static str>,
    /// Whether hypotheses are tested too.
    pub hypotheses: bool,
    /// What is changed, if it is not the table that is wanted.
    pub vary: Option<Vary>,
    /// The seed.
    pub seed: u64,
    /// How to show it.
    pub form: Form,
}

/// What is changed about an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vary {
    /// Assumed numbers, one after the other, and at so many points all at once.
    Parameters(usize),
    /// Mechanisms.
    Mechanisms,
}

/// More tell nothing more.
const POINTS_MAX: usize = 10_000;

impl ReproduceArgs {
    pub(super) fn request(self) -> Result<ReproduceRequest, String> {
        let known = |typed: &String| {
            sim::reproduce::names()
                .find(|name| name.eq_ignore_ascii_case(typed))
                .ok_or_else(|| format!("there is no experiment '{typed}': use E1 to E12"))
        };
        let names: Vec<_> = self.names.iter().map(known).collect::<Result<_, _>>()?;
        // One that is named twice runs once.
        let names: Vec<_> = sim::reproduce::names()
            .filter(|name| names.contains(name))
            .collect();
        let all = names.is_empty() && !self.hypotheses;
        let points = self
            .points
            .parse()
            .ok()
            .filter(|points| *points <= POINTS_MAX);
        let points = points.ok_or_else(|| {
            format!(
                "--points: '{}' is no number from 0 to {POINTS_MAX}",
                self.points
            )
        })?;
        Ok(ReproduceRequest {
            names: match all {
                true => sim::reproduce::names().collect(),
                false => names,
            },
            hypotheses: self.hypotheses || all,
            vary: match (self.sensitivity, self.ablations) {
                (true, _) => Some(Vary::Parameters(points)),
                (_, true) => Some(Vary::Mechanisms),
                _ => None,
            },
            seed: self.seed,
            form: self.form.form(),
        })
    }
}
