//! Series of runs in the store: a folder each, with a file for each cell and one of all.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use record::Series;

use super::Store;

const DOCUMENT: &str = "series.json";

impl Store {
    /// The folder of series `id`.
    pub fn series_folder(&self, id: &str) -> PathBuf {
        self.folder().join("series").join(id)
    }

    /// Adds the document of a series whose folder is there.
    ///
    /// # Errors
    /// What the file system says.
    pub fn keep_series(&self, series: &Series) -> Result<()> {
        super::write_whole(&self.series_folder(&series.id), DOCUMENT, series)
    }

    /// Names of the stored series, oldest first.
    ///
    /// # Errors
    /// What the file system says.
    pub fn series_ids(&self) -> Result<Vec<String>> {
        super::folders_with(&self.folder().join("series"), DOCUMENT)
    }

    /// The document of series `id`.
    ///
    /// # Errors
    /// No such series, or a file that is none.
    pub fn series(&self, id: &str) -> Result<Series> {
        let path = self.series_folder(id).join(DOCUMENT);
        let text =
            fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("reading {}", path.display()))
    }
}
