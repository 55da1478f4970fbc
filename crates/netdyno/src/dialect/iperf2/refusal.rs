//! Why there is no test.

pub use crate::dialect::netperf::Refusal;

/// A wrong command line, in one sentence: exit code 1.
pub(super) fn refused(sentence: impl Into<String>) -> Refusal {
    Refusal {
        sentence: sentence.into(),
        code: 1,
        ..Refusal::default()
    }
}

/// Something that was asked for, on standard output: exit code 0.
pub(super) fn answer(output: impl Into<String>) -> Refusal {
    Refusal {
        output: output.into(),
        ..Refusal::default()
    }
}
