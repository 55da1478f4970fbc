//! A file has one noun: 150 lines are normal, 500 the limit.

use super::Fault;
use super::tree::{Tree, is_test_file};

/// Lines of a Rust file, unless it holds only tests.
const LIMIT: usize = 500;

/// Files that may be longer, and why.
const EXCEPTIONS: [(&str, &str); 0] = [];

/// Files over the limit, and exceptions that are none any more.
pub fn faults(tree: &Tree) -> Vec<Fault> {
    over(tree, &EXCEPTIONS)
}

fn over(tree: &Tree, exceptions: &[(&str, &str)]) -> Vec<Fault> {
    let long: Vec<_> = tree
        .rust()
        .filter(|(path, _)| !is_test_file(path))
        .map(|(path, text)| (path, text.lines().count()))
        .filter(|(_, lines)| *lines > LIMIT)
        .collect();
    let too_long = long
        .iter()
        .filter(|(path, _)| !exceptions.iter().any(|(excepted, _)| excepted == path))
        .map(|(path, lines)| {
            Fault::new(
                *path,
                format!("{lines} lines; {LIMIT} is the limit: split it by noun"),
            )
        });
    let stale = exceptions
        .iter()
        .filter(|(excepted, _)| !long.iter().any(|(path, _)| path == excepted))
        .map(|(path, _)| Fault::new(*path, "is not over the limit: remove its exception"));
    too_long.chain(stale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_need_an_exception_and_tests_do_not() {
        let long = "x\n".repeat(LIMIT + 1);
        let tree = Tree::of(&[
            ("crates/a/src/long.rs", &long),
            ("crates/a/src/excepted.rs", &long),
            ("crates/a/src/a/tests.rs", &long),
            ("crates/a/tests/big.rs", &long),
            ("docs/long.md", &long),
            ("crates/a/src/short.rs", &"x\n".repeat(LIMIT)),
        ]);
        let exceptions = [
            ("crates/a/src/excepted.rs", "a table"),
            ("gone.rs", "was long"),
        ];
        let places: Vec<_> = over(&tree, &exceptions)
            .into_iter()
            .map(|fault| fault.place)
            .collect();
        assert_eq!(places, ["crates/a/src/long.rs", "gone.rs"]);
    }
}
