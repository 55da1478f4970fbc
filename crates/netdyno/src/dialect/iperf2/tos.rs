//! The type-of-service byte of `-S`.

use super::number::not_a;
use super::refusal::Refusal;

/// Names and their bytes. `le`, `nqb` and `nqb2` are code points, which stand in the upper six
/// bits; iperf 2.1 forgets to move them there and sets bits of ECN.
const NAMES: [(&str, u8); 31] = [
    ("af11", 0x28),
    ("af12", 0x30),
    ("af13", 0x38),
    ("af21", 0x48),
    ("af22", 0x50),
    ("af23", 0x58),
    ("af31", 0x68),
    ("af32", 0x70),
    ("af33", 0x78),
    ("af41", 0x88),
    ("af42", 0x90),
    ("af43", 0x98),
    ("cs0", 0x00),
    ("cs1", 0x20),
    ("cs2", 0x40),
    ("cs3", 0x60),
    ("cs4", 0x80),
    ("cs5", 0xa0),
    ("cs6", 0xc0),
    ("cs7", 0xe0),
    ("ef", 0xb8),
    ("le", 0x04),
    ("nqb", 0x14),
    ("nqb2", 0xb4),
    ("ac_be", 0x00),
    ("ac_bk", 0x20),
    ("ac_vi", 0x80),
    ("ac_vo", 0xb8),
    ("lowdelay", 0x10),
    ("throughput", 0x08),
    ("reliability", 0x04),
];

/// The byte of a name, or the byte itself: decimal, 0x hexadecimal or 0 octal.
pub(super) fn tos(option: &str, text: &str) -> Result<u8, Refusal> {
    let name = text.to_ascii_lowercase();
    let named = NAMES.iter().find(|(known, _)| *known == name);
    let byte = match named {
        Some((_, byte)) => Some(*byte),
        None => number(&name),
    };
    byte.ok_or_else(|| {
        let accepted = "a byte from 0 to 255, af11 to af43, cs0 to cs7, ef, le, nqb, nqb2, ac_be, \
                        ac_bk, ac_vi, ac_vo, lowdelay, throughput or reliability";
        not_a(option, text, accepted)
    })
}

fn number(text: &str) -> Option<u8> {
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
            ("AF11", 0x28),
            ("cs7", 0xe0),
            ("le", 0x04),
            ("nqb", 0x14),
            ("nqb2", 0xb4),
            ("ac_vo", 0xb8),
            ("lowdelay", 0x10),
            ("0x28", 0x28),
            ("16", 16),
            ("020", 16),
            ("0", 0),
            ("255", 255),
        ] {
            assert_eq!(tos("-S", text), Ok(byte), "{text}");
        }
        for text in ["256", "foo", "0xg", "08", "", "-1"] {
            assert!(tos("-S", text).is_err(), "{text}");
        }
    }
}
