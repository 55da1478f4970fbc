//! Numbers as iperf3 writes them.

use serde::{Serialize, Serializer};

use super::Unit;

const BINARY: [&str; 5] = ["", "K", "M", "G", "T"];

/// So many bytes with their unit: `1.12 MByte`, right-aligned to a width of four digits.
pub(super) fn byte(bytes: u64) -> String {
    let (value, prefix) = scaled(bytes as f64, 1024.0);
    format!("{} {prefix}Byte", digits(value))
}

/// The plural: `1.12 MBytes`.
pub(super) fn bytes(amount: u64) -> String {
    byte(amount) + "s"
}

/// A rate in `unit` per second, or in the unit of bits that fits.
pub(super) fn rate(bytes_per_second: f64, unit: Option<Unit>) -> String {
    match unit {
        Some(unit) => {
            let (name, one) = unit.scale();
            format!("{} {name}/sec", digits(bytes_per_second / one))
        }
        None => {
            let (value, prefix) = scaled(bytes_per_second * 8.0, 1000.0);
            format!("{} {prefix}bits/sec", digits(value))
        }
    }
}

/// `lost/total (percent)`; a loss that is not known is a word.
pub(super) fn loss(lost: Option<u64>, total: u64) -> String {
    match lost {
        Some(lost) => format!("{lost}/{total} ({}%)", general(percent(lost, total))),
        None => format!("Unknown/{total}"),
    }
}

/// `part` of `whole` in percent.
pub(super) fn percent(part: u64, whole: u64) -> f64 {
    ratio(100.0 * part as f64, whole as f64)
}

/// `a / b`, and 0 where nothing was measured.
pub(super) fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}

/// A number of JSON that has no fraction where there is none, so that 0 is `0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        /// Every whole number below it is exact.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        let Self(value) = *self;
        if value.fract() == 0.0 && value.abs() < EXACT {
            to.serialize_i64(value as i64)
        } else if value.is_finite() {
            to.serialize_f64(value)
        } else {
            to.serialize_i64(0)
        }
    }
}

fn scaled(mut value: f64, step: f64) -> (f64, &'static str) {
    let mut prefix = 0;
    while value >= step && prefix + 1 < BINARY.len() {
        value /= step;
        prefix += 1;
    }
    (value, BINARY[prefix])
}

/// Three digits that count.
fn digits(value: f64) -> String {
    let places = match value {
        value if value < 9.995 => 2,
        value if value < 99.95 => 1,
        _ => 0,
    };
    format!("{value:4.places$}")
}

/// Two digits that count, as `%.2g` of printf(3) writes them.
fn general(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    let scientific = format!("{value:.1e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..2).contains(&exponent) {
        let places = usize::try_from(1 - exponent).unwrap_or(0);
        return trimmed(&format!("{value:.places$}")).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs())
}

fn trimmed(text: &str) -> &str {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_one_run_in_all_units() {
        let of = |letter| rate(1_250_000.0 / 1.005, Unit::of(letter));
        // 1.25 MB in 1.005 s, as iperf3 3.12 shows them.
        assert_eq!(rate(1_310_720.0 / 1.005, None), "10.4 Mbits/sec");
        assert_eq!(of('k'), "9950 Kbits/sec");
        assert_eq!(of('K'), "1215 KBytes/sec");
        assert_eq!(of('g'), "0.01 Gbits/sec");
        assert_eq!(of('G'), "0.00 GBytes/sec");
        assert_eq!(of('t'), "0.00 Tbits/sec");
        assert_eq!(of('M'), "1.19 MBytes/sec");
    }

    #[test]
    fn amounts() {
        for (amount, shown) in [
            (0, "0.00 Bytes"),
            (1023, "1023 Bytes"),
            (1024, "1.00 KBytes"),
            (14_416, "14.1 KBytes"),
            (425_984, " 416 KBytes"),
            (1_178_694, "1.12 MBytes"),
            (1 << 50, "1024 TBytes"),
        ] {
            assert_eq!(bytes(amount), shown);
        }
        assert_eq!(rate(0.0, None), "0.00 bits/sec");
    }

    #[test]
    fn losses() {
        for (lost, total, shown) in [
            (0, 0, "0/0 (0%)"),
            (0, 893, "0/893 (0%)"),
            (46, 1000, "46/1000 (4.6%)"),
            (1, 101_000, "1/101000 (0.00099%)"),
            (99, 99, "99/99 (1e+02%)"),
            (995, 1000, "995/1000 (1e+02%)"),
            (12, 100, "12/100 (12%)"),
            (1, 10_000_000, "1/10000000 (1e-05%)"),
        ] {
            assert_eq!(loss(Some(lost), total), shown);
        }
        assert_eq!(loss(None, 10), "Unknown/10");
    }

    #[test]
    fn numbers_of_json() {
        for (value, shown) in [
            (0.0, "0"),
            (5e7, "50000000"),
            (1.5, "1.5"),
            (f64::NAN, "0"),
            (f64::INFINITY, "0"),
        ] {
            assert_eq!(serde_json::to_string(&Number(value)).unwrap(), shown);
        }
    }
}
