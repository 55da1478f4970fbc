//! What a name in the store may be the name of.

use anyhow::{Result, bail};

use super::{Entry, Store};

/// Something in the store, by its whole name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// A run.
    Run(String),
    /// A comparison, at its end or not.
    Comparison(String),
    /// Runs of `run --repeat`, `--until` and `--sweep`.
    Series(String),
}

impl Store {
    /// What is called `id`, or the only thing whose name begins so; without a name the latest run.
    ///
    /// # Errors
    /// Nothing of that name, or several.
    pub fn kept(&self, id: Option<&str>) -> Result<Kept> {
        let Some(start) = id else {
            return self.find(None).map(Kept::Run);
        };
        let all = self.all()?;
        let named = |exact: bool| {
            all.iter().filter(move |kept| match exact {
                true => kept.id() == start,
                false => kept.id().starts_with(start),
            })
        };
        let found: Vec<&Kept> = match named(true).next() {
            Some(kept) => vec![kept],
            None => named(false).collect(),
        };
        match found.as_slice() {
            [kept] => Ok((*kept).clone()),
            [] => bail!(
                "there is no run, comparison or series '{start}' in {}",
                self.folder().display()
            ),
            [.., latest] => bail!(
                "'{start}' begins {} names, the latest is {}",
                found.len(),
                latest.id()
            ),
        }
    }

    /// Everything, oldest first.
    fn all(&self) -> Result<Vec<Kept>> {
        let mut all: Vec<Kept> = self.ids()?.into_iter().map(Kept::Run).collect();
        all.extend(
            self.begun_comparison_ids()?
                .into_iter()
                .map(Kept::Comparison),
        );
        all.extend(self.series_ids()?.into_iter().map(Kept::Series));
        all.sort_by(|one, other| one.id().cmp(other.id()));
        Ok(all)
    }

    /// Why what is called `start` is no run, where it is something else.
    pub(super) fn no_run(&self, start: &str) -> Option<String> {
        match self.kept(Some(start)).ok()? {
            Kept::Run(_) => None,
            Kept::Series(id) => Some(format!(
                "'{id}' is a series of runs, not a run: 'netdyno show {id}' shows it, and \
                 'netdyno history' has its runs"
            )),
            Kept::Comparison(id) => {
                let runs: Vec<String> = self
                    .entries(&id)
                    .ok()?
                    .into_iter()
                    .filter_map(|entry| match entry {
                        Entry::Trial(trial) => Some((trial.run?, trial.side)),
                        _ => None,
                    })
                    .take(2)
                    .map(|(run, side)| format!("{run} ({})", side.name()))
                    .collect();
                let such = match runs.as_slice() {
                    [] => String::new(),
                    runs => format!("; its runs are {} and so on", runs.join(", ")),
                };
                Some(format!(
                    "'{id}' is a comparison, not a run: 'netdyno show {id}' has its answer{such}"
                ))
            }
        }
    }
}

impl Kept {
    fn id(&self) -> &str {
        match self {
            Self::Run(id) | Self::Comparison(id) | Self::Series(id) => id,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn names_of_all_kinds() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(folder.path());
        for (path, file) in [
            ("runs/2026-1", "events.jsonl"),
            ("comparisons/2026-2", "journal.jsonl"),
            ("series/2026-3", "series.json"),
            ("series/2026-33", "series.json"),
        ] {
            fs::create_dir_all(folder.path().join(path)).unwrap();
            fs::write(folder.path().join(path).join(file), "").unwrap();
        }
        let kept = |id| store.kept(Some(id));
        assert_eq!(kept("2026-1").unwrap(), Kept::Run("2026-1".to_owned()));
        let comparison = Kept::Comparison("2026-2".to_owned());
        assert_eq!(kept("2026-2").unwrap(), comparison);
        assert_eq!(kept("2026-3").unwrap(), Kept::Series("2026-3".to_owned()));
        let several = kept("2026").unwrap_err().to_string();
        assert!(
            several.ends_with("begins 4 names, the latest is 2026-33"),
            "{several}"
        );
        assert!(kept("2027").is_err());
        assert_eq!(store.kept(None).unwrap(), Kept::Run("2026-1".to_owned()));
        let why = store.find(Some("2026-2")).unwrap_err().to_string();
        assert!(
            why.starts_with("'2026-2' is a comparison, not a run"),
            "{why}"
        );
        let why = store.find(Some("2026-33")).unwrap_err().to_string();
        assert!(why.starts_with("'2026-33' is a series of runs"), "{why}");
    }
}
