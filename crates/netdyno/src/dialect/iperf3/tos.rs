//! Names of DSCP values.

use plan::Dscp;

use super::number::parse_any_base;

/// The TOS byte of a value of `--dscp`: a code point, one of its names, or a name of old TOS bits
/// (RFC 1349).
pub(super) fn of_dscp(text: &str) -> Option<u8> {
    match text.to_ascii_lowercase().as_str() {
        "lowdelay" => return Some(0x10),
        "throughput" => return Some(0x08),
        "reliability" => return Some(0x04),
        _ => {}
    }
    let of_number = parse_any_base(text).and_then(|number| u8::try_from(number).ok());
    match of_number {
        Some(number) => Dscp::try_from(number).ok(),
        None => text.parse().ok(),
    }
    .map(Dscp::tos)
}

#[cfg(test)]
mod tests {
    use super::of_dscp;

    #[test]
    fn code_points() {
        for (text, tos) in [
            ("0", Some(0)),
            ("46", Some(184)),
            ("0x2e", Some(184)),
            ("056", Some(184)),
            ("EF", Some(184)),
            ("va", Some(176)),
            ("cs7", Some(224)),
            ("AF43", Some(152)),
            ("lowdelay", Some(16)),
            ("Throughput", Some(8)),
            ("reliability", Some(4)),
            ("64", None),
            ("af44", None),
            ("", None),
        ] {
            assert_eq!(of_dscp(text), tos, "{text}");
        }
    }
}
