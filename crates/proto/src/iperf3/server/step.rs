//! Where a server's session stands.

/// The steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The parameters are asked for.
    Asked,
    /// The driver looks at them and opens what is needed.
    Opening,
    /// The streams come.
    Gathering,
    /// The test runs.
    Running,
    /// The driver ends it.
    Ending,
    /// The client's results are asked for.
    Exchanging,
    /// The driver puts its own together.
    Telling,
    /// All is told.
    Told,
    /// Nothing happens any more.
    Over,
}

impl Step {
    /// Whether it is the driver's turn, and the client has nothing to say.
    pub(super) const fn is_drivers(self) -> bool {
        matches!(
            self,
            Self::Opening | Self::Gathering | Self::Ending | Self::Telling
        )
    }

    /// What is waited for, as it reads after "waiting for".
    pub(super) const fn waits_for(self) -> &'static str {
        match self {
            Self::Asked => "the client's parameters",
            Self::Opening => "its own readiness",
            Self::Gathering => "the client's streams",
            Self::Running => "the client's end of the test",
            Self::Ending => "its own end of the test",
            Self::Exchanging => "the client's results",
            Self::Telling => "its own results",
            Self::Told => "the client's last word",
            Self::Over => "the connection to close",
        }
    }
}
