//! The part of a server that serves clients of iperf 2.

use std::thread::JoinHandle;

use engine::iperf2::server::{Config, Server, Stopper};
use engine::iperf2::{Event, Refusal};
use tracing::{info, warn};

use crate::cli::{Dialect, ServeRequest};

/// A server of its own, on its own thread.
pub(super) struct Part {
    stopper: Stopper,
    thread: JoinHandle<()>,
}

impl Part {
    /// None where the usual port is not to be had: iperf may run here, and does the same.
    pub fn start(request: &ServeRequest, dialect: Dialect) -> Result<Option<Self>, String> {
        let config = Config {
            bind: request.bind,
            ports: (dialect.port, dialect.port),
            allow: request.allow.clone(),
            max_duration: request.max_duration,
            max_rate: request.max_rate,
            ..Config::default()
        };
        let server = match Server::bind(config) {
            Ok(server) => server,
            Err(error) if dialect.must => return Err(error.to_string()),
            Err(error) => {
                warn!(%error, "clients of iperf 2 are not served");
                return Ok(None);
            }
        };
        info!(port = server.port(), "clients of iperf 2 are served too");
        let stopper = server.stopper();
        let thread = std::thread::Builder::new()
            .name("iperf2".to_owned())
            .spawn(move || {
                if let Err(error) = server.run(None, &mut log) {
                    warn!(%error, "serving clients of iperf 2");
                }
            });
        let thread = thread.map_err(|error| format!("starting a thread: {error}"))?;
        Ok(Some(Self { stopper, thread }))
    }

    /// Ends it.
    pub fn end(self) {
        self.stopper.stop();
        // If it panicked it has said so on standard error.
        let _ = self.thread.join();
    }
}

/// Flows are worth a line when they begin and when they end.
fn log(event: Event) {
    match event {
        Event::Flow(facts) if facts.only_connects => {
            info!(flow = facts.flow, peer = %facts.peer, "iperf 2: connected and left");
        }
        Event::Flow(facts) => {
            let transport = if facts.is_tcp { "TCP" } else { "UDP" };
            info!(flow = facts.flow, peer = %facts.peer, transport, "iperf 2: flow");
        }
        Event::Reading(reading) if reading.is_final => {
            let (bytes, seconds) = (
                reading.counts.bytes,
                (reading.to - reading.from).as_secs_f64(),
            );
            info!(flow = reading.flow, way = ?reading.way, bytes, seconds, "iperf 2: counted");
        }
        Event::Ended {
            flow,
            reason: Some(reason),
        } => info!(flow, reason, "iperf 2: ended early"),
        Event::Refused { peer, why, .. } => {
            let reason = match why {
                Refusal::Key => "it shows no key, or the wrong one",
                Refusal::Address => "not on the --allow list",
                Refusal::TooMany => "too many flows",
                Refusal::Iperf3 => "it speaks iperf 3, which is served on another port",
                Refusal::Silent => "it did not say what it wants",
                Refusal::SmallBounce => "its bounceback messages are too small",
            };
            warn!(%peer, reason, "iperf 2: refused");
        }
        Event::Note(note) => warn!(note, "iperf 2"),
        Event::Listens { .. }
        | Event::Reading(_)
        | Event::Burst { .. }
        | Event::Ended { reason: None, .. }
        | Event::ServerReport { .. }
        | Event::ReportUnheard { .. }
        | Event::Acked { .. }
        | Event::Through
        | Event::Idle => (),
    }
}
