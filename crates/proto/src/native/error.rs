//! How a session ends when it does not end well.

use thiserror::Error;

use super::RefuseCode;

/// Why a session is over. Texts from the peer are cleaned and cut.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SessionError {
    /// The server does not do what was asked.
    #[error("the server refused: {reason}")]
    Refused {
        /// Which kind of reason.
        code: RefuseCode,
        /// The server's sentence.
        reason: String,
    },
    /// The peer sent what has no place there.
    #[error("the peer broke the protocol: {rule}")]
    Broke {
        /// What it did.
        rule: String,
    },
    /// The peer took too long.
    #[error("the time is up while waiting for {state}")]
    TimedOut {
        /// What was waited for.
        state: &'static str,
    },
    /// The peer closed the connection.
    #[error("the peer closed the control connection while waiting for {state}")]
    Closed {
        /// What was waited for.
        state: &'static str,
    },
    /// The ends do not speak the same protocol.
    #[error(
        "the peer (netdyno {netdyno}) speaks protocol version {theirs}, \
         this netdyno speaks version {ours}"
    )]
    Version {
        /// Protocol version here.
        ours: u32,
        /// Protocol version at the peer.
        theirs: u32,
        /// Version of the program at the peer.
        netdyno: String,
    },
    /// The peer gave up.
    #[error("the peer gave up: {reason}")]
    PeerAborted {
        /// Its sentence.
        reason: String,
    },
}

/// A command that has no place in the session's state: a fault of the program that drives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("'{command}' is out of turn: the session waits for {state}")]
pub struct WrongTurn {
    /// The command.
    pub command: &'static str,
    /// What the session waits for.
    pub state: &'static str,
}
