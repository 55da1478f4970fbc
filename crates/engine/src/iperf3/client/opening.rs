//! Opens the streams, strictly one after the other: the server tells them apart by their order.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use proto::iperf3::{Cookie, ErrorNumber, Hello, Parameters, Protocol};
use sys::{Epoll, Readiness, Wait};
use units::Nanos;

use super::{ClientError, Job, dial};
use crate::iperf3::lane::Lane;
use crate::iperf3::socket;

/// How long a TCP stream may take to connect, as at iperf3 after 3.21.
const CONNECT: Nanos = Nanos::from_secs(120);
/// How long a server may take for its reply to a hello. A hello is not said twice: the second one
/// would be data to a stock server.
const REPLY: Nanos = Nanos::from_secs(30);

/// Streams on their way.
pub(super) struct Opening {
    /// Watches the one at hand.
    epoll: Epoll,
    at_hand: Option<OwnedFd>,
    deadline: Nanos,
    lanes: Vec<Lane>,
    server: SocketAddr,
    cookie: Cookie,
}

impl Opening {
    /// None is open yet.
    ///
    /// # Errors
    /// When there is no descriptor left.
    pub fn new(server: SocketAddr, cookie: Cookie) -> Result<Self, ClientError> {
        Ok(Self {
            epoll: Epoll::new().map_err(ClientError::system)?,
            at_hand: None,
            deadline: Nanos::ZERO,
            lanes: Vec::new(),
            server,
            cookie,
        })
    }

    /// Readable when there is something to do.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.epoll.as_fd()
    }

    /// When the one at hand takes too long.
    pub fn deadline(&self) -> Nanos {
        self.deadline
    }

    /// Goes on. The streams, when all are open.
    ///
    /// # Errors
    /// Which step failed, and what the system answered.
    pub fn advance(
        &mut self,
        job: &Job,
        parameters: &Parameters,
        now: Nanos,
    ) -> Result<Option<Vec<Lane>>, ClientError> {
        loop {
            if let Some(socket) = self.at_hand.take() {
                if !self.is_open(&socket, parameters, now)? {
                    self.at_hand = Some(socket);
                    return Ok(None);
                }
                let _ = self.epoll.remove(&socket);
                let index = self.lanes.len() as u32;
                let sends = parameters.client_sends(index);
                let lane = Lane::new(index, socket, self.server, sends, parameters, true);
                self.lanes.push(lane);
            }
            if self.lanes.len() == parameters.streams() as usize {
                return Ok(Some(std::mem::take(&mut self.lanes)));
            }
            self.begin(job, parameters, now)?;
        }
    }

    fn begin(&mut self, job: &Job, parameters: &Parameters, now: Nanos) -> Result<(), ClientError> {
        let server = self.server;
        let create = |error| {
            let number = ErrorNumber::CREATE_STREAM;
            let doing = match parameters.protocol {
                Protocol::Tcp if parameters.mptcp => {
                    "making an MPTCP socket, which needs net.mptcp.enabled of the kernel"
                }
                Protocol::Sctp => "making an SCTP socket, which needs the kernel's module sctp",
                Protocol::Tcp | Protocol::Udp => "making a stream's socket",
            };
            ClientError::stream(number, doing, error)
        };
        let connect = |error| {
            let number = ErrorNumber::STREAM_CONNECT;
            let doing = format!("connecting a stream to {server}");
            ClientError::stream(number, &doing, error)
        };
        let made = match parameters.protocol {
            Protocol::Tcp if parameters.mptcp => sys::mptcp_socket(server),
            Protocol::Tcp => sys::tcp_socket(server),
            Protocol::Udp => sys::udp_socket(server),
            Protocol::Sctp => sys::sctp_socket(server),
        };
        let socket = made.map_err(create)?;
        let port = match job.first_port {
            Some(first) => {
                let port = usize::from(first) + self.lanes.len();
                u16::try_from(port).map_err(|_| create(io::ErrorKind::AddrNotAvailable.into()))?
            }
            None => 0,
        };
        socket::apply(&socket, parameters, server)?;
        socket::congestion(&socket, parameters)?;
        socket::device(&socket, job.device.as_deref())?;
        if parameters.protocol == Protocol::Tcp {
            socket::send_timeout(&socket, job.send_timeout)?;
        }
        dial::bind(&socket, job, server, port)?;
        let peer = socket::flow_label(&socket, parameters, server)?;
        sys::connect(&socket, peer).map_err(connect)?;
        let interest = if parameters.protocol == Protocol::Udp {
            let hello = Hello::encode(&self.cookie);
            sys::send(&socket, &hello, Wait::Block).map_err(connect)?;
            self.deadline = now + REPLY;
            Readiness::READ
        } else {
            self.deadline = now + CONNECT;
            Readiness::WRITE
        };
        let watched = self.epoll.add(&socket, 0, interest);
        watched.map_err(ClientError::system)?;
        self.at_hand = Some(socket);
        Ok(())
    }

    /// Whether the stream at hand is open; if so it has shown its cookie.
    fn is_open(
        &self,
        socket: &OwnedFd,
        parameters: &Parameters,
        now: Nanos,
    ) -> Result<bool, ClientError> {
        let mut events = sys::Events::with_capacity(1);
        let looked = self.epoll.wait(&mut events, Some(Nanos::ZERO));
        looked.map_err(ClientError::system)?;
        let ready = events.iter().next().is_some();
        let udp = parameters.protocol == Protocol::Udp;
        let (number, doing) = if udp {
            let doing = "waiting for the server's reply to a UDP stream's hello";
            (ErrorNumber::STREAM_READ, doing.to_owned())
        } else {
            let doing = format!("connecting a stream to {}", self.server);
            (ErrorNumber::STREAM_CONNECT, doing)
        };
        let failed = |error| ClientError::stream(number, &doing, error);
        if ready && udp {
            let mut buffer = [0; 2048];
            loop {
                match sys::recv(socket, &mut buffer, Wait::Never) {
                    Ok(n) if Hello::is_reply(&buffer[..n]) => return Ok(true),
                    // Data that overtook the reply.
                    Ok(n) if n > 4 => (),
                    Ok(_) => return Err(failed(io::ErrorKind::InvalidData.into())),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    Err(error) => return Err(failed(error)),
                }
            }
        } else if ready {
            sys::take_error(socket).map_err(failed)?;
            // A new connection has room for so little.
            sys::send(socket, self.cookie.bytes(), Wait::Never).map_err(failed)?;
            return Ok(true);
        }
        if now >= self.deadline {
            return Err(failed(io::ErrorKind::TimedOut.into()));
        }
        Ok(false)
    }
}
