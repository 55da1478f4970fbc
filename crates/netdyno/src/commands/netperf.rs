//! `netperf` and `super_netperf`.

mod detail;
mod facts;
mod figures;
mod interim;
mod order;
mod several;
mod single;

use std::fs;
use std::io::Write;
use std::net::Ipv4Addr;
use std::process::ExitCode;

use engine::netperf::client::ClientError;
use proto::netperf::Transport;
use sys::signal::{self, Signals};

use crate::dialect::netperf::{NetperfRequest, parse, parse_several};
use crate::say;

/// Descriptors beside those of flows, and two of each flow.
const SPARE_DESCRIPTORS: u64 = 256;

/// One test; the first word is the program's name.
pub fn netperf(argv: &[String]) -> ExitCode {
    let request = match parse(argv, |path| fs::read_to_string(path)) {
        Ok(request) => request,
        Err(refusal) => return super::refuse(&refusal),
    };
    let Some(signals) = prepare(&request, 1) else {
        return ExitCode::FAILURE;
    };
    single::run(&request, argv, signals)
}

/// Many equal tests at once.
pub fn super_netperf(argv: &[String]) -> ExitCode {
    let request = match parse_several(argv, |path| fs::read_to_string(path)) {
        Ok(request) => request,
        Err(refusal) => return super::refuse(&refusal),
    };
    let Some(signals) = prepare(&request.each, request.count.get()) else {
        return ExitCode::FAILURE;
    };
    several::run(&request, argv, signals)
}

fn prepare(request: &NetperfRequest, flows: u32) -> Option<Signals> {
    signal::ignore_broken_pipes();
    if let Err(sentence) = carries(request) {
        say!("{sentence}");
        return None;
    }
    for note in &request.notes {
        say!("{note}");
    }
    if let Some(note) = congestion(request) {
        say!("{note}");
    }
    sys::limits::descriptors(2 * u64::from(flows) + SPARE_DESCRIPTORS);
    Signals::take()
        .map_err(|error| say!("taking signals: {error}"))
        .ok()
}

/// What to say of a congestion control that this kernel does not give to TCP.
fn congestion(request: &NetperfRequest) -> Option<String> {
    let name = request.data.socket.congestion.local.as_ref()?;
    let socket = sys::tcp_socket((Ipv4Addr::LOCALHOST, 0).into()).ok()?;
    let error = sys::Options::of(&socket)
        .set_congestion_control(name)
        .err()?;
    Some(format!(
        "-K: setting the congestion control '{name}': {error}; TCP keeps its usual one"
    ))
}

/// Whether this kernel, and netdyno, has sockets of the test's kind: SCTP is a module that few
/// have loaded.
fn carries(request: &NetperfRequest) -> Result<(), String> {
    let test = request.test.as_str();
    match request.data.transport {
        Transport::Tcp | Transport::Udp => Ok(()),
        Transport::Sctp => match sys::sctp_socket((Ipv4Addr::LOCALHOST, 0).into()) {
            Ok(_) => Ok(()),
            Err(error) => Err(format!(
                "{test}: this kernel has no SCTP ({error}); its module may help (modprobe sctp)"
            )),
        },
        Transport::SctpMany => Err(format!(
            "{test}: no sockets of many SCTP associations are opened here; super_netperf with \
             SCTP_STREAM or SCTP_RR has as many associations as it is told"
        )),
    }
}

/// Writes what scripts read. A reader that went away is no reason to stop.
fn print(text: &str) {
    let mut output = std::io::stdout().lock();
    let _ = output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush());
}

/// netperf's exit code for a test that did not come to its end.
fn code(error: &ClientError) -> u8 {
    match error {
        ClientError::Unreachable { .. } | ClientError::Refused { .. } => 255,
        ClientError::Session(_)
        | ClientError::Data { .. }
        | ClientError::Broken(_)
        | ClientError::Interrupted => 1,
    }
}
