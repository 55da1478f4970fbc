//! Opens the sockets of a load at the client.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;

use plan::{Load, Transport};
use proto::native::{Claim, Preamble, Token};

use crate::flow::Open;
use crate::options;

/// Everything that a new socket of one flow needs.
#[derive(Clone)]
pub(crate) struct Opener {
    peer: SocketAddr,
    load: Load,
    /// The flow's own local address and port; none leaves both to the kernel.
    local: Option<SocketAddr>,
    preamble: [u8; Preamble::LEN],
}

impl Opener {
    /// For flow `flow` of the plan's load number `index`.
    pub fn new(peer: SocketAddr, load: &Load, index: usize, flow: u32, token: Token) -> Self {
        let any = || match peer {
            SocketAddr::V4(_) => IpAddr::from(Ipv4Addr::UNSPECIFIED),
            SocketAddr::V6(_) => IpAddr::from(Ipv6Addr::UNSPECIFIED),
        };
        let socket = &load.socket;
        let port = socket
            .source_port
            .map(|first| first.saturating_add(flow as u16));
        let local = (port.is_some() || socket.bind.is_some())
            .then(|| SocketAddr::new(socket.bind.unwrap_or_else(any), port.unwrap_or(0)));
        let claim = Claim {
            load: index as u16,
            flow,
            token,
        };
        let preamble = match load.kind.transport() {
            Transport::Tcp => Preamble::Data(claim),
            Transport::Udp => Preamble::UdpHello(claim),
        };
        Self {
            peer,
            load: load.clone(),
            local,
            preamble: preamble.encode(),
        }
    }

    /// A socket with the load's options that has begun to connect.
    ///
    /// # Errors
    /// What the system answered to the first call that failed.
    pub fn open(&self) -> io::Result<OwnedFd> {
        let socket = match self.load.kind.transport() {
            Transport::Tcp => sys::tcp_socket(self.peer)?,
            Transport::Udp => sys::udp_socket(self.peer)?,
        };
        options::apply(&socket, &self.load, self.peer.is_ipv6(), true)?;
        if let Some(local) = self.local {
            sys::reuse_address(&socket)?;
            sys::bind(&socket, local).map_err(|error| {
                io::Error::new(error.kind(), format!("binding to {local}: {error}"))
            })?;
        }
        sys::connect(&socket, self.peer)?;
        Ok(socket)
    }
}

impl Open for Opener {
    fn preamble(&self) -> &[u8] {
        &self.preamble
    }

    fn open(&mut self) -> io::Result<OwnedFd> {
        Self::open(self)
    }
}
