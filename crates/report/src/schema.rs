//! The published JSON Schemas, from the types that are written.

use record::{Comparison, Event, Merged, Run, Series, Trend, Watched};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

/// Schema of the run document, `docs/schema/run-1.json`.
pub fn run() -> String {
    of::<Run>("netdyno run document, version 1")
}

/// Schema of one event of the stream, `docs/schema/event-1.json`.
pub fn event() -> String {
    of::<Event>("netdyno event, version 1")
}

/// Schema of one line of a watched host, `docs/schema/observe-1.json`.
pub fn observe() -> String {
    of::<Watched>("netdyno observe line, version 1")
}

/// Schema of a comparison's document, `docs/schema/comparison-1.json`.
pub fn comparison() -> String {
    of::<Comparison>("netdyno comparison document, version 1")
}

/// Schema of the document of repeated runs, `docs/schema/series-1.json`.
pub fn series() -> String {
    of::<Series>("netdyno series document, version 1")
}

/// Schema of pooled latency, `docs/schema/merge-1.json`.
pub fn merge() -> String {
    of::<Merged>("netdyno merge document, version 1")
}

/// Schema of a metric over time, `docs/schema/trend-1.json`.
pub fn trend() -> String {
    of::<Trend>("netdyno trend document, version 1")
}

/// Schema of the lab's documents, `docs/schema/lab-1.json`.
pub fn lab() -> String {
    of::<crate::lab::document::Any>("netdyno lab document, version 1")
}

/// As written, not as accepted: every key that is always there is required.
fn of<T: JsonSchema>(title: &str) -> String {
    let mut schema = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema serialises in memory");
    text.push('\n');
    text
}
