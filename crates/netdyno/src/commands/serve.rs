//! `netdyno serve`.

use std::io::Write;
use std::process::ExitCode;

use engine::server::{Config, Server};
use sys::signal::{self, Signals};

use crate::cli::{Log, ServeRequest};
use crate::exit::Exit;
use crate::say;

/// Descriptors of a server with many small tests; a test with more flows raises it again.
const DESCRIPTORS: u64 = 16_384;

/// Serves until a signal comes.
pub fn serve(request: &ServeRequest) -> ExitCode {
    signal::ignore_broken_pipes();
    log_to_standard_error(request);
    let signals = match Signals::take() {
        Ok(signals) => signals,
        Err(error) => {
            say!("taking signals: {error}");
            return Exit::Missing.into();
        }
    };
    sys::limits::descriptors(DESCRIPTORS);
    let config = Config {
        bind: request.bind,
        port: request.port,
        max_tests: request.max_tests,
        allow: request.allow.clone(),
        max_duration: request.max_duration,
        max_rate: request.max_rate,
        one_off: request.one_off,
    };
    let server = match Server::bind(config) {
        Ok(server) => server,
        Err(error) => {
            say!("{error}");
            return Exit::Missing.into();
        }
    };
    // Whoever started us reads here that connections are taken from now on.
    let mut output = std::io::stdout();
    let _ = writeln!(output, "netdyno serves on port {}", server.port());
    let _ = output.flush();
    match server.run(&signals) {
        Ok(()) => Exit::Done.into(),
        Err(error) => {
            say!("serving: {error}");
            Exit::Missing.into()
        }
    }
}

fn log_to_standard_error(request: &ServeRequest) {
    let level = if request.quiet {
        tracing::Level::WARN
    } else {
        tracing::Level::INFO
    };
    let log = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_target(false)
        .with_max_level(level);
    match request.log {
        Log::Text => log.with_ansi(false).init(),
        Log::Json => log.json().flatten_event(true).init(),
    }
}
