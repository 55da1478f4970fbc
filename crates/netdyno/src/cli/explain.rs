//! `netdyno explain`.

use clap::Args;

use super::show::run_id;

/// Say what limited a stored run, with every row that proves it
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ExplainArgs {
    /// Which run; the latest when left out
    id: Option<String>,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

/// A stored run's findings in some form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainRequest {
    /// A run's name in the store; none for the latest. Never a path.
    pub id: Option<String>,
    /// As JSON instead of text.
    pub json: bool,
}

impl ExplainArgs {
    pub(super) fn request(self) -> Result<ExplainRequest, String> {
        Ok(ExplainRequest {
            id: run_id(self.id)?,
            json: self.json,
        })
    }
}

const EXAMPLES: &str = "\
Examples:
  netdyno explain           what limited the latest run
  netdyno explain --json    its findings for programs";
