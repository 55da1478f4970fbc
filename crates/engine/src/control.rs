//! The loop around a session: one thread that waits for the control connection, for workers, for
//! signals and for the next instant, and moves bytes between socket and session.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use proto::native::{ClientSession, ServerSession};
use sys::signal::Signals;
use sys::{Epoll, Events, Options, Readiness, Wait, Wake, clock};
use units::Nanos;

/// Idle time after which keep-alive probes begin.
const KEEPALIVE_IDLE: Nanos = Nanos::from_secs(5);
/// How long a peer's host may leave control bytes unacknowledged.
const PEER_DEAD: Nanos = Nanos::from_secs(10);

/// What the loop needs of a session of either side.
pub(crate) trait Session {
    fn receive(&mut self, now: Nanos, bytes: &[u8]);
    fn eof(&mut self);
    fn expire(&mut self, now: Nanos);
    fn next_deadline(&self) -> Option<Nanos>;
    fn transmit(&self) -> &[u8];
    fn consumed(&mut self, n: usize);
}

macro_rules! session {
    ($type:ty) => {
        impl Session for $type {
            fn receive(&mut self, now: Nanos, bytes: &[u8]) {
                self.receive(now, bytes);
            }
            fn eof(&mut self) {
                self.eof();
            }
            fn expire(&mut self, now: Nanos) {
                self.expire(now);
            }
            fn next_deadline(&self) -> Option<Nanos> {
                self.next_deadline()
            }
            fn transmit(&self) -> &[u8] {
                self.transmit()
            }
            fn consumed(&mut self, n: usize) {
                self.consumed(n);
            }
        }
    };
}

session!(ClientSession);
session!(ServerSession);
session!(proto::iperf3::ClientSession);
session!(proto::iperf3::ServerSession);
session!(proto::netperf::ClientSession);
session!(proto::netperf::ServerSession);

/// A control connection.
pub(crate) struct Control {
    socket: OwnedFd,
    epoll: Epoll,
    events: Events,
    interest: Readiness,
    closed: bool,
    /// Made ready by workers and by the acceptor.
    pub wake: Arc<Wake>,
}

const SOCKET: u64 = 0;
const WAKE: u64 = 1;
const SIGNAL: u64 = 2;

impl Control {
    /// Takes over a connected, non-blocking socket.
    ///
    /// # Errors
    /// When the process has no descriptor left.
    pub fn new(socket: OwnedFd, wake: Arc<Wake>, signals: Option<&Signals>) -> io::Result<Self> {
        let options = Options::of(&socket);
        options.set_nodelay()?;
        options.set_keepalive(KEEPALIVE_IDLE, PEER_DEAD)?;
        let epoll = Epoll::new()?;
        epoll.add(&socket, SOCKET, Readiness::READ)?;
        epoll.add(&*wake, WAKE, Readiness::READ)?;
        if let Some(signals) = signals {
            epoll.add(signals, SIGNAL, Readiness::READ)?;
        }
        let events = Events::with_capacity(8);
        Ok(Self {
            socket,
            epoll,
            events,
            interest: Readiness::READ,
            closed: false,
            wake,
        })
    }

    /// The connection, for its figures.
    pub fn socket(&self) -> &OwnedFd {
        &self.socket
    }

    /// Also returns from [`Control::turn`] when `fd` is readable.
    ///
    /// # Errors
    /// What epoll_ctl(2) says.
    pub fn watch(&self, fd: impl AsFd) -> io::Result<()> {
        self.epoll.add(fd, WAKE + 2, Readiness::READ)
    }

    /// Ends a [`Control::watch`].
    pub fn unwatch(&self, fd: impl AsFd) {
        let _ = self.epoll.remove(fd);
    }

    /// Sends what the session has to say, waits until something happens or until `call`, and
    /// gives the session what came. The caller looks at the session's actions, at its own
    /// instants and at its signals afterwards.
    ///
    /// # Errors
    /// When the system refuses to wait. A broken connection is the session's end of file.
    pub fn turn(&mut self, session: &mut impl Session, call: Option<Nanos>) -> io::Result<()> {
        self.flush(session);
        let wanted = Readiness {
            read: !self.closed,
            write: !session.transmit().is_empty() && !self.closed,
        };
        if wanted != self.interest {
            self.epoll.modify(&self.socket, SOCKET, wanted)?;
            self.interest = wanted;
        }
        let next = [call, session.next_deadline()].into_iter().flatten().min();
        self.epoll
            .wait(&mut self.events, next.map(|at| at - clock::now()))?;
        let mut readable = false;
        for (key, readiness) in self.events.iter() {
            match key {
                SOCKET => readable |= readiness.read,
                WAKE => self.wake.clear(),
                _ => (),
            }
        }
        if readable && !self.closed {
            self.read(session);
        }
        session.expire(clock::now());
        Ok(())
    }

    /// Sends what it can now.
    pub fn flush(&mut self, session: &mut impl Session) {
        while !self.closed && !session.transmit().is_empty() {
            match sys::send(&self.socket, session.transmit(), Wait::Never) {
                Ok(n) => session.consumed(n),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // What the peer still had to say is read first; then comes the end of file.
                Err(_) => return self.read(session),
            }
        }
    }

    fn read(&mut self, session: &mut impl Session) {
        let mut buffer = [0; 64 * 1024];
        loop {
            match sys::recv(&self.socket, &mut buffer, Wait::Never) {
                Ok(n) if n > 0 => session.receive(clock::now(), &buffer[..n]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                _ => {
                    self.closed = true;
                    session.eof();
                    return;
                }
            }
        }
    }

    /// Sends the rest within `patience`, then closes in a way that lets the peer read all of it.
    pub fn close(mut self, session: &mut impl Session, patience: Nanos) {
        let until = clock::now() + patience;
        while !self.closed && !session.transmit().is_empty() && clock::now() < until {
            if self.turn(session, Some(until)).is_err() {
                return;
            }
        }
        sys::shut_sending(&self.socket);
        // Closing with unread bytes would reset the connection and take the last words with it.
        while !self.closed && clock::now() < until {
            if self.turn(session, Some(until)).is_err() {
                return;
            }
        }
    }
}
