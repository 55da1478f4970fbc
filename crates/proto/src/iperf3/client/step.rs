//! Where a client's session stands.

use crate::iperf3::ErrorNumber;

/// The steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The cookie is sent.
    Offered,
    /// The parameters are sent.
    Sent,
    /// The driver opens the streams.
    Opening,
    /// The streams are open at this end.
    Opened,
    /// The streams are open at the server.
    Started,
    /// The test runs.
    Running,
    /// The end is said.
    Ended,
    /// The driver puts the results together.
    Asked,
    /// The results are sent.
    Told,
    /// The server's results are here.
    Shown,
    /// The server gives up, and says why.
    Refused { number: Option<ErrorNumber> },
    /// Nothing happens any more.
    Over,
}

impl Step {
    /// Whether it is the driver's turn, and the server has nothing to say.
    pub(super) const fn is_drivers(self) -> bool {
        matches!(self, Self::Opening | Self::Running | Self::Asked)
    }

    /// What is waited for, as it reads after "waiting for".
    pub(super) const fn waits_for(self) -> &'static str {
        match self {
            Self::Offered => "the server's answer to its cookie",
            Self::Sent => "the server's answer to its parameters",
            Self::Opening => "its own streams",
            Self::Opened => "the server's start of the test",
            Self::Started => "the server's word to send",
            Self::Running => "the end of the test",
            Self::Ended => "the server's end of the test",
            Self::Asked => "its own results",
            Self::Told => "the server's results",
            Self::Shown => "the server's last word",
            Self::Refused { .. } => "the server's error number",
            Self::Over => "the connection to close",
        }
    }
}
