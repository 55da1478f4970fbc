//! Every output against the published schemas, and strict about repeated keys.

mod strict;

use std::path::PathBuf;

use analyze::{assemble, samples};
use proptest::prelude::*;
use serde_json::Value;

fn published(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/schema")
        .join(name);
    std::fs::read_to_string(path).unwrap_or_default()
}

fn validator(schema: &str) -> jsonschema::Validator {
    let schema = serde_json::from_str(schema).expect("the schema is JSON");
    jsonschema::validator_for(&schema).expect("the schema is a schema")
}

fn assert_valid(validator: &jsonschema::Validator, text: &str) {
    strict::check(text).unwrap_or_else(|error| panic!("{error} in {text}"));
    let value: Value = serde_json::from_str(text).expect("strict JSON is JSON");
    let errors: Vec<String> = validator
        .iter_errors(&value)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}\n{text}");
}

#[test]
fn schema_is_current() {
    let hint = "is not what the types say; run: cargo run -p report --example schema";
    assert!(
        published("run-1.json") == report::schema::run(),
        "docs/schema/run-1.json {hint}"
    );
    assert!(
        published("event-1.json") == report::schema::event(),
        "docs/schema/event-1.json {hint}"
    );
    assert!(
        published("observe-1.json") == report::schema::observe(),
        "docs/schema/observe-1.json {hint}"
    );
    for (name, schema) in [
        ("comparison-1.json", report::schema::comparison()),
        ("series-1.json", report::schema::series()),
        ("merge-1.json", report::schema::merge()),
        ("trend-1.json", report::schema::trend()),
        ("lab-1.json", report::schema::lab()),
    ] {
        assert!(published(name) == schema, "docs/schema/{name} {hint}");
    }
}

#[test]
fn every_document_is_valid() {
    let validator = validator(&published("run-1.json"));
    for (_, events) in samples::all() {
        assert_valid(&validator, &report::json(&assemble(&events).unwrap()));
    }
}

#[test]
fn every_comparison_is_valid() {
    let validator = validator(&published("comparison-1.json"));
    for comparison in [samples::compared(), samples::compared_with_itself()] {
        assert_valid(&validator, &report::document(&comparison));
        assert_valid(&validator, &report::document_line(&comparison));
        let mut changed = serde_json::to_value(&comparison).unwrap();
        changed["verdict"] = "faster".into();
        assert!(!validator.is_valid(&changed));
    }
}

#[test]
fn every_event_is_valid() {
    let validator = validator(&published("event-1.json"));
    for (_, events) in samples::all() {
        for line in report::json_lines(&events).lines() {
            assert_valid(&validator, line);
        }
    }
}

#[test]
fn the_schema_refuses_what_no_document_holds() {
    let validator = validator(&published("run-1.json"));
    let document: Value =
        serde_json::from_str(&report::json(&assemble(&samples::bidir()).unwrap())).unwrap();
    let refused = |change: fn(&mut Value)| {
        let mut changed = document.clone();
        change(&mut changed);
        !validator.is_valid(&changed)
    };
    assert!(validator.is_valid(&document));
    assert!(refused(|run| run["status"] = "fine".into()));
    assert!(refused(|run| run["schema"] = "netdyno.run/2".into()));
    assert!(refused(
        |run| run["loads"][0]["received"]["bytes"] = Value::Null
    ));
    assert!(refused(|run| run["loads"][0]["speed"] = 1.into()));
    assert!(refused(|run| drop(
        run.as_object_mut().unwrap().remove("doubts")
    )));
}

#[test]
fn a_repeated_key_is_noticed() {
    assert!(strict::check(r#"{"a": {"b": [1, {"c": null}]}, "b": 1.5}"#).is_ok());
    let error = strict::check(r#"{"a": [{"b": 1, "c": 2, "b": 3}]}"#).unwrap_err();
    assert!(
        error.to_string().contains("key 'b' stands twice"),
        "{error}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A kill at any moment leaves a valid document, and every other output too.
    #[test]
    fn a_stream_cut_off_anywhere_is_valid(sample in 0..samples::all().len(), keep in 0.0..=1.0) {
        let (name, mut events) = samples::all().swap_remove(sample);
        prop_assume!(name != "thousand-flows");
        events.truncate(1 + (keep * (events.len() - 1) as f64) as usize);
        let run = assemble(&events).unwrap();
        assert_valid(&validator(&report::schema::run()), &report::json(&run));
        prop_assert!(report::text(&run, report::Style::PLAIN).ends_with('\n'));
        prop_assert!(report::csv(&run).lines().count() > run.loads.len());
    }
}
