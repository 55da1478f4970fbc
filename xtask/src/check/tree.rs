//! The files of the repository.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// All files that are in the repository or would be added to it.
#[derive(Debug, Default)]
pub struct Tree {
    /// Sorted by path.
    pub files: Vec<File>,
}

/// One file.
#[derive(Debug)]
pub struct File {
    /// From the root, with slashes.
    pub path: String,
    /// None for files that are not UTF-8.
    pub text: Option<String>,
}

impl Tree {
    /// Asks git which files there are, and reads them.
    pub fn read(root: &Path) -> Result<Self> {
        let output = Command::new("git")
            .current_dir(root)
            .args([
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ])
            .output()
            .context("cannot start git")?;
        if !output.status.success() {
            bail!(
                "git ls-files failed: {}",
                String::from_utf8_lossy(&output.stderr).trim()
            );
        }
        let listing = String::from_utf8(output.stdout).context("a file's name is not UTF-8")?;
        let mut files = Vec::new();
        for path in listing.split_terminator('\0') {
            match std::fs::read(root.join(path)) {
                Ok(bytes) => files.push(File {
                    path: path.to_owned(),
                    text: String::from_utf8(bytes).ok(),
                }),
                // In the index, but removed from the folder.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(error).with_context(|| format!("cannot read {path}")),
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self { files })
    }

    /// A made-up tree.
    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Self {
        let files = files
            .iter()
            .map(|(path, text)| File {
                path: (*path).to_owned(),
                text: Some((*text).to_owned()),
            })
            .collect();
        Self { files }
    }

    /// Path and text of every text file.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files
            .iter()
            .filter_map(|file| Some((file.path.as_str(), file.text.as_deref()?)))
    }

    /// Path and text of the Rust files.
    pub fn rust(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts().filter(|(path, _)| path.ends_with(".rs"))
    }

    /// Whether there is a file or folder of that name.
    pub fn has(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        path.is_empty()
            || self
                .files
                .iter()
                .any(|file| file.path == path || file.path.starts_with(&folder))
    }
}

/// Whether a Rust file holds nothing but tests, by its name or its folder's.
pub fn is_test_file(path: &str) -> bool {
    path.split('/')
        .any(|part| part == "tests" || part == "benches")
        || path.ends_with("/tests.rs")
        || path.ends_with("/proptests.rs")
}
