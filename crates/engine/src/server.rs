//! The server: one thread that accepts, one that leads each test, and the tests' workers.
//! Everything comes in on one port: control, TCP data and UDP data.

mod acceptor;
mod attach;
mod door;
mod limits;
mod session;

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::Arc;

use plan::Cidr;
use proto::native::Sysctls;
use sys::signal::Signals;
use units::{BitRate, Nanos};

use acceptor::Acceptor;

/// What a server does and does not do.
#[derive(Debug, Clone)]
pub struct Config {
    /// The one address to listen on; none for all of both families.
    pub bind: Option<IpAddr>,
    /// The port; 0 lets the kernel choose.
    pub port: u16,
    /// Most tests at once.
    pub max_tests: NonZeroU32,
    /// Who may come; empty for everyone.
    pub allow: Vec<Cidr>,
    /// Longest test.
    pub max_duration: Option<Nanos>,
    /// Highest rate of one test in one direction.
    pub max_rate: Option<BitRate>,
    /// Clients may have this kernel's locks, timers and queues traced.
    pub tracing: bool,
    /// Sets sysctls for clients; none where they may have none set.
    pub sysctls: Option<Arc<dyn Setter>>,
    /// End after one test.
    pub one_off: bool,
}

/// Sets sysctls of this host for a test.
pub trait Setter: fmt::Debug + Send + Sync {
    /// Sets them, until what it gives is dropped.
    ///
    /// # Errors
    /// Why not, in a sentence for the client; nothing is set then.
    fn set(&self, wanted: &Sysctls) -> Result<Set, String>;
}

/// Sysctls that are set for a test.
pub struct Set {
    /// As they are now.
    pub now: Sysctls,
    /// Dropping it puts them back.
    pub kept: Box<dyn Send>,
}

/// A server that listens.
pub struct Server(Acceptor);

impl Server {
    /// Binds the port.
    ///
    /// # Errors
    /// EADDRINUSE and the like, with the address.
    pub fn bind(config: Config) -> Result<Self, BindError> {
        Acceptor::bind(config).map(Self)
    }

    /// The port that was bound.
    pub fn port(&self) -> u16 {
        self.0.port()
    }

    /// Serves until a signal comes or, with `one_off`, until a test is over.
    ///
    /// # Errors
    /// When the system refuses to wait for events.
    pub fn run(self, signals: &Signals) -> io::Result<()> {
        self.0.run(signals)
    }
}

/// The port could not be bound.
#[derive(Debug, thiserror::Error)]
#[error("listening on {address}: {error}")]
pub struct BindError {
    /// Where.
    pub address: SocketAddr,
    /// What the system answered.
    pub error: io::Error,
}
