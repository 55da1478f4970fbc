//! How a session ends when it does not end well.

use thiserror::Error;

use super::Frame;

/// Why a session is over.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SessionError {
    /// The peer sent what has no place there.
    #[error("the peer broke netperf's protocol: {rule}")]
    Broke {
        /// What it did.
        rule: String,
    },
    /// The peer took too long.
    #[error("the time is up while waiting for {state}{}", of_a_message(*held))]
    TimedOut {
        /// What was waited for.
        state: &'static str,
        /// How many bytes of it came.
        held: usize,
    },
    /// The peer closed the connection.
    #[error(
        "the peer closed the control connection while waiting for {state}{}",
        of_a_message(*held)
    )]
    Closed {
        /// What was waited for.
        state: &'static str,
        /// How many bytes of it came.
        held: usize,
    },
    /// The client does not know the passphrase.
    #[error("the client's first message is not the passphrase of this server")]
    Passphrase,
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

fn of_a_message(held: usize) -> String {
    match held {
        0 => String::new(),
        Frame::OLD_LEN => format!(
            "; it sent {held} bytes, which is a message of netperf before 2.6.0: \
             2.7.0 or later is needed, whose messages have {} bytes",
            Frame::LEN
        ),
        _ => format!("; it sent {held} of a message's {} bytes", Frame::LEN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_message_is_told() {
        let closed = |held| {
            let state = "a request";
            SessionError::Closed { state, held }.to_string()
        };
        let sentence = "the peer closed the control connection while waiting for a request";
        assert_eq!(closed(0), sentence);
        assert_eq!(
            closed(100),
            format!("{sentence}; it sent 100 of a message's 656 bytes")
        );
        assert!(closed(256).contains("before 2.6.0"), "{}", closed(256));
    }
}
