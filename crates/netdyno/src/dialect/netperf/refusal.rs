//! Why there is no test.

/// What is printed instead of a test, and the exit code that netperf has for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refusal {
    /// For standard output.
    pub output: String,
    /// A sentence for standard error, without an end of line; nothing if empty.
    pub sentence: String,
    /// 0, 1 or 255.
    pub code: u8,
}

impl Refusal {
    /// A wrong command line: exit code 1.
    pub(super) fn usage(sentence: impl Into<String>) -> Self {
        Self {
            sentence: sentence.into(),
            code: 1,
            ..Self::default()
        }
    }

    /// What netperf calls fatal: exit code 255.
    pub(super) fn fatal(sentence: impl Into<String>) -> Self {
        Self {
            code: 255,
            ..Self::usage(sentence)
        }
    }

    /// Something that was asked for, on standard output.
    pub(super) fn answer(output: impl Into<String>, code: u8) -> Self {
        Self {
            output: output.into(),
            code,
            ..Self::default()
        }
    }
}
