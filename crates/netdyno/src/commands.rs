//! What the commands do.

mod child;
mod compare;
mod diff;
mod explain;
mod history;
mod iperf2;
mod iperf3;
mod keep;
mod lab;
mod merge;
mod netperf;
mod netserver;
mod observe;
mod place;
mod run;
mod screen;
mod series;
mod serve;
mod show;
mod sink;

pub use self::observe::observe;
pub use compare::compare;
pub use diff::diff;
pub use explain::explain;
pub use history::{export, history};
pub use iperf2::iperf;
pub use iperf3::iperf3;
pub use lab::lab;
pub use merge::merge;
pub use netperf::{netperf, super_netperf};
pub use netserver::netserver;
pub use run::run;
pub use series::series;
pub use serve::serve;
pub use show::show;

use std::io::Write;
use std::process::ExitCode;

use crate::dialect::netperf::Refusal;
use crate::exit::Exit;

/// Prints a result. A reader that went away is no failure.
fn print(text: &str) -> ExitCode {
    let mut output = std::io::stdout();
    let written = output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush());
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            crate::say!("writing the result to standard output: {error}");
            Exit::Missing.into()
        }
        _ => Exit::Done.into(),
    }
}

/// Says what another tool's command line is refused with.
fn refuse(refusal: &Refusal) -> ExitCode {
    let _ = std::io::stdout().write_all(refusal.output.as_bytes());
    if !refusal.sentence.is_empty() {
        crate::say!("{}", refusal.sentence);
    }
    refusal.code.into()
}
