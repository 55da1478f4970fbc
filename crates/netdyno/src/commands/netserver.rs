//! `netserver`.

use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, ToSocketAddrs};
use std::process::{Command, ExitCode, Stdio};

use engine::netperf::server::{Config, Server};
use plan::Family;
use sys::signal::{self, Signals};

use crate::dialect::netperf::{NetserverRequest, parse_server};
use crate::say;

/// Descriptors of a server with very many tests.
const DESCRIPTORS: u64 = 65_536;

/// Serves clients of netperf; the first word is the program's name.
pub fn netserver(argv: &[String]) -> ExitCode {
    let request = match parse_server(argv) {
        Ok(request) => request,
        Err(refusal) => return super::refuse(&refusal),
    };
    for note in &request.notes {
        say!("{note}");
    }
    if request.foreground || request.one_at_a_time {
        serve(&request)
    } else {
        leave(argv, &request)
    }
}

/// Serves in the foreground.
fn serve(request: &NetserverRequest) -> ExitCode {
    signal::ignore_broken_pipes();
    let signals = match Signals::take() {
        Ok(signals) => signals,
        Err(error) => {
            say!("taking signals: {error}");
            return ExitCode::FAILURE;
        }
    };
    sys::limits::descriptors(DESCRIPTORS);
    let server = match bind(request) {
        Ok(server) => server,
        Err(reason) => {
            say!("{}: {reason}", request.failed());
            return ExitCode::FAILURE;
        }
    };
    let mut output = std::io::stdout();
    let _ = output.write_all(request.starting().as_bytes());
    let _ = output.flush();
    match server.run(Some(&signals)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say!("serving: {error}");
            ExitCode::FAILURE
        }
    }
}

fn bind(request: &NetserverRequest) -> Result<Server, String> {
    let config = Config {
        bind: request
            .host
            .as_deref()
            .map(|host| address(host, request.family))
            .transpose()?,
        family: request.family,
        port: request.port,
        passphrase: request.passphrase.clone(),
        one_at_a_time: request.one_at_a_time,
        ..Config::default()
    };
    Server::bind(config).map_err(|error| error.to_string())
}

fn address(host: &str, family: Family) -> Result<IpAddr, String> {
    let found = (host, 0).to_socket_addrs();
    let mut found = found.map_err(|error| format!("looking up '{host}': {error}"))?;
    found
        .find(|address| match family {
            Family::Any => true,
            Family::V4 => address.is_ipv4(),
            Family::V6 => address.is_ipv6(),
        })
        .map(|address| address.ip())
        .ok_or_else(|| format!("'{host}' has no address of this family"))
}

/// Starts a server in the background, and returns when it listens.
fn leave(argv: &[String], request: &NetserverRequest) -> ExitCode {
    let listens = start(argv);
    match listens {
        Ok(()) => {
            let _ = std::io::stdout().write_all(request.starting().as_bytes());
            ExitCode::SUCCESS
        }
        Err(reason) => {
            say!("{}: {reason}", request.failed());
            ExitCode::FAILURE
        }
    }
}

fn start(argv: &[String]) -> Result<(), String> {
    let program =
        std::env::current_exe().map_err(|error| format!("finding this program: {error}"))?;
    let mut command = Command::new(program);
    command.arg("netserver").args(argv.iter().skip(1)).arg("-D");
    command
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    sys::child::in_new_session(&mut command);
    let mut child = command
        .spawn()
        .map_err(|error| format!("starting it in the background: {error}"))?;
    let mut line = String::new();
    if let Some(output) = child.stdout.take() {
        let _ = BufReader::new(output).read_line(&mut line);
    }
    if line.is_empty() {
        let _ = child.wait();
        return Err("it ended at once; with -D it says why".to_owned());
    }
    Ok(())
}
