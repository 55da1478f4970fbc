//! The program `tc`, which knows the words of every qdisc; netdyno does not repeat them.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::TestbedError;

/// The program, found.
#[derive(Debug)]
pub(crate) struct Tc(PathBuf);

impl Tc {
    /// By `PATH` and the folders of administration that an ordinary user's `PATH` leaves out.
    pub(crate) fn find() -> Result<Self, TestbedError> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path)
            .chain(["/usr/sbin", "/sbin"].map(PathBuf::from))
            .map(|folder| folder.join("tc"))
            .find(|file| file.is_file())
            .map(Self)
            .ok_or(TestbedError::NoTc)
    }

    /// Runs one command in the calling thread's network namespace. `asked` are the user's words
    /// in it, to be blamed where tc does not understand.
    pub(crate) fn run(&self, words: &[String], asked: Option<&str>) -> Result<(), TestbedError> {
        let output = Command::new(&self.0)
            .args(words)
            .stdin(Stdio::null())
            .output()
            .map_err(TestbedError::system(
                format!("run {}", self.0.display()),
                "see whether the program can be started by hand",
            ))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let answer = sentence(&said);
        // tc ends with 1 when it does not understand its words, with 2 when the kernel refuses.
        match (output.status.code(), asked) {
            (Some(1), Some(asked)) => Err(TestbedError::Words {
                words: asked.to_owned(),
                answer,
            }),
            _ => Err(TestbedError::Qdisc {
                command: format!("tc {}", words.join(" ")),
                answer,
            }),
        }
    }
}

/// What tc said, without the usage text that it adds and on one line.
fn sentence(said: &str) -> String {
    let lines: Vec<_> = said
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:"))
        .filter(|line| !line.is_empty())
        .collect();
    match lines.as_slice() {
        [] => "no reason given".to_owned(),
        lines => lines.join(" ").trim_end_matches('.').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usage_text_is_left_out() {
        let said = "What is \"speed\"?\nUsage: ... tbf limit BYTES burst BYTES\n  more\n";
        assert_eq!(sentence(said), "What is \"speed\"?");
        assert_eq!(
            sentence("Error: Specified qdisc kind is unknown.\n"),
            "Error: Specified qdisc kind is unknown"
        );
        assert_eq!(sentence(""), "no reason given");
    }
}
