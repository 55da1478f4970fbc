//! /proc and /sys below a root, so that tests can give another machine's.

use std::fs;
use std::path::{Path, PathBuf};

/// Where `proc` and `sys` are found.
#[derive(Debug, Clone)]
pub(crate) struct Tree(PathBuf);

impl Tree {
    /// This machine's.
    pub(crate) fn here() -> Self {
        Self::at("/")
    }

    pub(crate) fn at(root: impl Into<PathBuf>) -> Self {
        Self(root.into())
    }

    /// The text of a file, without the white space around it; none when it is not there, not
    /// readable or empty.
    pub(crate) fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        let bytes = fs::read(self.0.join(path)).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Where a path below the root is.
    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.0.join(path)
    }

    /// Names of a folder's entries, in order; none when it cannot be listed.
    pub(crate) fn names(&self, path: impl AsRef<Path>) -> Vec<String> {
        let entries = fs::read_dir(self.0.join(path)).into_iter().flatten();
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// Those of them that are numbers, in order.
    pub(crate) fn numbers(&self, path: impl AsRef<Path>) -> Vec<u32> {
        let names = self.names(path);
        let mut numbers: Vec<u32> = names.iter().filter_map(|name| name.parse().ok()).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Where a symbolic link points.
    pub(crate) fn link(&self, path: impl AsRef<Path>) -> Option<String> {
        let target = fs::read_link(self.0.join(path)).ok()?;
        target.to_str().map(str::to_owned)
    }
}

/// The rest of the first line that begins with `key` and a colon.
pub(crate) fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim_end() == key).then(|| value.trim())
    })
}

/// A number of kB, as /proc writes sizes, in bytes.
pub(crate) fn kilobytes(value: &str) -> Option<u64> {
    let number: u64 = value.strip_suffix("kB")?.trim_end().parse().ok()?;
    number.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = "Rss:  12 kB\nShared_Rss: 5 kB\nmodel name\t: Some CPU: fast\n";
        assert_eq!(field(text, "Rss").and_then(kilobytes), Some(12 * 1024));
        assert_eq!(field(text, "model name"), Some("Some CPU: fast"));
        assert_eq!(field(text, "Pss"), None);
        assert_eq!(kilobytes("12 MB"), None);
    }

    #[test]
    fn an_absent_or_empty_file_is_none() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("empty"), "\n").unwrap();
        fs::write(root.path().join("full"), "word\n").unwrap();
        let tree = Tree::at(root.path());
        assert_eq!(tree.text("absent"), None);
        assert_eq!(tree.text("empty"), None);
        assert_eq!(tree.text("full").as_deref(), Some("word"));
        assert_eq!(tree.link("full"), None);
    }
}
