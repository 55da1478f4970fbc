//! Leads one control connection.

use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use proto::netperf::{ErrorNumber, Job, Length, ServerAction, ServerSession, Terms};
use sys::{Wake, clock};
use tracing::info;
use units::Nanos;

use super::group::Group;
use super::{Shared, log_end};
use crate::control::Control;
use crate::netperf::Cpu;

/// How long after its length a test may wait for its first data: clients may begin later than
/// they said (`-s`), and netserver's 4 seconds are the reason why theirs fail.
const PATIENCE: Nanos = Nanos::from_secs(30);
/// How long the last words to a client may take.
const LAST_WORDS: Nanos = Nanos::from_millis(500);

/// EPERM, for what this server's owner does not permit.
const NOT_PERMITTED: ErrorNumber = ErrorNumber::new(1);

/// The session's thread. Whatever happens to it happens to nobody else.
pub(super) fn lead(
    socket: OwnedFd,
    peer: SocketAddr,
    number: u64,
    wake: Arc<Wake>,
    shared: &Shared,
) {
    let local = sys::local_address(&socket);
    let (control, local) = match (Control::new(socket, wake, None), local) {
        (Ok(control), Ok(local)) => (control, local),
        (Err(error), _) | (_, Err(error)) => {
            return log_end(number, peer, 0, &Err(error.to_string()));
        }
    };
    let terms = Terms {
        passphrase: shared.config.passphrase.clone(),
        patience: PATIENCE,
    };
    let mut session = Session {
        control,
        session: ServerSession::new(clock::now(), terms),
        shared,
        local,
        peer,
        number,
        group: None,
        tests: 0,
    };
    let end = session.drive();
    log_end(number, peer, session.tests, &end);
    // The workers and their sockets go first, so that a peer sees the end at once.
    drop(session.group.take());
    let Session {
        control,
        session: mut words,
        ..
    } = session;
    // A client that has gone, or that may not know why, gets no wait.
    let patience = if end.is_ok() { LAST_WORDS } else { Nanos::ZERO };
    control.close(&mut words, patience);
}

struct Session<'a> {
    control: Control,
    session: ServerSession,
    shared: &'a Shared,
    /// This end of the control connection.
    local: SocketAddr,
    peer: SocketAddr,
    number: u64,
    group: Option<Group>,
    tests: u64,
}

impl Session<'_> {
    /// To the client's goodbye, or to the sentence that says why not.
    fn drive(&mut self) -> Result<(), String> {
        loop {
            let call = self.group.as_ref().and_then(Group::next_call);
            self.control
                .turn(&mut self.session, call)
                .map_err(|error| error.to_string())?;
            if self.shared.ending.load(Ordering::Acquire) {
                return Err("the server ends".to_owned());
            }
            while let Some(action) = self.session.poll_action() {
                if self.act(action)? {
                    return Ok(());
                }
            }
            self.advance()?;
        }
    }

    /// Does what the client asks. True after its goodbye.
    fn act(&mut self, action: ServerAction) -> Result<bool, String> {
        let now = clock::now();
        let turn = match action {
            ServerAction::Open(job) => return self.open(&job).map(|()| false),
            ServerAction::Calibrate => self.session.calibrated(now, Cpu::RATE, Cpu::count()),
            ServerAction::Stop { over_since } => {
                if let Some(group) = &mut self.group {
                    group.stop(over_since);
                }
                Ok(())
            }
            ServerAction::Refused(refusal) => {
                info!(client = self.number, peer = %self.peer, reason = refusal.reason, "netperf: refused");
                Ok(())
            }
            ServerAction::Closed => return Ok(true),
            ServerAction::Failed(error) => return Err(error.to_string()),
        };
        turn.map(|()| false).map_err(|error| error.to_string())
    }

    fn open(&mut self, job: &Job) -> Result<(), String> {
        let now = clock::now();
        let group = match self.refusal(job) {
            Some(refused) => Err(refused),
            None => Group::open(
                job,
                self.local,
                self.peer,
                self.shared.config.max_rate,
                &self.control.wake,
            )
            .map_err(|error| (number_of(&error), error.to_string())),
        };
        let turn = match group {
            Ok((group, opened)) => {
                self.tests += opened.len() as u64;
                let port = opened.first().map_or(0, |opened| opened.port);
                info!(client = self.number, peer = %self.peer, test = ?job.work, tests = opened.len(), port, "netperf: test");
                for listener in group.listeners() {
                    self.control
                        .watch(listener)
                        .map_err(|error| error.to_string())?;
                }
                self.group = Some(group);
                self.session.opened(now, &opened)
            }
            Err((number, reason)) => {
                info!(client = self.number, peer = %self.peer, reason, "netperf: refused");
                self.session.refuse(now, number)
            }
        };
        turn.map_err(|error| error.to_string())
    }

    /// Why the server's owner does not permit it.
    fn refusal(&self, job: &Job) -> Option<(ErrorNumber, String)> {
        let most = self.shared.config.max_duration?;
        let fits = match job.length {
            Length::Seconds(seconds) => Nanos::from_secs(seconds.into()) <= most,
            Length::Unlimited | Length::Count(_) => false,
        };
        (!fits).then(|| {
            let reason = format!("the test may take longer than {most} (--max-duration)");
            (NOT_PERMITTED, reason)
        })
    }

    /// Moves the test on: its connection, its beginning, its end.
    fn advance(&mut self) -> Result<(), String> {
        let Some(group) = &mut self.group else {
            return Ok(());
        };
        let now = clock::now();
        let progress = group.advance(now).map_err(|error| error.to_string());
        if group.has_begun() {
            self.session.began(now).map_err(|error| error.to_string())?;
        }
        let turn = match progress {
            Ok(false) => return Ok(()),
            Ok(true) => {
                let tallies = match self.group.take() {
                    Some(group) => group.close(),
                    None => return Ok(()),
                };
                self.session.results(clock::now(), &tallies)
            }
            Err(reason) => {
                info!(client = self.number, peer = %self.peer, reason, "netperf: test broke");
                self.group = None;
                self.session.refuse(now, ErrorNumber::INVALID)
            }
        };
        turn.map_err(|error| error.to_string())
    }
}

/// What the client is told of it.
fn number_of(error: &io::Error) -> ErrorNumber {
    let number = error.raw_os_error().and_then(|n| u32::try_from(n).ok());
    number.map_or(ErrorNumber::INVALID, ErrorNumber::new)
}
