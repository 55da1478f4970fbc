//! A pure crate gets values and gives back values: its sources name no files, sockets, threads,
//! environment, clock or printing outside their tests.

use std::collections::HashMap;

use super::Fault;
use super::layers;
use super::tokens::{Kind, Token, tokens, without_tests};
use super::tree::{Tree, is_test_file};

/// What a pure crate may not name: everything under these paths.
const SYSTEM: [&str; 17] = [
    "std::env",
    "std::fs",
    "std::io::stderr",
    "std::io::stdin",
    "std::io::stdout",
    "std::io::Stderr",
    "std::io::Stdin",
    "std::io::Stdout",
    "std::net::TcpListener",
    "std::net::TcpStream",
    "std::net::ToSocketAddrs",
    "std::net::UdpSocket",
    "std::os",
    "std::process",
    "std::thread",
    "std::time::Instant",
    "std::time::SystemTime",
];

/// Macros that print.
const PRINTING: [&str; 5] = ["print", "println", "eprint", "eprintln", "dbg"];

/// Looks at the sources of all pure crates.
pub fn faults(tree: &Tree) -> Vec<Fault> {
    let pure = |path: &str| {
        path.strip_prefix("crates/")
            .and_then(|path| path.split_once("/src/"))
            .is_some_and(|(name, _)| layers::is_pure(name))
    };
    tree.rust()
        .filter(|(path, _)| pure(path) && !is_test_file(path))
        .flat_map(|(path, text)| in_source(path, text))
        .collect()
}

fn in_source(path: &str, source: &str) -> Vec<Fault> {
    let all = without_tests(&tokens(source));
    let mut faults = Vec::new();
    for (line, name) in names(&all) {
        let banned = SYSTEM.iter().find(|banned| {
            covers(banned, &name)
                // A glob, or a whole module under an own name, would hide it.
                || name.strip_suffix("::*").is_some_and(|module| covers(module, banned))
        });
        if let Some(banned) = banned {
            faults.push(Fault::at_line(
                path,
                line,
                format!("names {banned}, but the crate is pure: take it as a value, or move it"),
            ));
        }
    }
    for pair in all.windows(2) {
        if pair[1].is_mark("!") && PRINTING.contains(&pair[0].text) {
            faults.push(Fault::at_line(
                path,
                pair[0].line,
                format!(
                    "prints ({}!), but the crate is pure: give back text",
                    pair[0].text
                ),
            ));
        }
    }
    faults
}

/// Whether `name` is `outer` or within it.
fn covers(outer: &str, name: &str) -> bool {
    name.strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// All paths that the source names, with the line: imports apart, other paths with their first
/// word replaced by what it was imported as.
fn names(all: &[Token<'_>]) -> Vec<(usize, String)> {
    let mut imports = HashMap::new();
    let mut names = Vec::new();
    let mut at = 0;
    while let Some(token) = all.get(at) {
        if token.is_word("use") {
            let mut reader = Imports {
                all,
                at: at + 1,
                found: Vec::new(),
            };
            reader.tree("");
            at = reader.at.max(at + 1);
            for (line, own, path) in reader.found {
                imports.insert(own, path.clone());
                names.push((line, path));
            }
        } else if token.kind == Kind::Word {
            let start = at;
            let mut words = vec![token.text];
            while all.get(at + 1).is_some_and(|mark| mark.is_mark("::"))
                && all.get(at + 2).is_some_and(|word| word.kind == Kind::Word)
            {
                words.push(all[at + 2].text);
                at += 2;
            }
            at += 1;
            // A lone word was reported where it was imported.
            if words.len() > 1 {
                if let Some(path) = imports.get(words[0]) {
                    words[0] = path;
                }
                names.push((all[start].line, words.join("::")));
            }
        } else {
            at += 1;
        }
    }
    names
}

/// Reads the tree of one `use`.
struct Imports<'t, 'a> {
    all: &'t [Token<'a>],
    at: usize,
    /// Line, own name, full path.
    found: Vec<(usize, String, String)>,
}

impl Imports<'_, '_> {
    fn tree(&mut self, prefix: &str) {
        let mut path = prefix.to_owned();
        let mut own = String::new();
        while let Some(token) = self.all.get(self.at) {
            self.at += 1;
            match token.text {
                "::" => {}
                "{" => return self.group(&path),
                "as" => {
                    own = self
                        .all
                        .get(self.at)
                        .map_or_else(String::new, |t| t.text.to_owned());
                    self.at += 1;
                    return self.found.push((token.line, own, path));
                }
                text if token.kind == Kind::Word && text == "self" && !path.is_empty() => {}
                text if token.kind == Kind::Word || text == "*" => {
                    if !path.is_empty() {
                        path.push_str("::");
                    }
                    path.push_str(text);
                    own = text.to_owned();
                }
                _ => {
                    // `,`, `}` or `;` belongs to whoever holds this tree.
                    self.at -= 1;
                    break;
                }
            }
        }
        if own.is_empty() {
            own = path.rsplit("::").next().unwrap_or_default().to_owned();
        }
        let line = self.all.get(self.at).map_or(0, |token| token.line);
        self.found.push((line, own, path));
    }

    fn group(&mut self, prefix: &str) {
        while let Some(token) = self.all.get(self.at) {
            match token.text {
                "}" => {
                    self.at += 1;
                    return;
                }
                "," => self.at += 1,
                ";" => return,
                _ => {
                    let before = self.at;
                    self.tree(prefix);
                    // Something that is no import tree: step over it rather than stay.
                    self.at = self.at.max(before + 1);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(source: &str) -> Vec<String> {
        in_source("a.rs", source)
            .iter()
            .map(Fault::to_string)
            .collect()
    }

    #[test]
    fn system_paths_are_found_however_they_are_written() {
        for source in [
            "use std::fs;",
            "use std::fs::File;",
            "fn f() { std::fs::read(p); }",
            "use std::{fmt, time::{Duration, Instant}};",
            "use std::time::Instant as Moment;",
            "use std::net::{self, IpAddr};\nfn f() { net::UdpSocket::bind(a); }",
            "use std::time;\nfn f() { time::SystemTime::now(); }",
            "use std::io;\nfn f() { io::stdout(); }",
            "use std::io::*;",
            "use std::net::*;",
            "fn f() { println!(\"x\"); }",
            "use ::std::thread;",
        ] {
            assert_eq!(
                sentences(source).len(),
                1,
                "{source}: {:?}",
                sentences(source)
            );
        }
    }

    #[test]
    fn pure_code_is_left_alone() {
        let source = "
            //! Unlike std::fs this is pure.
            use std::{fmt::{self, Display}, net::IpAddr, time::Duration};
            use std::io::{self, Write as _};
            fn f(out: &mut dyn io::Write) -> fmt::Result { writeln!(out, \"std::fs::read\") }
            fn g() -> &'static str { env!(\"CARGO_PKG_VERSION\") }
            #[cfg(test)]
            mod tests { use std::fs; fn t() { println!(); } }
        ";
        assert_eq!(sentences(source), Vec::<String>::new());
    }

    #[test]
    fn only_pure_crates_and_no_test_files() {
        let source = "use std::fs;";
        let tree = Tree::of(&[
            ("crates/sys/src/a.rs", source),
            ("crates/plan/src/a.rs", source),
            ("crates/plan/src/a/tests.rs", source),
            ("crates/plan/tests/all.rs", source),
            ("xtask/src/main.rs", source),
        ]);
        let faults = faults(&tree);
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].place, "crates/plan/src/a.rs:1");
    }
}
