//! A file is named for its noun; these names say nothing.

use super::Fault;
use super::tree::Tree;

const BANNED: [&str; 9] = [
    "utils", "util", "common", "helpers", "helper", "manager", "imp", "misc", "stuff",
];

/// Rust files, and folders of them, with a name that says nothing.
pub fn faults(tree: &Tree) -> Vec<Fault> {
    tree.rust()
        .filter_map(|(path, _)| {
            let part = path
                .trim_end_matches(".rs")
                .split('/')
                .find(|part| BANNED.contains(part))?;
            Some(Fault::new(
                path,
                format!("'{part}' says nothing: name it for the noun that it holds"),
            ))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banned_names_of_files_and_folders() {
        let tree = Tree::of(&[
            ("crates/a/src/utils.rs", ""),
            ("crates/common/src/lib.rs", ""),
            ("crates/a/src/important.rs", ""),
            ("docs/common.md", ""),
        ]);
        let places: Vec<_> = faults(&tree).into_iter().map(|fault| fault.place).collect();
        assert_eq!(
            places,
            ["crates/a/src/utils.rs", "crates/common/src/lib.rs"]
        );
    }
}
