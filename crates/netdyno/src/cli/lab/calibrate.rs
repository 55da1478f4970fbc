//! `netdyno lab calibrate`.

use std::path::PathBuf;

use clap::Args;

use super::{Form, FormArgs, count};

/// Measure on this machine what the simulation needs, and write it to a file
#[derive(Debug, Args)]
pub struct CalibrateArgs {
    /// Where the costs go
    #[arg(long, value_name = "FILE", default_value = "netdyno-lab.toml")]
    output: PathBuf,
    /// Rounds of runs with each qdisc
    #[arg(long, value_name = "N", default_value_t = 5)]
    rounds: usize,
    /// Leave the qdiscs out: they need a testbed, tc and half a minute
    #[arg(long)]
    no_qdisc: bool,
    #[command(flatten)]
    form: FormArgs,
}

/// What is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalibrateRequest {
    /// Where the costs go.
    pub output: PathBuf,
    /// Rounds of runs with each qdisc.
    pub rounds: usize,
    /// Whether qdiscs are measured.
    pub qdisc: bool,
    /// How to show it.
    pub form: Form,
}

impl CalibrateArgs {
    pub(super) fn request(self) -> Result<CalibrateRequest, String> {
        Ok(CalibrateRequest {
            output: self.output,
            rounds: count("--rounds", self.rounds, 1000)?,
            qdisc: !self.no_qdisc,
            form: self.form.form(),
        })
    }
}
