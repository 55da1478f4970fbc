//! `netdyno show`.

use clap::Args;

use super::Output;
use super::output::OutputArgs;

/// Show a stored run, comparison or series as it was
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ShowArgs {
    /// Which; the latest run when left out
    id: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Something stored in some form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShowRequest {
    /// Its name in the store; none for the latest run. Never a path.
    pub id: Option<String>,
    /// In which form.
    pub output: Output,
}

impl ShowArgs {
    pub(super) fn request(self) -> Result<ShowRequest, String> {
        Ok(ShowRequest {
            output: self.output.output(),
            id: run_id(self.id)?,
        })
    }
}

/// A run's name, as far as a name can be told from anything else.
pub(super) fn run_id(id: Option<String>) -> Result<Option<String>, String> {
    match id.as_deref().filter(|id| !is_id(id)) {
        Some(id) => Err(format!(
            "'{id}' is not the name of a run: letters, digits, '-', '_' and '.'"
        )),
        None => Ok(id),
    }
}

/// The name of a folder in the store, and of nothing outside of it.
pub(super) fn is_id(id: &str) -> bool {
    (1..=64).contains(&id.len())
        && !id.starts_with('.')
        && id
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

const EXAMPLES: &str = "\
Examples:
  netdyno show              the latest run
  netdyno show --json       its document
  netdyno show 20261130T2221   a comparison, or whatever else is called so";
