//! A control connection and what it has told of its tests: one, or all of them at netdyno.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use proto::netperf::{ClientAction, ClientSession, Opened, Tally, TestRequest};
use sys::{Epoll, Readiness, Wait, clock};
use units::Nanos;

use super::{ClientError, Control};

/// A place for one request at a time.
pub(super) struct Seat {
    addresses: Vec<SocketAddr>,
    tried: usize,
    local: Option<SocketAddr>,
    socket: Option<OwnedFd>,
    session: ClientSession,
    connected: bool,
    shut: bool,
    closed: bool,
    /// Without a control connection there is nobody to talk to.
    alone: bool,
    pub peer: Option<SocketAddr>,
    /// One for each test that the server does.
    pub opened: Vec<Opened>,
    /// The same.
    pub results: Vec<Tally>,
    pub calibration: Option<(f32, u32)>,
    pub error: Option<ClientError>,
    /// What the connection that is being made is ready for.
    dialled: Readiness,
}

impl Seat {
    pub fn new(control: &Control) -> Self {
        Self {
            addresses: control.addresses.clone(),
            tried: 0,
            local: control.local,
            socket: None,
            session: ClientSession::new(control.passphrase.as_deref()),
            connected: false,
            shut: false,
            closed: false,
            alone: control.absent,
            peer: control.addresses.first().copied(),
            opened: Vec::new(),
            results: Vec::new(),
            calibration: None,
            error: None,
            dialled: Readiness::default(),
        }
    }

    /// Begins to connect to the next address.
    pub fn dial(&mut self, epoll: &Epoll, key: u64) {
        let Some(address) = self.addresses.get(self.tried).copied() else {
            return;
        };
        self.peer = Some(address);
        match self.begin(address, epoll, key) {
            Ok(socket) => self.socket = Some(socket),
            Err(error) => self.next_address(error, epoll, key),
        }
    }

    fn begin(&self, address: SocketAddr, epoll: &Epoll, key: u64) -> io::Result<OwnedFd> {
        let socket = sys::tcp_socket(address)?;
        let fits = |local: &SocketAddr| local.is_ipv4() == address.is_ipv4();
        if let Some(local) = self.local.filter(fits) {
            sys::reuse_address(&socket)?;
            sys::bind(&socket, local)?;
        }
        sys::connect(&socket, address)?;
        epoll.add(&socket, key, Readiness::WRITE)?;
        Ok(socket)
    }

    fn next_address(&mut self, error: io::Error, epoll: &Epoll, key: u64) {
        self.socket = None;
        self.tried += 1;
        if self.tried < self.addresses.len() {
            return self.dial(epoll, key);
        }
        if let Some(address) = self.peer {
            self.error = Some(ClientError::Unreachable {
                address,
                error: Arc::new(error),
            });
        }
    }

    /// This end of the control connection.
    pub fn local_ip(&self) -> Option<IpAddr> {
        let socket = self.socket.as_ref()?;
        Some(sys::local_address(socket).ok()?.ip())
    }

    pub fn is_dialling(&self) -> bool {
        !self.alone && !self.connected && self.error.is_none()
    }

    /// Looks whether the connection is made; `late` gives up.
    pub fn dialled(&mut self, epoll: &Epoll, key: u64, late: bool) {
        if !self.is_dialling() {
            return;
        }
        let Some(socket) = &self.socket else {
            return;
        };
        if self.dialled == Readiness::default() {
            if late {
                self.tried = self.addresses.len();
                self.next_address(io::ErrorKind::TimedOut.into(), epoll, key);
            }
            return;
        }
        self.dialled = Readiness::default();
        let fine = sys::take_error(socket)
            .and_then(|()| sys::Options::of(socket).set_nodelay())
            .and_then(|()| epoll.modify(socket, key, Readiness::READ));
        match fine {
            Ok(()) => self.connected = true,
            Err(error) => self.next_address(error, epoll, key),
        }
    }

    /// Asks for so many tests.
    pub fn ask(&mut self, cpu: Option<u32>, request: TestRequest, tests: u32) {
        self.opened.clear();
        self.results.clear();
        if self.error.is_none() && !self.alone {
            // It is its turn whenever there is no error.
            let _ = self.session.ask(clock::now(), cpu, request, tests);
            self.flush();
        }
    }

    /// Asks for the server's calibration. False where there is nobody to ask.
    pub fn calibrate(&mut self) -> bool {
        !self.alone && self.error.is_none() && self.session.calibrate(clock::now()).is_ok()
    }

    /// The client's part is over.
    pub fn finished(&mut self) {
        if !self.alone {
            // After an error it is nobody's turn.
            let _ = self.session.finished(clock::now());
        }
    }

    /// Whether the server's answer is still to come.
    pub fn waits_for_opening(&self) -> bool {
        !self.alone && self.opened.is_empty() && self.error.is_none()
    }

    /// Whether the server's figures are still to come.
    pub fn waits_for_results(&self) -> bool {
        !self.alone && self.results.is_empty() && self.error.is_none()
    }

    pub fn leave(&mut self) {
        self.session.close();
    }

    /// Whether the goodbye is still to be heard.
    pub fn is_leaving(&self) -> bool {
        self.connected && !self.closed && self.error.is_none()
    }

    pub fn next_deadline(&self) -> Option<Nanos> {
        self.session.next_deadline().filter(|_| self.connected)
    }

    pub fn flush(&mut self) {
        let Some(socket) = self.socket.as_ref().filter(|_| self.connected) else {
            return;
        };
        while !self.closed && !self.session.transmit().is_empty() {
            match sys::send(socket, self.session.transmit(), Wait::Never) {
                Ok(n) => self.session.consumed(n),
                // A message is shorter than any socket buffer; what is left goes with the next.
                Err(_) => break,
            }
        }
        if self.session.is_over() && self.session.transmit().is_empty() && !self.shut {
            self.shut = true;
            sys::shut_sending(socket);
        }
    }

    /// The control connection can be read, or is made.
    pub fn control_ready(&mut self, epoll: &Epoll, ready: Readiness) {
        if !self.connected {
            self.dialled = ready;
            return;
        }
        let Some(socket) = &self.socket else {
            return;
        };
        let mut buffer = [0; 4096];
        loop {
            match sys::recv(socket, &mut buffer, Wait::Never) {
                Ok(n) if n > 0 => self.session.receive(clock::now(), &buffer[..n]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                _ => {
                    self.closed = true;
                    let _ = epoll.remove(socket);
                    self.session.eof();
                    break;
                }
            }
        }
        self.take_actions();
    }

    pub fn expire(&mut self, now: Nanos) {
        if self.connected {
            self.session.expire(now);
            self.take_actions();
        }
    }

    fn take_actions(&mut self) {
        while let Some(action) = self.session.poll_action() {
            match action {
                ClientAction::Calibrated { rate, cpus } => self.calibration = Some((rate, cpus)),
                ClientAction::Opened(opened) => self.opened = opened,
                ClientAction::Results(tallies) => self.results = tallies,
                ClientAction::Refused(number) => {
                    self.error = Some(ClientError::Refused { number });
                }
                ClientAction::Failed(error) => self.error = Some(ClientError::Session(error)),
                ClientAction::Closed => (),
            }
        }
    }
}
