//! The file that holds the process id while the program runs (`-I`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process;

/// The file; it is removed with this value.
pub(super) struct PidFile(PathBuf);

impl PidFile {
    /// Writes it.
    ///
    /// # Errors
    /// The sentence, when a process that lives stands in it, or when it cannot be written.
    pub fn write(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let before = fs::read_to_string(path).unwrap_or_default();
        if let Ok(pid) = before.trim().parse::<u32>()
            && pid != process::id()
            && Path::new(&format!("/proc/{pid}")).exists()
        {
            return Err(format!(
                "the pid file '{shown}' names process {pid}, which runs"
            ));
        }
        fs::write(path, process::id().to_string())
            .map_err(|error| format!("writing the pid file '{shown}': {error}"))?;
        Ok(Self(path.to_owned()))
    }
}

impl Drop for PidFile {
    fn drop(&mut self) {
        // If somebody has removed it there is nothing to do.
        let _ = fs::remove_file(&self.0);
    }
}
