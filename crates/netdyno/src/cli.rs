//! The command line in two steps: what was typed (`…Args`), then what it means (`…Request`).
//! Nothing here touches the system; the run file's text comes from the caller.

mod asked;
mod compare;
mod diff;
mod explain;
mod habit;
mod history;
pub mod lab;
mod observe;
mod output;
mod run;
mod sentence;
mod series;
mod serve;
mod show;
mod target;
mod watching;

#[cfg(test)]
mod slips;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::io;
use std::path::Path;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};

pub use self::observe::{ObserveArgs, ObserveRequest};
pub use compare::{
    CompareArgs, CompareRequest, Comparing, External, Pick, SideRequest, Sysctl, Work,
};
pub use diff::{DiffArgs, DiffRequest};
pub use explain::{ExplainArgs, ExplainRequest, Explained};
pub use history::{
    ExportArgs, ExportFormat, ExportRequest, Filter, HistoryArgs, HistoryRequest, MergeArgs,
    MergeRequest, Times,
};
pub use lab::{LabArgs, LabRequest};
pub use output::Output;
pub use run::{RunArgs, RunRequest};
pub use series::{CellRequest, SeriesRequest};
pub use serve::{Dialect, Log, ServeArgs, ServeRequest};
pub use show::{ShowArgs, ShowRequest};
pub use target::Target;

/// Load a network path, watch both ends, report what the receiver got and what it cost.
#[derive(Debug, Parser)]
#[command(
    name = "netdyno",
    version,
    arg_required_else_help = false,
    after_help = EXAMPLES,
    after_long_help = format!("{EXAMPLES}\n\n{CODES}")
)]
struct Cli {
    #[command(subcommand)]
    command: Typed,
}

#[derive(Debug, Subcommand)]
enum Typed {
    Run(Box<RunArgs>),
    Compare(Box<CompareArgs>),
    Serve(ServeArgs),
    Show(ShowArgs),
    History(HistoryArgs),
    Export(ExportArgs),
    Merge(MergeArgs),
    Explain(ExplainArgs),
    Lab(LabArgs),
    Diff(DiffArgs),
    Observe(ObserveArgs),
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Put load on a path.
    Run(Box<RunRequest>),
    /// Compare two sides.
    Compare(Box<CompareRequest>),
    /// Be the other end.
    Serve(ServeRequest),
    /// Show a stored run.
    Show(ShowRequest),
    /// List stored runs, or a metric over time.
    History(HistoryRequest),
    /// Write stored runs for other programs.
    Export(ExportRequest),
    /// Pool latency.
    Merge(MergeRequest),
    /// Say what limited a stored run.
    Explain(ExplainRequest),
    /// Simulate, or calibrate the simulation.
    Lab(Box<LabRequest>),
    /// Show what differs between two of them.
    Diff(DiffRequest),
    /// Watch a host without load.
    Observe(ObserveRequest),
}

/// Why there is nothing to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Help or version, as asked: for standard output, exit code 0.
    Help(String),
    /// A slip, in one sentence: for standard error, exit code 2.
    Usage(String),
}

/// The definitions, for man pages and completions.
pub fn command() -> clap::Command {
    Cli::command()
}

/// What `argv` (program name first) means. `read` gives the text of a run file.
pub fn parse(
    argv: impl IntoIterator<Item = OsString>,
    read: impl Fn(&Path) -> io::Result<String>,
) -> Result<Request, Refusal> {
    let argv: Vec<_> = argv.into_iter().collect();
    let usage = |sentence| Refusal::Usage(format!("{sentence} (see '{}')", help_for(&argv)));
    let cli = Cli::try_parse_from(&argv).map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            Refusal::Help(error.render().to_string())
        }
        _ => usage(sentence::of(&error, &typed(&argv).1)),
    })?;
    match cli.command {
        Typed::Run(args) => args.request(read).map(|run| Request::Run(Box::new(run))),
        Typed::Compare(args) => args
            .request(read)
            .map(|compare| Request::Compare(Box::new(compare))),
        Typed::Serve(args) => args.request().map(Request::Serve),
        Typed::Show(args) => args.request().map(Request::Show),
        Typed::History(args) => args.request().map(Request::History),
        Typed::Export(args) => args.request().map(Request::Export),
        Typed::Merge(args) => args.request().map(Request::Merge),
        Typed::Explain(args) => args.request().map(Request::Explain),
        Typed::Lab(args) => args.request(read).map(|lab| Request::Lab(Box::new(lab))),
        Typed::Diff(args) => args.request().map(Request::Diff),
        Typed::Observe(args) => args.request().map(Request::Observe),
    }
    .map_err(usage)
}

/// Where to read on: the help of the command that was typed, if one was.
fn help_for(argv: &[OsString]) -> String {
    format!("{} --help", typed(argv).0)
}

/// The command that was typed, as words and as a definition: as far as it is known.
fn typed(argv: &[OsString]) -> (String, clap::Command) {
    let mut words = "netdyno".to_owned();
    let mut known = command();
    for word in argv.iter().skip(1) {
        let Some(next) = known.find_subcommand(word) else {
            break;
        };
        words = format!("{words} {}", next.get_name());
        known = next.clone();
    }
    (words, known)
}

const EXAMPLES: &str = "\
Examples:
  netdyno run                      a private testbed on this machine, 10 s of one TCP stream
  netdyno serve                    the other end
  netdyno run 10.0.0.2             to that server
  netdyno run 10.0.0.2 -P 4 -R     four streams from it
  netdyno show                     the latest run again
  netdyno compare --a-load cc=cubic --b-load cc=reno
                                   does it make a difference?
  netdyno history                  what was run
  netdyno explain                  what limited it
  netdyno lab reproduce            published lock contention, simulated
  netdyno diff RUN                 what differs between that run and the latest
  netdyno observe                  this host without load, a line a second

Other tools' command lines, also by links of their names:
  'netdyno netperf ...', 'netdyno super_netperf ...', 'netdyno netserver ...',
  'netdyno iperf ...', 'netdyno iperf3 ...'";

const CODES: &str = "\
Exit codes:
    0  done
    1  a bug in netdyno
    2  usage: the command line or a file is wrong
    3  the peer cannot be reached
    4  the peer refused, or broke the protocol
    5  a right or a kernel feature is missing
    6  the run is invalid; the document says why
    7  compare: worse, or a gate broken
    8  compare: cannot tell
  130  interrupted";
