//! Comparisons in the store: a folder each, beside the runs that they made.
//!
//! `journal.jsonl` grows by whole lines, so that a comparison that was killed can be resumed;
//! `comparison.json` appears when it is over.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use record::{Comparison, Hosts, Side, Trial};
use serde::{Deserialize, Serialize};
use units::Nanos;

use super::Store;

/// One line of a comparison's journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Entry {
    /// First of all.
    Begin {
        /// The comparison's name.
        id: String,
        /// Wall time, RFC 3339.
        started: String,
        /// The command line.
        command: Vec<String>,
        /// What the order is drawn from.
        seed: u64,
    },
    /// How long trials warm up and last.
    Times {
        /// Not counted.
        warm_up: Nanos,
        /// Counted.
        trial: Nanos,
    },
    /// The hosts as a side found them.
    Hosts {
        /// Which side.
        side: Side,
        /// Both hosts.
        hosts: Box<Hosts>,
    },
    /// A trial is over.
    Trial(Box<Trial>),
}

/// A comparison being written.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    lines: File,
}

const JOURNAL: &str = "journal.jsonl";
const DOCUMENT: &str = "comparison.json";

impl Store {
    /// Opens the folder of a comparison, which may be there already.
    ///
    /// # Errors
    /// What the file system says.
    pub fn journal(&self, id: &str) -> Result<Journal> {
        let folder = self.comparisons().join(id);
        fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
        let path = folder.join(JOURNAL);
        let lines = OpenOptions::new().append(true).create(true).open(&path);
        let lines = lines.with_context(|| format!("opening {}", path.display()))?;
        Ok(Journal { folder, lines })
    }

    /// The journal of comparison `id`. A last line that was cut by a kill is left out.
    ///
    /// # Errors
    /// No such comparison, or a file that is no journal.
    pub fn entries(&self, id: &str) -> Result<Vec<Entry>> {
        let path = self.comparisons().join(id).join(JOURNAL);
        if !path.is_file() {
            bail!(
                "there is no comparison '{id}' in {}",
                self.comparisons().display()
            );
        }
        let text =
            fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let entry = |(i, line)| {
            serde_json::from_str(line)
                .with_context(|| format!("reading line {} of {}", i + 1, path.display()))
        };
        whole.lines().enumerate().map(entry).collect()
    }

    /// Names of the stored comparisons, oldest first.
    ///
    /// # Errors
    /// What the file system says.
    pub fn comparison_ids(&self) -> Result<Vec<String>> {
        super::folders_with(&self.comparisons(), DOCUMENT)
    }

    /// Those that have no document yet, too.
    ///
    /// # Errors
    /// What the file system says.
    pub fn begun_comparison_ids(&self) -> Result<Vec<String>> {
        super::folders_with(&self.comparisons(), JOURNAL)
    }

    /// The document of comparison `id`.
    ///
    /// # Errors
    /// No such comparison, or a file that is none.
    pub fn comparison(&self, id: &str) -> Result<Comparison> {
        let path = self.comparisons().join(id).join(DOCUMENT);
        let text =
            fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("reading {}", path.display()))
    }
}

impl Journal {
    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Adds a line.
    ///
    /// # Errors
    /// What the file system says, a full disk for example.
    pub fn add(&mut self, entry: &Entry) -> Result<()> {
        let mut line = serde_json::to_vec(entry).context("writing a journal line")?;
        line.push(b'\n');
        self.lines
            .write_all(&line)
            .with_context(|| format!("writing {}", self.folder.join(JOURNAL).display()))
    }

    /// Adds the document.
    ///
    /// # Errors
    /// What the file system says.
    pub fn finish(&self, document: &Comparison) -> Result<()> {
        super::write_whole(&self.folder, DOCUMENT, document)
    }
}
