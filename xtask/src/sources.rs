//! The machine's own package sources with one component more, in a copy: its configuration stays
//! as it is.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::TempDir;

/// Where apt has its sources.
const APT: &str = "/etc/apt";
/// The component that is wanted beside those that the machine has.
const COMPONENT: &str = "non-free";

/// A copy of the sources, removed with this value.
pub struct Sources {
    folder: TempDir,
}

impl Sources {
    /// None where there are no sources to add a component to.
    pub fn with_non_free() -> Result<Option<Self>> {
        let folder = TempDir::with_prefix("netdyno-apt-").context("making a folder for apt")?;
        let parts = folder.path().join("parts");
        std::fs::create_dir(&parts).context("making a folder for apt")?;
        let mut copied = 0;
        for file in files(Path::new(APT)) {
            let text = std::fs::read_to_string(&file)
                .with_context(|| format!("reading {}", file.display()))?;
            let Some(name) = file.file_name() else {
                continue;
            };
            let wider: String = text.lines().map(|line| widened(line) + "\n").collect();
            std::fs::write(parts.join(name), wider).context("writing sources for apt")?;
            copied += 1;
        }
        Ok((copied > 0).then_some(Self { folder }))
    }

    /// What apt is told.
    pub fn options(&self) -> Vec<String> {
        let parts = self.folder.path().join("parts");
        let option = |name: &str, value: &Path| format!("{name}={}", value.display());
        vec![
            "-o".to_owned(),
            option("Dir::Etc::sourcelist", Path::new("/dev/null")),
            "-o".to_owned(),
            option("Dir::Etc::sourceparts", &parts),
        ]
    }
}

/// The files that apt reads: `sources.list`, and those of two endings beside it.
fn files(apt: &Path) -> Vec<PathBuf> {
    let listed = std::fs::read_dir(apt.join("sources.list.d"));
    let mut files: Vec<PathBuf> = listed
        .map(|entries| {
            entries
                .filter_map(|entry| Some(entry.ok()?.path()))
                .collect()
        })
        .unwrap_or_default();
    files.retain(|file| {
        let ending = file.extension().and_then(|ending| ending.to_str());
        matches!(ending, Some("list" | "sources"))
    });
    files.push(apt.join("sources.list"));
    files.retain(|file| file.is_file());
    files
}

/// A line that names components, with the one that is wanted; any other line as it is. Debian's
/// own sources have `main`; others have no such component and stay as they are.
fn widened(line: &str) -> String {
    let names_components = line.starts_with("Components:") || line.starts_with("deb");
    let mut words = line.split_whitespace();
    let has = |wanted: &str| line.split_whitespace().any(|word| word == wanted);
    if names_components && words.any(|word| word == "main") && !has(COMPONENT) {
        return format!("{line} {COMPONENT}");
    }
    line.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_with_components_are_widened() {
        for (line, wider) in [
            ("Components: main", "Components: main non-free"),
            ("Components: main non-free", "Components: main non-free"),
            (
                "Components: main non-free-firmware",
                "Components: main non-free-firmware non-free",
            ),
            (
                "deb uri suite main contrib",
                "deb uri suite main contrib non-free",
            ),
            ("deb uri suite stable", "deb uri suite stable"),
            ("# deb uri suite main", "# deb uri suite main"),
            ("Suites: main", "Suites: main"),
            ("", ""),
        ] {
            assert_eq!(widened(line), wider);
        }
    }
}
