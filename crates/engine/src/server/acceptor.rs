//! Takes connections and UDP hellos, reads what they are, and hands them on. It never waits for
//! anybody: a connection that says nothing costs a place for five seconds.

use std::collections::VecDeque;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::thread::JoinHandle;

use plan::Family;
use proto::Parse;
use proto::native::{Preamble, RefuseCode, ServerSession};
use sys::signal::Signals;
use sys::{Epoll, Events, Readiness, Wait, Wake, clock};
use tracing::{info, warn};
use units::Nanos;

use super::door::Doors;
use super::{BindError, Config, attach, session};
use crate::listening::{self, Spare};

/// How long a connection may take to say what it is.
const FIRST_MESSAGE: Nanos = Nanos::from_secs(5);
/// Connections that may be about to say it; the oldest gives way.
const MOST_PENDING: usize = 4096;

const SIGNAL: u64 = 0;
const OVER: u64 = 1;
const FIRST_LISTENER: u64 = 2;
const FIRST_PENDING: u64 = 1000;

pub(super) struct Acceptor {
    config: Arc<Config>,
    port: u16,
    listeners: Vec<Listener>,
    doors: Arc<Doors>,
    epoll: Epoll,
    pending: VecDeque<Pending>,
    /// Key of the oldest pending connection.
    oldest: u64,
    /// Told by a session that was the last.
    over: Arc<Wake>,
    sessions: Vec<JoinHandle<()>>,
    spare: Spare,
}

enum Listener {
    Tcp(TcpListener),
    Udp(OwnedFd),
}

/// A connection that has not said what it is. `None` once it has, until older ones are gone too.
type Pending = Option<Newcomer>;

struct Newcomer {
    socket: OwnedFd,
    peer: SocketAddr,
    said: [u8; Preamble::LEN],
    length: usize,
    deadline: Nanos,
}

impl Acceptor {
    pub fn bind(config: Config) -> Result<Self, BindError> {
        let wanted = listening::addresses(config.bind, Family::Any);
        let (listeners, port) = listening::on_one_port(&wanted, config.port, |mut address| {
            let tcp = sys::tcp_listener(address)?;
            address.set_port(tcp.local_addr()?.port());
            let udp = sys::udp_listener(address)?;
            Ok(([Listener::Tcp(tcp), Listener::Udp(udp)], address.port()))
        })?;
        let listeners = listeners.into_iter().flatten().collect();
        let nowhere = |error| BindError {
            address: SocketAddr::from(([0, 0, 0, 0], port)),
            error,
        };
        Ok(Self {
            config: Arc::new(config),
            port,
            listeners,
            doors: Arc::default(),
            epoll: Epoll::new().map_err(nowhere)?,
            pending: VecDeque::new(),
            oldest: FIRST_PENDING,
            over: Arc::new(Wake::new().map_err(nowhere)?),
            sessions: Vec::new(),
            spare: Spare::new(),
        })
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn run(mut self, signals: &Signals) -> io::Result<()> {
        self.epoll.add(signals, SIGNAL, Readiness::READ)?;
        self.epoll.add(&*self.over, OVER, Readiness::READ)?;
        for (i, listener) in self.listeners.iter().enumerate() {
            let key = FIRST_LISTENER + i as u64;
            match listener {
                Listener::Tcp(tcp) => self.epoll.add(tcp, key, Readiness::READ)?,
                Listener::Udp(udp) => self.epoll.add(udp, key, Readiness::READ)?,
            }
        }
        let mut events = Events::with_capacity(64);
        'serving: loop {
            let deadline = self
                .pending
                .iter()
                .flatten()
                .map(|newcomer| newcomer.deadline)
                .next();
            self.epoll
                .wait(&mut events, deadline.map(|at| at - clock::now()))?;
            for (key, _) in events.iter() {
                match key {
                    SIGNAL => {
                        if let Some(signal) = signals.next() {
                            info!(signal, "ending");
                            break 'serving;
                        }
                    }
                    OVER => break 'serving,
                    key if key >= FIRST_PENDING => self.hear(key),
                    key => self.take((key - FIRST_LISTENER) as usize),
                }
            }
            self.drop_silent(clock::now());
        }
        self.doors.end();
        for session in self.sessions {
            // A session that panicked has said so on standard error.
            let _ = session.join();
        }
        Ok(())
    }

    fn take(&mut self, listener: usize) {
        match &self.listeners[listener] {
            Listener::Tcp(_) => self.take_connections(listener),
            Listener::Udp(_) => self.take_hellos(listener),
        }
    }

    fn take_connections(&mut self, listener: usize) {
        loop {
            let Listener::Tcp(tcp) = &self.listeners[listener] else {
                return;
            };
            match self.spare.accept(tcp) {
                Ok(None) => return,
                Ok(Some((socket, peer))) => {
                    let key = self.oldest + self.pending.len() as u64;
                    if let Err(error) = self.epoll.add(&socket, key, Readiness::READ) {
                        warn!(%peer, %error, "dropped: it cannot be waited for");
                        continue;
                    }
                    let deadline = clock::now() + FIRST_MESSAGE;
                    let newcomer = Newcomer {
                        socket,
                        peer,
                        said: [0; Preamble::LEN],
                        length: 0,
                        deadline,
                    };
                    self.pending.push_back(Some(newcomer));
                }
                Err(error) => {
                    warn!(%error, "refused: a connection that cannot be accepted");
                    return;
                }
            }
            if self.pending.len() > MOST_PENDING {
                self.drop_oldest();
            }
        }
    }

    fn permits(&self, peer: SocketAddr) -> bool {
        self.config.allow.is_empty()
            || self
                .config
                .allow
                .iter()
                .any(|block| block.contains(peer.ip()))
    }

    /// Reads what a newcomer says.
    fn hear(&mut self, key: u64) {
        let Some(place) = key.checked_sub(self.oldest).map(|at| at as usize) else {
            return;
        };
        let Some(Some(newcomer)) = self.pending.get_mut(place) else {
            return;
        };
        let peer = newcomer.peer;
        match newcomer.read() {
            Ok(None) => return,
            Ok(Some(preamble)) => {
                if let Some(newcomer) = self.pending[place].take() {
                    let _ = self.epoll.remove(&newcomer.socket);
                    self.admit(newcomer, preamble);
                }
            }
            Err(reason) => {
                info!(%peer, reason, "dropped");
                self.pending[place] = None;
            }
        }
        self.forget_front();
    }

    fn admit(&mut self, newcomer: Newcomer, preamble: Preamble) {
        let Newcomer { socket, peer, .. } = newcomer;
        if !self.permits(peer) {
            info!(%peer, "refused: not on the --allow list");
            if preamble == Preamble::Control {
                refuse(
                    &socket,
                    RefuseCode::NotAllowed,
                    "your address is not on its --allow list",
                );
            }
            return;
        }
        match preamble {
            Preamble::Control => self.open_session(socket, peer),
            Preamble::Data(claim) => {
                match self.doors.find(&claim).filter(|door| door.claim(&claim)) {
                    Some(door) => door.bring(claim, socket),
                    None => info!(%peer, "dropped: a data connection of no running test"),
                }
            }
            // Datagrams' preambles have no place on a connection.
            _ => info!(%peer, "dropped: a datagram's greeting on a connection"),
        }
    }

    fn open_session(&mut self, socket: OwnedFd, peer: SocketAddr) {
        self.sessions.retain(|session| !session.is_finished());
        let most = self.config.max_tests.get();
        let wake = match Wake::new().map(Arc::new) {
            Ok(wake) => wake,
            Err(error) => {
                warn!(%peer, %error, "refused: no descriptor for it");
                let reason = format!("it has no descriptor for another test: {error}");
                return refuse(&socket, RefuseCode::TooManyTests, &reason);
            }
        };
        let Some(place) = self.doors.enter(most, wake.clone()) else {
            info!(%peer, most, "refused: too many tests");
            let reason = format!("it takes {most} tests at once (--max-tests), and so many run");
            return refuse(&socket, RefuseCode::TooManyTests, &reason);
        };
        let guest = session::Guest {
            socket,
            peer,
            place,
            wake,
            config: self.config.clone(),
            doors: self.doors.clone(),
            over: self.over.clone(),
        };
        let name = format!("test-{}", guest.place.number);
        match std::thread::Builder::new()
            .name(name)
            .spawn(move || session::lead(guest))
        {
            Ok(session) => self.sessions.push(session),
            Err(error) => warn!(%peer, %error, "refused: no thread for it"),
        }
    }

    fn take_hellos(&mut self, listener: usize) {
        let Listener::Udp(udp) = &self.listeners[listener] else {
            return;
        };
        let mut buffer = [0; 2 * Preamble::LEN];
        loop {
            let arrival = match sys::receive_from(udp, &mut buffer) {
                Ok(Some(arrival)) => arrival,
                Ok(None) => return,
                // What an ICMP answer to a welcome leaves behind.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => continue,
                Err(error) => {
                    warn!(%error, "receiving a datagram");
                    return;
                }
            };
            let hello = Preamble::parse_datagram(&buffer[..arrival.length]);
            let Some(Preamble::UdpHello(claim)) = hello else {
                continue;
            };
            if !self.permits(arrival.from) {
                continue;
            }
            let Some(door) = self.doors.find(&claim).filter(|door| door.claim(&claim)) else {
                continue;
            };
            match sys::udp_for_peer(arrival, self.port) {
                Ok(socket) => {
                    attach::welcome(&socket, claim);
                    door.bring(claim, socket);
                }
                Err(error) => {
                    warn!(peer = %arrival.from, %error, "opening a socket for a UDP flow")
                }
            }
        }
    }

    fn drop_silent(&mut self, now: Nanos) {
        while let Some(Some(newcomer)) = self.pending.front()
            && newcomer.deadline <= now
        {
            info!(peer = %newcomer.peer, "dropped: it said nothing for five seconds");
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        if let Some(oldest) = self.pending.iter_mut().find(|pending| pending.is_some()) {
            *oldest = None;
        }
        self.forget_front();
    }

    fn forget_front(&mut self) {
        while self.pending.front().is_some_and(Option::is_none) {
            self.pending.pop_front();
            self.oldest += 1;
        }
    }
}

impl Newcomer {
    /// The preamble once it is whole; a sentence when it will never be one.
    fn read(&mut self) -> Result<Option<Preamble>, String> {
        loop {
            match sys::recv(&self.socket, &mut self.said[self.length..], Wait::Never) {
                Ok(0) => return Err("it closed before it said what it is".to_owned()),
                Ok(n) => self.length += n,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.to_string()),
            }
            match Preamble::parse(&self.said[..self.length]) {
                Ok(Parse::Complete(preamble)) => return Ok(Some(preamble)),
                Ok(_) => (),
                Err(error) => return Err(error.to_string()),
            }
        }
    }
}

/// Tells a client why it gets no session.
fn refuse(socket: &OwnedFd, code: RefuseCode, reason: &str) {
    let words = ServerSession::refusal(code, reason);
    // The words of a refusal fit into any send buffer; who does not read them loses nothing.
    let _ = sys::send(socket, &words, Wait::Never);
    sys::shut_sending(socket);
}
