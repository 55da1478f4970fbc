//! A test that cannot run on this machine says so, with the reason, and is counted as not run.
//!
//! The test harness knows only passed and failed, and a runner hides what a passing test prints.
//! So a note is also appended to the file that the environment variable `NETDYNO_NOT_RUN_FILE`
//! names, one line each: `test` or `cell`, a tab, what, a tab, the reason. `cargo xtask test` sets
//! the variable, lists the notes at its end, and takes whole tests off the number of passed ones.
//!
//! ```no_run
//! # fn main() {
//! // The whole test cannot run: the macro makes the note and returns.
//! not_run::needs_root!();
//! not_run::needs_program!("iperf3");
//! // One cell of a test that checks many.
//! not_run::cell("fq pacing", "the kernel has no fq qdisc");
//! # }
//! ```

mod machine;

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write;

pub use machine::{is_root, makes_namespaces, program};

/// The environment variable that names the file of notes.
pub const FILE: &str = "NETDYNO_NOT_RUN_FILE";

/// Notes that a whole test did not run. The caller returns right after it.
pub fn test(what: impl Display, reason: impl Display) {
    note("test", &what.to_string(), &reason.to_string());
}

/// Notes that a part of a test did not run, while the rest of it did.
pub fn cell(what: impl Display, reason: impl Display) {
    note("cell", &what.to_string(), &reason.to_string());
}

/// The path of the enclosing function: crate, modules, name.
#[macro_export]
macro_rules! here {
    () => {{
        fn here() {}
        let path = ::std::any::type_name_of_val(&here);
        path.strip_suffix("::here").unwrap_or(path)
    }};
}

/// Returns from the test, with a note, unless the condition holds.
#[macro_export]
macro_rules! unless {
    ($holds:expr, $reason:expr) => {
        if !$holds {
            $crate::test($crate::here!(), $reason);
            return;
        }
    };
}

/// Returns from the test, with a note, unless it runs as root.
#[macro_export]
macro_rules! needs_root {
    () => {
        $crate::unless!($crate::is_root(), "needs root")
    };
}

/// Returns from the test, with a note, where no network namespace can be made.
#[macro_export]
macro_rules! needs_namespaces {
    () => {
        $crate::unless!(
            $crate::makes_namespaces(),
            "needs the right to make network namespaces"
        )
    };
}

/// Returns from the test, with a note, where a program is not installed.
#[macro_export]
macro_rules! needs_program {
    ($name:expr) => {
        $crate::unless!(
            $crate::program($name).is_some(),
            ::std::format!("needs the program {}", $name)
        )
    };
}

fn note(kind: &str, what: &str, reason: &str) {
    let [what, reason] = [what, reason].map(|text| text.replace(['\t', '\n', '\r'], " "));
    eprintln!("not run: {what}: {reason}");
    let Some(path) = std::env::var_os(FILE) else {
        return;
    };
    // One write of one line to a file opened for appending: tests of many processes may share it.
    let written = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .and_then(|mut file| file.write_all(format!("{kind}\t{what}\t{reason}\n").as_bytes()));
    if let Err(error) = written {
        panic!(
            "cannot note that {what} did not run in {}: {error}",
            path.display()
        );
    }
}

#[cfg(test)]
mod tests;
