//! Options as getopt_long(3) of the GNU C library finds them: clusters, attached values, names cut
//! short as long as they stay clear, words that are no option in between.

/// Whether an option takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// None.
    Nothing,
    /// The rest of its word, or the next word.
    Value,
    /// Only what follows `=`.
    Perhaps,
}

/// An option that there is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<I> {
    /// What it is.
    pub id: I,
    /// Its letter.
    pub letter: Option<char>,
    /// Its names, the usual one first.
    pub names: &'static [&'static str],
    /// Its value.
    pub takes: Takes,
}

impl<I> Known<I> {
    /// One with a letter.
    pub const fn short(id: I, letter: char, names: &'static [&'static str], takes: Takes) -> Self {
        Self {
            id,
            letter: Some(letter),
            names,
            takes,
        }
    }

    /// One without.
    pub const fn long(id: I, names: &'static [&'static str], takes: Takes) -> Self {
        Self {
            id,
            letter: None,
            names,
            takes,
        }
    }
}

/// One find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found<'a, I> {
    /// An option as it was typed, and its value.
    Option(I, String, Option<&'a str>),
    /// A word that is no option.
    Operand(&'a str),
}

/// What `words` say, or the first thing that is wrong with them.
pub(super) fn getopt_long<'a, I: Copy + PartialEq>(
    words: &'a [String],
    known: &[Known<I>],
) -> Result<Vec<Found<'a, I>>, String> {
    let mut finds = Vec::new();
    let mut rest = words;
    while let [word, after @ ..] = rest {
        rest = after;
        if word == "--" {
            finds.extend(rest.iter().map(|word| Found::Operand(word)));
            break;
        }
        if let Some(long) = word.strip_prefix("--") {
            finds.push(find_long(long, &mut rest, known)?);
        } else {
            match word.strip_prefix('-').filter(|cluster| !cluster.is_empty()) {
                None => finds.push(Found::Operand(word)),
                Some(cluster) => find_cluster(cluster, &mut rest, known, &mut finds)?,
            }
        }
    }
    Ok(finds)
}

fn find_long<'a, I: Copy + PartialEq>(
    long: &'a str,
    rest: &mut &'a [String],
    known: &[Known<I>],
) -> Result<Found<'a, I>, String> {
    let (typed, attached) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (long, None),
    };
    let shown = format!("--{typed}");
    let option = meant(typed, known)?;
    let value = match (option.takes, attached) {
        (Takes::Nothing, Some(_)) => return Err(format!("{shown} takes no value")),
        (Takes::Value, None) => Some(next(rest).ok_or_else(|| format!("{shown} needs a value"))?),
        (_, attached) => attached,
    };
    Ok(Found::Option(option.id, shown, value))
}

/// The option of a name, or of the only one that begins so.
fn meant<I: Copy + PartialEq>(typed: &str, known: &[Known<I>]) -> Result<Known<I>, String> {
    let names = known
        .iter()
        .flat_map(|option| option.names.iter().map(move |name| (*name, option)));
    if let Some((_, option)) = names.clone().find(|(name, _)| *name == typed) {
        return Ok(*option);
    }
    let begun: Vec<_> = names.filter(|(name, _)| name.starts_with(typed)).collect();
    match begun.as_slice() {
        [] => Err(format!("--{typed} is not an option")),
        [(_, first), others @ ..] if others.iter().all(|(_, option)| option.id == first.id) => {
            Ok(**first)
        }
        several => {
            let names: Vec<_> = several
                .iter()
                .map(|(name, _)| format!("--{name}"))
                .collect();
            Err(format!("--{typed} may be {}", names.join(" or ")))
        }
    }
}

fn find_cluster<'a, I: Copy + PartialEq>(
    cluster: &'a str,
    rest: &mut &'a [String],
    known: &[Known<I>],
    finds: &mut Vec<Found<'a, I>>,
) -> Result<(), String> {
    for (at, letter) in cluster.char_indices() {
        let shown = format!("-{letter}");
        let option = known.iter().find(|option| option.letter == Some(letter));
        let option = option.ok_or_else(|| format!("{shown} is not an option"))?;
        if option.takes == Takes::Value {
            let attached = &cluster[at + letter.len_utf8()..];
            let value = Some(attached).filter(|value| !value.is_empty());
            let value = value.or_else(|| next(rest));
            let value = value.ok_or_else(|| format!("{shown} needs a value"))?;
            finds.push(Found::Option(option.id, shown, Some(value)));
            return Ok(());
        }
        finds.push(Found::Option(option.id, shown, None));
    }
    Ok(())
}

fn next<'a>(rest: &mut &'a [String]) -> Option<&'a str> {
    let (word, after) = rest.split_first()?;
    *rest = after;
    Some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [Known<char>; 6] = [
        known('p', &["port"], Takes::Value),
        known('u', &["udp"], Takes::Nothing),
        known('x', &["udp-counters-64bit"], Takes::Nothing),
        known('D', &["debug"], Takes::Perhaps),
        known('c', &["client"], Takes::Value),
        known('b', &["bitrate", "bandwidth"], Takes::Value),
    ];

    const fn known(id: char, names: &'static [&'static str], takes: Takes) -> Known<char> {
        Known::short(id, id, names, takes)
    }

    fn found(line: &str) -> Result<Vec<(char, Option<String>)>, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let finds = getopt_long(&words, &KNOWN)?;
        let finds = finds.into_iter().map(|find| match find {
            Found::Option(id, _, value) => (id, value.map(str::to_owned)),
            Found::Operand(word) => ('.', Some(word.to_owned())),
        });
        Ok(finds.collect())
    }

    #[test]
    fn clusters_attached_values_and_names() {
        let some = |text: &str| Some(text.to_owned());
        let expected = vec![
            ('u', None),
            ('p', some("5")),
            ('.', some("word")),
            ('p', some("6")),
            ('c', some("-1")),
            ('p', some("7")),
            ('D', None),
            ('D', some("3")),
            ('.', some("-u")),
        ];
        let line = "-up5 word --port=6 -c -1 --port 7 --debug --debug=3 -- -u";
        assert_eq!(found(line), Ok(expected));
    }

    #[test]
    fn names_may_be_cut_short() {
        assert_eq!(found("--udp"), Ok(vec![('u', None)]));
        assert_eq!(found("--udp-"), Ok(vec![('x', None)]));
        // Two names of one option are no doubt.
        assert_eq!(found("--b 1"), Ok(vec![('b', Some("1".into()))]));
        assert_eq!(
            found("--ud"),
            Err("--ud may be --udp or --udp-counters-64bit".into())
        );
    }

    #[test]
    fn slips_are_named() {
        for (line, sentence) in [
            ("-q", "-q is not an option"),
            ("-uq", "-q is not an option"),
            ("--nothing", "--nothing is not an option"),
            ("-p", "-p needs a value"),
            ("--port", "--port needs a value"),
            ("--udp=1", "--udp takes no value"),
        ] {
            assert_eq!(found(line), Err(sentence.into()), "{line}");
        }
    }
}
