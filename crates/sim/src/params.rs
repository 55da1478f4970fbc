//! A machine's costs as a file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::cost::{Cost, ITEMS, Item};
use crate::line::Order;
use crate::platform::{self, Platform};
use crate::topology::{CPUS_MAX, Shape};

/// What is wrong with a file of costs.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParamsError {
    /// No TOML of this form.
    #[error("{}{reason}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
    Syntax {
        /// Where.
        line: Option<usize>,
        /// What.
        reason: String,
    },
    /// A cost that there is not.
    #[error("nothing is called '{0}'; costs are {list}", list = names())]
    Unknown(String),
    /// A number that is none.
    #[error("{0} is {1}: costs are nanoseconds from 0 to 1e12, with low <= value <= high")]
    Value(String, String),
    /// No CPUs, or too many.
    #[error("the machine has {0} CPUs: between 1 and {CPUS_MAX} can be simulated")]
    Shape(usize),
    /// The file was changed by hand.
    #[error("its hash is {found}, but it says {said}: it was changed after it was measured")]
    Hash {
        /// What it says.
        said: String,
        /// What it is.
        found: String,
    },
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Of everything else in the file; a file written by hand has none.
    hash: Option<String>,
    machine: MachineTable,
    costs: BTreeMap<String, Cost>,
    /// What else was seen, for people.
    #[serde(default)]
    notes: BTreeMap<String, String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MachineTable {
    name: String,
    shape: Shape,
}

/// Reads a file. What it does not say is as on the default platform.
pub fn parse(text: &str) -> Result<Platform, ParamsError> {
    let file: File = toml::from_str(text).map_err(|error| ParamsError::Syntax {
        line: error
            .span()
            .map(|span| text[..span.start].matches('\n').count() + 1),
        reason: one_line(error.message()),
    })?;
    let cpus = file.machine.shape.cpus();
    if cpus == 0 || cpus > CPUS_MAX {
        return Err(ParamsError::Shape(cpus));
    }
    let mut platform = platform::milan();
    platform.order = Order::Random;
    for (name, cost) in &file.costs {
        let item = Item::named(name).ok_or_else(|| ParamsError::Unknown(name.clone()))?;
        let sane = |value: f64| (0.0..=1e12).contains(&value);
        if !(sane(cost.low) && sane(cost.high) && cost.low <= cost.value && cost.value <= cost.high)
        {
            let numbers = format!("{} ({} to {})", cost.value, cost.low, cost.high);
            return Err(ParamsError::Value(name.clone(), numbers));
        }
        platform.costs.put(item, cost.clone());
    }
    if let Some(said) = &file.hash {
        let found = hash(&file);
        if *said != found {
            return Err(ParamsError::Hash {
                said: said.clone(),
                found,
            });
        }
    }
    platform.name = file.machine.name;
    platform.shape = file.machine.shape;
    Ok(platform)
}

/// Writes a file with the costs that were measured, and its hash.
pub fn print(
    name: &str,
    shape: Shape,
    costs: &[(Item, Cost)],
    notes: &BTreeMap<String, String>,
) -> String {
    let costs = costs.iter();
    let mut file = File {
        hash: None,
        machine: MachineTable {
            name: name.to_owned(),
            shape,
        },
        costs: costs
            .map(|(item, cost)| (item.name().to_owned(), cost.clone()))
            .collect(),
        notes: notes.clone(),
    };
    file.hash = Some(hash(&file));
    toml::to_string(&file).expect("tables of numbers and words are TOML")
}

/// FNV-1a of the canonical text without the hash: against slips, not against forgers.
fn hash(file: &File) -> String {
    let bare = File {
        hash: None,
        machine: MachineTable {
            name: file.machine.name.clone(),
            shape: file.machine.shape,
        },
        costs: file.costs.clone(),
        notes: file.notes.clone(),
    };
    let text = toml::to_string(&bare).expect("tables of numbers and words are TOML");
    let fnv = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, fnv))
}

fn one_line(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    words.join(" ")
}

fn names() -> String {
    let names: Vec<_> = ITEMS.iter().map(|(_, name, _)| *name).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Tag;

    fn text() -> String {
        let cost = Cost {
            value: 31.5,
            low: 30.0,
            high: 35.25,
            source: "ping-pong".to_owned(),
            tag: Tag::L,
        };
        let notes = BTreeMap::from([("when".to_owned(), "now".to_owned())]);
        print(
            "here",
            Shape::flat(2),
            &[(Item::TransferCluster, cost)],
            &notes,
        )
    }

    #[test]
    fn a_file_reads_back() {
        let platform = parse(&text()).unwrap();
        assert_eq!((platform.name.as_str(), platform.shape.cpus()), ("here", 2));
        let cost = platform.costs.get(Item::TransferCluster);
        assert_eq!((cost.value, cost.low, cost.tag), (31.5, 30.0, Tag::L));
    }

    #[test]
    fn a_changed_file_is_refused_and_so_are_nonsense_costs() {
        let refusal = |text: &str| parse(text).unwrap_err().to_string();
        assert!(refusal(&text().replace("31.5", "32.5")).contains("changed after"));
        assert!(refusal(&text().replace("31.5", "-1.0")).contains("transfer_cluster is -1"));
        assert!(refusal(&text().replace("transfer_cluster", "warp")).contains("'warp'"));
        assert!(refusal(&text().replace("cores = 2", "cores = 0")).contains("0 CPUs"));
        let garbage = refusal("a = 1\nroot:x:0");
        assert!(
            garbage.starts_with("line 2: ") && !garbage.contains(['\n', '^']),
            "{garbage}"
        );
    }
}
