//! How a test is shown.

use super::Unit;

/// What shapes the output, known before anything happens.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Form {
    /// Which end shows it.
    pub role: Role,
    /// In which notation.
    pub notation: Notation,
    /// What bit rates are shown in (`-f`); none picks what fits each.
    pub unit: Option<Unit>,
    /// More lines (`-V`).
    pub verbose: bool,
    /// What each line of a client begins with (`-T`).
    pub title: Option<String>,
    /// Distance of interval lines (`-i`); 0 for a single one at the end.
    pub interval_seconds: f64,
    /// The program, as the document names it: `iperf 3.21 (netdyno 0.1.0)`.
    pub version: String,
    /// What uname(2) says of this host.
    pub system_info: String,
}

/// An end of a test.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Role {
    /// It asked.
    #[default]
    Client,
    /// It was asked.
    Server,
}

/// The notation of the output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Notation {
    /// Lines for eyes.
    #[default]
    Text,
    /// One document at the end (`-J`).
    Json,
    /// An event a line (`--json-stream`).
    JsonStream {
        /// The document at the end all the same (`--json-stream-full-output`).
        document: bool,
    },
}
