//! What netdyno prints, held against the published schemas.

use std::sync::LazyLock;

use jsonschema::Validator;
use record::{Comparison, Event, Run};
use serde::de::DeserializeOwned;
use serde_json::Value;

#[path = "../../../report/tests/strict/mod.rs"]
pub mod strict;

static RUN: LazyLock<Validator> =
    LazyLock::new(|| validator(include_str!("../../../../docs/schema/run-1.json")));
static EVENT: LazyLock<Validator> =
    LazyLock::new(|| validator(include_str!("../../../../docs/schema/event-1.json")));
static COMPARISON: LazyLock<Validator> =
    LazyLock::new(|| validator(include_str!("../../../../docs/schema/comparison-1.json")));
static LAB: LazyLock<Validator> =
    LazyLock::new(|| validator(include_str!("../../../../docs/schema/lab-1.json")));

/// A document of the lab, which is read by nothing but programs of others.
pub fn lab(text: &str) -> Value {
    checked(&LAB, text)
}

/// A document of a run. Fails the test unless it is one, with every key once.
pub fn run(text: &str) -> Run {
    checked(&RUN, text)
}

/// A document of a comparison, likewise.
pub fn comparison(text: &str) -> Comparison {
    checked(&COMPARISON, text)
}

/// One event of a stream.
pub fn event(line: &str) -> Event {
    checked(&EVENT, line)
}

/// A stream of whole lines.
pub fn events(text: &str) -> Vec<Event> {
    assert!(
        text.is_empty() || text.ends_with('\n'),
        "the last line is cut: {text}"
    );
    text.lines().map(event).collect()
}

fn checked<T: DeserializeOwned>(validator: &Validator, text: &str) -> T {
    strict::check(text).unwrap_or_else(|error| panic!("{error} in {text}"));
    let value: Value = serde_json::from_str(text).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&value)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}\n{text}");
    serde_json::from_value(value).unwrap()
}

fn validator(schema: &str) -> Validator {
    let schema = serde_json::from_str(schema).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}
