//! What a request asks of the server, whichever layout it has.

use std::net::IpAddr;

use plan::Family;
use units::{Bytes, Nanos};

use super::{DataOptions, ErrorNumber, Length, Refusal, TestRequest};

mod layouts;
#[cfg(test)]
mod tests;

/// The server's part of a test.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// What the data socket is.
    pub transport: Transport,
    /// What it does.
    pub work: Work,
    /// For how long.
    pub length: Length,
    /// The family of its address.
    pub family: Family,
    /// Its address; none is any.
    pub address: Option<IpAddr>,
    /// Its port; 0 is any. One that is taken is an error: another one would not help a client
    /// that asked for a hole in a firewall.
    pub port: u16,
    /// Its options.
    pub options: DataOptions,
    /// Where the client says that its own data socket is, for a server that sends before it
    /// receives. It rarely knows the address, and whoever sends there unseen floods a stranger:
    /// the control connection's peer is the one to trust.
    pub client_address: Option<IpAddr>,
    /// The port of that socket; 0 if the client does not know it.
    pub client_port: u16,
    /// The CPU that the work should run on; no CPU like this is no error.
    pub cpu: Option<u32>,
    /// Measure the CPUs during the work.
    pub measures_cpu: bool,
    /// Received data need not be read, only counted.
    pub avoids_copies: bool,
    /// Keep to a rate.
    pub pace: Option<Pace>,
    /// Alignment and offset of the memory that is sent.
    pub send_place: (u16, u16),
    /// The same of what is received.
    pub recv_place: (u16, u16),
    /// Equal tests that are asked for at once, each with a data socket of its own.
    pub tests: u32,
}

/// What a data socket is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Transport {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
    /// SCTP, one association.
    Sctp,
    /// SCTP, many associations on one socket.
    SctpMany,
}

/// What the server does with its data socket. A size that is not given is the socket buffer's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Receives until the client ends it: the end of a stream, a datagram without content.
    Receive {
        /// Bytes of every receive.
        size: Option<Bytes>,
    },
    /// Sends until the length is over.
    Send {
        /// Bytes of every send.
        size: Option<Bytes>,
    },
    /// Receives a request and sends a response, over and over.
    Exchange {
        /// Bytes of a request.
        request: Bytes,
        /// Bytes of a response.
        response: Bytes,
        /// On a connection for every one, which the server closes first.
        reconnects: bool,
    },
    /// Accepts connections, and closes them first.
    Connect,
}

/// So much at once, so often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Messages at once.
    pub burst: u32,
    /// From one burst to the next.
    pub interval: Nanos,
}

impl Job {
    /// The longest UDP payload over IPv4: 65535 bytes less two headers (RFC 791, RFC 768).
    pub const LONGEST_DATAGRAM: Bytes = Bytes::new(65507);

    /// The part that `request` asks for, or why there is none.
    pub fn of(request: &TestRequest, cpu: Option<u32>) -> Result<Self, Refusal> {
        let job = match request {
            TestRequest::Omni(request) => layouts::omni(request)?,
            TestRequest::Stream(test, request) => layouts::stream(*test, request),
            TestRequest::Maerts(request) => layouts::maerts(request),
            TestRequest::Exchange(test, request) => layouts::exchange(*test, request),
            TestRequest::UdpStream(request) => layouts::udp_stream(request),
        };
        job.check()?;
        Ok(Self {
            cpu,
            measures_cpu: request.measures_cpu(),
            ..job
        })
    }

    /// Whether a test has many connections, one after the other.
    pub const fn reconnects(&self) -> bool {
        matches!(
            self.work,
            Work::Connect
                | Work::Exchange {
                    reconnects: true,
                    ..
                }
        )
    }

    fn new(transport: Transport, work: Work, length: Length, family: Family, port: u16) -> Self {
        Self {
            transport,
            work,
            length,
            family,
            address: None,
            port,
            options: DataOptions::default(),
            client_address: None,
            client_port: 0,
            cpu: None,
            measures_cpu: false,
            avoids_copies: false,
            pace: None,
            send_place: (0, 0),
            recv_place: (0, 0),
            tests: 1,
        }
    }

    fn check(&self) -> Result<(), Refusal> {
        if self.transport != Transport::Udp {
            return Ok(());
        }
        if self.reconnects() {
            let reason = "a test of connections over UDP, which has none";
            return Err(Refusal::new(ErrorNumber::INVALID, reason));
        }
        let longest = match self.work {
            Work::Send { size } => size,
            Work::Exchange {
                request, response, ..
            } => Some(request.max(response)),
            Work::Receive { .. } | Work::Connect => None,
        };
        match longest {
            Some(size) if size > Self::LONGEST_DATAGRAM => {
                let (size, most) = (size.get(), Self::LONGEST_DATAGRAM.get());
                let reason = format!("datagrams of {size} bytes: up to {most} bytes are accepted");
                Err(Refusal::new(ErrorNumber::MESSAGE_SIZE, reason))
            }
            _ => Ok(()),
        }
    }
}
