//! What may not stand in any file: unfinished marks, places of one machine, hosts that are not
//! known to be public documentation, notes that bypass the crate `not-run`.

use super::Fault;
use super::tokens::{Kind, tokens};
use super::tree::Tree;

/// Marks of unfinished work; put together here so that this file has none.
const MARKS: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];

/// Folders of one machine.
const PLACES: [&str; 5] = [
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/wo", "rk/"),
    concat!("/tm", "p/target"),
    concat!(".car", "go/registry"),
];

/// Hosts that addresses may name. Registries are not among them: cargo knows them.
const HOSTS: [&str; 13] = [
    "datatracker.ietf.org",
    "docs.kernel.org",
    "example.com",
    "github.com",
    "json-schema.org",
    "keepachangelog.com",
    "man7.org",
    "no-color.org",
    "opensource.org",
    "semver.org",
    "www.apache.org",
    "www.rfc-editor.org",
    // The namespace of SVG, which is a name and no place.
    "www.w3.org",
];

/// The only source of packages that Cargo.lock may name.
const SOURCE: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Looks at every text file but the fuzz corpora, which hold whatever was found.
pub fn faults(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (path, text) in tree.texts().filter(|(path, _)| !path.contains("/corpus/")) {
        let in_line: fn(&str) -> Option<String> = if path.ends_with("Cargo.lock") {
            in_lock
        } else {
            in_text
        };
        for (index, line) in text.lines().enumerate() {
            if let Some(sentence) = in_line(line) {
                faults.push(Fault::at_line(path, index + 1, sentence));
            }
        }
        if path.ends_with(".rs")
            && !path.starts_with("crates/not-run/")
            && !path.starts_with("xtask/")
        {
            faults.extend(own_notes(path, text));
        }
    }
    faults
}

fn in_lock(line: &str) -> Option<String> {
    let source = line.strip_prefix("source = \"")?.strip_suffix('"')?;
    (source != SOURCE).then(|| format!("takes a package from {source}"))
}

fn in_text(line: &str) -> Option<String> {
    if let Some(mark) = MARKS.iter().find(|mark| has_word(line, mark)) {
        return Some(format!("'{mark}': finish it, or write it down as an issue"));
    }
    if let Some(place) = PLACES.iter().find(|place| line.contains(*place)) {
        return Some(format!("'{place}' is a folder of one machine"));
    }
    hosts(line)
        .find(|host| !HOSTS.contains(host))
        .map(|host| format!("'{host}' is not in the table of hosts that files may name"))
}

/// Hosts of the web addresses in a line. Placeholders such as `{host}` are none.
fn hosts(line: &str) -> impl Iterator<Item = &str> {
    line.split("://")
        .skip(1)
        .zip(line.split("://"))
        .filter_map(|(after, before)| {
            let web = before.ends_with("http") || before.ends_with("https");
            let end = after
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '-'))
                .unwrap_or(after.len());
            let host = after[..end].trim_end_matches('.');
            (web && host.contains('.')).then_some(host)
        })
}

fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        ![before, after]
            .into_iter()
            .flatten()
            .any(|c| c.is_alphanumeric() || c == '_')
    })
}

/// A test that only prints its note is counted as passed: the runner hides what it prints.
fn own_notes(path: &str, text: &str) -> Vec<Fault> {
    tokens(text)
        .iter()
        .filter(|token| token.kind == Kind::Literal && token.text.starts_with("\"not run:"))
        .map(|token| {
            Fault::at_line(
                path,
                token.line,
                "notes by itself that something did not run: use the crate not-run, which counts it",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(files: &[(&str, &str)]) -> Vec<String> {
        faults(&Tree::of(files))
            .into_iter()
            .map(|fault| fault.place)
            .collect()
    }

    #[test]
    fn marks_are_whole_words() {
        let mark = MARKS[0];
        let text = format!("fine\n// {mark}: more\nAUTO{mark}S\n{mark}_LIST\n");
        assert_eq!(places(&[("a.rs", &text)]), ["a.rs:2"]);
    }

    #[test]
    fn places_and_hosts() {
        let scheme = concat!("http:", "//");
        let text = format!(
            "see {}me/x\nhttps://github.com/a\n{scheme}packages.example.net:80/x\n{scheme}{{host}}/\n",
            PLACES[0]
        );
        assert_eq!(
            places(&[("docs/a.md", &text)]),
            ["docs/a.md:1", "docs/a.md:3"]
        );
        assert_eq!(
            places(&[("fuzz/corpus/x/seed", &text)]),
            Vec::<String>::new()
        );
    }

    #[test]
    fn the_lock_names_one_source() {
        let scheme = concat!("http:", "//");
        let text = format!(
            "source = \"{SOURCE}\"\nsource = \"registry+{scheme}mirror.example.net/index\"\n"
        );
        assert_eq!(places(&[("Cargo.lock", &text)]), ["Cargo.lock:2"]);
    }

    #[test]
    fn notes_go_through_the_crate() {
        let text = "fn f() { println!(\"not run: x: y\"); } // \"not run: fine\"";
        assert_eq!(
            places(&[("crates/a/tests/b.rs", text)]),
            ["crates/a/tests/b.rs:1"]
        );
        assert_eq!(
            places(&[("crates/not-run/src/lib.rs", text)]),
            Vec::<String>::new()
        );
    }
}
