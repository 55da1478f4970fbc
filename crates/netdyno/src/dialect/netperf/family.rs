//! Address families as netperf's options name them.

use plan::Family;

/// `6`, `inet6`, `4`, `inet`, `0`, `unspec`, with anything around; none for other texts.
pub(super) fn family(text: &str) -> Option<Family> {
    if text.contains('6') {
        Some(Family::V6)
    } else if text.contains("inet") || text.contains('4') {
        Some(Family::V4)
    } else if text.contains("unspec") || text.contains('0') {
        Some(Family::Any)
    } else {
        None
    }
}

/// The family of an address that is written out.
pub(super) fn of_literal(host: &str) -> Option<Family> {
    match host.parse().ok()? {
        std::net::IpAddr::V4(_) => Some(Family::V4),
        std::net::IpAddr::V6(_) => Some(Family::V6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_text_contains_decides() {
        for (text, expected) in [
            ("6", Some(Family::V6)),
            ("inet6", Some(Family::V6)),
            ("AF_INET6", Some(Family::V6)),
            ("4", Some(Family::V4)),
            ("inet", Some(Family::V4)),
            ("unspec", Some(Family::Any)),
            ("0", Some(Family::Any)),
            ("AF_INET", None),
        ] {
            assert_eq!(family(text), expected, "{text}");
        }
    }
}
