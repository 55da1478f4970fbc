//! What a side, or a server for its client, changes on this machine, and putting it back, whatever
//! happens.
//!
//! A note of what has to be put back is in the store before anything is changed, and goes when
//! that is done. A process that was killed leaves its note, and the next start acts on it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sys::signal::Signals;

use super::sysctl;
use crate::cli::SideRequest;
use crate::commands::child::{self, Ended};
use crate::say;
use crate::store::Store;

/// What has to be put back, and who was to do it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Note {
    pid: u32,
    /// Start of that process in clock ticks since boot: numbers of processes come again.
    pid_started: u64,
    /// Another boot has put sysctls back.
    boot_id: String,
    /// Names with the values that they had.
    sysctls: Vec<(String, String)>,
    teardown: Option<String>,
}

/// Changes of one trial, or of one test. Dropping them puts them back, too.
pub(in crate::commands) struct Changes {
    note: Option<(PathBuf, Note)>,
}

impl Changes {
    /// Writes the note of what a side changes; nothing is changed yet.
    pub fn begin(store: &Store, side: &SideRequest) -> Result<Self, String> {
        let wanted = sysctl::of_this_machine(side).into_iter();
        Self::of(
            store,
            wanted.map(|wanted| &wanted.key),
            side.teardown.clone(),
        )
    }

    /// Writes the note of what these sysctls are; nothing is changed yet. A process has one at a
    /// time.
    pub fn of<'a>(
        store: &Store,
        keys: impl Iterator<Item = &'a String>,
        teardown: Option<String>,
    ) -> Result<Self, String> {
        let mut sysctls = Vec::new();
        for key in keys {
            sysctls.push((key.clone(), sysctl::read(key)?));
        }
        if sysctls.is_empty() && teardown.is_none() {
            return Ok(Self { note: None });
        }
        let pid = std::process::id();
        let note = Note {
            pid,
            pid_started: process_start(pid).unwrap_or_default(),
            boot_id: boot_id(),
            sysctls,
            teardown,
        };
        let folder = folder(store);
        let path = folder.join(format!("{pid}.json"));
        let written = fs::create_dir_all(&folder).and_then(|()| note.write(&path));
        written.map_err(|error| format!("writing {}: {error}", path.display()))?;
        Ok(Self {
            note: Some((path, note)),
        })
    }

    /// Sets the sysctls and runs the setup; how that ended where the user interrupted it.
    pub fn make(&mut self, side: &SideRequest, signals: &Signals) -> Result<Option<Ended>, String> {
        let wanted = sysctl::of_this_machine(side).into_iter();
        self.set(wanted.map(|wanted| (&wanted.key, &wanted.value)))?;
        let Some(setup) = &side.setup else {
            return Ok(None);
        };
        let ended = child::finish(child::shell(setup), Some(signals))?;
        match ended.interrupted {
            true => Ok(Some(ended)),
            false => success("the setup", setup, &ended).map(|()| None),
        }
    }

    /// Sets those of which the note is, in its order.
    pub fn set<'a>(
        &mut self,
        wanted: impl Iterator<Item = (&'a String, &'a String)>,
    ) -> Result<(), String> {
        for (index, (key, value)) in wanted.enumerate() {
            let written = sysctl::write(key, value);
            if let (Err(_), Some((_, note))) = (&written, &mut self.note) {
                // What was not set needs no putting back.
                note.sysctls.truncate(index);
            }
            written?;
        }
        Ok(())
    }

    /// Puts everything back.
    pub fn put_back(&mut self) -> Result<(), String> {
        let Some((path, note)) = self.note.take() else {
            return Ok(());
        };
        note.put_back(&path)
    }
}

impl Drop for Changes {
    fn drop(&mut self) {
        if let Err(error) = self.put_back() {
            say!("{error}");
        }
    }
}

impl Note {
    /// All of it, even where a part fails; the first failure. The note goes, but for the sysctls that
    /// could not be set.
    fn put_back(mut self, path: &Path) -> Result<(), String> {
        let teardown = self.teardown.take().map(|teardown| tear_down(&teardown));
        let mut result = teardown.unwrap_or(Ok(()));
        self.sysctls.retain(|(key, value)| {
            let written = sysctl::write(key, value);
            let failed = written.is_err();
            result = result.clone().and(written);
            failed
        });
        let done = match self.sysctls.is_empty() {
            true => fs::remove_file(path),
            false => self.write(path),
        };
        result.and(done.map_err(|error| format!("writing {}: {error}", path.display())))
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        fs::write(path, serde_json::to_vec_pretty(self)?)
    }

    /// Whether the process that was to put it back is still there to do it.
    fn is_in_hands(&self) -> bool {
        self.boot_id == boot_id() && process_start(self.pid) == Some(self.pid_started)
    }
}

/// Puts back what a comparison or a server left when it was killed.
pub(in crate::commands) fn act_on_notes(store: &Store) {
    let Ok(entries) = fs::read_dir(folder(store)) else {
        return;
    };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let note = fs::read(&path)
            .ok()
            .and_then(|text| serde_json::from_slice::<Note>(&text).ok());
        let Some(note) = note.filter(|note| !note.is_in_hands()) else {
            continue;
        };
        if note.boot_id != boot_id() {
            let _ = fs::remove_file(path);
        } else {
            let names: Vec<&str> = note.sysctls.iter().map(|(key, _)| key.as_str()).collect();
            let what = match (names.as_slice(), &note.teardown) {
                ([], Some(_)) => "its teardown".to_owned(),
                (names, None) => names.join(", "),
                (names, Some(_)) => format!("{} and its teardown", names.join(", ")),
            };
            say!("a netdyno was killed before it put back {what}: doing so now");
            if let Err(error) = note.put_back(&path) {
                say!("{error}");
            }
        }
    }
}

fn folder(store: &Store) -> PathBuf {
    store.folder().join("put-back")
}

/// Whatever the user does meanwhile.
fn tear_down(teardown: &str) -> Result<(), String> {
    let ended = child::finish(child::shell(teardown), None)?;
    success("the teardown", teardown, &ended)
}

fn success(what: &str, command: &str, ended: &Ended) -> Result<(), String> {
    let status = match ended.status {
        Some(status) if status.success() => return Ok(()),
        Some(status) => status.to_string(),
        None => "no status".to_owned(),
    };
    let said = ended.complaint.trim().lines().last().unwrap_or_default();
    Err(format!("{what} '{command}' ended with {status}: {said}"))
}

fn boot_id() -> String {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id");
    text.unwrap_or_default().trim().to_owned()
}

/// Field 22 of /proc/PID/stat, counted behind the name, which may hold anything (proc(5)).
fn process_start(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    rest.split_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_one_start() {
        let own = process_start(std::process::id());
        assert!(own.is_some());
        assert_eq!(own, process_start(std::process::id()));
        assert_eq!(process_start(u32::MAX), None);
    }

    #[test]
    fn notes_of_the_dead_are_acted_on_and_those_of_the_living_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(folder.path());
        let mark = folder.path().join("mark");
        let note = |pid_started| Note {
            pid: std::process::id(),
            pid_started,
            boot_id: boot_id(),
            sysctls: Vec::new(),
            teardown: Some(format!("touch {}", mark.display())),
        };
        let path = super::folder(&store).join("1.json");
        fs::create_dir_all(super::folder(&store)).unwrap();
        let write = |note: Note| fs::write(&path, serde_json::to_vec(&note).unwrap()).unwrap();
        write(note(process_start(std::process::id()).unwrap()));
        act_on_notes(&store);
        assert!(path.exists() && !mark.exists());
        write(note(1));
        act_on_notes(&store);
        assert!(!path.exists() && mark.exists());
    }
}
