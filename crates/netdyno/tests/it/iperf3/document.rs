//! The document has what iperf3's own has, by name and type.

use plan::Family;
use serde_json::Value;

use super::{Said, Served, Whose};
use crate::hosts::hosts;

/// Paths and types of all that is in a value; places of an array are one path.
fn shape(value: &Value, path: &str, into: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                shape(value, &format!("{path}.{key}"), into);
            }
        }
        Value::Array(values) => {
            for value in values {
                shape(value, &format!("{path}[]"), into);
            }
        }
        Value::Bool(_) => into.push(format!("{path}: boolean")),
        Value::Number(_) => into.push(format!("{path}: number")),
        Value::String(_) => into.push(format!("{path}: text")),
        Value::Null => into.push(format!("{path}: null")),
    }
}

fn shapes(value: &Value) -> Vec<String> {
    let mut shapes = Vec::new();
    shape(value, "", &mut shapes);
    shapes.sort();
    shapes.dedup();
    shapes
}

#[test]
fn every_key_of_3_12_is_there() {
    not_run::needs_namespaces!();
    not_run::needs_program!("iperf3");
    hosts("", Family::V4, |hosts| {
        let served = Served::start(hosts, Whose::Theirs, 6600, "");
        for words in [
            "-t 1 -b 10M",
            "-t 1 -b 10M -R -P 2",
            "-t 1 -b 10M --bidir",
            "-u -t 1 -b 1M -l 1000",
            "-u -t 1 -b 1M -l 1000 -R",
            "-u -t 1 -b 1M -l 1000 --bidir",
            "-n 100K -T title --extra-data more --get-server-output",
        ] {
            let [ours, theirs] = [Whose::Ours, Whose::Theirs]
                .map(|whose| shapes(&Said::asking(whose, served.at, words).well(words)));
            let missing: Vec<&String> = theirs.iter().filter(|key| !ours.contains(key)).collect();
            assert!(missing.is_empty(), "{words}: {missing:?}");
        }
    });
}
