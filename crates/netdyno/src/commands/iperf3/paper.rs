//! Where output goes: standard output, or a file that it is appended to.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::ZonedDateTime;

use crate::dialect::iperf3::{Common, stamp};

/// The output of a program, on whatever threads its tests are.
pub(super) struct Paper {
    file: Mutex<Option<File>>,
    timestamps: Option<String>,
}

impl Paper {
    /// As the options want it.
    ///
    /// # Errors
    /// The sentence, when the log file cannot be opened.
    pub fn of(common: &Common) -> Result<Self, String> {
        let file = common.log_file.as_ref().map(|path| {
            let file = OpenOptions::new().create(true).append(true).open(path);
            file.map_err(|error| format!("opening the log file '{}': {error}", path.display()))
        });
        Ok(Self {
            file: Mutex::new(file.transpose()?),
            timestamps: common.timestamps.clone(),
        })
    }

    /// An error where there is no paper.
    pub fn refuse(sentence: &str) {
        let _ = writeln!(io::stderr(), "iperf3: error - {sentence}");
    }

    /// What lines begin with now.
    pub fn stamp(&self) -> String {
        let format = self.timestamps.as_deref();
        format.map_or_else(String::new, |format| stamp(format, &ZonedDateTime::now()))
    }

    /// Output. A reader that went away is no reason to stop.
    pub fn write(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        let _ = match &mut *self.lock() {
            Some(file) => file.write_all(text.as_bytes()),
            None => {
                let mut output = io::stdout().lock();
                output
                    .write_all(text.as_bytes())
                    .and_then(|()| output.flush())
            }
        };
    }

    /// An error or a note: `iperf3: …`.
    pub fn complain(&self, text: &str) {
        let line = format!("{}iperf3: {text}\n", self.stamp());
        let _ = match &mut *self.lock() {
            Some(file) => file.write_all(line.as_bytes()),
            None => io::stderr().write_all(line.as_bytes()),
        };
    }

    fn lock(&self) -> MutexGuard<'_, Option<File>> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
