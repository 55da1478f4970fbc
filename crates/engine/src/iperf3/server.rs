//! The end that serves: one thread that accepts, one that leads each test, and the tests' workers.
//! Control connections, TCP data and UDP data come in on one port, of any number of clients.

mod acceptor;
mod guest;
mod policy;
mod rooms;

use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use plan::{Cidr, Family};
use proto::iperf3::{ErrorNumber, ServerOutput};
use sys::Wake;
use sys::signal::Signals;
use units::Nanos;

pub use super::limit::RateLimit;
use super::{Event, Keepalive, Outcome};
use crate::server::BindError;
use acceptor::Acceptor;

/// What a server does and does not do.
#[derive(Clone)]
pub struct Config {
    /// The one address to listen on; none for all.
    pub bind: Option<IpAddr>,
    /// Families to listen in.
    pub family: Family,
    /// The port; 0 lets the kernel choose.
    pub port: u16,
    /// SO_BINDTODEVICE.
    pub device: Option<String>,
    /// Who may come; empty for everyone.
    pub allow: Vec<Cidr>,
    /// Most tests at once; a client beyond that hears that the server is busy.
    pub max_tests: u32,
    /// End after one test.
    pub one_off: bool,
    /// With that, end also when nobody came for so long.
    pub idle_timeout: Option<Nanos>,
    /// The most that a test may move.
    pub rate_limit: Option<RateLimit>,
    /// Longest test, omitted time included.
    pub max_duration: Option<Nanos>,
    /// This end's CPU, where the client does not name one.
    pub affinity: Option<u16>,
    /// What is sent, or where to write what is received.
    pub file: Option<PathBuf>,
    /// Distance of interval events; none for a single one.
    pub interval: Option<Nanos>,
    /// How long a receiver waits for data.
    pub receive_timeout: Nanos,
    /// TCP_USER_TIMEOUT of control and data.
    pub send_timeout: Option<Nanos>,
    /// Keep-alive of control connections.
    pub keepalive: Option<Keepalive>,
    /// Says whether a client's token is good, or why not.
    pub authorize: Option<Authorize>,
    /// Makes a scribe for each test, by its number from 1.
    pub scribes: Scribes,
}

/// See [`Config::authorize`].
pub type Authorize = Arc<dyn Fn(Option<&str>) -> Result<(), String> + Send + Sync>;

/// See [`Config::scribes`].
pub type Scribes = Arc<dyn Fn(u64) -> Box<dyn Scribe> + Send + Sync>;

/// Hears what happens in one test.
pub trait Scribe {
    /// Something happened.
    fn tell(&mut self, event: Event<'_>);
    /// Data has stopped moving, and the client's results are here if they ever come.
    fn ended(&mut self, outcome: &Outcome);
    /// What the client that asked for it is shown of this end's output.
    fn output(&mut self) -> Option<ServerOutput>;
    /// Nothing more comes.
    fn closed(&mut self, error: Option<&TestError>);
}

/// Why a test did not come to its end.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{sentence}")]
pub struct TestError {
    /// Its number among iperf3's errors.
    pub number: ErrorNumber,
    /// What happened.
    pub sentence: String,
}

/// Why a server has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerEnd {
    /// A signal, or [`Stopper::stop`].
    Told,
    /// Its one test is over.
    OneOff,
    /// Nobody came.
    Idle,
}

/// A server that listens.
pub struct Server(Acceptor);

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
        Acceptor::bind(config).map(Self)
    }

    /// The port that was bound.
    pub fn port(&self) -> u16 {
        self.0.port()
    }

    /// Ends it from another thread.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.0.stop_wake())
    }

    /// Serves until it is stopped, until a signal comes, or until its one test is over.
    ///
    /// # Errors
    /// When the system refuses to wait for events.
    pub fn run(self, signals: Option<&Signals>) -> io::Result<ServerEnd> {
        self.0.run(signals)
    }
}
