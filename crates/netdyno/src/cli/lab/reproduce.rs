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
    /// by a quarter
    #[arg(long, conflicts_with_all = ["hypotheses", "ablations"])]
    sensitivity: bool,
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
    /// Assumed numbers.
    Parameters,
    /// Mechanisms.
    Mechanisms,
}

impl ReproduceArgs {
    pub(super) fn request(self) -> Result<ReproduceRequest, String> {
        let known = |typed: &String| {
            sim::reproduce::names()
                .find(|name| name.eq_ignore_ascii_case(typed))
                .ok_or_else(|| format!("there is no experiment '{typed}': use E1 to E12"))
        };
        let names: Vec<_> = self.names.iter().map(known).collect::<Result<_, _>>()?;
        let all = names.is_empty() && !self.hypotheses;
        Ok(ReproduceRequest {
            names: match all {
                true => sim::reproduce::names().collect(),
                false => names,
            },
            hypotheses: self.hypotheses || all,
            vary: match (self.sensitivity, self.ablations) {
                (true, _) => Some(Vary::Parameters),
                (_, true) => Some(Vary::Mechanisms),
                _ => None,
            },
            seed: self.seed,
            form: self.form.form(),
        })
    }
}
