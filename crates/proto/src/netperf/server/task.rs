//! What is left to know of the test at hand.

use units::Nanos;

use crate::netperf::{Job, Length, TestRequest, Work};

/// A test that the server does.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Task {
    pub(super) request: TestRequest,
    /// How long after its time a test that has begun is still waited for.
    pub(super) grace: Nanos,
    /// When its time is over.
    pub(super) over: Nanos,
}

impl Task {
    /// How long after a test's time the server still waits for the client to end it.
    pub(super) const PAD: Nanos = Nanos::from_secs(4);
    /// The same in tests of many connections, which clients end without a word: they just connect
    /// no more. netserver waits as long as in all others.
    pub(super) const NO_MORE_CONNECTIONS: Nanos = Nanos::from_secs(1);

    pub(super) fn new(request: TestRequest, job: &Job) -> Self {
        let grace = match job.work {
            // The server ends it by itself.
            Work::Send { .. } => Nanos::ZERO,
            _ if job.reconnects() => Self::NO_MORE_CONNECTIONS,
            Work::Receive { .. } | Work::Exchange { .. } | Work::Connect => Self::PAD,
        };
        let over = Nanos::ZERO;
        Self {
            request,
            grace,
            over,
        }
    }

    /// When to stop a test whose time begins now; never, unless it has a time.
    pub(super) fn due(&mut self, now: Nanos, patience: Nanos) -> Option<Nanos> {
        let Length::Seconds(seconds) = self.request.length() else {
            return None;
        };
        self.over = now + Nanos::from_secs(seconds.into());
        Some(self.over + patience)
    }
}
