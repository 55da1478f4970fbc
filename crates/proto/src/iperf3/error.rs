//! How a session ends when it does not end well.

use thiserror::Error;

use super::{ErrorNumber, Rejected};

/// Why a session is over.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SessionError {
    /// The server refused, or gave up.
    #[error("the server says: {number}{}", errno_text(*errno))]
    Refused {
        /// Its error number.
        number: ErrorNumber,
        /// What its system said; none where it did not tell, 0 where it was no call that failed.
        errno: Option<i32>,
    },
    /// The server serves another client.
    #[error("the server is busy with another test")]
    Busy,
    /// The peer was ended by a signal.
    #[error("{0} was terminated")]
    Terminated(Peer),
    /// The peer sent what has no place there.
    #[error("{peer} broke iperf3's protocol: {rule}")]
    Broke {
        /// Who.
        peer: Peer,
        /// What it did.
        rule: String,
    },
    /// The peer sent what cannot be used.
    #[error(transparent)]
    Rejected(#[from] Rejected),
    /// The peer took too long.
    #[error("the time is up while waiting for {state}{}", part(*held))]
    TimedOut {
        /// What was waited for.
        state: &'static str,
        /// How many bytes of it came.
        held: usize,
    },
    /// The peer closed the connection.
    #[error("{peer} closed the control connection while this end waited for {state}{}", part(*held))]
    Closed {
        /// Who.
        peer: Peer,
        /// What was waited for.
        state: &'static str,
        /// How many bytes of it came.
        held: usize,
    },
    /// The test went on for longer than it should.
    #[error("the client did not end the test {seconds} s after it should have")]
    Expired {
        /// So many seconds.
        seconds: u64,
    },
}

/// The other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// A server.
    Server,
    /// A client.
    Client,
}

impl std::fmt::Display for Peer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Server => "the server",
            Self::Client => "the client",
        })
    }
}

impl SessionError {
    /// iperf3's number for it.
    pub const fn number(&self) -> ErrorNumber {
        match self {
            Self::Refused { number, .. } | Self::Rejected(Rejected { number, .. }) => *number,
            Self::Busy => ErrorNumber::ACCESS_DENIED,
            Self::Terminated(Peer::Server) => ErrorNumber::SERVER_TERMINATED,
            Self::Terminated(Peer::Client) => ErrorNumber::CLIENT_TERMINATED,
            Self::Broke { .. } => ErrorNumber::UNKNOWN_MESSAGE,
            Self::TimedOut { .. } => ErrorNumber::CONTROL_READ,
            Self::Closed { .. } => ErrorNumber::CONTROL_CLOSED,
            Self::Expired { .. } => ErrorNumber::SERVER_EXPIRED,
        }
    }
}

/// A command was given in a state that has no place for it: a fault of the caller.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{command}' while waiting for {state}")]
pub struct WrongTurn {
    /// The command.
    pub command: &'static str,
    /// What the session waits for.
    pub state: &'static str,
}

fn errno_text(errno: Option<i32>) -> String {
    match errno {
        Some(errno) if errno > 0 => {
            format!("; its system: {}", std::io::Error::from_raw_os_error(errno))
        }
        _ => String::new(),
    }
}

fn part(held: usize) -> String {
    match held {
        0 => String::new(),
        1 => "; 1 byte of it came".to_owned(),
        _ => format!("; {held} bytes of it came"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_say_what_is_known() {
        let refused = |errno| {
            let number = ErrorNumber::STREAM_LISTEN;
            SessionError::Refused { number, errno }.to_string()
        };
        let plain = "the server says: listening for streams failed (error 202)";
        assert_eq!(refused(None), plain);
        assert_eq!(refused(Some(0)), plain);
        assert!(refused(Some(93)).contains("rotocol not supported"));
        let closed = SessionError::Closed {
            peer: Peer::Server,
            state: "its results",
            held: 7,
        };
        assert_eq!(
            closed.to_string(),
            "the server closed the control connection while this end waited for its results; 7 \
             bytes of it came"
        );
    }
}
