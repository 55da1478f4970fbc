//! `iperf3`, client and server.

mod archive;
mod client;
mod credentials;
mod debug;
mod desk;
mod keep;
mod paper;
mod pid_file;
mod place;
mod server;
mod shown;
mod told;

use std::fs;
use std::io::Write;
use std::process::ExitCode;

use sys::signal;

use crate::dialect::iperf3::{Iperf3Request, Refusal, parse};

/// Descriptors beside those of streams.
const SPARE_DESCRIPTORS: u64 = 256;

/// Carries a command line out; the first word is the program's name.
pub fn iperf3(argv: &[String]) -> ExitCode {
    signal::ignore_broken_pipes();
    match parse(argv) {
        Ok(Iperf3Request::Client(ask)) => client::run(&ask, argv),
        Ok(Iperf3Request::Server(serve)) => server::run(&serve, argv),
        Err(Refusal::Answer(text)) => {
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(refusal) => {
            let _ = std::io::stderr().write_all(refusal.text().as_bytes());
            ExitCode::FAILURE
        }
    }
}

/// What `uname -a` says first: system, host, release, version, machine.
fn system_info() -> String {
    let kernel = |name: &str| {
        let text = fs::read_to_string(format!("/proc/sys/kernel/{name}")).unwrap_or_default();
        text.trim().to_owned()
    };
    let words = ["ostype", "hostname", "osrelease", "version"].map(kernel);
    format!("{} {}", words.join(" "), std::env::consts::ARCH)
}
