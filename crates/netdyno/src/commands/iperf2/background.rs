//! `-D`: a server that leaves its terminal.

use std::process::{Command, ExitCode, Stdio};

use super::print;
use crate::dialect::iperf2::Common;
use crate::say;

/// Tells the started program that it is in the background.
const MARK: &str = "NETDYNO_IPERF_IN_BACKGROUND";

/// Whether this program was started by [`leave`].
pub(super) fn is_there() -> bool {
    std::env::var_os(MARK).is_some()
}

/// Starts this program again, in a session of its own. What it prints is lost without `-o`.
pub(super) fn leave(argv: &[String], common: &Common) -> ExitCode {
    match start(argv) {
        Ok(id) => {
            print(&format!(
                "Running Iperf Server as a daemon\nThe Iperf daemon process ID : {id}\n"
            ));
            if common.output.is_none() {
                say!("what the server prints is lost; -o FILE keeps it");
            }
            ExitCode::SUCCESS
        }
        Err(reason) => {
            say!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn start(argv: &[String]) -> Result<u32, String> {
    let program =
        std::env::current_exe().map_err(|error| format!("finding this program: {error}"))?;
    let mut command = Command::new(program);
    command
        .arg("iperf")
        .args(argv.iter().skip(1))
        .env(MARK, "1");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    sys::child::in_new_session(&mut command);
    let child = command.spawn();
    let child = child.map_err(|error| format!("starting it in the background: {error}"))?;
    Ok(child.id())
}
