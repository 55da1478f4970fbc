//! Why there is nothing to be done.

use proto::iperf3::ErrorNumber;

/// What is printed instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// What was asked for: for standard output, exit code 0.
    Answer(String),
    /// A wrong command line: for standard error, exit code 1.
    Wrong {
        /// The number that iperf3 has for it; none for options that there are not.
        number: Option<ErrorNumber>,
        /// What is wrong and what is accepted.
        sentence: String,
    },
}

impl Refusal {
    /// A slip that iperf3 has a number for.
    pub(super) fn wrong(number: ErrorNumber, sentence: impl Into<String>) -> Self {
        Self::Wrong {
            number: Some(number),
            sentence: sentence.into(),
        }
    }

    /// No such option, or one without its value.
    pub(super) fn option(sentence: String) -> Self {
        Self::Wrong {
            number: None,
            sentence,
        }
    }

    /// All that goes to standard error, with the hint that follows.
    pub fn text(&self) -> String {
        match self {
            Self::Answer(_) => String::new(),
            Self::Wrong { number, sentence } => {
                let kind = if number.is_some() {
                    "parameter error - "
                } else {
                    ""
                };
                format!(
                    "iperf3: {kind}{sentence}\n\n\
                     Usage: iperf3 [-s|-c host] [options]\n\
                     \x20      iperf3 --help says more\n"
                )
            }
        }
    }
}
