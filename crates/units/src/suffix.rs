//! What the parsers of this crate share: a decimal number, then letters.

use thiserror::Error;

/// Why a text is not a quantity. The sentence names the text and what is accepted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{text}' is not {expected}")]
pub struct ParseError {
    /// What was given.
    pub text: String,
    /// What is accepted, as it reads after "is not".
    pub expected: &'static str,
}

/// Splits `text` into its leading number and the letters after it.
pub(crate) fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    number.is_finite().then_some((number, text[end..].trim()))
}

/// `number * factor` as an integer, if it fits and the number is not negative.
pub(crate) fn scale(number: f64, factor: f64) -> Option<u64> {
    let value = number * factor;
    // 2^63 leaves room for every later sum; no quantity of this field comes near it.
    (0.0..9.2e18)
        .contains(&value)
        .then_some(value.round() as u64)
}

/// The shortest text that parses back to `value`: a whole number with the largest suffix of
/// `steps` (largest first) that leaves no remainder. Exact up to 2^53, where parsing is.
pub(crate) fn exact(value: u64, steps: &[(u64, &str)]) -> String {
    steps
        .iter()
        .find(|(step, _)| value >= *step && value.is_multiple_of(*step))
        .map_or_else(
            || value.to_string(),
            |(step, suffix)| format!("{}{suffix}", value / step),
        )
}
