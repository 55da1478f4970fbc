//! What was asked of `cargo xtask bench`.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

/// Options of the bench command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Contests by name; all when empty.
    pub names: Vec<String>,
    /// Times that every contender runs.
    pub rounds: u32,
    /// Length of one run; the contest's own when none.
    pub seconds: Option<u32>,
    /// Of the random order.
    pub seed: u64,
    /// Clients on the first CPU and servers on the second.
    pub pinned: bool,
    /// Builds netdyno and the bare loops first.
    pub build: bool,
    /// A missed bar fails the command.
    pub strict: bool,
    /// Only say which contests there are.
    pub list: bool,
}

/// What stands in the usage text.
pub const USAGE: &str = "\
cargo xtask bench [NAME…] [--rounds 5] [--seconds N] [--seed N] [--no-pin] [--no-build] [--strict] [--list]";

impl Options {
    /// Reads the words after `bench`.
    pub fn parse(words: &[String]) -> Result<Self> {
        let mut options = Self {
            names: Vec::new(),
            rounds: 5,
            seconds: None,
            seed: now(),
            pinned: true,
            build: true,
            strict: false,
            list: false,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--rounds" => options.rounds = number(word, words.next())?,
                "--seconds" => options.seconds = Some(number(word, words.next())?),
                "--seed" => options.seed = number(word, words.next())?,
                "--no-pin" => options.pinned = false,
                "--no-build" => options.build = false,
                "--strict" => options.strict = true,
                "--list" => options.list = true,
                flag if flag.starts_with('-') => bail!("bench does not take '{flag}'\n\n{USAGE}"),
                name => options.names.push(name.to_owned()),
            }
        }
        if options.rounds == 0 || options.seconds == Some(0) {
            bail!("--rounds and --seconds are at least 1");
        }
        Ok(options)
    }
}

fn number<N: std::str::FromStr>(flag: &str, word: Option<&String>) -> Result<N> {
    let word = word.with_context(|| format!("{flag} needs a number"))?;
    word.parse()
        .ok()
        .with_context(|| format!("{flag} needs a number, not '{word}'"))
}

/// A seed that differs from run to run; it is printed and kept.
fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Options> {
        let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        Options::parse(&words)
    }

    #[test]
    fn names_and_flags_in_any_order() {
        let options = parse(&[
            "rr",
            "--rounds",
            "9",
            "tcp-stream",
            "--no-pin",
            "--seed",
            "4",
        ])
        .unwrap();
        assert_eq!(options.names, ["rr", "tcp-stream"]);
        assert_eq!(
            (options.rounds, options.seed, options.seconds),
            (9, 4, None)
        );
        assert!(!options.pinned && !options.strict);
    }

    #[test]
    fn wrong_words_are_refused() {
        for words in [
            &["--rounds"][..],
            &["--rounds", "x"],
            &["--rounds", "0"],
            &["--fast"],
            &["--seconds", "0"],
        ] {
            assert!(parse(words).is_err(), "{words:?}");
        }
    }
}
