//! The type-of-service byte of `-Y`.

use super::Refusal;
use super::number::refused;

/// A name of RFC 2474, 2597, 3246 or 1349, or the byte itself: decimal, 0x hexadecimal or 0 octal.
pub(super) fn tos(option: &str, text: &str) -> Result<u32, Refusal> {
    let name = text.to_ascii_lowercase();
    named(&name)
        .or_else(|| byte(&name))
        .map(u32::from)
        .ok_or_else(|| {
            let accepted = "a byte from 0 to 255, af11 to af43, cs0 to cs7, ef, lowdelay, \
                            throughput or reliability";
            refused(option, text, accepted)
        })
}

fn named(name: &str) -> Option<u8> {
    match name {
        "ef" => return Some(46 << 2),
        "lowdelay" => return Some(0x10),
        "throughput" => return Some(0x08),
        "reliability" => return Some(0x04),
        _ => {}
    }
    let (kind, digits) = name.split_at_checked(2)?;
    let mut digits = digits.chars().map(|digit| digit.to_digit(10));
    match (kind, digits.next().flatten(), digits.next(), digits.next()) {
        ("cs", Some(class @ 0..=7), None, None) => u8::try_from(class << 5).ok(),
        ("af", Some(class @ 1..=4), Some(Some(drop @ 1..=3)), None) => {
            u8::try_from(class << 5 | drop << 3).ok()
        }
        _ => None,
    }
}

fn byte(text: &str) -> Option<u8> {
    match (text.strip_prefix("0x"), text.strip_prefix('0')) {
        (Some(digits), _) => u8::from_str_radix(digits, 16).ok(),
        (None, Some(digits)) if !digits.is_empty() => u8::from_str_radix(digits, 8).ok(),
        _ => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::tos;

    #[test]
    fn names_and_numbers() {
        for (text, byte) in [
            ("ef", 0xb8),
            ("CS1", 0x20),
            ("af11", 0x28),
            ("af43", 0x98),
            ("0x10", 0x10),
            ("16", 16),
            ("0", 0),
            ("020", 16),
        ] {
            assert_eq!(tos("-Y", text), Ok(byte), "{text}");
        }
        for text in ["256", "af51", "cs8", "0xg", "fast", "af"] {
            assert!(tos("-Y", text).is_err(), "{text}");
        }
    }
}
