//! A host without a run: what a server's host counts, as its client hears it, and as the server
//! tells it.

use std::net::SocketAddr;
use std::sync::Arc;

use observe::{Effort, Sampler};
use proto::native::{ClientAction, ClientSession};
use record::{End, Facts, Observation};
use sys::signal::Signals;
use sys::{Wake, clock};
use units::Nanos;

use crate::client::{GOODBYE, RunError, no_descriptor, reach};
use crate::control::Control;

/// What a watched server says.
#[derive(Debug)]
pub enum Heard {
    /// Whose host it is.
    Host(Box<Facts>),
    /// What it counted.
    Observed(Box<Observation>),
}

/// The shortest interval that a server grants.
pub const SHORTEST: Nanos = Nanos::from_millis(100);

/// Hears of a server's host every `interval`, for so long or until a signal comes.
///
/// # Errors
/// Why it ended before its time.
pub fn watch(
    peers: &[SocketAddr],
    interval: Nanos,
    time: Option<Nanos>,
    signals: &Signals,
    mut heard: impl FnMut(Heard),
) -> Result<(), RunError> {
    let (socket, _) = reach(peers, signals)?;
    let wake = Arc::new(Wake::new().map_err(no_descriptor)?);
    let mut control = Control::new(socket, wake, Some(signals)).map_err(no_descriptor)?;
    let mut session = ClientSession::new(clock::now(), env!("CARGO_PKG_VERSION"));
    let mut until = None;
    let mut end = || -> Result<(), RunError> {
        loop {
            let turned = control.turn(&mut session, until);
            turned.map_err(|error| RunError::System {
                doing: "waiting on the control connection".into(),
                error,
            })?;
            while let Some(action) = session.poll_action() {
                match action {
                    ClientAction::Peer(facts) => {
                        heard(Heard::Host(facts));
                        // It has its turn: the hello has just come.
                        let _ = session.observe(interval);
                        // The last observation is on its way then.
                        let grace = Nanos::new(interval.get() / 2);
                        until = time.map(|time| clock::now() + time + grace);
                    }
                    ClientAction::Observed(observation) => heard(Heard::Observed(observation)),
                    ClientAction::Failed(error) => return Err(error.into()),
                    _ => (),
                }
            }
            if signals.next().is_some() || until.is_some_and(|until| until <= clock::now()) {
                return Ok(());
            }
        }
    };
    let end = end();
    let _ = session.bye();
    control.close(&mut session, GOODBYE);
    end
}

/// The server's side: when it looks, and what it sees.
pub(crate) struct Watch {
    sampler: Sampler,
    interval: Nanos,
    began: Nanos,
    next: Nanos,
    until: Option<Nanos>,
}

impl Watch {
    /// From now on; for at most `longest`.
    pub fn new(interface: Option<&str>, interval: Nanos, longest: Option<Nanos>) -> Self {
        let began = clock::now();
        Self {
            sampler: Sampler::new(interface),
            interval: interval.max(SHORTEST),
            began,
            next: began,
            until: longest.map(|longest| began + longest),
        }
    }

    /// When the next look is due.
    pub const fn next(&self) -> Nanos {
        self.next
    }

    /// Whether it has gone on for as long as it may.
    pub fn is_over(&self) -> bool {
        self.until.is_some_and(|until| until <= self.next)
    }

    /// The next look, if it is due. A late one moves none of those after it.
    pub fn look(&mut self) -> Option<Observation> {
        let now = clock::now();
        if now < self.next {
            return None;
        }
        let passed = (now - self.began).get() / self.interval.get();
        self.next = self.began + Nanos::new((passed + 1) * self.interval.get());
        let at = (now - self.began).get();
        Some(self.sampler.observe(End::Server, at, Effort::Whole))
    }
}
