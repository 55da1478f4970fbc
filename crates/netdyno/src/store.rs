//! The run store: a folder a run, plain files, readable without netdyno.
//!
//! `events.jsonl` grows by whole lines while the run goes on; `run.json` appears when it is over,
//! at once and whole. A kill at any moment loses at most the line being written.

mod comparisons;
mod index;
mod kept;
mod series;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use record::{Event, Run};
use serde::Serialize;

pub use comparisons::{Entry, Journal};
pub use index::Label;
pub use kept::Kept;

/// Where runs are kept.
#[derive(Debug, Clone)]
pub struct Store {
    state: PathBuf,
    runs: PathBuf,
}

/// A run being written.
#[derive(Debug)]
pub struct Writer {
    store: Store,
    folder: PathBuf,
    events: File,
    label: Label,
}

const EVENTS: &str = "events.jsonl";
const DOCUMENT: &str = "run.json";
/// Characters of a name that say its second: `20261201T053411`.
const SECOND: usize = 15;

impl Store {
    /// `$XDG_STATE_HOME/netdyno`, or `~/.local/state/netdyno` (XDG Base Directory Specification).
    /// None when neither variable says where.
    pub fn of_environment() -> Option<Self> {
        let absolute = |name| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let state =
            absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
        Some(Self::at(&state.join("netdyno")))
    }

    /// A store in `folder`.
    pub fn at(folder: &Path) -> Self {
        Self {
            state: folder.to_owned(),
            runs: folder.join("runs"),
        }
    }

    /// The folder of everything.
    pub fn folder(&self) -> &Path {
        &self.state
    }

    fn comparisons(&self) -> PathBuf {
        self.state.join("comparisons")
    }

    /// Opens the folder of a new run.
    ///
    /// # Errors
    /// What the file system says.
    pub fn create(&self, id: &str) -> Result<Writer> {
        let folder = self.runs.join(id);
        fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
        let path = folder.join(EVENTS);
        let events = OpenOptions::new().append(true).create_new(true).open(&path);
        let events = events.with_context(|| format!("creating {}", path.display()))?;
        Ok(Writer {
            store: self.clone(),
            folder,
            events,
            label: Label::default(),
        })
    }

    /// Names of the stored runs, oldest first: they begin with the time.
    ///
    /// # Errors
    /// What the file system says; a store that is not there yet is empty.
    pub fn ids(&self) -> Result<Vec<String>> {
        // A folder without events is of a run that was killed before it began.
        folders_with(&self.runs, EVENTS)
    }

    /// The run `id` or the only one whose name begins so, or the latest.
    ///
    /// # Errors
    /// No such run, or a file that is no run.
    pub fn find(&self, id: Option<&str>) -> Result<String> {
        match id {
            Some(id) if self.runs.join(id).is_dir() => Ok(id.to_owned()),
            Some(start) => {
                let mut ids = self.ids()?;
                ids.retain(|id| id.starts_with(start));
                match (ids.pop(), ids.len()) {
                    (Some(id), 0) => Ok(id),
                    (None, _) => match self.no_run(start) {
                        Some(sentence) => bail!(sentence),
                        None => bail!("there is no run '{start}' in {}", self.runs.display()),
                    },
                    (Some(id), more) => {
                        bail!(
                            "'{start}' begins the names of {} runs, the latest is {id}",
                            more + 1
                        )
                    }
                }
            }
            None => match self.latest(&self.ids()?) {
                Some(id) => Ok(id),
                None => bail!("there is no stored run in {}", self.runs.display()),
            },
        }
    }

    /// The last that was started: names are to the second.
    fn latest(&self, ids: &[String]) -> Option<String> {
        let second = |id: &str| id.chars().take(SECOND).collect::<String>();
        let last = second(ids.last()?);
        let same = ids.iter().rev().take_while(|id| second(id) == last);
        same.max_by_key(|id| self.started(id)).cloned()
    }

    /// When a run was started, by its first event.
    fn started(&self, id: &str) -> Option<String> {
        let file = File::open(self.runs.join(id).join(EVENTS)).ok()?;
        let mut line = String::new();
        BufReader::new(file).read_line(&mut line).ok()?;
        match serde_json::from_str(&line).ok()? {
            Event::Begin { started, .. } => Some(started),
            _ => None,
        }
    }

    /// Whether the run's document is there.
    pub fn is_over(&self, id: &str) -> bool {
        self.runs.join(id).join(DOCUMENT).is_file()
    }

    /// Removes a run. The list of all forgets it by itself.
    ///
    /// # Errors
    /// What the file system says.
    pub fn remove(&self, id: &str) -> Result<()> {
        let folder = self.runs.join(id);
        fs::remove_dir_all(&folder).with_context(|| format!("removing {}", folder.display()))
    }

    /// The document of run `id`: as it was written, or put together from the events of a run
    /// that was killed.
    ///
    /// # Errors
    /// A file that is no run.
    pub fn document(&self, id: &str) -> Result<Run> {
        let path = self.runs.join(id).join(DOCUMENT);
        match fs::read_to_string(&path) {
            // It is only folded from the events: where it is damaged they are still there.
            Ok(text) => serde_json::from_str(&text).or_else(|error| {
                let events = self.events(id).ok();
                events
                    .and_then(|events| analyze::assemble(&events))
                    .ok_or(error)
                    .with_context(|| format!("reading {}", path.display()))
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let events = self.events(id)?;
                analyze::assemble(&events)
                    .with_context(|| format!("run '{id}' was killed before it began"))
            }
            Err(error) => Err(error).with_context(|| format!("reading {}", path.display())),
        }
    }

    /// The events of run `id`. A last line that was cut by a kill is left out.
    ///
    /// # Errors
    /// A file that is no stream of events.
    pub fn events(&self, id: &str) -> Result<Vec<Event>> {
        read_events(&self.runs.join(id).join(EVENTS))
    }
}

/// The events of a file. A last line that was cut by a kill is left out.
///
/// # Errors
/// A file that is no stream of events.
pub fn read_events(path: &Path) -> Result<Vec<Event>> {
    let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let events = whole.lines().enumerate().map(|(i, line)| {
        serde_json::from_str(line)
            .with_context(|| format!("reading line {} of {}", i + 1, path.display()))
    });
    events.collect()
}

impl Writer {
    /// Adds an event.
    ///
    /// # Errors
    /// What the file system says, a full disk for example.
    pub fn add(&mut self, event: &Event) -> Result<()> {
        let mut line = serde_json::to_vec(event).context("writing an event")?;
        line.push(b'\n');
        self.events
            .write_all(&line)
            .with_context(|| format!("writing {}", self.folder.join(EVENTS).display()))
    }

    /// Removes what a full disk left of the run: it would read as one that was killed.
    pub fn discard(self) {
        // Nothing more can be done about a disk that refuses this too.
        let _ = fs::remove_dir_all(&self.folder);
    }

    /// Adds the document.
    ///
    /// # Errors
    /// What the file system says.
    pub fn finish(&mut self, run: &Run) -> Result<()> {
        self.events
            .sync_all()
            .with_context(|| format!("writing {}", self.folder.join(EVENTS).display()))?;
        write_whole(&self.folder, DOCUMENT, run)?;
        self.list(run)
    }
}

/// Names of the folders in `parent` that hold a file of that name, in order; none where there is
/// no parent yet.
fn folders_with(parent: &Path, file: &str) -> Result<Vec<String>> {
    let mut names = folders(parent)?;
    names.retain(|name| parent.join(name).join(file).is_file());
    names.sort();
    Ok(names)
}

/// All names in `parent`, in any order; none where there is no parent yet.
fn folders(parent: &Path) -> Result<Vec<String>> {
    let entries = match fs::read_dir(parent) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.with_context(|| format!("listing {}", parent.display()))?,
    };
    Ok(entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect())
}

/// Writes `document` into a file that appears at once and whole.
fn write_whole(folder: &Path, name: &str, document: &impl Serialize) -> Result<()> {
    let path = folder.join(name);
    let partial = folder.join(format!("{name}.partial"));
    let write = || -> io::Result<()> {
        let mut file = BufWriter::new(File::create(&partial)?);
        serde_json::to_writer_pretty(&mut file, document)?;
        file.write_all(b"\n")?;
        file.into_inner()?.sync_all()?;
        fs::rename(&partial, &path)
    };
    write().with_context(|| format!("writing {}", path.display()))
}
