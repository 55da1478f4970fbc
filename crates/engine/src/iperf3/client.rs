//! The end that asks for a test.

mod dial;
mod drive;
mod opening;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use proto::iperf3::{ErrorNumber, Parameters, SessionError};
use sys::signal::Signals;
use units::Nanos;

use super::{Event, Keepalive, Outcome};
pub(super) use drive::started;

/// A test, and this end's part of it.
#[derive(Debug, Clone)]
pub struct Job {
    /// The server; its addresses are tried in turn.
    pub addresses: Vec<SocketAddr>,
    /// What it is asked for. A datagram size that is not given comes from the path.
    pub parameters: Parameters,
    /// Our own address.
    pub bind: Option<IpAddr>,
    /// SO_BINDTODEVICE.
    pub device: Option<String>,
    /// Our port of the first stream; the others have the next ones.
    pub first_port: Option<u16>,
    /// This end's CPU.
    pub affinity: Option<u16>,
    /// What is sent, or where to write what is received.
    pub file: Option<PathBuf>,
    /// Distance of interval events; none for a single one.
    pub interval: Option<Nanos>,
    /// How long the control connection may take to be made; none leaves it to the system.
    pub connect_timeout: Option<Nanos>,
    /// How long a receiver waits for data.
    pub receive_timeout: Nanos,
    /// TCP_USER_TIMEOUT.
    pub send_timeout: Option<Nanos>,
    /// Keep-alive of the control connection.
    pub keepalive: Option<Keepalive>,
}

/// What came of a test. Whatever was measured is there, with or without an error.
#[derive(Debug)]
pub struct Run {
    /// Its streams; none when data never moved.
    pub outcome: Option<Outcome>,
    /// Why it is not what was asked.
    pub error: Option<ClientError>,
}

/// Why a test did not come to its end.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ClientError {
    /// No control connection.
    #[error(
        "connecting to {address}: {error}; is an iperf3 server or 'netdyno serve' running there?"
    )]
    Unreachable {
        /// The address that was tried last.
        address: SocketAddr,
        /// What the system answered.
        error: Arc<io::Error>,
    },
    /// The control dialogue broke.
    #[error("{0}")]
    Session(SessionError),
    /// A stream could not be made.
    #[error("{doing}: {error}")]
    Stream {
        /// Its number among iperf3's errors.
        number: ErrorNumber,
        /// What was done.
        doing: String,
        /// What the system answered.
        error: Arc<io::Error>,
    },
    /// A stream broke.
    #[error("{0}")]
    Broken(String),
    /// Nothing came for too long.
    #[error("nothing was received for {0}")]
    Idle(Nanos),
    /// The user ended it.
    #[error("interrupted")]
    Interrupted,
    /// The system refused to wait for events.
    #[error("waiting for events: {0}")]
    System(Arc<io::Error>),
}

impl ClientError {
    /// iperf3's number for it; none for an end that the user wanted.
    pub fn number(&self) -> Option<ErrorNumber> {
        Some(match self {
            Self::Unreachable { .. } => ErrorNumber::CONNECT,
            Self::Session(error) => error.number(),
            Self::Stream { number, .. } => *number,
            Self::Broken(_) => ErrorNumber::STREAM_WRITE,
            Self::Idle(_) => ErrorNumber::IDLE_RECEIVE,
            Self::Interrupted => return None,
            Self::System(_) => ErrorNumber::new(118),
        })
    }

    /// What the system answered, where it was the system.
    pub fn cause(&self) -> Option<&io::Error> {
        match self {
            Self::Unreachable { error, .. } | Self::Stream { error, .. } | Self::System(error) => {
                Some(error)
            }
            _ => None,
        }
    }

    fn system(error: io::Error) -> Self {
        Self::System(Arc::new(error))
    }

    fn stream(number: ErrorNumber, doing: &str, error: io::Error) -> Self {
        Self::Stream {
            number,
            doing: doing.to_owned(),
            error: Arc::new(error),
        }
    }
}

impl From<super::socket::OptionError> for ClientError {
    fn from(failed: super::socket::OptionError) -> Self {
        let doing = format!("setting {}", failed.what);
        Self::stream(failed.number, &doing, failed.error)
    }
}

/// Asks for the test and runs it.
pub fn run(job: &Job, signals: Option<&Signals>, tell: &mut dyn FnMut(Event<'_>)) -> Run {
    match drive::Driver::new(job, signals, tell) {
        Ok(driver) => driver.run(),
        Err(error) => Run {
            outcome: None,
            error: Some(error),
        },
    }
}
