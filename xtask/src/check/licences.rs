//! Everything that is built in has a licence that lets us ship it.

use super::Fault;
use crate::cargo::Package;

/// Licences by their SPDX names: those that ask for no more than a notice.
const ALLOWED: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Packages whose licence does not allow it.
pub fn faults(packages: &[Package]) -> Vec<Fault> {
    packages
        .iter()
        .filter_map(|package| {
            let place = format!("{} {}", package.name, package.version);
            match &package.license {
                None => Some(Fault::new(place, "names no licence")),
                Some(expression) => match allowed(expression) {
                    Some(true) => None,
                    Some(false) => Some(Fault::new(
                        place,
                        format!("its licence '{expression}' is not among the allowed ones"),
                    )),
                    None => Some(Fault::new(
                        place,
                        format!("its licence '{expression}' is no SPDX expression"),
                    )),
                },
            }
        })
        .collect()
}

/// Whether one way of reading the SPDX expression is allowed; none where it cannot be read.
fn allowed(expression: &str) -> Option<bool> {
    // Before SPDX, a slash meant OR.
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<_> = spaced.split_whitespace().collect();
    let mut reader = Reader { words: &words };
    let result = reader.any()?;
    reader.words.is_empty().then_some(result)
}

struct Reader<'a> {
    words: &'a [&'a str],
}

impl<'a> Reader<'a> {
    /// `all OR all …`
    fn any(&mut self) -> Option<bool> {
        let mut result = self.all()?;
        while self.take("OR") {
            result |= self.all()?;
        }
        Some(result)
    }

    /// `one AND one …`, which binds closer (SPDX 2.3, annex D).
    fn all(&mut self) -> Option<bool> {
        let mut result = self.one()?;
        while self.take("AND") {
            result &= self.one()?;
        }
        Some(result)
    }

    /// A licence, with an exception or without, or an expression in parentheses.
    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let result = self.any()?;
            return self.take(")").then_some(result);
        }
        let licence = self.next()?;
        if matches!(licence, "OR" | "AND" | "WITH" | ")") {
            return None;
        }
        if self.take("WITH") {
            let whole = format!("{licence} WITH {}", self.next()?);
            return Some(ALLOWED.contains(&whole.as_str()));
        }
        Some(ALLOWED.contains(&licence))
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.words.first() == Some(&word);
        if found {
            self.words = &self.words[1..];
        }
        found
    }

    fn next(&mut self) -> Option<&'a str> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions() {
        for (expression, expected) in [
            ("MIT", Some(true)),
            ("MIT OR Apache-2.0", Some(true)),
            ("MIT/GPL-3.0-only", Some(true)),
            ("GPL-2.0-only", Some(false)),
            ("MIT AND GPL-2.0-only", Some(false)),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", Some(true)),
            ("MIT OR GPL-2.0-only AND LGPL-2.1-only", Some(true)),
            ("Apache-2.0 WITH LLVM-exception", Some(true)),
            ("GPL-2.0-only WITH Classpath-exception-2.0", Some(false)),
            ("", None),
            ("MIT OR", None),
            ("(MIT", None),
            ("MIT Apache-2.0", None),
        ] {
            assert_eq!(allowed(expression), expected, "'{expression}'");
        }
    }

    #[test]
    fn a_package_without_a_licence_is_a_fault() {
        let package = |license: Option<&str>| Package {
            name: "a".to_owned(),
            license: license.map(str::to_owned),
            ..Package::default()
        };
        assert!(faults(&[package(Some("MIT"))]).is_empty());
        assert_eq!(faults(&[package(None), package(Some("AGPL-3.0"))]).len(), 2);
    }
}
