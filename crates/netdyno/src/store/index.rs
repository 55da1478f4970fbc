//! All stored runs in one file, a line each, so that ten thousand are listed at once. It holds
//! nothing that the runs do not hold: what is missing in it is read from them and added.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use record::{Run, Summary};
use serde::{Deserialize, Serialize};

use super::{DOCUMENT, Store, Writer};

/// What the user says about a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// A name that several runs may share.
    pub label: Option<String>,
    /// Anything else.
    pub note: Option<String>,
}

const INDEX: &str = "index.jsonl";
const LABEL: &str = "label.json";

impl Store {
    fn index(&self) -> PathBuf {
        self.folder().join(INDEX)
    }

    /// All runs, oldest first.
    ///
    /// # Errors
    /// What the file system says.
    pub fn summaries(&self) -> Result<Vec<Summary>> {
        let bytes = match fs::read(self.index()) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            other => other.with_context(|| format!("reading {}", self.index().display()))?,
        };
        let text = String::from_utf8_lossy(&bytes);
        // A line that a kill cut, or that another version wrote, is read from its run again.
        let lines = text
            .lines()
            .filter_map(|line| serde_json::from_str::<Summary>(line).ok());
        let mut known: BTreeMap<String, Summary> =
            lines.map(|summary| (summary.id.clone(), summary)).collect();
        let there: HashSet<String> = super::folders(&self.runs)?.into_iter().collect();
        known.retain(|id, _| there.contains(id));
        for id in there {
            if known.contains_key(&id) || !self.runs.join(&id).join(super::EVENTS).is_file() {
                continue;
            }
            // One broken run does not hide the others.
            let Ok(run) = self.document(&id) else {
                continue;
            };
            let label = self.label(&id);
            let summary = analyze::summary(&run, label.label, label.note);
            // A run without its document may still be going on.
            if self.runs.join(&id).join(DOCUMENT).is_file() {
                self.add_to_index(&summary)?;
            }
            known.insert(id, summary);
        }
        let mut all: Vec<Summary> = known.into_values().collect();
        // Names are to the second.
        all.sort_by(|a, b| (&a.started, &a.id).cmp(&(&b.started, &b.id)));
        Ok(all)
    }

    /// What the user said about a run.
    fn label(&self, id: &str) -> Label {
        let text = fs::read(self.runs.join(id).join(LABEL)).ok();
        text.and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default()
    }

    fn add_to_index(&self, summary: &Summary) -> Result<()> {
        let path = self.index();
        let mut line = serde_json::to_vec(summary).context("writing a summary")?;
        line.push(b'\n');
        // One write to a file that is only appended to: lines of several runs do not mix.
        let file = OpenOptions::new().append(true).create(true).open(&path);
        file.and_then(|mut file| file.write_all(&line))
            .with_context(|| format!("writing {}", path.display()))
    }
}

impl Writer {
    /// Keeps what the user says about the run.
    ///
    /// # Errors
    /// What the file system says.
    pub fn say(&mut self, label: &Label) -> Result<()> {
        self.label = label.clone();
        super::write_whole(&self.folder, LABEL, label)
    }

    /// Adds the run, which is over, to the list of all.
    pub(super) fn list(&self, run: &Run) -> Result<()> {
        let Label { label, note } = self.label.clone();
        self.store.add_to_index(&analyze::summary(run, label, note))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Event;

    fn keep(store: &Store, events: &[Event], id: &str) {
        let mut events = events.to_vec();
        if let Some(Event::Begin { id: own, .. }) = events.first_mut() {
            id.clone_into(own);
        }
        let mut writer = store.create(id).unwrap();
        writer
            .say(&Label {
                label: Some("night".to_owned()),
                note: None,
            })
            .unwrap();
        events.iter().for_each(|event| writer.add(event).unwrap());
        writer.finish(&analyze::assemble(&events).unwrap()).unwrap();
    }

    #[test]
    fn runs_of_one_second_are_in_the_order_of_their_starts() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(folder.path());
        for (id, at) in [
            ("20260101T000000-000b", "2026-01-01T00:00:00.100Z"),
            ("20260101T000000-000a", "2026-01-01T00:00:00.900Z"),
        ] {
            let mut events = analyze::samples::tcp_stream();
            if let Some(Event::Begin { started, .. }) = events.first_mut() {
                at.clone_into(started);
            }
            keep(&store, &events, id);
        }
        let listed = store.summaries().unwrap();
        let ids: Vec<&str> = listed.iter().map(|run| run.id.as_str()).collect();
        assert_eq!(ids, ["20260101T000000-000b", "20260101T000000-000a"]);
        assert_eq!(store.find(None).unwrap(), "20260101T000000-000a");
    }

    #[test]
    fn the_index_holds_what_the_runs_hold() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(folder.path());
        assert_eq!(store.summaries().unwrap(), []);
        let events = analyze::samples::tcp_stream();
        for id in ["20260101T000000-0001", "20260102T000000-0002"] {
            keep(&store, &events, id);
        }
        let listed = store.summaries().unwrap();
        assert_eq!(listed.len(), 2);
        assert_eq!(listed[0].label.as_deref(), Some("night"));
        assert!(listed[0].values.contains_key("throughput"));
        // Without the index the same, and the index is there again.
        fs::remove_file(store.index()).unwrap();
        assert_eq!(store.summaries().unwrap(), listed);
        assert_eq!(
            fs::read_to_string(store.index()).unwrap().lines().count(),
            2
        );
        // A byte that is no UTF-8 costs its line, and a document that was cut is folded again.
        let mut bytes = fs::read(store.index()).unwrap();
        bytes[3] = 0xff;
        fs::write(store.index(), bytes).unwrap();
        assert_eq!(store.summaries().unwrap(), listed);
        let document = folder
            .path()
            .join("runs/20260101T000000-0001")
            .join(DOCUMENT);
        let whole = store.document("20260101T000000-0001").unwrap();
        fs::write(&document, &fs::read(&document).unwrap()[..100]).unwrap();
        assert_eq!(store.document("20260101T000000-0001").unwrap(), whole);
        // A run that was removed is not listed.
        assert!(store.is_over("20260101T000000-0001"));
        store.remove("20260101T000000-0001").unwrap();
        assert_eq!(store.summaries().unwrap().len(), 1);
    }
}
