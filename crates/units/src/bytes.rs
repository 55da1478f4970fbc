//! An amount of data in bytes.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::suffix::{ParseError, exact, scale, split};

/// An amount of data, in bytes.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(transparent)]
pub struct Bytes(u64);

impl Bytes {
    /// `n` bytes.
    pub const fn new(n: u64) -> Self {
        Self(n)
    }

    /// The number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The number of bytes as a length in memory.
    pub const fn len(self) -> usize {
        self.0 as usize
    }

    /// The text that parses back to exactly this, such as `128K`, for files that people edit.
    pub fn exact(self) -> String {
        exact(
            self.0,
            &[
                (1 << 40, "T"),
                (1 << 30, "G"),
                (1 << 20, "M"),
                (1 << 10, "K"),
            ],
        )
    }

    /// Whether there is nothing.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromStr for Bytes {
    type Err = ParseError;

    /// `131072`, `128K`, `1.5M`, `2GiB`: K, M, G, T are powers of 1024.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let error = || ParseError {
            text: text.to_owned(),
            expected: "a size: a number of bytes, with K, M, G or T for powers of 1024",
        };
        let (number, suffix) = split(text).ok_or_else(error)?;
        let factor = match suffix.to_ascii_lowercase().as_str() {
            "" | "b" => 1.0,
            "k" | "kib" => 1024.0,
            "m" | "mib" => 1024.0 * 1024.0,
            "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
            "t" | "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
            _ => return Err(error()),
        };
        scale(number, factor).map(Self).ok_or_else(error)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut value = self.0 as f64;
        if value < 1024.0 {
            return f.pad(&format!("{} B", self.0));
        }
        for unit in ["KiB", "MiB", "GiB", "TiB", "PiB"] {
            value /= 1024.0;
            if value < 1024.0 || unit == "PiB" {
                return f.pad(&format!("{value:.2} {unit}"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_binary() {
        for (text, bytes) in [
            ("0", 0),
            ("1", 1),
            ("1K", 1024),
            ("1.5k", 1536),
            ("2MiB", 2 << 20),
            ("1 G", 1 << 30),
        ] {
            assert_eq!(text.parse(), Ok(Bytes::new(bytes)), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused_with_the_text_in_the_sentence() {
        for text in ["", "K", "-1", "1X", "1e30", "12 parsecs", "99999999999T"] {
            let error = text.parse::<Bytes>().unwrap_err();
            assert!(
                error
                    .to_string()
                    .starts_with(&format!("'{text}' is not a size")),
                "{error}"
            );
        }
    }

    #[test]
    fn printed_with_the_unit_spelled_out() {
        assert_eq!(Bytes::new(1023).to_string(), "1023 B");
        assert_eq!(Bytes::new(1536).to_string(), "1.50 KiB");
        assert_eq!(Bytes::new(3 << 30).to_string(), "3.00 GiB");
    }

    #[test]
    fn exact_texts_parse_back() {
        for (bytes, text) in [(0, "0"), (1000, "1000"), (131_072, "128K"), (3 << 40, "3T")] {
            assert_eq!(Bytes::new(bytes).exact(), text);
            assert_eq!(text.parse(), Ok(Bytes::new(bytes)));
        }
    }
}
