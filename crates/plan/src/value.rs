//! Texts to values; an error is the reason, to be told with the key that it belongs to.

use std::fmt::Display;
use std::str::FromStr;

/// A value whose own error says what is accepted.
pub(crate) fn own<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|reason: T::Err| reason.to_string())
}

/// A number or an address, whose standard error does not say what is accepted.
pub(crate) fn std<T: FromStr>(text: &str, what: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("'{text}' is not {what}"))
}

/// On or off.
pub(crate) fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" | "true" => Ok(true),
        "off" | "false" => Ok(false),
        _ => Err(format!("'{text}' is neither on nor off")),
    }
}
