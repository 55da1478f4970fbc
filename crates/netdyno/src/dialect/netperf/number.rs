//! Numbers as netperf reads them: digits, then the presence of a letter anywhere multiplies.

use units::{Bytes, Nanos};

use super::Refusal;

/// The protocol and netperf itself count in 32 bits.
const MOST: i64 = i32::MAX as i64;

/// A whole number, with K, M, G (powers of 1024) or k, m, g (powers of 1000).
pub(super) fn scaled(option: &str, text: &str) -> Result<i64, Refusal> {
    let factor = "KMGkmg"
        .chars()
        .zip([1 << 10, 1 << 20, 1 << 30, 1000, 1_000_000, 1_000_000_000])
        .find(|(letter, _)| text.contains(*letter))
        .map_or(1, |(_, factor)| factor);
    let number = digits(option, text)?.saturating_mul(factor);
    within(option, text, number, -MOST - 1)
}

/// A size in bytes; -1 is the default.
pub(super) fn size(option: &str, text: &str) -> Result<Option<Bytes>, Refusal> {
    match scaled(option, text)? {
        -1 => Ok(None),
        number => u64::try_from(number)
            .map(|bytes| Some(Bytes::new(bytes)))
            .map_err(|_| refused(option, text, "a size from 0, or -1 for the default")),
    }
}

/// A whole number from 0.
pub(super) fn count(option: &str, text: &str) -> Result<u32, Refusal> {
    let number = within(option, text, digits(option, text)?, 0)?;
    u32::try_from(number).map_err(|_| refused(option, text, "a number from 0"))
}

/// A whole number from 0 with a letter that multiplies.
pub(super) fn scaled_count(option: &str, text: &str) -> Result<u32, Refusal> {
    let number = scaled(option, text)?;
    u32::try_from(number).map_err(|_| refused(option, text, "a number from 0"))
}

/// A whole number from 0 of 64 bits.
pub(super) fn long(option: &str, text: &str) -> Result<u64, Refusal> {
    u64::try_from(digits(option, text)?).map_err(|_| refused(option, text, "a number from 0"))
}

/// A number that may have a fraction.
pub(super) fn real(option: &str, text: &str) -> Result<f64, Refusal> {
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+')))
        .unwrap_or(text.len());
    let number = text[..end]
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| refused(option, text, "a number"))
}

/// A time with `s`, `m` (milliseconds) or `u` (microseconds); milliseconds without any.
pub(super) fn interval(option: &str, text: &str) -> Result<Nanos, Refusal> {
    let unit = match text.find(|c: char| !c.is_ascii_digit()) {
        Some(at) if text[at..].starts_with('s') => 1_000_000_000,
        Some(at) if text[at..].starts_with('u') => 1_000,
        _ => 1_000_000,
    };
    Ok(Nanos::new(long(option, text)?.saturating_mul(unit)))
}

/// A port: a number, or one of the services that netperf knows of. Other names are in a file of
/// the system's.
pub(super) fn port(option: &str, text: &str) -> Result<u16, Refusal> {
    const SERVICES: [(&str, u16); 4] = [
        ("echo", 7),
        ("discard", 9),
        ("chargen", 19),
        ("netperf", proto::netperf::PORT),
    ];
    let service = SERVICES.iter().find(|(name, _)| *name == text);
    match service {
        Some((_, port)) => Ok(*port),
        None => text.parse().map_err(|_| {
            refused(
                option,
                text,
                "a port from 0 to 65535, echo, discard or chargen",
            )
        }),
    }
}

pub(super) fn refused(option: &str, text: &str, accepted: &str) -> Refusal {
    Refusal::usage(format!("{option} '{text}': {accepted} is accepted"))
}

/// As atoi(3) finds them at the start; what has none is 0 there and a slip here.
fn digits(option: &str, text: &str) -> Result<i64, Refusal> {
    let text_from_sign = text.trim_start();
    let unsigned = text_from_sign
        .strip_prefix(['-', '+'])
        .unwrap_or(text_from_sign);
    let end = unsigned
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(unsigned.len());
    if end == 0 {
        return Err(refused(option, text, "a number"));
    }
    let number = unsigned[..end].parse().unwrap_or(i64::MAX);
    Ok(if text_from_sign.starts_with('-') {
        -number
    } else {
        number
    })
}

fn within(option: &str, text: &str, number: i64, least: i64) -> Result<i64, Refusal> {
    match (least..=MOST).contains(&number) {
        true => Ok(number),
        false => Err(refused(
            option,
            text,
            &format!("a number from {least} to {MOST}"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_multiplies() {
        for (text, number) in [
            ("6", 6),
            ("1K", 1024),
            ("32k", 32_000),
            ("100m", 100_000_000),
            ("1M", 1 << 20),
            ("1G", 1 << 30),
            ("-4000000", -4_000_000),
            ("80000:80000", 80_000),
        ] {
            assert_eq!(scaled("-l", text), Ok(number), "{text}");
        }
    }

    #[test]
    fn what_netperf_would_wrap_or_read_as_nothing_is_a_slip() {
        for text in ["4G", "-8G", "many", "", "-"] {
            let refusal = scaled("-m", text).unwrap_err();
            assert_eq!(refusal.code, 1);
            assert!(
                refusal.sentence.starts_with(&format!("-m '{text}': ")),
                "{refusal:?}"
            );
        }
    }

    #[test]
    fn sizes_times_and_ports() {
        assert_eq!(size("-m", "-1"), Ok(None));
        assert_eq!(size("-m", "1k"), Ok(Some(Bytes::new(1000))));
        assert!(size("-m", "-2").is_err());
        assert_eq!(interval("-w", "10ms"), Ok(Nanos::from_millis(10)));
        assert_eq!(interval("-w", "10"), Ok(Nanos::from_millis(10)));
        assert_eq!(interval("-w", "5us"), Ok(Nanos::new(5_000)));
        assert_eq!(interval("-w", "2s"), Ok(Nanos::from_secs(2)));
        assert_eq!(port("-p", "12865"), Ok(12_865));
        assert_eq!(port("-p", "discard"), Ok(9));
        assert!(port("-p", "65536").is_err());
        assert_eq!(real("-D", "-0.20"), Ok(-0.2));
        assert_eq!(long("-q", "5000000000"), Ok(5_000_000_000));
    }
}
