//! `unsafe` stands only in `sys`. The lint says so too; this finds who switches the lint off.

use super::Fault;
use super::tokens::tokens;
use super::tree::Tree;

/// The only place.
const ALLOWED: &str = "crates/sys/";

/// Every `unsafe` elsewhere, tests included.
pub fn faults(tree: &Tree) -> Vec<Fault> {
    tree.rust()
        .filter(|(path, _)| !path.starts_with(ALLOWED))
        .flat_map(|(path, text)| {
            tokens(text)
                .into_iter()
                .filter(|token| token.is_word("unsafe") || token.is_word("unsafe_code"))
                .map(move |token| {
                    Fault::at_line(path, token.line, format!("'{}' outside of sys", token.text))
                })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sys_may() {
        let source = "// unsafe in a comment\nfn f() { \"unsafe\"; unsafe { g() } }";
        let tree = Tree::of(&[
            ("crates/sys/src/lib.rs", source),
            ("crates/engine/src/lib.rs", source),
            ("crates/plan/src/lib.rs", "#![allow(unsafe_code)]"),
        ]);
        let places: Vec<_> = faults(&tree).into_iter().map(|fault| fault.place).collect();
        assert_eq!(
            places,
            ["crates/engine/src/lib.rs:2", "crates/plan/src/lib.rs:1"]
        );
    }
}
