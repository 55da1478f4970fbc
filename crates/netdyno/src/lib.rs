//! The program: command lines in, output and exit codes out.

pub mod cli;

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;

use cli::{Refusal, Request};

/// Runs the command line; the first argument is the program's own name.
pub fn main_with(argv: impl IntoIterator<Item = OsString>) -> ExitCode {
    match cli::parse(argv, |path| fs::read_to_string(path)) {
        Ok(request) => perform(&request),
        // A reader that went away wants no help and no error about it.
        Err(Refusal::Help(text)) => {
            let _ = io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(Refusal::Usage(sentence)) => {
            let _ = writeln!(io::stderr(), "netdyno: {sentence}");
            ExitCode::from(2)
        }
    }
}

fn perform(request: &Request) -> ExitCode {
    match request {
        Request::Run(run) if run.dry_run => {
            let text = plan::runfile::print(&run.plan);
            let _ = io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Request::Run(_) | Request::Serve(_) | Request::Show(_) => {
            let _ = writeln!(io::stderr(), "netdyno: this build only takes --dry-run");
            ExitCode::from(5)
        }
    }
}
