//! Numbers as iperf 2 reads them: a decimal and one letter. Small letters are powers of 1000,
//! capital ones of 1024, in rates as in sizes (since 2.0.8).

use std::ops::RangeInclusive;

use units::Nanos;

use super::refusal::{Refusal, refused};

/// A size in bytes or a rate in bits per second. What follows the letter is ignored: `1KB` is `1K`.
pub(super) fn scaled(option: &str, text: &str) -> Result<u64, Refusal> {
    let (number, rest) = split(text);
    let factor = match rest.chars().next() {
        None | Some('b' | 'B') => 1.0,
        Some('k') => 1e3,
        Some('m') => 1e6,
        Some('g') => 1e9,
        Some('K') => 1024.0,
        Some('M') => 1024.0 * 1024.0,
        Some('G') => 1024.0 * 1024.0 * 1024.0,
        Some(_) => return Err(not_a(option, text, SCALED)),
    };
    whole(number, factor).ok_or_else(|| not_a(option, text, SCALED))
}

/// A rate in bits per second where capital letters stand for bytes: `10m` is 10 Mbit/s, `10M` is
/// 80 Mbit/s (`--fq-rate`, `--isochronous`).
pub(super) fn bits_or_bytes(option: &str, text: &str) -> Result<u64, Refusal> {
    let (number, rest) = split(text);
    let factor = match rest.chars().next() {
        None | Some('b') => 1.0,
        Some('B') => 8.0,
        Some('k') => 1e3,
        Some('m') => 1e6,
        Some('g') => 1e9,
        Some('K') => 8e3,
        Some('M') => 8e6,
        Some('G') => 8e9,
        Some(_) => return Err(not_a(option, text, SCALED)),
    };
    whole(number, factor).ok_or_else(|| not_a(option, text, SCALED))
}

/// Seconds.
pub(super) fn seconds(option: &str, text: &str) -> Result<Nanos, Refusal> {
    time(option, text, 1e9, "seconds")
}

/// Milliseconds.
pub(super) fn milliseconds(option: &str, text: &str) -> Result<Nanos, Refusal> {
    time(option, text, 1e6, "milliseconds")
}

/// A whole number of at least `least`.
pub(super) fn count(option: &str, text: &str, least: u32) -> Result<u32, Refusal> {
    let number = text.trim().parse().ok().filter(|number| *number >= least);
    number.ok_or_else(|| not_a(option, text, &format!("a whole number from {least}")))
}

/// A number that may have a fraction, from 0.
pub(super) fn real(option: &str, text: &str) -> Result<f64, Refusal> {
    let number = text.trim().parse().ok();
    number
        .filter(|number: &f64| number.is_finite() && *number >= 0.0)
        .ok_or_else(|| not_a(option, text, "a number from 0"))
}

/// A port, or ports from the first to the last.
pub(super) fn ports(option: &str, text: &str) -> Result<RangeInclusive<u16>, Refusal> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let [first, last] = [port(option, first)?, port(option, last)?];
    if last < first {
        return Err(not_a(option, text, "a range from a lower to a higher port"));
    }
    Ok(first..=last)
}

/// A port.
pub(super) fn port(option: &str, text: &str) -> Result<u16, Refusal> {
    let number = text.trim().parse().ok().filter(|port| *port > 0);
    number.ok_or_else(|| not_a(option, text, "a port from 1 to 65535"))
}

/// The sentence about a value that is none.
pub(super) fn not_a(option: &str, text: &str, accepted: &str) -> Refusal {
    refused(format!("{option} '{text}': {accepted} is accepted"))
}

const SCALED: &str = "a number, with k, m, g (powers of 1000) or K, M, G (powers of 1024)";

fn time(option: &str, text: &str, unit: f64, name: &str) -> Result<Nanos, Refusal> {
    let nanos = whole(text.trim(), unit).map(Nanos::new);
    nanos.ok_or_else(|| not_a(option, text, &format!("a number of {name}")))
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.'));
    text.split_at(end.unwrap_or(text.len()))
}

fn whole(number: &str, factor: f64) -> Option<u64> {
    let number: f64 = number.parse().ok()?;
    let value = (number * factor).round();
    // 2^63 and above are not sizes of anything.
    (0.0..9.2e18).contains(&value).then_some(value as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_sizes_and_rates() {
        for (text, number) in [
            ("0", 0),
            ("1470", 1470),
            ("1k", 1000),
            ("1K", 1024),
            ("1KB", 1024),
            ("1.5M", 1_572_864),
            ("20m", 20_000_000),
            ("2g", 2_000_000_000),
            ("1G", 1 << 30),
            ("0.5G", 1 << 29),
            ("1470B", 1470),
        ] {
            assert_eq!(scaled("-l", text), Ok(number), "{text}");
        }
        for (text, number) in [("10m", 10_000_000), ("10M", 80_000_000), ("1K", 8000)] {
            assert_eq!(bits_or_bytes("--fq-rate", text), Ok(number), "{text}");
        }
    }

    #[test]
    fn what_iperf_reads_as_something_else_is_a_slip() {
        for text in ["1T", "many", "", "-1", ".", "1e30", "1x"] {
            let refusal = scaled("-b", text).unwrap_err();
            assert_eq!(refusal.code, 1, "{text}");
            assert!(refusal.sentence.starts_with(&format!("-b '{text}': ")));
        }
        for text in ["soon", "-1", "1s", "inf", "nan"] {
            assert!(seconds("-t", text).is_err(), "{text}");
        }
        for text in ["0", "65536", "9-8", "x", "1-", "-5"] {
            assert!(ports("-p", text).is_err(), "{text}");
        }
        assert!(count("-P", "0", 1).is_err());
        assert!(real("--near-congestion", "nan").is_err());
    }

    #[test]
    fn times_and_ports() {
        assert_eq!(seconds("-t", "0.5"), Ok(Nanos::from_millis(500)));
        assert_eq!(milliseconds("--ipg", "2"), Ok(Nanos::from_millis(2)));
        assert_eq!(ports("-p", "5001"), Ok(5001..=5001));
        assert_eq!(ports("-p", "6001-6003"), Ok(6001..=6003));
    }
}
