//! Connects all flows at once.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::Arc;

use proto::iperf2::Mode;
use sys::{Options, Readiness, clock};
use units::{Bytes, Nanos};

use super::line::Line;
use super::order::{Leg, Order};
use super::{Client, ClientError, FIRST_LINE};
use crate::iperf2::event::{Event, FlowFacts, Tell};
use crate::iperf2::meter::Way;
use crate::iperf2::socket::{self, SocketOrder};

/// A connection under way.
struct Attempt {
    leg: Leg,
    mode: Mode,
    is_load: bool,
    socket: Option<OwnedFd>,
    /// Its send buffer before it is connected.
    buffer: Option<Bytes>,
    began: Nanos,
    /// When to try again.
    again: Nanos,
    tries: u32,
    done: bool,
}

impl Client {
    /// Connects every flow, and those beside a bounceback.
    pub(super) fn connect(&mut self, tell: Tell<'_>) -> Result<(), ClientError> {
        let order = self.order.clone();
        let attempt = |leg: &Leg, mode, is_load| Attempt {
            leg: *leg,
            mode,
            is_load,
            socket: None,
            buffer: None,
            began: Nanos::ZERO,
            again: Nanos::ZERO,
            tries: 0,
            done: false,
        };
        let mut attempts: Vec<Attempt> = order
            .legs
            .iter()
            .map(|leg| attempt(leg, order.mode, false))
            .collect();
        if let (Some(load), Some(leg)) = (&order.load, order.legs.first()) {
            let leg = Leg {
                local: leg.local.map(|local| SocketAddr::new(local.ip(), 0)),
                ..*leg
            };
            attempts.extend((0..load.flows).map(|_| attempt(&leg, load.mode(), true)));
        }
        let deadline = clock::now() + order.connect_patience;
        loop {
            let now = clock::now();
            for (at, attempt) in attempts.iter_mut().enumerate() {
                if attempt.done || attempt.socket.is_some() || attempt.again > now {
                    continue;
                }
                let begun = attempt.begin(&order, now);
                self.bear(attempt, begun)?;
                if let Some(socket) = &attempt.socket {
                    self.epoll
                        .add(socket, FIRST_LINE + at as u64, Readiness::WRITE)
                        .map_err(system)?;
                }
            }
            if attempts.iter().all(|attempt| attempt.done) {
                return Ok(());
            }
            let again = attempts
                .iter()
                .filter(|attempt| !attempt.done && attempt.socket.is_none())
                .map(|attempt| attempt.again)
                .min();
            self.roll.turn(clock::now(), tell);
            let until = again.into_iter().chain(self.roll.next()).min();
            let until = until.map_or(deadline, |until| until.min(deadline));
            let keys = self.turn(Some(until))?;
            if self.interrupted {
                return Ok(());
            }
            for key in keys {
                let at = (key - FIRST_LINE) as usize;
                let Some(attempt) = attempts.get_mut(at) else {
                    continue;
                };
                if let Some(socket) = attempt.socket.take() {
                    let _ = self.epoll.remove(&socket);
                    match sys::take_error(&socket) {
                        Ok(()) => {
                            attempt.done = true;
                            let line = attempt.line(socket, self.lines.len() as u32 + 1, &order);
                            self.announce(&line, tell);
                            self.lines.push(line);
                            if !order.synchronised && order.starts_at_once() {
                                self.send_headers(tell)?;
                                self.start(tell)?;
                            }
                        }
                        Err(error) => {
                            let failed = attempt.failed(&order, error, deadline);
                            self.bear(attempt, failed)?;
                        }
                    }
                }
            }
            if clock::now() >= deadline {
                let late = attempts.iter().find(|attempt| !attempt.done);
                if let Some(late) = late {
                    return Err(ClientError::Unreachable {
                        peer: late.leg.peer,
                        error: io::ErrorKind::TimedOut.into(),
                    });
                }
            }
        }
    }

    /// Of flows that do not wait for each other one that cannot connect ends alone.
    fn bear(
        &mut self,
        attempt: &mut Attempt,
        begun: Result<(), ClientError>,
    ) -> Result<(), ClientError> {
        match begun {
            Err(error @ ClientError::Unreachable { .. }) if !self.order.synchronised => {
                attempt.done = true;
                self.failures.push(error.to_string());
                Ok(())
            }
            begun => begun,
        }
    }

    /// Connects and closes, again and again.
    pub(super) fn only_connect(
        &mut self,
        count: Option<u32>,
        spacing: Nanos,
        tell: Tell<'_>,
    ) -> Result<(), ClientError> {
        let mut made = 0;
        let mut next = clock::now();
        while count.is_none_or(|count| made < count) && !self.interrupted {
            while clock::now() < next && !self.interrupted {
                self.turn(Some(next))?;
            }
            self.connect(tell)?;
            for line in std::mem::take(&mut self.lines) {
                sys::shut_sending(&line.socket);
                tell(Event::Ended {
                    flow: line.flow,
                    reason: None,
                });
            }
            made += 1;
            next = next + spacing;
        }
        tell(Event::Idle);
        Ok(())
    }

    /// Tells that a flow is there.
    fn announce(&self, line: &Line, tell: Tell<'_>) {
        let order = &self.order;
        let bounce = match &order.kind {
            super::Kind::Bounce(bounce) if !line.is_load => Some((
                bounce.size,
                (bounce.hold.get() / 1000) as u32,
                bounce.quickack,
            )),
            _ => None,
        };
        let ways = if bounce.is_some() {
            vec![Way::Bounces]
        } else {
            match line.mode {
                Mode::Reverse => vec![Way::Receives],
                Mode::FullDuplex => vec![Way::Sends, Way::Receives],
                Mode::Forward | Mode::Dual | Mode::Tradeoff => vec![Way::Sends],
            }
        };
        let port = line.peer.port();
        let header = (order.header && bounce.is_none())
            .then(|| order.test_header(line.flow, port, clock::wall()));
        tell(Event::Flow(Box::new(FlowFacts {
            flow: line.flow,
            ways,
            is_against_role: line.mode == Mode::Reverse,
            is_full_duplex: line.mode == Mode::FullDuplex,
            only_connects: matches!(order.kind, super::Kind::ConnectOnly { .. }),
            is_tcp: order.is_tcp,
            local: line.local,
            peer: line.peer,
            socket: line.socket.as_raw_fd(),
            header,
            bounce,
            trip_times: order.trip_times,
            tcp: order
                .is_tcp
                .then(|| sys::tcp_info(&*line.socket).ok())
                .flatten(),
            buffer: line.buffer,
            connect_time: line.connect_time,
            began_wall: clock::wall(),
        })));
    }
}

impl Attempt {
    /// Opens a socket and begins to connect it.
    fn begin(&mut self, order: &Order, now: Nanos) -> Result<(), ClientError> {
        let peer = self.leg.peer;
        let mut options = order.socket.clone();
        if self.is_load {
            options = SocketOrder {
                congestion: order.load.as_ref().and_then(|load| load.congestion.clone()),
                ..SocketOrder::default()
            };
        }
        options.nodelay |= matches!(order.kind, super::Kind::Bounce(_)) && !self.is_load;
        let socket = open(self.leg, order.is_tcp, &options)?;
        self.buffer = Options::of(&socket).sndbuf().ok();
        (self.began, self.tries) = (now, self.tries + 1);
        match sys::connect(&socket, peer) {
            Ok(()) => {
                self.socket = Some(socket);
                Ok(())
            }
            Err(error) => self.failed(order, error, now + order.connect_patience),
        }
    }

    /// Tries again later, if that was asked for.
    fn failed(
        &mut self,
        order: &Order,
        error: io::Error,
        deadline: Nanos,
    ) -> Result<(), ClientError> {
        let again = clock::now() + order.connect_spacing;
        let more = match order.connect_retries {
            Some(retries) => self.tries <= retries,
            None => again < deadline,
        };
        if !more {
            return Err(ClientError::Unreachable {
                peer: self.leg.peer,
                error,
            });
        }
        (self.socket, self.again) = (None, again);
        Ok(())
    }

    fn line(&self, socket: OwnedFd, flow: u32, order: &Order) -> Line {
        let nowhere = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
        Line {
            flow,
            local: sys::local_address(&socket).unwrap_or(nowhere),
            socket: Arc::new(socket),
            peer: self.leg.peer,
            mode: self.mode,
            is_load: self.is_load,
            buffer: self.buffer,
            connect_time: order.is_tcp.then(|| clock::now() - self.began),
            header: None,
            header_len: 0,
            sends: None,
            receives: None,
            closed: false,
            drained: None,
        }
    }
}

/// A socket with its options, bound if it is to be.
fn open(leg: Leg, is_tcp: bool, options: &SocketOrder) -> Result<OwnedFd, ClientError> {
    let peer = leg.peer;
    let failed = |doing: String| move |error| ClientError::Socket { doing, error };
    let socket = if is_tcp {
        sys::tcp_socket(peer)
    } else {
        sys::udp_socket(peer)
    };
    let socket = socket.map_err(failed(format!("opening a socket to {peer}")))?;
    socket::apply(&socket, options, peer, is_tcp, true)
        .map_err(|(doing, error)| ClientError::Socket { doing, error })?;
    if let Some(local) = leg.local {
        sys::reuse_address(socket.as_fd()).map_err(failed(format!("binding {local}")))?;
        if is_tcp {
            // What iperf 2's own clients leave in TIME_WAIT has the port only with this.
            sys::reuse_port(socket.as_fd()).map_err(failed(format!("binding {local}")))?;
        }
        sys::bind(&socket, local).map_err(failed(format!("binding {local}")))?;
        if let (IpAddr::V4(group), IpAddr::V4(from)) = (peer.ip(), local.ip())
            && group.is_multicast()
            && !from.is_unspecified()
        {
            Options::of(&socket)
                .set_multicast_interface(from)
                .map_err(failed(format!("sending to {group} from {from}")))?;
        }
    } else if !is_tcp {
        let any = match peer {
            SocketAddr::V4(_) => IpAddr::from(Ipv4Addr::UNSPECIFIED),
            SocketAddr::V6(_) => IpAddr::from(Ipv6Addr::UNSPECIFIED),
        };
        let local = SocketAddr::new(any, 0);
        sys::bind(&socket, local).map_err(failed("binding a socket".to_owned()))?;
    }
    Ok(socket)
}

fn system(error: io::Error) -> ClientError {
    ClientError::System {
        doing: "waiting for connections",
        error,
    }
}
