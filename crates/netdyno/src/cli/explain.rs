//! `netdyno explain`.

use std::path::PathBuf;

use clap::Args;

use super::show::run_id;

/// Say what limited a stored run, or what the lab simulated, with every row that proves it
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ExplainArgs {
    /// Which run, or a file of 'netdyno lab … --json'; the latest run when left out
    #[arg(value_name = "ID|FILE")]
    id: Option<String>,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

/// What is to be explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Explained {
    /// A run's name in the store; none for the latest. Never a path.
    Run(Option<String>),
    /// A document of the lab.
    Lab(PathBuf),
}

/// Findings in some form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainRequest {
    /// Of what.
    pub of: Explained,
    /// As JSON instead of text.
    pub json: bool,
}

impl ExplainArgs {
    pub(super) fn request(self) -> Result<ExplainRequest, String> {
        // Names of runs are instants: they hold no slash and end in no word.
        let is_file = |id: &String| id.contains('/') || id.ends_with(".json");
        let of = match self.id {
            Some(id) if is_file(&id) => Explained::Lab(id.into()),
            id => Explained::Run(run_id(id)?),
        };
        Ok(ExplainRequest {
            of,
            json: self.json,
        })
    }
}

const EXAMPLES: &str = "\
Examples:
  netdyno explain           what limited the latest run
  netdyno explain --json    its findings for programs
  netdyno lab qdisc --json > lab.json && netdyno explain lab.json";
