//! Connects all flows of a plan at once, not one round trip after the other.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};

use plan::{Kind, Load, Plan, Transport};
use proto::native::{Preamble, Token};
use sys::signal::Signals;
use sys::{Epoll, Events, Readiness, Wait, clock};
use units::Nanos;

use crate::client::RunError;
use crate::crew::FlowLine;
use crate::flow::Open as _;
use crate::opener::Opener;

/// Connections under way at a time: enough to hide any round trip, less than the shortest listen
/// queue in common use (net.core.somaxconn was 128 for long and is 4096 now) could lose much of.
const UNDER_WAY: usize = 128;
/// When a hello that was not answered is sent again.
const HELLO_AGAIN: Nanos = Nanos::from_millis(100);
/// How long it may take, plus a second for every 2000 flows.
const PATIENCE: Nanos = Nanos::from_secs(10);
/// The key of the signal descriptor.
const SIGNAL: u64 = u64::MAX;

/// A flow on its way to be connected.
struct Attempt {
    load: usize,
    flow: usize,
    opener: Opener,
    socket: OwnedFd,
    udp: bool,
    /// Preamble bytes written; for UDP hellos sent.
    written: usize,
    /// UDP: when to say hello again.
    again: Nanos,
}

/// Connects every flow and shows the server `token` on each.
pub(super) fn flows(
    plan: &Plan,
    peer: SocketAddr,
    token: Token,
    signals: Option<&Signals>,
) -> Result<Vec<Vec<FlowLine>>, RunError> {
    let system = |error| RunError::System {
        doing: "waiting for flows to connect".into(),
        error,
    };
    let total: u64 = plan
        .loads
        .iter()
        .map(|load| u64::from(load.flows.get()))
        .sum();
    let deadline = clock::now() + PATIENCE + Nanos::from_secs(total / 2000);
    let mut lines: Vec<Vec<Option<FlowLine>>> = Vec::new();
    let mut todo = Vec::new();
    for (index, load) in plan.loads.iter().enumerate() {
        let openers = (0..load.flows.get()).map(|flow| Opener::new(peer, load, index, flow, token));
        if load.kind == Kind::Crr {
            lines.push(
                openers
                    .map(|opener| Some(FlowLine::Opener(Box::new(opener))))
                    .collect(),
            );
        } else {
            todo.extend(
                openers
                    .enumerate()
                    .map(|(flow, opener)| (index, flow, opener)),
            );
            lines.push((0..load.flows.get()).map(|_| None).collect());
        }
    }
    let epoll = Epoll::new().map_err(system)?;
    if let Some(signals) = signals {
        epoll
            .add(signals, SIGNAL, Readiness::READ)
            .map_err(system)?;
    }
    let mut todo = todo.into_iter();
    let mut attempts: Vec<Option<Attempt>> = Vec::new();
    attempts.resize_with(UNDER_WAY, || None);
    let mut events = Events::with_capacity(UNDER_WAY);
    loop {
        for (at, place) in attempts
            .iter_mut()
            .enumerate()
            .filter(|(_, place)| place.is_none())
        {
            let Some((load, flow, opener)) = todo.next() else {
                break;
            };
            let attempt = Attempt::begin(&plan.loads[load], load, flow, opener)?;
            let interest = if attempt.udp {
                Readiness::READ
            } else {
                Readiness::WRITE
            };
            epoll
                .add(&attempt.socket, at as u64, interest)
                .map_err(system)?;
            *place = Some(attempt);
        }
        let waiting = attempts.iter().flatten();
        let Some(next) = waiting
            .map(|a| if a.udp { a.again } else { deadline })
            .min()
        else {
            break;
        };
        let now = clock::now();
        if now >= deadline {
            let load = attempts
                .iter()
                .flatten()
                .next()
                .map_or(0, |attempt| attempt.load);
            return Err(RunError::Flow {
                load: plan.loads[load].name.clone(),
                error: io::ErrorKind::TimedOut.into(),
            });
        }
        epoll
            .wait(&mut events, Some(next.min(deadline) - now))
            .map_err(system)?;
        for (key, _) in events.iter() {
            if key == SIGNAL {
                return Err(RunError::Interrupted);
            }
            let at = key as usize;
            let Some(attempt) = &mut attempts[at] else {
                continue;
            };
            if attempt.advance(plan)? {
                let _ = epoll.remove(attempt.socket.as_fd());
                if let Some(Attempt {
                    load, flow, socket, ..
                }) = attempts[at].take()
                {
                    lines[load][flow] = Some(FlowLine::Socket(socket));
                }
            }
        }
        let now = clock::now();
        for attempt in attempts
            .iter_mut()
            .flatten()
            .filter(|a| a.udp && a.again <= now)
        {
            attempt.hello(now);
        }
    }
    Ok(lines
        .into_iter()
        .map(|load| load.into_iter().flatten().collect())
        .collect())
}

impl Attempt {
    fn begin(load: &Load, index: usize, flow: usize, opener: Opener) -> Result<Self, RunError> {
        let socket = opener.open().map_err(|error| RunError::Flow {
            load: load.name.clone(),
            error,
        })?;
        let udp = load.kind.transport() == Transport::Udp;
        let mut attempt = Self {
            load: index,
            flow,
            opener,
            socket,
            udp,
            written: 0,
            again: Nanos::ZERO,
        };
        if udp {
            attempt.hello(clock::now());
        }
        Ok(attempt)
    }

    fn hello(&mut self, now: Nanos) {
        // A hello that the system refuses is like one that the path loses: it is said again.
        let _ = sys::send(&self.socket, self.opener.preamble(), Wait::Never);
        self.again = now + HELLO_AGAIN;
    }

    /// True when the flow is connected and the server can know whose it is.
    fn advance(&mut self, plan: &Plan) -> Result<bool, RunError> {
        let failed = |error| RunError::Flow {
            load: plan.loads[self.load].name.clone(),
            error,
        };
        if self.udp {
            let mut buffer = [0; 2 * Preamble::LEN];
            return match sys::recv(&self.socket, &mut buffer, Wait::Never) {
                Ok(n) => Ok(self.is_welcome(&buffer[..n])),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
                Err(error) => Err(failed(error)),
            };
        }
        sys::take_error(&self.socket).map_err(failed)?;
        match sys::send(
            &self.socket,
            &self.opener.preamble()[self.written..],
            Wait::Never,
        ) {
            Ok(n) => {
                self.written += n;
                Ok(self.written == Preamble::LEN)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }

    fn is_welcome(&self, datagram: &[u8]) -> bool {
        let claim =
            Preamble::parse_datagram(self.opener.preamble()).and_then(|hello| hello.claim());
        matches!(Preamble::parse_datagram(datagram), Some(Preamble::UdpWelcome(c)) if Some(c) == claim)
    }
}
