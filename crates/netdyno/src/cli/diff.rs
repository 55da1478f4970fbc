//! `netdyno diff`.

use clap::Args;

use super::show::is_id;

/// What differs between two stored runs: the hosts first, then the figures
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DiffArgs {
    /// A run
    a: String,
    /// Another one; the latest when left out
    b: Option<String>,
}

/// Two stored runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffRequest {
    /// A run's name, or its beginning.
    pub a: String,
    /// The other's; none for the latest.
    pub b: Option<String>,
}

impl DiffArgs {
    pub(super) fn request(self) -> Result<DiffRequest, String> {
        for id in [Some(&self.a), self.b.as_ref()].into_iter().flatten() {
            if !is_id(id) {
                return Err(format!(
                    "'{id}' is not the name of a run: letters, digits, '-', '_' and '.'"
                ));
            }
        }
        Ok(DiffRequest {
            a: self.a,
            b: self.b,
        })
    }
}

const EXAMPLES: &str = "\
Examples:
  netdyno diff 20261130T165758-3f2a                     that run and the latest
  netdyno diff 20261130T165758-3f2a 20261130T170102-9c01";
