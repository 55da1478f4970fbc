//! The program: command lines in, output and exit codes out.

pub mod cli;
pub mod commands;
pub mod dialect;
pub mod exit;
pub mod store;

mod label;

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;

use cli::{Refusal, Request};
use exit::Exit;

/// Says a sentence on standard error. A reader that went away is no reason to stop.
#[macro_export]
macro_rules! say {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "{}: {}", $crate::program(), format_args!($($words)*));
    }};
}

/// Whose command line this is, where it is another tool's.
static PERSONALITY: OnceLock<&str> = OnceLock::new();

/// The name that sentences on standard error begin with: of the program whose part is played.
pub fn program() -> &'static str {
    PERSONALITY.get().copied().unwrap_or("netdyno")
}

/// Runs the command line; the first argument is the program's own name.
pub fn main_with(argv: impl IntoIterator<Item = OsString>) -> ExitCode {
    let argv: Vec<OsString> = argv.into_iter().collect();
    let words: Vec<String> = argv
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    if let Some(code) = personality(&words) {
        return code;
    }
    match cli::parse(argv, |path| fs::read_to_string(path)) {
        Ok(Request::Run(run)) if run.dry_run => {
            let text = plan::runfile::print(&run.plan);
            let _ = io::stdout().write_all(text.as_bytes());
            Exit::Done.into()
        }
        Ok(Request::Run(run)) if run.series.is_some() => commands::series(&run, words),
        Ok(Request::Run(run)) => commands::run(&run, words),
        Ok(Request::History(history)) => commands::history(&history),
        Ok(Request::Export(export)) => commands::export(&export),
        Ok(Request::Merge(merge)) => commands::merge(&merge),
        Ok(Request::Compare(compare)) => commands::compare(&compare, words),
        Ok(Request::Serve(serve)) => commands::serve(&serve),
        Ok(Request::Show(show)) => commands::show(&show),
        Ok(Request::Explain(explain)) => commands::explain(&explain),
        Ok(Request::Lab(lab)) => commands::lab(&lab),
        Ok(Request::Diff(diff)) => commands::diff(&diff),
        Ok(Request::Observe(observe)) => commands::observe(&observe),
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

/// Another tool's name, and what carries its command line out.
type Personality = (&'static str, fn(&[String]) -> ExitCode);

const PERSONALITIES: [Personality; 5] = [
    ("iperf3", commands::iperf3),
    ("netperf", commands::netperf),
    ("super_netperf", commands::super_netperf),
    ("netserver", commands::netserver),
    ("iperf", commands::iperf),
];

/// Another tool's command line: by the name of the link that was called, or as a first word.
fn personality(words: &[String]) -> Option<ExitCode> {
    let called = words.first().map(|word| Path::new(word.as_str()));
    let link = called
        .and_then(Path::file_name)
        .and_then(|name| name.to_str());
    let start = |name: &str, argv: &[String]| {
        let (name, command) = PERSONALITIES.iter().find(|(known, _)| *known == name)?;
        // There is one command line in a process.
        let _ = PERSONALITY.set(name);
        Some(command(argv))
    };
    link.and_then(|name| start(name, words)).or_else(|| {
        let name = words.get(1)?;
        start(name, &words[1..])
    })
}
