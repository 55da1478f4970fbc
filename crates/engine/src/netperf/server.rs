//! netserver: a listener, a thread for each control connection, and the workers of its test.

mod group;
mod newcomers;
mod session;
mod test;

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;

use plan::{Cidr, Family};
use proto::netperf::Frame;
use sys::signal::Signals;
use sys::{Epoll, Events, Readiness, Wait, Wake, clock};
use tracing::{info, warn};
use units::{BitRate, Nanos};

use self::newcomers::Newcomers;
use crate::listening::{self, Spare};
use crate::server::BindError;

/// Control connections of a netserver at once; one costs a thread with a small stack.
const MOST_SESSIONS: usize = 8192;
/// Connections taken at one go, between looks at the others.
const TOGETHER: usize = 256;
/// EBUSY, for one client too many.
const BUSY: u32 = 16;
/// Stack of a session: its messages are short.
const STACK: usize = 256 << 10;

const OVER: u64 = 0;
const SIGNAL: u64 = 1;
const FIRST_LISTENER: u64 = 2;

/// What a server does and does not do.
#[derive(Debug, Clone)]
pub struct Config {
    /// The one address to listen on; none for all.
    pub bind: Option<IpAddr>,
    /// Families to listen in.
    pub family: Family,
    /// The control port; 0 lets the kernel choose.
    pub port: u16,
    /// What every client must say first.
    pub passphrase: Option<String>,
    /// Who may come; empty for everyone.
    pub allow: Vec<Cidr>,
    /// Longest test.
    pub max_duration: Option<Nanos>,
    /// Highest rate of a test that this end sends.
    pub max_rate: Option<BitRate>,
    /// Serve one client after the other.
    pub one_at_a_time: bool,
    /// Clients at once; more are refused.
    pub most_sessions: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            bind: None,
            family: Family::Any,
            port: proto::netperf::PORT,
            passphrase: None,
            allow: Vec::new(),
            max_duration: None,
            max_rate: None,
            one_at_a_time: false,
            most_sessions: MOST_SESSIONS,
        }
    }
}

/// A server that listens.
pub struct Server {
    shared: Arc<Shared>,
    port: u16,
    listeners: Vec<TcpListener>,
    /// Told when to end.
    over: Arc<Wake>,
}

/// What all sessions share.
struct Shared {
    config: Config,
    ending: AtomicBool,
    sessions: AtomicUsize,
    /// Told when a session ends, where the next client waits for that.
    ended: Wake,
    number: AtomicU64,
}

/// Ends a server that runs on another thread.
#[derive(Clone)]
pub struct Stopper(Arc<Wake>);

impl Stopper {
    /// Ends it, and its tests.
    pub fn stop(&self) {
        self.0.wake();
    }
}

impl Server {
    /// Binds the port.
    ///
    /// # Errors
    /// EADDRINUSE and the like, with the address.
    pub fn bind(config: Config) -> Result<Self, BindError> {
        let wanted = listening::addresses(config.bind, config.family);
        let (listeners, port) = listening::on_one_port(&wanted, config.port, |address| {
            let listener = sys::tcp_listener(address)?;
            let port = listener.local_addr()?.port();
            Ok((listener, port))
        })?;
        let nowhere = |error| BindError {
            address: SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)),
            error,
        };
        Ok(Self {
            shared: Arc::new(Shared {
                config,
                ending: AtomicBool::new(false),
                sessions: AtomicUsize::new(0),
                ended: Wake::new().map_err(nowhere)?,
                number: AtomicU64::new(0),
            }),
            port,
            listeners,
            over: Arc::new(Wake::new().map_err(nowhere)?),
        })
    }

    /// The port that was bound.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends it from another thread.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.over.clone())
    }

    /// Serves until it is stopped, or until a signal comes.
    ///
    /// # Errors
    /// When the system refuses to wait for events.
    pub fn run(self, signals: Option<&Signals>) -> io::Result<()> {
        let epoll = Epoll::new()?;
        epoll.add(&*self.over, OVER, Readiness::READ)?;
        if let Some(signals) = signals {
            epoll.add(signals, SIGNAL, Readiness::READ)?;
        }
        for (key, listener) in (FIRST_LISTENER..).zip(&self.listeners) {
            epoll.add(listener, key, Readiness::READ)?;
        }
        let first_newcomer = FIRST_LISTENER + self.listeners.len() as u64;
        let mut newcomers = Newcomers::new(first_newcomer);
        let mut spare = Spare::new();
        let mut sessions: Vec<Guest> = Vec::new();
        let mut events = Events::with_capacity(16);
        loop {
            let wait = newcomers.deadline().map(|at| at - clock::now());
            epoll.wait(&mut events, wait)?;
            let keys: Vec<u64> = events.iter().map(|(key, _)| key).collect();
            if keys.contains(&OVER) || keys.contains(&SIGNAL) {
                break;
            }
            sessions.retain(|guest| !guest.thread.is_finished());
            for key in keys {
                if let Some(listener) = self.listeners.get((key - FIRST_LISTENER) as usize) {
                    for (socket, peer) in self.take(listener, &mut spare) {
                        // Who is served alone has the server's whole time.
                        if self.shared.config.one_at_a_time {
                            self.open(socket, peer, &mut sessions);
                            continue;
                        }
                        match newcomers.add(&epoll, socket, peer) {
                            Ok(None) => (),
                            Ok(Some(oldest)) => {
                                info!(peer = %oldest, "netperf: dropped: its first message was not there, and others came");
                            }
                            Err(error) => {
                                warn!(%peer, %error, "netperf: dropped: it cannot be waited for");
                            }
                        }
                    }
                } else if let Some((socket, peer)) = newcomers.take(&epoll, key) {
                    self.open(socket, peer, &mut sessions);
                }
            }
            for peer in newcomers.drop_slow(clock::now()) {
                info!(%peer, "netperf: dropped: its first message was not there within ten seconds");
            }
            if self.shared.config.one_at_a_time {
                self.wait_for_the_last(&mut sessions, signals)?;
            }
        }
        self.shared.ending.store(true, Ordering::Release);
        for guest in &sessions {
            if let Some(wake) = guest.wake.upgrade() {
                wake.wake();
            }
        }
        for guest in sessions {
            // A session that panicked has said so on standard error.
            let _ = guest.thread.join();
        }
        Ok(())
    }

    /// The connections that have come, of those who may.
    fn take(&self, listener: &TcpListener, spare: &mut Spare) -> Vec<(OwnedFd, SocketAddr)> {
        let mut taken = Vec::new();
        loop {
            let (socket, peer) = match spare.accept(listener) {
                Ok(Some(connection)) => connection,
                Ok(None) => return taken,
                Err(error) => {
                    warn!(%error, "netperf: refused: a connection that cannot be accepted");
                    return taken;
                }
            };
            let allow = &self.shared.config.allow;
            if !allow.is_empty() && !allow.iter().any(|block| block.contains(peer.ip())) {
                warn!(%peer, "netperf: refused: not on the --allow list");
                continue;
            }
            taken.push((socket, peer));
            if self.shared.config.one_at_a_time || taken.len() == TOGETHER {
                return taken;
            }
        }
    }

    /// Gives a client its session.
    fn open(&self, socket: OwnedFd, peer: SocketAddr, sessions: &mut Vec<Guest>) {
        let most = self.shared.config.most_sessions;
        if self.shared.sessions.load(Ordering::Acquire) >= most {
            warn!(%peer, most, "netperf: refused: too many clients");
            return refuse(&socket);
        }
        let Ok(wake) = Wake::new().map(Arc::new) else {
            return warn!(%peer, "netperf: refused: no descriptor for it");
        };
        let (shared, told) = (self.shared.clone(), Arc::downgrade(&wake));
        shared.sessions.fetch_add(1, Ordering::AcqRel);
        let number = shared.number.fetch_add(1, Ordering::Relaxed) + 1;
        let thread = std::thread::Builder::new()
            .name(format!("netperf-{number}"))
            .stack_size(STACK)
            .spawn(move || {
                let place = Place(shared);
                session::lead(socket, peer, number, wake, &place.0);
            });
        match thread {
            Ok(thread) => sessions.push(Guest { thread, wake: told }),
            Err(error) => {
                self.shared.sessions.fetch_sub(1, Ordering::AcqRel);
                warn!(%peer, %error, "netperf: refused: no thread for it");
            }
        }
    }

    /// Waits until the one client has gone, or until the server is stopped.
    fn wait_for_the_last(
        &self,
        sessions: &mut Vec<Guest>,
        signals: Option<&Signals>,
    ) -> io::Result<()> {
        let epoll = Epoll::new()?;
        epoll.add(&*self.over, OVER, Readiness::READ)?;
        if let Some(signals) = signals {
            epoll.add(signals, SIGNAL, Readiness::READ)?;
        }
        epoll.add(&self.shared.ended, FIRST_LISTENER, Readiness::READ)?;
        let mut events = Events::with_capacity(2);
        while self.shared.sessions.load(Ordering::Acquire) > 0 {
            epoll.wait(&mut events, None)?;
            self.shared.ended.clear();
            if events.iter().any(|(key, _)| key < FIRST_LISTENER) {
                return Ok(());
            }
        }
        sessions.clear();
        Ok(())
    }
}

struct Guest {
    thread: JoinHandle<()>,
    /// Its thread's: the descriptor goes with the session, not when somebody looks here again.
    wake: Weak<Wake>,
}

/// A session's place; given back however the session ends.
struct Place(Arc<Shared>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.sessions.fetch_sub(1, Ordering::AcqRel);
        self.0.ended.wake();
    }
}

/// Answers the first request of a client that gets no session.
fn refuse(socket: &OwnedFd) {
    // Closing with unread bytes would reset the connection and take the answer with it.
    let mut request = [0; 4096];
    while matches!(sys::recv(socket, &mut request, Wait::Never), Ok(n) if n > 0) {}
    let answer = Frame::new(0, BUSY);
    // It has room in a connection that carried nothing yet.
    let _ = sys::send(socket, answer.as_bytes(), Wait::Never);
    sys::shut_sending(socket);
}

/// Says what a session came to.
fn log_end(number: u64, peer: SocketAddr, tests: u64, end: &Result<(), String>) {
    match end {
        Ok(()) => info!(client = number, %peer, tests, "netperf: done"),
        Err(reason) => info!(client = number, %peer, tests, reason, "netperf: ended early"),
    }
}
