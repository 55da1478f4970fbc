//! Takes connections and UDP hellos, reads what they are, and hands them on. It never waits for
//! anybody: a connection that says nothing costs a place for ten seconds.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;

use proto::iperf3::{Cookie, Hello, State};
use sys::signal::Signals;
use sys::{Epoll, Events, Options, Readiness, Wait, Wake, clock};
use tracing::{info, warn};
use units::Nanos;

use super::rooms::{Arrival, Rooms, put};
use super::{Config, ServerEnd, guest};
use crate::listening::{self, Spare};
use crate::server::BindError;

/// How long a connection may take for its cookie.
const COOKIE: Nanos = Nanos::from_secs(10);
/// Connections that may be about to say it; more are closed.
const MOST_PENDING: usize = 4096;
/// Hellos that are looked at before connections get their turn.
const HELLOS: usize = 64;
/// Stack of a session: its messages are short.
const STACK: usize = 256 << 10;

const SIGNAL: u64 = 0;
const STOP: u64 = 1;
const ENDED: u64 = 2;
const FIRST_LISTENER: u64 = 3;
const FIRST_PENDING: u64 = 1000;

pub(super) struct Acceptor {
    shared: Arc<Shared>,
    port: u16,
    listeners: Vec<Listener>,
    epoll: Epoll,
    pending: HashMap<u64, Newcomer>,
    next_key: u64,
    stop: Arc<Wake>,
    guests: Vec<Guest>,
    spare: Spare,
}

/// What all sessions share.
pub(super) struct Shared {
    pub config: Config,
    pub rooms: Rooms,
    /// What TCP streams of this end carry as flow label is what their client's carry.
    pub reflects_labels: bool,
    /// The server ends.
    pub ending: AtomicBool,
    /// Tests at the moment.
    tests: AtomicU32,
    /// The number of the last test.
    number: AtomicU64,
    /// A test that counts is over, which ends a server of one test.
    pub one_is_over: AtomicBool,
    /// Told when a session ends.
    ended: Wake,
}

struct Guest {
    thread: JoinHandle<()>,
    /// Its thread's: the descriptor goes with the session, not when somebody looks here again.
    wake: Weak<Wake>,
}

enum Listener {
    Tcp(TcpListener),
    Udp(OwnedFd),
}

/// A connection that has not said its cookie.
struct Newcomer {
    socket: OwnedFd,
    peer: SocketAddr,
    said: [u8; Cookie::LEN],
    length: usize,
    deadline: Nanos,
}

impl Acceptor {
    pub fn bind(config: Config) -> Result<Self, BindError> {
        let wanted = listening::addresses(config.bind, config.family);
        let device = config.device.clone();
        let mut reflects_labels = true;
        let (listeners, port) = listening::on_one_port(&wanted, config.port, |mut address| {
            address = listening::in_scope(address, device.as_deref())?;
            let tcp = listen(address)?;
            address.set_port(tcp.local_addr()?.port());
            if address.is_ipv6() {
                reflects_labels = Options::of(&tcp).reflect_flow_labels().is_ok();
            }
            let udp = sys::udp_listener(address)?;
            if let Some(device) = &device {
                Options::of(&tcp).set_device(device)?;
                Options::of(&udp).set_device(device)?;
            }
            // Few kernels have it; a client that asks for it hears whether this one does.
            let sctp = sys::sctp_listener(address).ok().map(Listener::Tcp);
            let listeners = [Listener::Tcp(tcp), Listener::Udp(udp)];
            Ok((listeners.into_iter().chain(sctp), address.port()))
        })?;
        let listeners = listeners.into_iter().flatten().collect();
        let nowhere = |error| BindError {
            address: SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)),
            error,
        };
        Ok(Self {
            shared: Arc::new(Shared {
                config,
                rooms: Rooms::default(),
                reflects_labels,
                ending: AtomicBool::new(false),
                tests: AtomicU32::new(0),
                number: AtomicU64::new(0),
                one_is_over: AtomicBool::new(false),
                ended: Wake::new().map_err(nowhere)?,
            }),
            port,
            listeners,
            epoll: Epoll::new().map_err(nowhere)?,
            pending: HashMap::new(),
            next_key: FIRST_PENDING,
            stop: Arc::new(Wake::new().map_err(nowhere)?),
            guests: Vec::new(),
            spare: Spare::new(),
        })
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn stop_wake(&self) -> Arc<Wake> {
        self.stop.clone()
    }

    pub fn run(mut self, signals: Option<&Signals>) -> io::Result<ServerEnd> {
        if let Some(signals) = signals {
            self.epoll.add(signals, SIGNAL, Readiness::READ)?;
        }
        self.epoll.add(&*self.stop, STOP, Readiness::READ)?;
        self.epoll.add(&self.shared.ended, ENDED, Readiness::READ)?;
        for (key, listener) in (FIRST_LISTENER..).zip(&self.listeners) {
            match listener {
                Listener::Tcp(tcp) => self.epoll.add(tcp, key, Readiness::READ)?,
                Listener::Udp(udp) => self.epoll.add(udp, key, Readiness::READ)?,
            }
        }
        let end = self.serve(signals);
        self.shared.ending.store(true, Ordering::Release);
        for guest in &self.guests {
            if let Some(wake) = guest.wake.upgrade() {
                wake.wake();
            }
        }
        for guest in self.guests {
            // A session that panicked has said so on standard error.
            let _ = guest.thread.join();
        }
        end
    }

    fn serve(&mut self, signals: Option<&Signals>) -> io::Result<ServerEnd> {
        let mut events = Events::with_capacity(64);
        let mut idle_since = clock::now();
        loop {
            let idle = self.idle_limit(idle_since);
            let deadlines = self.pending.values().map(|newcomer| newcomer.deadline);
            let next = deadlines.chain(idle).min();
            self.epoll
                .wait(&mut events, next.map(|at| at - clock::now()))?;
            let keys: Vec<u64> = events.iter().map(|(key, _)| key).collect();
            for key in keys {
                match key {
                    SIGNAL => {
                        if signals.and_then(Signals::next).is_some() {
                            return Ok(ServerEnd::Told);
                        }
                    }
                    STOP => return Ok(ServerEnd::Told),
                    ENDED => {
                        self.shared.ended.clear();
                        self.guests.retain(|guest| !guest.thread.is_finished());
                        idle_since = clock::now();
                        if self.shared.one_is_over.load(Ordering::Acquire) {
                            return Ok(ServerEnd::OneOff);
                        }
                    }
                    key if key >= FIRST_PENDING => self.hear(key),
                    key => self.take((key - FIRST_LISTENER) as usize),
                }
            }
            let now = clock::now();
            self.pending.retain(|_, newcomer| newcomer.deadline > now);
            if idle.is_some_and(|idle| idle <= now) && self.is_idle() {
                return Ok(ServerEnd::Idle);
            }
        }
    }

    /// A listener is as good after an hour as at once, so that only a server of one test minds.
    fn idle_limit(&self, since: Nanos) -> Option<Nanos> {
        let config = &self.shared.config;
        let timeout = config
            .idle_timeout
            .filter(|_| config.one_off && self.is_idle());
        timeout.map(|timeout| since + timeout)
    }

    fn is_idle(&self) -> bool {
        self.shared.tests.load(Ordering::Acquire) == 0
    }

    fn take(&mut self, listener: usize) {
        match &self.listeners[listener] {
            Listener::Tcp(_) => self.take_connections(listener),
            Listener::Udp(udp) => self.take_hellos(udp),
        }
    }

    fn take_connections(&mut self, listener: usize) {
        let Listener::Tcp(tcp) = &self.listeners[listener] else {
            return;
        };
        loop {
            let (socket, peer) = match self.spare.accept(tcp) {
                Ok(Some(connection)) => connection,
                Ok(None) => return,
                Err(error) => {
                    return warn!(%error, "iperf3: refused: a connection that cannot be accepted");
                }
            };
            if !self.shared.permits(peer.ip()) {
                info!(%peer, "iperf3: refused: not on the --allow list");
                continue;
            }
            if self.pending.len() >= MOST_PENDING {
                info!(%peer, "iperf3: refused: too many connections that say nothing");
                continue;
            }
            let key = self.next_key;
            self.next_key += 1;
            if let Err(error) = self.epoll.add(&socket, key, Readiness::READ) {
                warn!(%peer, %error, "iperf3: dropped: it cannot be waited for");
                continue;
            }
            let newcomer = Newcomer {
                socket,
                peer,
                said: [0; Cookie::LEN],
                length: 0,
                deadline: clock::now() + COOKIE,
            };
            self.pending.insert(key, newcomer);
        }
    }

    /// Reads a newcomer's cookie.
    fn hear(&mut self, key: u64) {
        let Some(newcomer) = self.pending.get_mut(&key) else {
            return;
        };
        match newcomer.read() {
            Ok(None) => (),
            Ok(Some(cookie)) => {
                if let Some(newcomer) = self.pending.remove(&key) {
                    let _ = self.epoll.remove(&newcomer.socket);
                    self.admit(newcomer, cookie);
                }
            }
            Err(_) => {
                self.pending.remove(&key);
            }
        }
    }

    fn admit(&mut self, newcomer: Newcomer, cookie: Cookie) {
        let Newcomer { socket, peer, .. } = newcomer;
        let arrival = Arrival {
            socket,
            peer,
            reply: None,
        };
        let Err(Arrival { socket, .. }) = self.shared.rooms.bring(&cookie, arrival) else {
            return;
        };
        let most = self.shared.config.max_tests;
        let one_off = self.shared.config.one_off;
        let most = if one_off { 1 } else { most };
        if self.shared.tests.load(Ordering::Acquire) >= most {
            info!(%peer, "iperf3: refused: busy");
            // One byte has room in a connection that carried nothing yet.
            let _ = sys::send(&socket, &[State::AccessDenied.byte()], Wait::Never);
            sys::shut_sending(&socket);
            return;
        }
        let Ok(wake) = Wake::new().map(Arc::new) else {
            return warn!(%peer, "iperf3: refused: no descriptor for it");
        };
        self.shared.tests.fetch_add(1, Ordering::AcqRel);
        let number = self.shared.number.fetch_add(1, Ordering::Relaxed) + 1;
        let place = Place(self.shared.clone());
        let told = Arc::downgrade(&wake);
        let thread = std::thread::Builder::new()
            .name(format!("iperf3-{number}"))
            .stack_size(STACK)
            .spawn(move || {
                let place = place;
                guest::lead(socket, peer, cookie, number, wake, &place.0);
            });
        match thread {
            Ok(thread) => self.guests.push(Guest { thread, wake: told }),
            // Its place was given back with it.
            Err(error) => warn!(%peer, %error, "iperf3: refused: no thread for it"),
        }
    }

    fn take_hellos(&self, udp: &OwnedFd) {
        let mut buffer = [0; 64];
        for _ in 0..HELLOS {
            let arrival = match sys::receive_from(udp, &mut buffer) {
                Ok(Some(arrival)) => arrival,
                Ok(None) => return,
                Err(error) => return warn!(%error, "iperf3: receiving a hello"),
            };
            // Late data of a test that is over is no hello.
            let Some(hello) = Hello::parse(&buffer[..arrival.length]) else {
                continue;
            };
            let room = self
                .shared
                .rooms
                .of_hello(hello.cookie.as_ref(), arrival.from);
            let Some(room) = room else {
                continue;
            };
            let device = self.shared.config.device.as_deref();
            let made = sys::udp_for_peer(arrival, self.port).and_then(|socket| {
                let bound = device.map(|device| Options::of(&socket).set_device(device));
                bound.unwrap_or(Ok(())).map(|()| socket)
            });
            match made {
                Ok(socket) => put(
                    &room,
                    Arrival {
                        socket,
                        peer: arrival.from,
                        reply: Some(hello.reply),
                    },
                ),
                Err(error) => warn!(peer = %arrival.from, %error, "iperf3: a socket for a stream"),
            }
        }
    }
}

impl Shared {
    fn permits(&self, address: IpAddr) -> bool {
        let allow = &self.config.allow;
        allow.is_empty() || allow.iter().any(|block| block.contains(address))
    }
}

impl Newcomer {
    /// The cookie, when it is all there.
    fn read(&mut self) -> io::Result<Option<Cookie>> {
        while self.length < Cookie::LEN {
            match sys::recv(&self.socket, &mut self.said[self.length..], Wait::Never) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(n) => self.length += n,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(Cookie::of(self.said)))
    }
}

/// A test's place; given back however it ends.
struct Place(Arc<Shared>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.tests.fetch_sub(1, Ordering::AcqRel);
        self.0.ended.wake();
    }
}

/// A listener for plain connections and those of Multipath TCP, where the kernel has it.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    sys::mptcp_listener(address).or_else(|_| sys::tcp_listener(address))
}
