//! In which form results are written.

use clap::Args;

/// Form of the results on standard output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Output {
    /// For eyes.
    #[default]
    Text,
    /// One document.
    Json,
    /// One event a line.
    JsonLines,
    /// Interval rows.
    Csv,
}

#[derive(Debug, Args)]
#[group(id = "output", multiple = false)]
#[command(next_help_heading = "Output")]
pub(super) struct OutputArgs {
    /// One JSON document (schema netdyno.run/1)
    #[arg(short = 'J', long)]
    json: bool,
    /// One JSON event a line
    #[arg(long)]
    json_lines: bool,
    /// The intervals as CSV
    #[arg(long)]
    csv: bool,
}

impl OutputArgs {
    pub(super) fn output(&self) -> Output {
        match self {
            Self { json: true, .. } => Output::Json,
            Self {
                json_lines: true, ..
            } => Output::JsonLines,
            Self { csv: true, .. } => Output::Csv,
            _ => Output::Text,
        }
    }
}
