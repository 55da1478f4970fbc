//! iperf 2's server: one thread accepts, reads headers and figures; each flow has a worker.

mod arriving;
mod backward;
mod datagrams;
mod limits;
mod session;

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use plan::{Cidr, Family};
use proto::iperf2::{PORT, PermitKey};
use sys::signal::Signals;
use sys::{Epoll, Events, Options, Readiness, Wake, clock};
use units::{BitRate, Bytes, Nanos};

use self::arriving::Arriving;
use self::limits::{ARRIVING, MOST_FLOWS};
use self::session::Session;
use super::bins::BinScale;
use super::event::{Event, Refusal, Tell};
use super::roll::Roll;
use super::socket::{self, SocketOrder};
use crate::listening::{self, Spare};
use crate::server::BindError;

/// What a server does and does not do.
#[derive(Debug, Clone)]
pub struct Config {
    /// Listen for TCP.
    pub tcp: bool,
    /// Listen for UDP.
    pub udp: bool,
    /// The one address to listen on, which may be a group; none for all.
    pub bind: Option<IpAddr>,
    /// The one source of a group.
    pub source: Option<IpAddr>,
    /// Families to listen in.
    pub family: Family,
    /// The ports, first and last; 0 lets the kernel choose.
    pub ports: (u16, u16),
    /// Options of sockets.
    pub socket: SocketOrder,
    /// Bytes of a read.
    pub size: usize,
    /// Who may come; empty for everyone.
    pub allow: Vec<Cidr>,
    /// Word of admission, and until when it holds.
    pub key: Option<PermitKey>,
    /// For how long the key is taken, from the start on.
    pub key_lasts: Option<Nanos>,
    /// Longest test that this end sends.
    pub max_duration: Option<Nanos>,
    /// Highest rate of a test that this end sends.
    pub max_rate: Option<BitRate>,
    /// Rate at which TCP streams are read.
    pub read_rate: Option<BitRate>,
    /// Serve one client after the other.
    pub one_at_a_time: bool,
    /// End after so many flows.
    pub flows: Option<u32>,
    /// End after this time, and each flow as well.
    pub time: Option<Nanos>,
    /// Type of service of what is sent, whatever the client asks for.
    pub tos_override: Option<u8>,
    /// Clients of datagrams are told of latencies.
    pub enhanced: bool,
    /// When figures are read.
    pub interval: Option<Nanos>,
    /// Frames are told one by one.
    pub by_frame: bool,
    /// The packets of all datagrams are held against their headers, not only of clients that ask.
    pub checks_packets: bool,
    /// Latencies are kept in bins.
    pub bins: Option<BinScale>,
    /// Deviations of transit times are kept in bins.
    pub jitter_bins: Option<BinScale>,
    /// The kernel discards what streams bring.
    pub skips_copy: bool,
    /// What comes this long after a flow's start is not in its last figures.
    pub omit: Nanos,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tcp: true,
            udp: true,
            bind: None,
            source: None,
            family: Family::Any,
            ports: (PORT, PORT),
            socket: SocketOrder::default(),
            size: 128 << 10,
            allow: Vec::new(),
            key: None,
            key_lasts: None,
            max_duration: None,
            max_rate: None,
            read_rate: None,
            one_at_a_time: false,
            flows: None,
            time: None,
            tos_override: None,
            enhanced: false,
            interval: None,
            by_frame: false,
            checks_packets: false,
            bins: None,
            jitter_bins: None,
            skips_copy: false,
            omit: Nanos::ZERO,
        }
    }
}

/// A server that listens.
pub struct Server {
    config: Config,
    doors: Vec<Door>,
    /// Told when to end.
    over: Arc<Wake>,
}

enum Door {
    Stream(TcpListener),
    Datagrams(OwnedFd),
}

/// Ends a server that runs on another thread.
#[derive(Clone)]
pub struct Stopper(Arc<Wake>);

impl Stopper {
    /// Ends it, and its flows.
    pub fn stop(&self) {
        self.0.wake();
    }
}

const OVER: u64 = 0;
const SIGNAL: u64 = 1;
const WORKERS: u64 = 2;
const FIRST_DOOR: u64 = 3;

impl Server {
    /// Binds the ports.
    ///
    /// # Errors
    /// EADDRINUSE and the like, with the address.
    pub fn bind(config: Config) -> Result<Self, BindError> {
        let mut config = config;
        let mut doors = Vec::new();
        let wanted = listening::addresses(config.bind, config.family);
        for port in config.ports.0..=config.ports.1 {
            let (opened, port) =
                listening::on_one_port(&wanted, port, |address| open(&config, address))?;
            doors.extend(opened.into_iter().flatten());
            if config.ports.0 == 0 {
                config.ports = (port, port);
                break;
            }
        }
        let nowhere = |error| BindError {
            address: SocketAddr::from((Ipv4Addr::UNSPECIFIED, config.ports.0)),
            error,
        };
        let over = Arc::new(Wake::new().map_err(nowhere)?);
        Ok(Self {
            config,
            doors,
            over,
        })
    }

    /// The first port that was bound.
    pub fn port(&self) -> u16 {
        self.config.ports.0
    }

    /// SO_RCVBUF of the first listener.
    pub fn window(&self) -> Option<Bytes> {
        match self.doors.first()? {
            Door::Stream(listener) => Options::of(listener).rcvbuf().ok(),
            Door::Datagrams(socket) => Options::of(socket).rcvbuf().ok(),
        }
    }

    /// TCP_MAXSEG of the first listener.
    pub fn mss(&self) -> Option<Bytes> {
        match self.doors.first()? {
            Door::Stream(listener) => Options::of(listener).mss().ok(),
            Door::Datagrams(_) => None,
        }
    }

    /// Ends it from another thread.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.over.clone())
    }

    /// Serves until it is stopped, or until a signal comes, or as long as it was told to.
    ///
    /// # Errors
    /// When the system refuses to wait for events.
    pub fn run(self, signals: Option<&Signals>, tell: Tell<'_>) -> io::Result<()> {
        let epoll = Epoll::new()?;
        let workers = Arc::new(Wake::new()?);
        epoll.add(&*self.over, OVER, Readiness::READ)?;
        epoll.add(&*workers, WORKERS, Readiness::READ)?;
        if let Some(signals) = signals {
            epoll.add(signals, SIGNAL, Readiness::READ)?;
        }
        for (key, door) in (FIRST_DOOR..).zip(&self.doors) {
            match door {
                Door::Stream(listener) => epoll.add(listener, key, Readiness::READ)?,
                Door::Datagrams(socket) => epoll.add(socket, key, Readiness::READ)?,
            }
        }
        let started = clock::now();
        let mut house = House {
            roll: Roll::new(self.config.interval, self.config.omit),
            next_key: FIRST_DOOR + self.doors.len() as u64,
            config: self.config,
            epoll,
            workers,
            started,
            arriving: HashMap::new(),
            sessions: Vec::new(),
            flows: 0,
            ended: 0,
            closed: false,
            buffer: vec![0; 64 << 10],
            spare: Spare::new(),
        };
        house.run(&self.doors, tell)
    }
}

/// Everything that a server's thread has in hand.
struct House {
    config: Config,
    epoll: Epoll,
    workers: Arc<Wake>,
    started: Nanos,
    /// Connections whose first bytes are not complete, and connections that we make.
    arriving: HashMap<u64, Arriving>,
    next_key: u64,
    sessions: Vec<Session>,
    roll: Roll,
    /// Flows so far, and how many of them have ended.
    flows: u32,
    ended: u32,
    /// No more flows are taken.
    closed: bool,
    buffer: Vec<u8>,
    spare: Spare,
}

impl House {
    fn run(&mut self, doors: &[Door], tell: Tell<'_>) -> io::Result<()> {
        let mut events = Events::with_capacity(64);
        loop {
            let deadline = self.next_deadline();
            let wait = deadline.map(|at| at - clock::now());
            self.epoll.wait(&mut events, wait)?;
            let keys: Vec<u64> = events.iter().map(|(key, _)| key).collect();
            if keys.contains(&OVER) || keys.contains(&SIGNAL) {
                self.close_all(tell);
                return Ok(());
            }
            for key in keys {
                if key == WORKERS {
                    self.workers.clear();
                } else if let Some(door) = doors.get((key - FIRST_DOOR) as usize) {
                    match door {
                        Door::Stream(listener) => self.accept(listener, tell),
                        Door::Datagrams(socket) => self.take_datagrams(socket, tell),
                    }
                } else {
                    self.hear(key, tell);
                }
            }
            let now = clock::now();
            self.at_time(now, tell);
            for session in &self.sessions {
                session.tell_bursts(tell);
            }
            self.roll.turn(now, tell);
            self.end_sessions(tell);
            // A flow that came in time has its own time.
            let is_idle = self.sessions.is_empty() && self.arriving.is_empty();
            let is_late = self.is_late(now) && is_idle;
            let is_over = is_late || self.config.flows.is_some_and(|flows| self.ended >= flows);
            if is_over {
                self.close_all(tell);
                return Ok(());
            }
            self.mind_doors(doors)?;
        }
    }

    /// Opens and shuts the doors: a server may take one client at a time.
    fn mind_doors(&mut self, doors: &[Door]) -> io::Result<()> {
        let busy = !self.sessions.is_empty() || !self.arriving.is_empty();
        let closed = (self.config.one_at_a_time && busy) || self.is_late(clock::now());
        if closed == self.closed {
            return Ok(());
        }
        self.closed = closed;
        let is_group = self.config.bind.is_some_and(|bind| bind.is_multicast());
        if is_group && !closed {
            // A group's datagrams came here as well as to the socket of the flow that had them.
            for door in doors {
                if let Door::Datagrams(socket) = door {
                    while let Ok(Some(_)) = sys::receive_from(socket, &mut self.buffer) {}
                }
            }
        }
        let interest = if closed {
            Readiness::default()
        } else {
            Readiness::READ
        };
        for (key, door) in (FIRST_DOOR..).zip(doors) {
            match door {
                Door::Stream(listener) => self.epoll.modify(listener, key, interest)?,
                Door::Datagrams(socket) => self.epoll.modify(socket, key, interest)?,
            }
        }
        Ok(())
    }

    /// Whether the time of listening is over.
    fn is_late(&self, now: Nanos) -> bool {
        let time = self.config.time;
        time.is_some_and(|time| now >= self.started + time)
    }

    fn next_deadline(&self) -> Option<Nanos> {
        let arriving = self.arriving.values().map(|arriving| arriving.deadline);
        let sessions = self.sessions.iter();
        let sessions =
            sessions.flat_map(|session| session.deadline.into_iter().chain(session.end_at));
        let over = self.config.time.map(|time| self.started + time);
        let over = over.filter(|_| !self.is_late(clock::now()));
        arriving
            .chain(sessions)
            .chain(self.roll.next())
            .chain(over)
            .min()
    }

    fn accept(&mut self, listener: &TcpListener, tell: Tell<'_>) {
        loop {
            let (socket, peer) = match self.spare.accept(listener) {
                Ok(Some(connection)) => connection,
                Ok(None) => return,
                Err(error) => {
                    return tell(Event::Note(format!(
                        "refused: a connection that cannot be accepted: {error}"
                    )));
                }
            };
            let Ok(local) = sys::local_address(&socket) else {
                continue;
            };
            let refuse = |why| Event::Refused { local, peer, why };
            if !self.admits(peer.ip()) {
                tell(refuse(Refusal::Address));
                continue;
            }
            if self.arriving.len() >= ARRIVING || self.sessions.len() >= MOST_FLOWS {
                tell(refuse(Refusal::TooMany));
                continue;
            }
            let options = &self.config.socket;
            if options.quickack {
                let _ = Options::of(&socket).set_quickack();
            }
            let key = self.next_key;
            if self.epoll.add(&socket, key, Readiness::READ).is_err() {
                tell(refuse(Refusal::TooMany));
                continue;
            }
            self.next_key += 1;
            self.arriving
                .insert(key, Arriving::accepted(socket, local, peer));
            if self.config.one_at_a_time {
                return;
            }
        }
    }

    fn admits(&self, address: IpAddr) -> bool {
        let allow = &self.config.allow;
        allow.is_empty() || allow.iter().any(|block| block.contains(address))
    }

    /// The next flow's number.
    fn number(&mut self) -> u32 {
        self.flows += 1;
        self.flows
    }

    /// Ends sessions whose flows have ended.
    fn end_sessions(&mut self, tell: Tell<'_>) {
        let mut at = 0;
        while at < self.sessions.len() {
            if self.sessions[at].is_over() {
                let session = self.sessions.swap_remove(at);
                self.end(session, tell);
            } else {
                at += 1;
            }
        }
    }

    fn close_all(&mut self, tell: Tell<'_>) {
        self.arriving.clear();
        for session in std::mem::take(&mut self.sessions) {
            self.end(session, tell);
        }
    }

    fn end(&mut self, mut session: Session, tell: Tell<'_>) {
        let reason = session.finish();
        session.tell_bursts(tell);
        let now = clock::now();
        for flow in std::mem::take(&mut session.flows) {
            let unheard = |entry: &super::roll::Entry| {
                entry.flow == flow && entry.meter.unheard.get().is_some()
            };
            let is_unheard = self.roll.entries().iter().any(unheard);
            let own = self
                .roll
                .entries()
                .iter()
                .filter(|entry| entry.flow == flow);
            // Of a connection back it is the client that reports.
            let report = own.filter_map(|entry| entry.meter.report.get()).next();
            let report = report.copied();
            self.roll.end(flow, now, tell);
            if is_unheard {
                tell(Event::ReportUnheard { flow });
            }
            if let Some((report, asked)) = report {
                tell(Event::ServerReport {
                    flow,
                    report,
                    asked,
                });
            }
            tell(Event::Ended {
                flow,
                reason: reason.clone(),
            });
            self.ended += 1;
        }
        self.go_back(session, tell);
        if self.sessions.is_empty() && self.arriving.is_empty() {
            tell(Event::Idle);
        }
    }
}

fn open(config: &Config, address: SocketAddr) -> io::Result<(Vec<Door>, u16)> {
    let mut doors = Vec::new();
    let mut address = listening::in_scope(address, config.socket.device.as_deref())?;
    let failed = |(what, error): (String, io::Error)| {
        io::Error::new(error.kind(), format!("{what}: {error}"))
    };
    if config.tcp && !address.ip().is_multicast() {
        let listener = sys::tcp_listener(address)?;
        socket::apply(&listener, &config.socket, address, true, false).map_err(failed)?;
        address.set_port(listener.local_addr()?.port());
        doors.push(Door::Stream(listener));
    }
    if config.udp {
        let socket = sys::udp_listener(address)?;
        socket::apply(&socket, &config.socket, address, false, false).map_err(failed)?;
        if address.ip().is_multicast() {
            let device = config.socket.device.as_deref();
            Options::of(&socket).join(address.ip(), config.source, device)?;
        }
        address.set_port(sys::local_address(&socket)?.port());
        doors.push(Door::Datagrams(socket));
    }
    Ok((doors, address.port()))
}
