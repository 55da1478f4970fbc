//! Numbers as iperf3 reads them. What it takes for a number where there is none is refused here.

use proto::iperf3::ErrorNumber;
use units::{BitRate, Bytes, Nanos};

use super::Refusal;

const SUFFIX: ErrorNumber = ErrorNumber::new(38);

/// A rate: K, M, G and T are powers of 1000.
pub(super) fn rate(option: &str, text: &str) -> Result<BitRate, Refusal> {
    let accepted = "a rate in bit/s with k, m, g or t (powers of 1000)";
    Ok(BitRate::new(scaled(option, text, 1000.0, accepted)?))
}

/// An amount: K, M, G and T are powers of 1024.
pub(super) fn amount(option: &str, text: &str) -> Result<u64, Refusal> {
    scaled(
        option,
        text,
        1024.0,
        "a number with K, M, G or T (powers of 1024)",
    )
}

/// An amount of bytes within bounds.
pub(super) fn bytes(
    option: &str,
    text: &str,
    (least, most): (u64, u64),
    number: ErrorNumber,
) -> Result<Bytes, Refusal> {
    let bytes = amount(option, text)?;
    within(option, text, bytes, (least, most), number).map(Bytes::new)
}

/// A whole number within bounds. What follows the digits is ignored, as atoi(3) does it, except
/// that half a number is none.
pub(super) fn whole(
    option: &str,
    text: &str,
    bounds: (u64, u64),
    number: ErrorNumber,
) -> Result<u64, Refusal> {
    parsed(option, text, parse_start(text), bounds, number)
}

/// A whole number as strtol(3) reads it: 0x for hexadecimal, 0 for octal.
pub(super) fn any_base(
    option: &str,
    text: &str,
    bounds: (u64, u64),
    number: ErrorNumber,
) -> Result<u64, Refusal> {
    parsed(option, text, parse_any_base(text), bounds, number)
}

fn parsed(
    option: &str,
    text: &str,
    value: Option<u64>,
    (least, most): (u64, u64),
    number: ErrorNumber,
) -> Result<u64, Refusal> {
    let value = value.filter(|value| (least..=most).contains(value));
    value.ok_or_else(|| {
        let accepted = format!("a whole number from {least} to {most} is accepted");
        Refusal::wrong(number, format!("{option} '{text}': {accepted}"))
    })
}

fn parse_start(text: &str) -> Option<u64> {
    let digits = text.trim_start();
    let digits = digits.strip_prefix('+').unwrap_or(digits);
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    let (digits, rest) = digits.split_at(end);
    digits.parse().ok().filter(|_| !rest.starts_with('.'))
}

/// As [`any_base`], if it is one.
pub(super) fn parse_any_base(text: &str) -> Option<u64> {
    let lower = text.trim().to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    match lower.strip_prefix('0').filter(|digits| !digits.is_empty()) {
        Some(digits) => u64::from_str_radix(digits, 8).ok(),
        None => lower.parse().ok(),
    }
}

/// Seconds with a fraction: 0, or within bounds.
pub(super) fn seconds(
    option: &str,
    text: &str,
    (least, most): (f64, f64),
    number: ErrorNumber,
) -> Result<Option<Nanos>, Refusal> {
    let fits = |value: &f64| *value == 0.0 || (least..=most).contains(value);
    let value = text.trim().parse().ok().filter(fits).ok_or_else(|| {
        let sentence = format!("{option} '{text}': 0, or {least} to {most} s, is accepted");
        Refusal::wrong(number, sentence)
    })?;
    // Within the bounds it is far from the ends of the type.
    Ok((value > 0.0).then(|| Nanos::new((value * 1e9).round() as u64)))
}

/// Milliseconds within bounds.
pub(super) fn milliseconds(
    option: &str,
    text: &str,
    bounds: (u64, u64),
    number: ErrorNumber,
) -> Result<Nanos, Refusal> {
    whole(option, text, bounds, number).map(Nanos::from_millis)
}

/// A value, if it is within bounds.
pub(super) fn within(
    option: &str,
    text: &str,
    value: u64,
    bounds: (u64, u64),
    number: ErrorNumber,
) -> Result<u64, Refusal> {
    parsed(option, text, Some(value), bounds, number)
}

/// A decimal number whose first letter may multiply it; the rest of a unit is ignored, so that
/// `10Mbit` is `10M`.
fn scaled(option: &str, text: &str, step: f64, accepted: &str) -> Result<u64, Refusal> {
    let refused = || Refusal::wrong(SUFFIX, format!("{option} '{text}': {accepted} is accepted"));
    let text = text.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let value: f64 = text[..end].parse().map_err(|_| refused())?;
    let unit = &text[end..];
    if !unit.chars().all(|c| c.is_ascii_alphabetic() || c == '/') {
        return Err(refused());
    }
    let power = match unit.chars().next().map(|c| c.to_ascii_lowercase()) {
        None => 0,
        Some('k') => 1,
        Some('m') => 2,
        Some('g') => 3,
        Some('t') => 4,
        Some(_) => return Err(refused()),
    };
    let value = value * step.powi(power);
    // Above 2^53 a number of JSON no longer names one integer (RFC 8259, section 6).
    if value > 9_007_199_254_740_992.0 {
        return Err(refused());
    }
    Ok(value as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: ErrorNumber = ErrorNumber::new(5);

    #[test]
    fn the_same_letter_is_two_numbers() {
        assert_eq!(amount("-l", "1K").unwrap(), 1024);
        assert_eq!(rate("-b", "1K").unwrap(), BitRate::new(1000));
        for (text, number) in [
            ("0", 0),
            ("128K", 131_072),
            ("1.5k", 1536),
            ("1G", 1 << 30),
            ("2t", 2 << 40),
            ("7", 7),
            (".5K", 512),
        ] {
            assert_eq!(amount("-n", text).unwrap(), number, "{text}");
        }
        for text in ["10M", "10m", "10Mbit", "10Mbits/sec", "0.01g"] {
            assert_eq!(rate("-b", text).unwrap().get(), 10_000_000, "{text}");
        }
    }

    #[test]
    fn what_is_no_number() {
        for text in ["", "x", "-1", "1x", "1K5", "1.2.3", "9999999T", "1e3"] {
            assert!(amount("-n", text).is_err(), "{text}");
        }
        for text in ["", "x", "-1", "0.5", "101", "99999999999999999999"] {
            assert!(whole("-t", text, (0, 100), ANY).is_err(), "{text}");
        }
        for text in ["0.05", "61", "x", "-1", "NaN", "inf"] {
            assert!(seconds("-i", text, (0.1, 60.0), ANY).is_err(), "{text}");
        }
        for text in ["0x", "08", "256", "a", "-1"] {
            assert!(any_base("-S", text, (0, 255), ANY).is_err(), "{text}");
        }
    }

    #[test]
    fn whole_numbers() {
        for (text, number) in [("5", 5), ("5x", 5), (" 7", 7), ("+8", 8), ("010", 10)] {
            assert_eq!(whole("-t", text, (0, 100), ANY).unwrap(), number, "{text}");
        }
        for (text, number) in [
            ("52", 52),
            ("064", 52),
            ("0x34", 52),
            ("0X34", 52),
            ("0", 0),
        ] {
            assert_eq!(any_base("-S", text, (0, 255), ANY).unwrap(), number);
        }
    }

    #[test]
    fn seconds_of_intervals() {
        let of = |text| seconds("-i", text, (0.1, 60.0), ANY).unwrap();
        assert_eq!(of("0"), None);
        assert_eq!(of("0.25"), Some(Nanos::from_millis(250)));
        assert_eq!(of("60"), Some(Nanos::from_secs(60)));
    }
}
