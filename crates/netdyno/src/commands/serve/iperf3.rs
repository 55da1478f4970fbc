//! The part of a server that serves clients of iperf3.

use std::sync::Arc;
use std::thread::JoinHandle;

use engine::iperf3::server::{Config, RateLimit, Scribe, Server, Stopper, TestError};
use engine::iperf3::{Event, Outcome};
use plan::Family;
use proto::iperf3::ServerOutput;
use tracing::{info, warn};
use units::Nanos;

use crate::cli::{Dialect, ServeRequest};

/// How long a receiver waits for data, as at iperf3.
const RECEIVE: Nanos = Nanos::from_secs(120);
/// What a limit of the rate is averaged over, as at iperf3.
const AVERAGE: Nanos = Nanos::from_secs(5);

/// Serves on a thread of its own.
pub(super) struct Part {
    stopper: Stopper,
    thread: JoinHandle<()>,
}

impl Part {
    /// None where the usual port is not to be had: iperf3 may run here, and does the same.
    ///
    /// # Errors
    /// The sentence, where a port that somebody asked for is not to be had.
    pub fn start(request: &ServeRequest, dialect: Dialect) -> Result<Option<Self>, String> {
        let config = Config {
            bind: request.bind,
            family: Family::Any,
            port: dialect.port,
            device: None,
            allow: request.allow.clone(),
            max_tests: request.max_tests.get(),
            one_off: false,
            idle_timeout: None,
            rate_limit: request.max_rate.map(|rate| RateLimit {
                rate,
                over: AVERAGE,
                holds: true,
            }),
            max_duration: request.max_duration,
            affinity: None,
            file: None,
            interval: None,
            receive_timeout: RECEIVE,
            send_timeout: None,
            keepalive: None,
            authorize: None,
            scribes: Arc::new(|number| Box::new(Log { number })),
        };
        let server = match Server::bind(config) {
            Ok(server) => server,
            Err(error) if dialect.must => return Err(error.to_string()),
            Err(error) => {
                warn!(%error, "clients of iperf3 are not served");
                return Ok(None);
            }
        };
        info!(port = server.port(), "clients of iperf3 are served too");
        let stopper = server.stopper();
        let thread = std::thread::Builder::new()
            .name("iperf3".to_owned())
            .spawn(move || {
                if let Err(error) = server.run(None) {
                    warn!(%error, "serving clients of iperf3");
                }
            });
        let thread = thread.map_err(|error| format!("starting a thread: {error}"))?;
        Ok(Some(Self { stopper, thread }))
    }

    /// Ends it, and its tests.
    pub fn end(self) {
        self.stopper.stop();
        // If it panicked it has said so on standard error.
        let _ = self.thread.join();
    }
}

/// Writes what a test came to into the log.
struct Log {
    number: u64,
}

impl Scribe for Log {
    fn tell(&mut self, event: Event<'_>) {
        match event {
            Event::Contact(contact) => {
                let parameters = &contact.parameters;
                info!(
                    client = self.number,
                    peer = %contact.peer,
                    protocol = %parameters.protocol,
                    direction = ?parameters.direction,
                    streams = parameters.parallel,
                    "iperf3: test"
                );
            }
            Event::Remark(remark) => info!(client = self.number, remark, "iperf3: not as asked"),
            Event::Connected(_) | Event::Started(_) | Event::Interval(_) => (),
        }
    }

    fn ended(&mut self, outcome: &Outcome) {
        let bytes = |sends| -> u64 {
            let streams = outcome.streams.iter();
            let streams = streams.filter(|stream| stream.sends == sends);
            streams.map(|stream| stream.result.bytes).sum()
        };
        info!(
            client = self.number,
            received = bytes(false),
            sent = bytes(true),
            seconds = outcome.window.as_secs_f64(),
            "iperf3: done"
        );
    }

    fn output(&mut self) -> Option<ServerOutput> {
        None
    }

    fn closed(&mut self, error: Option<&TestError>) {
        if let Some(error) = error {
            let reason = &error.sentence;
            info!(client = self.number, reason, "iperf3: ended early");
        }
    }
}
