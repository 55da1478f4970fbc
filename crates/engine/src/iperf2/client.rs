//! iperf 2's client: connects its flows, starts them together, and tells of them until the server
//! has closed.

mod back;
mod close;
mod connect;
mod line;
mod order;
mod start;
mod worked;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use proto::iperf2::Mode;
use sys::signal::Signals;
use sys::{Epoll, Events, Readiness, Wake, clock};
use units::{BitRate, Nanos};

use self::back::Back;
use self::line::Line;
use super::event::{Event, Tell};
use super::roll::Roll;
use crate::squad::Squad;

pub use order::{Kind, Leg, Length, LoadOrder, Offer, Order, Source};

/// Why a client could not do its test.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// No connection.
    #[error("connect failed: {error}: {peer}; is a server running there (iperf -s)?")]
    Unreachable {
        /// Where to.
        peer: SocketAddr,
        /// What the system answered.
        error: io::Error,
    },
    /// A socket could not be made as asked.
    #[error("{doing}: {error}")]
    Socket {
        /// What was tried.
        doing: String,
        /// What the system answered.
        error: io::Error,
    },
    /// The server closed before the test began: it wants another key, or does not know the test.
    #[error("{peer} closed the connection before the test began; does it ask for another key?")]
    Dropped {
        /// The server.
        peer: SocketAddr,
    },
    /// The system gives no threads, descriptors or events.
    #[error("{doing}: {error}")]
    System {
        /// What was tried.
        doing: &'static str,
        /// What the system answered.
        error: io::Error,
    },
}

/// How a test went.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The user ended it.
    pub interrupted: bool,
    /// What went wrong with flows.
    pub failures: Vec<String>,
}

/// How long a reverse flow is waited for after its time.
const SLOP: Nanos = Nanos::from_secs(2);

const WORKERS: u64 = 0;
const SIGNAL: u64 = 1;
const BACK: u64 = 2;
const FIRST_LINE: u64 = 16;

/// Does what is ordered.
///
/// # Errors
/// When the test cannot begin. What befalls single flows later is in the outcome.
pub fn run(
    order: Order,
    signals: Option<&Signals>,
    tell: Tell<'_>,
) -> Result<Outcome, ClientError> {
    let system = |doing| move |error| ClientError::System { doing, error };
    let epoll = Epoll::new().map_err(system("waiting for events"))?;
    let workers = Arc::new(Wake::new().map_err(system("waiting for events"))?);
    epoll
        .add(&*workers, WORKERS, Readiness::READ)
        .map_err(system("waiting for workers"))?;
    if let Some(signals) = signals {
        epoll
            .add(signals, SIGNAL, Readiness::READ)
            .map_err(system("waiting for signals"))?;
    }
    let mut client = Client {
        roll: Roll::new(order.interval, order.omit),
        squad: Squad::that_stays(workers.clone()),
        epoll,
        events: Events::with_capacity(64),
        workers,
        order: Arc::new(order),
        lines: Vec::new(),
        back: None,
        began: Nanos::ZERO,
        next_pace: None,
        interrupted: false,
        failures: Vec::new(),
    };
    client.lead(tell)?;
    Ok(Outcome {
        interrupted: client.interrupted,
        failures: client.failures,
    })
}

/// Everything that a client's thread has in hand.
struct Client {
    order: Arc<Order>,
    epoll: Epoll,
    events: Events,
    workers: Arc<Wake>,
    lines: Vec<Line>,
    squad: Squad,
    roll: Roll,
    /// The listener for connections back.
    back: Option<Back>,
    began: Nanos,
    /// When the kernel's pacing is raised next, and to what.
    next_pace: Option<(Nanos, BitRate)>,
    interrupted: bool,
    failures: Vec<String>,
}

impl Client {
    fn lead(&mut self, tell: Tell<'_>) -> Result<(), ClientError> {
        if let Kind::ConnectOnly { count, spacing } = self.order.kind {
            return self.only_connect(count, spacing, tell);
        }
        self.listen(tell)?;
        self.connect(tell)?;
        if self.interrupted || !self.wait_for_start()? {
            return Ok(());
        }
        self.send_headers(tell)?;
        self.start(tell)?;
        self.last(tell)?;
        tell(Event::Through);
        self.close(tell)?;
        self.wait_for_back(tell)?;
        tell(Event::Idle);
        Ok(())
    }

    /// Waits until something happens or until `until`; gives the keys of sockets.
    fn turn(&mut self, until: Option<Nanos>) -> Result<Vec<u64>, ClientError> {
        let wait = until.map(|at| at - clock::now());
        self.epoll
            .wait(&mut self.events, wait)
            .map_err(|error| ClientError::System {
                doing: "waiting for events",
                error,
            })?;
        let mut keys = Vec::new();
        for (key, _) in self.events.iter() {
            match key {
                WORKERS => self.workers.clear(),
                SIGNAL => self.interrupted = true,
                BACK => {
                    if let Some(back) = &self.back {
                        back.wake.clear();
                    }
                }
                key => keys.push(key),
            }
        }
        Ok(keys)
    }

    /// The traffic's time.
    fn last(&mut self, tell: Tell<'_>) -> Result<(), ClientError> {
        let receives = matches!(self.order.mode, Mode::Reverse | Mode::FullDuplex);
        let end = match self.order.length {
            Length::Time(time) => Some(self.began + time),
            Length::Bytes(_) | Length::ForEver => None,
        };
        // A reverse flow that is not ended by the server is ended here.
        let give_up = end.filter(|_| receives).map(|end| end + SLOP);
        let silent = (receives && end.is_none()).then(|| self.began + SLOP + SLOP);
        let mut stopped = false;
        loop {
            let now = clock::now();
            self.roll.turn(now, tell);
            self.raise_pace(now);
            self.hear_back(tell);
            if self.squad.left() == 0 {
                return Ok(());
            }
            if !stopped && (self.interrupted || end.is_some_and(|end| end <= now)) {
                stopped = true;
                self.squad.stop();
                if self.interrupted && receives {
                    self.squad.settle();
                    return Ok(());
                }
                continue;
            }
            let is_mute = silent.is_some_and(|silent| silent <= now) && !self.has_received();
            if is_mute || give_up.is_some_and(|give_up| give_up <= now) {
                self.squad.settle();
                return Ok(());
            }
            let end = end.filter(|_| !stopped);
            let silent = silent.filter(|silent| *silent > now);
            let pace = self.next_pace.map(|(at, _)| at);
            let next = [end, give_up, silent, pace, self.roll.next()];
            self.turn(next.into_iter().flatten().min())?;
        }
    }

    /// `--fq-rate-step`: the kernel may send faster from now on.
    fn raise_pace(&mut self, now: Nanos) {
        let Some((step, every)) = self.order.pace_step else {
            return;
        };
        while let Some((_, rate)) = self.next_pace.filter(|(at, _)| *at <= now) {
            for line in self.lines.iter().filter(|line| !line.is_load) {
                // It was taken at the start, so it is taken now.
                let _ = sys::Options::of(&*line.socket).set_pacing(rate);
            }
            self.next_pace = Some((
                now + every,
                BitRate::new(rate.get().saturating_add(step.get())),
            ));
        }
    }

    fn has_received(&self) -> bool {
        let received =
            |entry: &super::roll::Entry| entry.meter.tally.counters(false).received_bytes > 0;
        self.roll.entries().iter().any(received)
    }
}
