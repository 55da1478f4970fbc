//! Why there is no testbed.

use std::io;

use thiserror::Error;

/// What helps where a right is missing.
pub(crate) const RIGHTS: &str = "run as root, or name a host to run against";

/// Why a testbed could not be made.
#[derive(Debug, Error)]
pub enum TestbedError {
    /// The link's settings contradict each other.
    #[error("{0}")]
    Contradiction(String),
    /// The system does not let us.
    #[error("cannot {doing}: {answer}; {advice}")]
    System {
        /// What was tried.
        doing: String,
        /// What the system answered.
        answer: io::Error,
        /// What to do.
        advice: &'static str,
    },
    /// The program `tc` is not there.
    #[error(
        "the link's rate or qdisc needs the program tc, which is not installed: install iproute2"
    )]
    NoTc,
    /// `tc` does not understand the qdisc's words.
    #[error("'{words}' is not a qdisc that tc understands: {answer}")]
    Words {
        /// The qdisc as asked.
        words: String,
        /// What tc said.
        answer: String,
    },
    /// The kernel refused a qdisc.
    #[error("the kernel refused '{command}': {answer}; it may lack this qdisc")]
    Qdisc {
        /// The command that carried the request.
        command: String,
        /// What it answered.
        answer: String,
    },
}

impl TestbedError {
    /// Whether other words on the command line would help: a usage error, not a missing right
    /// or kernel feature.
    pub const fn is_usage(&self) -> bool {
        matches!(self, Self::Contradiction(_) | Self::Words { .. })
    }

    pub(crate) fn system(
        doing: impl Into<String>,
        advice: &'static str,
    ) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        move |answer| Self::System {
            doing,
            answer,
            advice,
        }
    }
}
