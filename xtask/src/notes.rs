//! What tests said that they could not run here (see the crate `not-run`).

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};

/// The notes of one test run, each once.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// Tests of which nothing ran: what, and the reason.
    pub tests: BTreeSet<(String, String)>,
    /// Parts of tests that otherwise ran.
    pub cells: BTreeSet<(String, String)>,
}

impl Notes {
    /// Reads the file of notes; no file, no notes.
    pub fn read(file: &Path) -> Result<Self> {
        if !file.exists() {
            return Ok(Self::default());
        }
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("cannot read {}", file.display()))?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self> {
        let mut notes = Self::default();
        for line in text.lines() {
            let mut fields = line.splitn(3, '\t');
            let (kind, what, reason) = (fields.next(), fields.next(), fields.next());
            let (Some(kind), Some(what), Some(reason)) = (kind, what, reason) else {
                anyhow::bail!("'{line}' is not a note: kind, what and reason, with tabs between");
            };
            let note = (what.to_owned(), reason.to_owned());
            match kind {
                "test" => notes.tests.insert(note),
                "cell" => notes.cells.insert(note),
                _ => anyhow::bail!("'{kind}' is not a kind of note: test or cell"),
            };
        }
        Ok(notes)
    }

    /// A line for each note.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.tests
            .iter()
            .chain(&self.cells)
            .map(|(what, reason)| format!("not run: {what}: {reason}"))
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.tests.len() + self.cells.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_kept_apart_and_counted_once() {
        let notes =
            Notes::parse("test\ta::b\tneeds root\ncell\tfq\tno fq: here\ntest\ta::b\tneeds root\n")
                .unwrap();
        assert_eq!(notes.tests.len(), 1);
        assert_eq!(notes.len(), 2);
        assert_eq!(
            notes.lines().collect::<Vec<_>>(),
            ["not run: a::b: needs root", "not run: fq: no fq: here"]
        );
    }

    #[test]
    fn a_broken_note_is_an_error() {
        assert!(Notes::parse("test\tonly what\n").is_err());
        assert!(Notes::parse("maybe\tx\ty\n").is_err());
    }
}
