//! The listener of a client whose server connects back.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread::JoinHandle;

use proto::iperf2::Mode;
use sys::{Readiness, Wake, clock};
use units::Nanos;

use super::order::Length;
use super::{BACK, Client, ClientError};
use crate::iperf2::event::{Event, Tell};
use crate::iperf2::server::{Config, Server, Stopper};

/// How long a connection back may come later than the test's end: at once, and afterwards.
const DUAL: Nanos = Nanos::from_secs(2);
const TRADEOFF: Nanos = Nanos::from_secs(3);

/// A small server for connections back.
pub(super) struct Back {
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
    events: Receiver<Event>,
    /// Told of each event.
    pub wake: Arc<Wake>,
    /// Flows that came, and that ended.
    came: u32,
    ended: u32,
}

impl Client {
    /// Listens before anything is connected, if the server is to connect back.
    pub(super) fn listen(&mut self, tell: Tell<'_>) -> Result<(), ClientError> {
        let order = &self.order;
        if !matches!(order.mode, Mode::Dual | Mode::Tradeoff) {
            return Ok(());
        }
        let system = |error| ClientError::System {
            doing: "listening for the connection back",
            error,
        };
        let family = match order.legs.first() {
            Some(leg) if leg.peer.is_ipv6() => plan::Family::V6,
            _ => plan::Family::V4,
        };
        let config = Config {
            tcp: order.is_tcp,
            udp: !order.is_tcp,
            bind: order
                .legs
                .first()
                .and_then(|leg| leg.local)
                .map(|local| local.ip())
                .filter(|ip| !ip.is_unspecified()),
            family,
            ports: (order.listen_port, order.listen_port),
            size: order.size,
            flows: Some(order.legs.len() as u32),
            interval: order.interval,
            bins: order.bins,
            ..Config::default()
        };
        // As with iperf: its own half of the test is done without.
        let server = match Server::bind(config) {
            Ok(server) => server,
            Err(error) => {
                tell(Event::Note(format!(
                    "listener bind failed: port {} for the connection back: {}; the test goes on \
                     one way (another port: -L)",
                    order.listen_port, error.error
                )));
                return Ok(());
            }
        };
        tell(Event::Listens {
            port: server.port(),
            window: server.window(),
        });
        let stopper = server.stopper();
        let wake = Arc::new(Wake::new().map_err(system)?);
        self.epoll
            .add(&*wake, BACK, Readiness::READ)
            .map_err(system)?;
        let (sender, events) = mpsc::channel();
        let told = wake.clone();
        let thread = std::thread::Builder::new()
            .name("iperf-back".to_owned())
            .spawn(move || {
                let mut tell = |event| {
                    let _ = sender.send(event);
                    told.wake();
                };
                if let Err(error) = server.run(None, &mut tell) {
                    tell(Event::Note(format!("listening: {error}")));
                }
            })
            .map_err(system)?;
        self.back = Some(Back {
            stopper,
            thread: Some(thread),
            events,
            wake,
            came: 0,
            ended: 0,
        });
        Ok(())
    }

    /// Passes on what the listener tells; its flows are numbered behind ours.
    pub(super) fn hear_back(&mut self, tell: Tell<'_>) {
        let first = self.order.legs.len() as u32;
        let Some(back) = &mut self.back else {
            return;
        };
        while let Ok(mut event) = back.events.try_recv() {
            match &mut event {
                Event::Flow(facts) => {
                    facts.flow += first;
                    back.came += 1;
                }
                Event::Reading(reading) => reading.flow += first,
                Event::ReportUnheard { flow } | Event::Burst { flow, .. } => *flow += first,
                Event::Ended { flow, .. } => {
                    *flow += first;
                    back.ended += 1;
                }
                Event::Idle => continue,
                Event::ServerReport { .. }
                | Event::Listens { .. }
                | Event::Acked { .. }
                | Event::Refused { .. }
                | Event::Through
                | Event::Note(_) => (),
            }
            tell(event);
        }
    }

    /// Waits for the flows of connections back.
    pub(super) fn wait_for_back(&mut self, tell: Tell<'_>) -> Result<(), ClientError> {
        if self.back.is_none() {
            return Ok(());
        }
        let wanted = self.order.legs.len() as u32;
        let length = match self.order.length {
            Length::Time(time) => Some(time),
            Length::Bytes(_) | Length::ForEver => None,
        };
        let now = clock::now();
        let (late, over) = match (self.order.mode, length) {
            (Mode::Dual, Some(time)) => (self.began + time + DUAL, self.began + time + DUAL),
            (_, Some(time)) => (now + TRADEOFF, now + time + TRADEOFF),
            // The server may take long for its bytes, but not to begin.
            (_, None) => (now + TRADEOFF, Nanos::new(u64::MAX)),
        };
        loop {
            self.hear_back(tell);
            let Some(back) = &self.back else {
                break;
            };
            let now = clock::now();
            if back.ended >= wanted || self.interrupted || now >= over {
                break;
            }
            if back.came < wanted && now >= late {
                self.failures.push(
                    "the server did not connect back: is there a firewall, or is it too old?"
                        .to_owned(),
                );
                break;
            }
            let until = if back.came < wanted { late } else { over };
            self.turn(Some(until))?;
        }
        if let Some(back) = &mut self.back {
            back.stopper.stop();
            if let Some(thread) = back.thread.take() {
                // If it panicked it has said so on standard error.
                let _ = thread.join();
            }
        }
        self.hear_back(tell);
        Ok(())
    }
}

impl Drop for Back {
    fn drop(&mut self) {
        self.stopper.stop();
    }
}
