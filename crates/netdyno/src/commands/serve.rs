//! `netdyno serve`.

mod iperf2;
mod iperf3;
mod sysctls;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::JoinHandle;

use engine::netperf::{self, server::Stopper};
use engine::server::{Config, Server, Setter};
use sys::signal::{self, Signals};
use tracing::{info, warn};

use crate::cli::{Dialect, Log, ServeRequest};
use crate::commands::compare::act_on_notes;
use crate::exit::Exit;
use crate::say;
use crate::store::Store;
use sysctls::Sysctls;

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
    let store = Store::of_environment();
    // A server that was killed may have left this host as a client needed it.
    store.iter().for_each(act_on_notes);
    let sysctls = match (request.sysctls, store) {
        (false, _) => None,
        (true, Some(store)) => Some(Arc::new(Sysctls::new(store)) as Arc<dyn Setter>),
        (true, None) => {
            say!(
                "--allow-sysctl: neither XDG_STATE_HOME nor HOME says where to note what has to be put \
                 back"
            );
            return Exit::Missing.into();
        }
    };
    let config = Config {
        bind: request.bind,
        port: request.port,
        max_tests: request.max_tests,
        allow: request.allow.clone(),
        max_duration: request.max_duration,
        max_rate: request.max_rate,
        tracing: request.tracing,
        sysctls,
        one_off: request.one_off,
    };
    let server = match Server::bind(config) {
        Ok(server) => server,
        Err(error) => {
            say!("{error}");
            return match error.error.kind() {
                ErrorKind::AddrInUse | ErrorKind::AddrNotAvailable => Exit::Usage.into(),
                _ => Exit::Missing.into(),
            };
        }
    };
    let netperf = match request
        .netperf
        .map(|dialect| Netperf::start(request, dialect))
    {
        Some(Err(sentence)) => {
            say!("{sentence}");
            return Exit::Missing.into();
        }
        Some(Ok(netperf)) => netperf,
        None => None,
    };
    let iperf2 = match request
        .iperf2
        .map(|dialect| iperf2::Part::start(request, dialect))
    {
        Some(Err(sentence)) => {
            say!("{sentence}");
            return Exit::Missing.into();
        }
        Some(Ok(iperf2)) => iperf2,
        None => None,
    };
    let iperf3 = match request
        .iperf3
        .map(|dialect| iperf3::Part::start(request, dialect))
    {
        Some(Err(sentence)) => {
            say!("{sentence}");
            return Exit::Missing.into();
        }
        Some(Ok(iperf3)) => iperf3,
        None => None,
    };
    // Whoever started us reads here that connections are taken from now on.
    let mut output = std::io::stdout();
    let _ = writeln!(output, "netdyno serves on port {}", server.port());
    let _ = output.flush();
    let end = server.run(&signals);
    if let Some(netperf) = netperf {
        netperf.end();
    }
    if let Some(iperf2) = iperf2 {
        iperf2.end();
    }
    if let Some(iperf3) = iperf3 {
        iperf3.end();
    }
    match end {
        Ok(()) => Exit::Done.into(),
        Err(error) => {
            say!("serving: {error}");
            Exit::Missing.into()
        }
    }
}

/// The part that serves clients of netperf.
struct Netperf {
    stopper: Stopper,
    thread: JoinHandle<()>,
}

impl Netperf {
    /// None where the usual port is not to be had: netserver may run here, and does the same.
    fn start(request: &ServeRequest, dialect: Dialect) -> Result<Option<Self>, String> {
        let config = netperf::server::Config {
            bind: request.bind,
            port: dialect.port,
            allow: request.allow.clone(),
            max_duration: request.max_duration,
            max_rate: request.max_rate,
            most_sessions: request.max_tests.get() as usize,
            ..netperf::server::Config::default()
        };
        let server = match netperf::server::Server::bind(config) {
            Ok(server) => server,
            Err(error) if dialect.must => return Err(error.to_string()),
            Err(error) => {
                warn!(%error, "clients of netperf are not served");
                return Ok(None);
            }
        };
        info!(port = server.port(), "clients of netperf are served too");
        let stopper = server.stopper();
        let thread = std::thread::Builder::new()
            .name("netperf".to_owned())
            .spawn(move || {
                if let Err(error) = server.run(None) {
                    warn!(%error, "serving clients of netperf");
                }
            });
        let thread = thread.map_err(|error| format!("starting a thread: {error}"))?;
        Ok(Some(Self { stopper, thread }))
    }

    fn end(self) {
        self.stopper.stop();
        // If it panicked it has said so on standard error.
        let _ = self.thread.join();
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
