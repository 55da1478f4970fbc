//! What ties a flow to its test.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::hint::black_box;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A secret of 128 bits that the server gives out on the control connection and that every flow
/// shows. Neither `Debug` nor an error ever prints it.
#[derive(Clone, Copy)]
pub struct Token([u8; 16]);

impl Token {
    /// A token of these bytes, which must come from a source that nobody can guess.
    pub const fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Its bytes as they travel.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl PartialEq for Token {
    /// Looks at every byte whatever the first ones are, so that the time taken says nothing about
    /// how much of a guess was right.
    fn eq(&self, other: &Self) -> bool {
        let pairs = self.0.iter().zip(&other.0);
        black_box(pairs.fold(0, |difference, (a, b)| difference | (a ^ b))) == 0
    }
}

impl Eq for Token {}

impl Hash for Token {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}

impl Serialize for Token {
    /// 32 hexadecimal digits.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let hex: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        serializer.serialize_str(&hex)
    }
}

impl<'de> Deserialize<'de> for Token {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let hex = String::deserialize(deserializer)?;
        from_hex(hex.as_bytes())
            .map(Self)
            .ok_or_else(|| D::Error::custom("a token is 32 hexadecimal digits"))
    }
}

fn from_hex(hex: &[u8]) -> Option<[u8; 16]> {
    let mut bytes = [0; 16];
    let (pairs, rest) = hex.as_chunks::<2>();
    if pairs.len() != bytes.len() || !rest.is_empty() {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(pairs) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

fn digit(hex: u8) -> Option<u8> {
    let value = char::from(hex).to_digit(16)?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: Token = Token::new([
        0x00, 0x01, 0x7f, 0x80, 0xff, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xa5,
    ]);
    const HEX: &str = r#""00017f80ff05060708090a0b0c0d0ea5""#;

    #[test]
    fn hexadecimal_in_json_both_ways() {
        assert_eq!(serde_json::to_string(&TOKEN).unwrap(), HEX);
        assert_eq!(serde_json::from_str::<Token>(HEX).unwrap(), TOKEN);
        assert_eq!(
            serde_json::from_str::<Token>(&HEX.to_uppercase()).unwrap(),
            TOKEN
        );
    }

    #[test]
    fn anything_else_is_refused_without_being_repeated() {
        for text in [
            r#""""#,
            r#""00017f80ff05060708090a0b0c0d0e""#,
            r#""00017f80ff05060708090a0b0c0d0ea5a""#,
            r#""00017f80ff05060708090a0b0c0d0ea5a5""#,
            r#""00017f80ff05060708090a0b0c0d0eag""#,
            r#""+0017f80ff05060708090a0b0c0d0ea5""#,
            r#""00017f80ff05060708090a0b0c0d0é5""#,
        ] {
            let error = serde_json::from_str::<Token>(text).unwrap_err().to_string();
            assert!(
                error.starts_with("a token is 32 hexadecimal digits"),
                "{error}"
            );
        }
    }

    #[test]
    fn every_bit_counts_in_a_comparison() {
        for bit in 0..128 {
            let mut bytes = *TOKEN.as_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(Token::new(bytes), TOKEN, "bit {bit}");
            bytes[15 - bit / 8] ^= 1 << (bit % 8);
            assert_ne!(Token::new(bytes), TOKEN, "bit {bit} of two bytes");
        }
        assert_eq!(Token::new(*TOKEN.as_bytes()), TOKEN);
    }

    #[test]
    fn debug_shows_nothing() {
        assert_eq!(format!("{TOKEN:?}"), "Token(hidden)");
    }
}
