//! Requests that are not done, and the numbers that say so on the wire.

use std::fmt;

use thiserror::Error;

/// The second word of an answer that is none: an error number of the server's system, or one of
/// netperf's own. Never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ErrorNumber(u32);

impl ErrorNumber {
    /// EINVAL.
    pub const INVALID: Self = Self(22);
    /// EMSGSIZE.
    pub const MESSAGE_SIZE: Self = Self(90);
    /// EPROTONOSUPPORT.
    pub const PROTOCOL: Self = Self(93);
    /// netperf's own: a send failed.
    pub const SEND_FAILED: Self = Self(992);
    /// netperf's own: no such test.
    pub const UNKNOWN_TEST: Self = Self(998);

    /// The error with this number; 0 is none, and counts as [`Self::INVALID`].
    pub const fn new(number: u32) -> Self {
        match number {
            0 => Self::INVALID,
            number => Self(number),
        }
    }

    /// The number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for ErrorNumber {
    /// The number, and what it means if it is netperf's own.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let meaning = match *self {
            Self::SEND_FAILED => " (a send failed)",
            Self::UNKNOWN_TEST => " (the server does not know the test)",
            _ => "",
        };
        write!(f, "{}{meaning}", self.0)
    }
}

/// A field of a message that cannot be what it is.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{field} (word {word}) is {wrong}")]
pub struct FieldError {
    /// The field's name.
    pub field: &'static str,
    /// The word at which it begins.
    pub word: usize,
    /// What it is, and what is accepted.
    pub wrong: String,
}

/// A request that the server does not do. The connection stays usable.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("refused with error {number}: {reason}")]
pub struct Refusal {
    /// What the client is told.
    pub number: ErrorNumber,
    /// Why, for the server's log.
    pub reason: String,
}

impl Refusal {
    pub(super) fn new(number: ErrorNumber, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { number, reason }
    }
}

impl From<FieldError> for Refusal {
    fn from(error: FieldError) -> Self {
        Self::new(ErrorNumber::INVALID, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_is_no_error() {
        assert_eq!(ErrorNumber::new(0), ErrorNumber::INVALID);
        assert_eq!(ErrorNumber::new(98).get(), 98);
    }

    #[test]
    fn netperfs_own_numbers_are_explained() {
        assert_eq!(ErrorNumber::new(98).to_string(), "98");
        assert_eq!(
            ErrorNumber::new(998).to_string(),
            "998 (the server does not know the test)"
        );
    }

    #[test]
    fn a_refusal_says_which_field() {
        let error = FieldError {
            field: "send_size",
            word: 3,
            wrong: "4294967280 bytes: up to 67108864 bytes are accepted".into(),
        };
        assert_eq!(
            Refusal::from(error).to_string(),
            "refused with error 22: send_size (word 3) is 4294967280 bytes: \
             up to 67108864 bytes are accepted"
        );
    }
}
