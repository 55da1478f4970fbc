//! The program: command lines in, output and exit codes out.

pub mod cli;
pub mod commands;
pub mod exit;
pub mod store;

mod label;

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;

use cli::{Refusal, Request};
use exit::Exit;

/// Says a sentence on standard error. A reader that went away is no reason to stop.
#[macro_export]
macro_rules! say {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "netdyno: {}", format_args!($($words)*));
    }};
}

/// Runs the command line; the first argument is the program's own name.
pub fn main_with(argv: impl IntoIterator<Item = OsString>) -> ExitCode {
    let argv: Vec<OsString> = argv.into_iter().collect();
    let words = argv
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    match cli::parse(argv, |path| fs::read_to_string(path)) {
        Ok(Request::Run(run)) if run.dry_run => {
            let text = plan::runfile::print(&run.plan);
            let _ = io::stdout().write_all(text.as_bytes());
            Exit::Done.into()
        }
        Ok(Request::Run(run)) => commands::run(&run, words),
        Ok(Request::Serve(serve)) => commands::serve(&serve),
        Ok(Request::Show(show)) => commands::show(&show),
        // A reader that went away wants no help and no error about it.
        Err(Refusal::Help(text)) => {
            let _ = io::stdout().write_all(text.as_bytes());
            Exit::Done.into()
        }
        Err(Refusal::Usage(sentence)) => {
            say!("{sentence}");
            Exit::Usage.into()
        }
    }
}
