//! What differs between the hosts of the two sides.

use std::collections::BTreeMap;

use record::{EnvironmentDifference, Facts, Hosts};
use serde_json::Value;

/// Facts that are another one each time, or that a testbed makes anew for each run.
const PASSING: [&str; 1] = ["locality.netns"];

/// Every fact of the client and the server that is not the same for both sides.
pub fn environment(a: &Hosts, b: &Hosts) -> Vec<EnvironmentDifference> {
    let client = between("client", Some(&a.client), Some(&b.client));
    let server = between("server", a.server.as_ref(), b.server.as_ref());
    client.into_iter().chain(server).collect()
}

fn between(end: &str, a: Option<&Facts>, b: Option<&Facts>) -> Vec<EnvironmentDifference> {
    let (a, b) = (facts(a), facts(b));
    let mut names: Vec<&String> = a.keys().chain(b.keys()).collect();
    names.sort();
    names.dedup();
    names
        .into_iter()
        .filter(|name| !PASSING.contains(&name.as_str()) && a.get(*name) != b.get(*name))
        .map(|name| EnvironmentDifference {
            what: format!("{end}: {name}"),
            a: a.get(name).cloned(),
            b: b.get(name).cloned(),
        })
        .collect()
}

/// Names with dots, and texts; what is not known is left out.
fn facts(facts: Option<&Facts>) -> BTreeMap<String, String> {
    let mut flat = BTreeMap::new();
    if let Some(value) = facts.and_then(|facts| serde_json::to_value(facts).ok()) {
        flatten("", &value, &mut flat);
    }
    flat
}

fn flatten(name: &str, value: &Value, flat: &mut BTreeMap<String, String>) {
    match value {
        Value::Null => {}
        Value::Object(members) => {
            for (key, value) in members {
                let name = if name.is_empty() {
                    key.clone()
                } else {
                    format!("{name}.{key}")
                };
                flatten(&name, value, flat);
            }
        }
        Value::String(text) => drop(flat.insert(name.to_owned(), text.clone())),
        other => drop(flat.insert(name.to_owned(), other.to_string())),
    }
}
