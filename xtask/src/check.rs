//! `cargo xtask check`: the rules of the workspace that no compiler knows. Each rule is a function
//! from what it looks at to the faults that it finds; only this file and `tree` read anything.

mod dependencies;
mod layers;
mod licences;
mod links;
mod names;
mod purity;
mod sizes;
mod text;
mod tokens;
mod tree;
mod unsafety;

use std::fmt;

use anyhow::Result;

use crate::cargo::{self, Metadata};
use tree::Tree;

/// A broken rule: where, and in what way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    place: String,
    sentence: String,
}

impl Fault {
    fn new(place: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            sentence: sentence.into(),
        }
    }

    fn at_line(path: &str, line: usize, sentence: impl Into<String>) -> Self {
        Self::new(format!("{path}:{line}"), sentence)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.sentence)
    }
}

/// Applies every rule. Whether all are kept.
pub fn run() -> Result<bool> {
    let tree = Tree::read(&cargo::root())?;
    let metadata = Metadata::of_everything()?;
    let members: Vec<_> = metadata.members().cloned().collect();
    let rules = [
        ("layers", layers::faults(&members)),
        ("purity", purity::faults(&tree)),
        ("unsafe", unsafety::faults(&tree)),
        ("sizes", sizes::faults(&tree)),
        ("names", names::faults(&tree)),
        ("licences", licences::faults(&metadata.packages)),
        ("dependencies", dependencies::faults(&members, &tree)),
        ("text", text::faults(&tree)),
        ("links", links::faults(&tree)),
    ];
    for (rule, faults) in &rules {
        match faults.len() {
            0 => println!("{rule}: kept"),
            1 => println!("{rule}: 1 fault"),
            many => println!("{rule}: {many} faults"),
        }
        for fault in faults {
            println!("  {fault}");
        }
    }
    Ok(rules.iter().all(|(_, faults)| faults.is_empty()))
}
