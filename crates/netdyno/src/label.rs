//! Names for runs: wall time, which labels and never measures.

use jiff::Timestamp;

/// Now, RFC 3339 in UTC, to the millisecond.
pub fn now() -> String {
    let millis = Timestamp::now().as_millisecond();
    let time = Timestamp::from_millisecond(millis).unwrap_or_default();
    format!("{time:.3}")
}

/// A run's name: the time, so that names sort by it, and four digits that keep two runs of the
/// same second apart.
pub fn run_id(started: &str) -> String {
    let mut bytes = [0; 2];
    // Without randomness the process number keeps concurrent runs apart as well.
    if getrandom::fill(&mut bytes).is_err() {
        bytes = (std::process::id() as u16).to_be_bytes();
    }
    let time: String = started
        .chars()
        .take(19)
        .filter(|c| c.is_ascii_alphanumeric())
        .collect();
    format!("{time}-{:04x}", u16::from_be_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_with_the_time() {
        assert!(run_id("2026-11-30T16:57:58.123Z").starts_with("20261130T165758-"));
        let now = now();
        assert_eq!(
            (now.len(), &now[10..11], &now[23..]),
            (24, "T", "Z"),
            "{now}"
        );
    }
}
