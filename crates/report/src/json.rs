//! JSON: the document, and the stream of events.

use record::{Event, Run};
use serde::Serialize;

/// The document, indented, with a newline at its end.
pub fn json(run: &Run) -> String {
    document(run)
}

/// Any document, indented, with a newline at its end.
pub fn document(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).expect(TOTAL);
    text.push('\n');
    text
}

/// Any document as one line, with its newline.
pub fn document_line(document: &impl Serialize) -> String {
    line(document)
}

/// What limited a run, by its name.
pub fn findings_json(run: &Run) -> String {
    #[derive(Serialize)]
    struct Explained<'a> {
        id: &'a str,
        findings: &'a [record::Finding],
        doubts: &'a [record::Doubt],
    }
    let explained = Explained {
        id: &run.id,
        findings: &run.findings,
        doubts: &run.doubts,
    };
    pretty(&explained)
}

/// Findings of a simulated host as one document; `what` is where they are from.
pub fn simulated_findings_json(what: &str, findings: &[record::Finding]) -> String {
    #[derive(Serialize)]
    struct Explained<'a> {
        simulated: &'a str,
        findings: &'a [record::Finding],
    }
    pretty(&Explained {
        simulated: what,
        findings,
    })
}

fn pretty(explained: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(explained).expect(TOTAL);
    text.push('\n');
    text
}

/// One event as one line, with its newline.
pub fn json_line(event: &Event) -> String {
    line(event)
}

/// Events, one a line.
pub fn json_lines<'a>(events: impl IntoIterator<Item = &'a Event>) -> String {
    events.into_iter().map(line).collect()
}

pub(crate) fn line(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string(value).expect(TOTAL);
    text.push('\n');
    text
}

/// Serialisation fails for maps with keys that are no strings and for writers that fail; there
/// are neither.
const TOTAL: &str = "events and documents serialise in memory";
