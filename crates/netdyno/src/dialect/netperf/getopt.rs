//! Options as getopt(3) of the GNU C library finds them: clusters, attached values, words that are
//! no option in between.

/// What takes a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Letters {
    /// As getopt has them: a colon after a letter that takes a value.
    pub known: &'static str,
    /// Letters that take the next word if it looks like their value.
    pub optional: &'static str,
    /// Whether the next word is such a value.
    pub is_optional_value: fn(&str) -> bool,
    /// Names of long options, all of which take a value.
    pub long: &'static [&'static str],
}

/// One find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found<'a> {
    /// An option; the value is there for letters that take one.
    Option(char, Option<&'a str>),
    /// A long option and its value.
    Long(&'static str, &'a str),
    /// A word that is no option.
    Operand(&'a str),
}

/// Why a word is no option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wrong {
    /// No such option.
    Unknown(String),
    /// Without the value that it takes.
    NoValue(String),
}

/// What `words` say up to `--`, and what stands behind it. Wrong ones are among the finds.
pub(super) fn getopt<'a>(
    words: &'a [String],
    letters: &Letters,
) -> (Vec<Result<Found<'a>, Wrong>>, &'a [String]) {
    let mut finds = Vec::new();
    let mut rest = words;
    while let [word, after @ ..] = rest {
        rest = after;
        if word == "--" {
            return (finds, rest);
        }
        if let Some(long) = word.strip_prefix("--") {
            finds.push(find_long(long, &mut rest, letters));
        } else {
            match word.strip_prefix('-').filter(|cluster| !cluster.is_empty()) {
                None => finds.push(Ok(Found::Operand(word))),
                Some(cluster) => find_cluster(cluster, &mut rest, letters, &mut finds),
            }
        }
    }
    (finds, rest)
}

fn find_long<'a>(
    long: &'a str,
    rest: &mut &'a [String],
    letters: &Letters,
) -> Result<Found<'a>, Wrong> {
    let (typed, attached) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (long, None),
    };
    let shown = format!("--{typed}");
    let Some(name) = letters.long.iter().find(|name| **name == typed) else {
        return Err(Wrong::Unknown(shown));
    };
    let value = attached.or_else(|| next(rest));
    match value {
        Some(value) => Ok(Found::Long(name, value)),
        None => Err(Wrong::NoValue(shown)),
    }
}

fn find_cluster<'a>(
    cluster: &'a str,
    rest: &mut &'a [String],
    letters: &Letters,
    finds: &mut Vec<Result<Found<'a>, Wrong>>,
) {
    for (at, letter) in cluster.char_indices() {
        let attached = &cluster[at + letter.len_utf8()..];
        match takes_value(letters.known, letter) {
            None => finds.push(Err(Wrong::Unknown(format!("-{letter}")))),
            Some(true) => {
                let value = Some(attached).filter(|value| !value.is_empty());
                finds.push(match value.or_else(|| next(rest)) {
                    Some(value) => Ok(Found::Option(letter, Some(value))),
                    None => Err(Wrong::NoValue(format!("-{letter}"))),
                });
                return;
            }
            Some(false) => {
                let fits = attached.is_empty()
                    && letters.optional.contains(letter)
                    && rest
                        .first()
                        .is_some_and(|word| (letters.is_optional_value)(word));
                let value = if fits { next(rest) } else { None };
                finds.push(Ok(Found::Option(letter, value)));
            }
        }
    }
}

fn next<'a>(rest: &mut &'a [String]) -> Option<&'a str> {
    let (word, after) = rest.split_first()?;
    *rest = after;
    Some(word)
}

/// Whether `letter` takes a value; none if it is unknown.
fn takes_value(known: &str, letter: char) -> Option<bool> {
    if letter == ':' {
        return None;
    }
    let at = known.find(letter)?;
    Some(known[at + letter.len_utf8()..].starts_with(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LETTERS: Letters = Letters {
        known: "Ccl:NnP:k",
        optional: "Cck",
        is_optional_value: |word| word.starts_with(|c: char| c.is_ascii_digit()),
        long: &["google-pacing-rate"],
    };

    fn found(line: &str) -> (Vec<Result<Found<'static>, Wrong>>, Vec<String>) {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let (finds, rest) = getopt(Box::leak(words.into_boxed_slice()), &LETTERS);
        (finds, rest.to_vec())
    }

    #[test]
    fn clusters_and_attached_values() {
        let (finds, rest) = found("-Cc -Nn -l10 -l -1 -P,1000 x -- -l 3");
        let option = |letter, value| Ok(Found::Option(letter, value));
        let expected = vec![
            option('C', None),
            option('c', None),
            option('N', None),
            option('n', None),
            option('l', Some("10")),
            option('l', Some("-1")),
            option('P', Some(",1000")),
            Ok(Found::Operand("x")),
        ];
        assert_eq!(finds, expected);
        assert_eq!(rest, ["-l", "3"]);
    }

    #[test]
    fn a_value_that_may_be_left_out_looks_like_one() {
        let (finds, _) = found("-c 100 -C -l 1 -c x");
        let expected = vec![
            Ok(Found::Option('c', Some("100"))),
            Ok(Found::Option('C', None)),
            Ok(Found::Option('l', Some("1"))),
            Ok(Found::Option('c', None)),
            Ok(Found::Operand("x")),
        ];
        assert_eq!(finds, expected);
    }

    #[test]
    fn long_options_take_their_value_either_way() {
        for line in [
            "--google-pacing-rate 3000000",
            "--google-pacing-rate=3000000",
        ] {
            let expected = vec![Ok(Found::Long("google-pacing-rate", "3000000"))];
            assert_eq!(found(line).0, expected);
        }
    }

    #[test]
    fn wrong_ones_are_named() {
        for (line, wrong) in [
            ("-x", Wrong::Unknown("-x".into())),
            ("--help", Wrong::Unknown("--help".into())),
            ("-l", Wrong::NoValue("-l".into())),
            (
                "--google-pacing-rate",
                Wrong::NoValue("--google-pacing-rate".into()),
            ),
        ] {
            assert_eq!(found(line).0, vec![Err(wrong)], "{line}");
        }
    }
}
