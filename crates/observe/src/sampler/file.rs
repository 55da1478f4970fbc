//! A file that stays open.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use record::Rows;

use super::Source;
use crate::source::Unreadable;
use crate::source::cgroup::{self, Place};
use crate::tree::Tree;

pub(super) type Parse = fn(&str, &mut Rows) -> Result<(), Unreadable>;

/// The text of an open file of /proc or /sys, read anew each time.
pub(super) struct Text {
    path: PathBuf,
    file: File,
    now: Vec<u8>,
    before: Vec<u8>,
}

/// Most files of /proc fit into it; longer ones make it grow.
const ROOM: usize = 4096;

impl Text {
    /// None when there is no such file.
    pub fn open(tree: &Tree, path: &str) -> Result<Option<Self>, Unreadable> {
        let path = tree.path(path);
        match File::open(&path) {
            Ok(file) => Ok(Some(Self {
                path,
                file,
                now: Vec::new(),
                before: Vec::new(),
            })),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("opening {}: {error}", path.display())),
        }
    }

    /// Reads it; none when it says the same as before.
    pub fn read(&mut self) -> Result<Option<&str>, Unreadable> {
        std::mem::swap(&mut self.now, &mut self.before);
        if let Err(error) = self.fill() {
            self.now.clear();
            return Err(self.trouble(&error));
        }
        if self.now == self.before && !self.now.is_empty() {
            return Ok(None);
        }
        let text = std::str::from_utf8(&self.now);
        text.map(Some).map_err(|error| self.trouble(&error))
    }

    /// Reads it, the same as before or not; none when it cannot be read.
    pub fn whole(&mut self) -> Option<&str> {
        self.fill().ok()?;
        std::str::from_utf8(&self.now).ok()
    }

    pub fn trouble(&self, what: &dyn std::fmt::Display) -> Unreadable {
        format!("reading {}: {what}", self.path.display())
    }

    fn fill(&mut self) -> io::Result<()> {
        let mut length = 0;
        loop {
            if self.now.len() < length + ROOM {
                self.now.resize(2 * (length + ROOM), 0);
            }
            match self.file.read_at(&mut self.now[length..], length as u64) {
                Ok(0) => break,
                Ok(more) => length += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(error) => return Err(error),
            }
        }
        self.now.truncate(length);
        Ok(())
    }
}

/// A file with one parser.
pub(super) struct Kept<P> {
    text: Text,
    parse: P,
}

impl<P: Fn(&str, &mut Rows) -> Result<(), Unreadable>> Kept<P> {
    pub fn open(tree: &Tree, path: &str, parse: P) -> Result<Option<Self>, Unreadable> {
        let text = Text::open(tree, path)?;
        Ok(text.map(|text| Self { text, parse }))
    }
}

impl<P: Fn(&str, &mut Rows) -> Result<(), Unreadable> + Send> Source for Kept<P> {
    fn read(&mut self, rows: &mut Rows) -> Result<Option<()>, Unreadable> {
        let Some(text) = self.text.read()? else {
            return Ok(None);
        };
        let parsed = (self.parse)(text, rows);
        parsed
            .map(Some)
            .map_err(|reason| self.text.trouble(&reason))
    }
}

/// cpu.stat of the process's control group and of those above it.
pub(super) fn cgroups(tree: &Tree) -> Vec<Result<Option<impl Source + use<>>, Unreadable>> {
    let text = |path| tree.text(path).unwrap_or_default();
    let place = Place::find(&text("proc/self/cgroup"), &text("proc/self/mountinfo"));
    let levels = place.iter().flat_map(Place::levels);
    levels
        .map(|(group, folder)| {
            let path = format!("{}/cpu.stat", folder.trim_start_matches('/'));
            Kept::open(tree, &path, move |text: &str, rows: &mut Rows| {
                cgroup::cpu_stat(&group, text, rows)
            })
        })
        .collect()
}
