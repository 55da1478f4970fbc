//! Where in the exchange an end stands.

use record::End;

/// The states of both ends; each is named for what happened last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// Connected.
    Connected,
    /// Both said hello.
    Greeted,
    /// The plan is with the server.
    Proposed,
    /// The server accepted; flows connect.
    Accepted,
    /// No run: the server tells what its host counts.
    Observing,
    /// Every flow is connected.
    Attached,
    /// The client said start.
    Starting,
    /// The load runs.
    Running,
    /// We have sent our last byte of load, the peer has not.
    OursDone,
    /// The peer has sent its last byte of load, we have not.
    PeerDone,
    /// Both have.
    BothDone,
    /// The report is on its way.
    Reporting,
    /// The report is over.
    Reported,
    /// We said bye or abort; what still comes is of no interest.
    Left,
    /// Failed, or closed: nothing happens any more.
    Over,
}

impl State {
    /// What the end `me` waits for, as it reads after "waiting for".
    pub(super) const fn waits_for(self, me: End) -> &'static str {
        match (self, me) {
            (Self::Connected, End::Client) => "the server's hello",
            (Self::Connected, End::Server) => "the client's hello",
            (Self::Greeted, _) => "the client's plan",
            (Self::Proposed, _) => "the server's answer to the plan",
            (Self::Accepted, _) => "all flows to connect",
            (Self::Observing, End::Client) => "the server's next observation",
            (Self::Observing, End::Server) => "the client to have seen enough",
            (Self::Attached, _) => "the client to start the run",
            (Self::Starting, _) => "the server to confirm the start",
            (Self::Running, _) => "the run to end",
            (Self::OursDone, End::Client) | (Self::PeerDone, End::Server) => {
                "the server to finish sending"
            }
            (Self::OursDone, End::Server) | (Self::PeerDone, End::Client) => {
                "the client to finish sending"
            }
            (Self::BothDone, _) => "the server's report",
            (Self::Reporting, End::Client) => "the rest of the server's report",
            (Self::Reporting, End::Server) => "the client to take the report",
            (Self::Reported, _) => "the client's goodbye",
            (Self::Left | Self::Over, _) => "the connection to close",
        }
    }

    /// Whether the load is running or its figures are on their way: the driver's guard counts.
    pub(super) const fn is_guarded(self) -> bool {
        matches!(
            self,
            Self::Running | Self::OursDone | Self::PeerDone | Self::BothDone | Self::Reporting
        )
    }

    /// Whether the load may be running, so that edges have a place.
    pub(super) const fn has_edges(self) -> bool {
        self.is_guarded() && !matches!(self, Self::Reporting)
    }

    /// Whether what a host counts has its place.
    pub(super) const fn has_observations(self) -> bool {
        self.has_edges() || matches!(self, Self::Observing)
    }

    /// The state after our last byte of load; none where that has no place.
    pub(super) const fn ours_done(self) -> Option<Self> {
        match self {
            Self::Running => Some(Self::OursDone),
            Self::PeerDone => Some(Self::BothDone),
            _ => None,
        }
    }

    /// The state after the peer's last byte of load; none where that has no place.
    pub(super) const fn peer_done(self) -> Option<Self> {
        match self {
            Self::Running => Some(Self::PeerDone),
            Self::OursDone => Some(Self::BothDone),
            _ => None,
        }
    }

    /// Whether nothing that comes matters any more.
    pub(super) const fn is_deaf(self) -> bool {
        matches!(self, Self::Left | Self::Over)
    }
}
