//! Figures as eyes like them, with the unit spelled out. Unknown is a dash.

use record::End;
use units::{BitRate, Bytes, Nanos};

/// What stands where nothing is known.
pub(crate) const NONE: &str = "-";

/// `Some` by `show`, a dash for none.
pub(crate) fn or_dash<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| NONE.to_owned(), show)
}

pub(crate) fn count(value: Option<u64>) -> String {
    or_dash(value, |n| n.to_string())
}

pub(crate) fn bytes(value: Option<u64>) -> String {
    or_dash(value, |n| Bytes::new(n).to_string())
}

pub(crate) fn rate(bits_per_second: Option<f64>) -> String {
    or_dash(finite(bits_per_second), |bits| {
        BitRate::new(bits.round() as u64).to_string()
    })
}

pub(crate) fn nanos(value: Option<u64>) -> String {
    or_dash(value, |n| Nanos::new(n).to_string())
}

pub(crate) fn micros(value: Option<u64>) -> String {
    nanos(value.map(|us| us.saturating_mul(1_000)))
}

/// `3.00 s`; what would read as nothing in a smaller unit.
pub(crate) fn seconds(value: Option<f64>) -> String {
    or_dash(finite(value), |s| match s {
        s if s > 0.0 && s < 0.01 => Nanos::new((s * 1e9) as u64).to_string(),
        s => format!("{s:.2} s"),
    })
}

/// `0.57 %` of a share of 0.0057; smaller ones with as many digits as it takes to see them.
pub(crate) fn percent(share: Option<f64>) -> String {
    or_dash(finite(share), |share| {
        let percent = share * 100.0;
        match percent.abs() {
            0.0 => "0 %".to_owned(),
            p if p < 0.01 => format!("{percent:.1e} %"),
            p if p < 10.0 => format!("{percent:.2} %"),
            _ => format!("{percent:.1} %"),
        }
    })
}

/// `12.30`, `12346`: how often in a second.
pub(crate) fn frequency(value: Option<f64>) -> String {
    significant(value, 4)
}

/// `12.30/s`, `12346/s`.
pub(crate) fn per_second(value: Option<f64>) -> String {
    or_dash(finite(value), |n| frequency(Some(n)) + "/s")
}

/// A number without unit, `digits` after the point.
pub(crate) fn number(value: Option<f64>, digits: usize) -> String {
    or_dash(finite(value), |n| format!("{n:.digits$}"))
}

/// A number without unit, of so many digits, or as many as stand before its point.
pub(crate) fn significant(value: Option<f64>, digits: i32) -> String {
    or_dash(finite(value), |n| {
        let before_point = if n.abs() < 1.0 {
            1
        } else {
            n.abs().log10() as i32 + 1
        };
        number(Some(n), usize::try_from(digits - before_point).unwrap_or(0))
    })
}

/// A number of bytes that may be negative.
pub(crate) fn signed_bytes(value: Option<i64>) -> String {
    or_dash(value, |n| {
        let sign = if n < 0 { "-" } else { "" };
        sign.to_owned() + &bytes(Some(n.unsigned_abs()))
    })
}

/// `1 flow`, `4 flows`.
pub(crate) fn counted(n: u64, one: &str) -> String {
    format!("{n} {one}{}", if n == 1 { "" } else { "s" })
}

/// A name of at most `width` columns; a cut one ends in a tilde.
pub(crate) fn name(text: &str, width: usize) -> String {
    match text.chars().count() > width {
        true => text.chars().take(width - 1).chain(['~']).collect(),
        false => text.to_owned(),
    }
}

/// `client -> server`.
pub(crate) fn direction(sender: End) -> String {
    format!("{} -> {}", sender.name(), sender.other().name())
}

fn finite(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_a_dash_and_never_a_number() {
        for text in [
            count(None),
            bytes(None),
            rate(None),
            nanos(None),
            percent(None),
        ] {
            assert_eq!(text, "-");
        }
        assert_eq!(rate(Some(f64::NAN)), "-");
        assert_eq!(percent(Some(f64::INFINITY)), "-");
    }

    #[test]
    fn figures_with_their_units() {
        assert_eq!(rate(Some(941_480_000.4)), "941.48 Mbit/s");
        assert_eq!(micros(Some(1_180)), "1.18 ms");
        assert_eq!(percent(Some(0.005_666)), "0.57 %");
        assert_eq!(percent(Some(0.000_000_5)), "5.0e-5 %");
        assert_eq!(percent(Some(0.0)), "0 %");
        assert_eq!(percent(Some(0.302)), "30.2 %");
        assert_eq!(per_second(Some(999.94)), "999.9/s");
        assert_eq!(per_second(Some(12_345.6)), "12346/s");
        assert_eq!(significant(Some(0.123_456), 4), "0.123");
        assert_eq!(significant(Some(-20.0), 4), "-20.00");
        assert_eq!(signed_bytes(Some(-2048)), "-2.00 KiB");
        assert_eq!(
            (counted(1, "flow"), counted(0, "flow")),
            ("1 flow".into(), "0 flows".into())
        );
    }

    #[test]
    fn long_names_are_cut_and_say_so() {
        assert_eq!(name("udp-stream", 10), "udp-stream");
        assert_eq!(name("udp-stream-2", 10), "udp-strea~");
    }
}
