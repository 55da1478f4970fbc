//! The run file: a plan as TOML that people write, with the grammar's keys and texts.

mod read;
mod write;

#[cfg(test)]
mod tests;

use thiserror::Error;

use crate::error::list;
use crate::{Kind, LinkError, LoadError, PlanError};

pub use read::parse;
pub use write::print;

/// Why a text is not a run file. The sentence names the place.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RunFileError {
    /// Not TOML.
    #[error("line {line}: {message}")]
    Syntax {
        /// From 1.
        line: usize,
        /// What the parser says.
        message: String,
    },
    /// A key that means nothing there.
    #[error("{place}: '{key}' is not a key: the keys are {accepted}")]
    UnknownKey {
        /// Which table.
        place: &'static str,
        /// The key.
        key: String,
        /// What is accepted.
        accepted: String,
    },
    /// A value that is none.
    #[error("{place}: {key}: {reason}")]
    Value {
        /// Which table.
        place: &'static str,
        /// Whose value.
        key: &'static str,
        /// What is wrong with it and what is accepted.
        reason: String,
    },
    /// A load without a kind.
    #[error("load {position}: 'kind' is missing: it is one of {kinds}", kinds = list(&Kind::ALL.map(Kind::name)))]
    NoKind {
        /// Which load, from 1.
        position: usize,
    },
    /// A load.
    #[error("load {position}: {source}")]
    Load {
        /// Which load, from 1.
        position: usize,
        /// What is wrong with it.
        source: LoadError,
    },
    /// The link.
    #[error("[link]: {0}")]
    Link(#[from] LinkError),
    /// A link to a host that we did not make.
    #[error("[link]: only the testbed's link can be made; it has no 'host' in [path]")]
    LinkToHost,
    /// Both a probe and none.
    #[error("probe = false, but a load is a probe: drop one of them")]
    ProbeUnwanted,
    /// The whole.
    #[error(transparent)]
    Plan(#[from] PlanError),
}
