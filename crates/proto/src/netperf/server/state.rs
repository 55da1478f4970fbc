//! Where a server's session stands.

/// The states; a test is at hand from the third on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// The passphrase must come.
    Locked,
    /// Between two tests.
    Idle,
    /// The driver measures.
    Calibrating,
    /// The driver opens the data socket.
    Opening,
    /// The data socket is open, and nothing came yet.
    Open,
    /// Data flows.
    Begun,
    /// Nothing happens any more.
    Over,
}

impl State {
    /// What the server waits for, as it reads after "waiting for".
    pub(super) const fn waits_for(self) -> &'static str {
        match self {
            Self::Locked => "the client's passphrase",
            Self::Idle => "the client's next request",
            Self::Calibrating => "its own calibration",
            Self::Opening => "its own data socket",
            Self::Open => "the client's data",
            Self::Begun => "the end of the test",
            Self::Over => "the connection to close",
        }
    }

    /// Whether the driver owes the client an answer.
    pub(super) const fn is_drivers(self) -> bool {
        matches!(
            self,
            Self::Calibrating | Self::Opening | Self::Open | Self::Begun
        )
    }
}
