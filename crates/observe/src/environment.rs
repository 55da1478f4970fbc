//! What a host's speed hangs on besides its load, as names and texts that can be compared.

mod device;
mod host;

use std::collections::BTreeMap;

use crate::tree::Tree;

/// Facts by name; an unreadable one is not there.
pub(crate) type Environment = BTreeMap<String, String>;

/// Of this host, and of `interface` if the run's traffic has one.
pub(crate) fn environment(tree: &Tree, interface: Option<&str>) -> Environment {
    let mut environment = Environment::new();
    host::describe(tree, &mut environment);
    if let Some(interface) = interface {
        device::describe(tree, interface, &mut environment);
    }
    environment
}

/// Values of CPUs, queues or nodes as one text: the value alone where all have the same,
/// otherwise each value with the numbers that have it.
fn gathered(values: &[(u32, String)]) -> Option<String> {
    let mut by_value: Vec<(&str, Vec<u32>)> = Vec::new();
    for (number, value) in values {
        match by_value.iter_mut().find(|(known, _)| known == value) {
            Some((_, numbers)) => numbers.push(*number),
            None => by_value.push((value, vec![*number])),
        }
    }
    match by_value.as_slice() {
        [] => None,
        [(value, _)] => Some((*value).to_owned()),
        many => {
            let texts = many
                .iter()
                .map(|(value, numbers)| format!("{value} ({})", ranges(numbers)));
            Some(texts.collect::<Vec<_>>().join(", "))
        }
    }
}

/// `0-3,8`.
fn ranges(numbers: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, to)) if *to + 1 == *number => *to = *number,
            _ => runs.push((*number, *number)),
        }
    }
    let texts = runs.iter().map(|(from, to)| match from == to {
        true => from.to_string(),
        false => format!("{from}-{to}"),
    });
    texts.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests;
