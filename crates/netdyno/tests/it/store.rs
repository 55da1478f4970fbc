//! A run store of the test's own.

use std::fs;
use std::path::{Path, PathBuf};

use record::{Event, Run};
use tempfile::TempDir;

use crate::document;

/// The folder that XDG_STATE_HOME names; removed with the test.
pub struct Store(TempDir);

impl Store {
    pub fn new() -> Self {
        Self(TempDir::with_prefix("netdyno-it-").unwrap())
    }

    pub fn state_home(&self) -> &Path {
        self.0.path()
    }

    /// Names of the runs, oldest first.
    pub fn ids(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.runs()) else {
            return Vec::new();
        };
        let mut ids: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        ids.sort();
        ids
    }

    /// The document of the one run.
    pub fn document(&self) -> Run {
        document::run(&self.file("run.json").expect("the run has a document"))
    }

    /// The whole lines of the one run's events, so far.
    pub fn events(&self) -> Vec<Event> {
        let text = self.file("events.jsonl").unwrap_or_default();
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        document::events(&text[..whole])
    }

    /// A file of the one run.
    pub fn file(&self, name: &str) -> Option<String> {
        let ids = self.ids();
        assert!(ids.len() <= 1, "more than one run: {ids:?}");
        fs::read_to_string(self.runs().join(ids.first()?).join(name)).ok()
    }

    fn runs(&self) -> PathBuf {
        self.0.path().join("netdyno/runs")
    }
}
