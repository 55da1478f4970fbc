//! Where a client's session stands.

/// The states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Between two tests.
    Idle,
    /// The calibration is asked for.
    Calibrating,
    /// A test is asked for.
    Asked,
    /// The server has opened its data socket; the test runs.
    Running,
    /// The client's part of the test is over.
    Finished,
    /// The server has told its results, or why there are none, and the client's part is not over.
    Told,
    /// The client wants nothing more; what still comes is of no interest.
    Left,
    /// Nothing happens any more.
    Over,
}

impl State {
    /// What the client waits for, as it reads after "waiting for".
    pub(super) const fn waits_for(self) -> &'static str {
        match self {
            Self::Idle => "its own next request",
            Self::Calibrating => "the server's calibration",
            Self::Asked => "the server's response",
            Self::Running => "its own end of the test",
            Self::Finished => "the server's results",
            Self::Told => "its own end of the test, which has its results",
            Self::Left | Self::Over => "the connection to close",
        }
    }
}
