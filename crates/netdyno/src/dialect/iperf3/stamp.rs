//! What lines of text begin with (`--timestamps`).

use jiff::ZonedDateTime;
use jiff::fmt::strtime;

/// The text of strftime(3)'s `format` at `now`; a format that means nothing stands as it is.
pub fn stamp(format: &str, now: &ZonedDateTime) -> String {
    // In the C locale, which is what iperf3 has.
    let format = format
        .replace("%c", "%a %b %e %H:%M:%S %Y")
        .replace("%x", "%m/%d/%y")
        .replace("%X", "%H:%M:%S")
        .replace("%r", "%I:%M:%S %p");
    strtime::format(&format, now).unwrap_or(format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_iperf3_shows_them() {
        let now: ZonedDateTime = "2026-11-30T20:14:34+00:00[UTC]".parse().unwrap();
        for (format, shown) in [
            ("%c ", "Mon Nov 30 20:14:34 2026 "),
            ("%F", "2026-11-30"),
            ("%s:", "1796069674:"),
            ("%H:%M ", "20:14 "),
            ("", ""),
            ("%", "%"),
        ] {
            assert_eq!(stamp(format, &now), shown);
        }
    }
}
