//! The end that was started with the plan.

use plan::Plan;
use record::{Edge, End, EndReport, Facts, Granted, Observation};
use units::Nanos;

use super::endpoint::{ANSWER, Endpoint};
use super::report::Assembly;
use super::roster::{Broken, Roster};
use super::state::State;
use super::{
    Cap, ClientMessage, FrameReader, PROTOCOL, Preamble, SentTotals, ServerMessage, SessionError,
    Sysctls, Token, WrongTurn,
};

#[cfg(test)]
mod tests;

/// The rule that a server breaks whose first bytes are no message at all.
const STRANGER: &str = "what answers on this port is no 'netdyno serve', whose usual port is 12866";

/// What the client's driver learns, in order. Nothing follows `Failed` or `Closed`.
#[derive(Debug, Clone, PartialEq)]
pub enum ClientAction {
    /// The server said who it is: propose the plan.
    Peer(Box<Facts>),
    /// The server does it: connect the flows.
    Accepted {
        /// The server's number of the test.
        test: u64,
        /// What every flow shows.
        token: Token,
        /// What the server does less of than was asked.
        caps: Vec<Cap>,
        /// The server's sysctls that were asked for, as they are now.
        sysctls: Sysctls,
    },
    /// Every flow is connected at the server too; what its sockets got, one per load. Start.
    Attached(Vec<Granted>),
    /// The load runs at the server.
    Started,
    /// The server's counts.
    Edge(Edge),
    /// What the server's host counted.
    Observed(Box<Observation>),
    /// The server has sent its last byte of load.
    PeerDone(Vec<SentTotals>),
    /// The server's closing figures, all of them. Say bye.
    Report(Box<EndReport>),
    /// The session is over; what waits to be sent may still tell the server why.
    Failed(SessionError),
    /// The server closed the connection after the goodbye.
    Closed,
}

impl From<SessionError> for ClientAction {
    fn from(error: SessionError) -> Self {
        Self::Failed(error)
    }
}

/// The client's side of a control connection. Commands in the wrong state are refused as a fault
/// of the caller; once the session has failed they do nothing.
#[derive(Debug)]
pub struct ClientSession {
    end: Endpoint<ClientAction>,
    roster: Roster,
    assembly: Option<Assembly>,
}

impl ClientSession {
    /// A session on a connection that is just made; `netdyno` is this program's version.
    pub fn new(now: Nanos, netdyno: &str) -> Self {
        let mut session = Self {
            end: Endpoint::new(End::Client, FrameReader::CLIENT_LIMIT, now + ANSWER),
            roster: Roster::default(),
            assembly: None,
        };
        session.end.outbox.push(&Preamble::Control.encode());
        session.send(&ClientMessage::Hello {
            protocol: PROTOCOL,
            netdyno: netdyno.to_owned(),
        });
        session
    }

    /// Asks the server for a run with these sysctls of its host.
    pub fn propose(&mut self, now: Nanos, plan: Plan, sysctls: Sysctls) -> Result<(), WrongTurn> {
        if self.end.turn("propose", self.end.state == State::Greeted)? {
            self.roster = Roster::of(&plan);
            self.send(&ClientMessage::Propose {
                plan: Box::new(plan),
                sysctls,
            });
            self.end.enter_until(State::Proposed, now + ANSWER);
        }
        Ok(())
    }

    /// Asks the server for what its host counts, and for no run.
    pub fn observe(&mut self, interval: Nanos) -> Result<(), WrongTurn> {
        if self.end.turn("observe", self.end.state == State::Greeted)? {
            self.send(&ClientMessage::Observe { interval });
            self.end.enter(State::Observing);
        }
        Ok(())
    }

    /// Starts the run.
    pub fn start(&mut self, now: Nanos) -> Result<(), WrongTurn> {
        if self.end.turn("start", self.end.state == State::Attached)? {
            self.send(&ClientMessage::Start {});
            self.end.enter_until(State::Starting, now + ANSWER);
        }
        Ok(())
    }

    /// The server must be through with load and report at this time.
    pub fn guard(&mut self, until: Nanos) {
        self.end.set_guard(until);
    }

    /// The client has sent its last byte of load.
    pub fn done(&mut self, sent: Vec<SentTotals>) -> Result<(), WrongTurn> {
        let next = self.end.state.ours_done();
        if self.end.turn("done", next.is_some())?
            && let Some(next) = next
        {
            self.send(&ClientMessage::Done { sent });
            self.end.enter(next);
        }
        Ok(())
    }

    /// Asks for the end of the load before its time; done and report come as ever.
    pub fn stop(&mut self) -> Result<(), WrongTurn> {
        if self.end.turn("stop", self.end.state.has_edges())? {
            self.send(&ClientMessage::Stop {});
        }
        Ok(())
    }

    /// Gives up, and tells the server why. What still comes is skipped.
    pub fn abort(&mut self, reason: &str) {
        if !self.end.state.is_deaf() {
            self.send(&abort(reason));
            self.end.enter(State::Left);
        }
    }

    /// Says goodbye: after the report, after enough observations, or after the hello when no run
    /// is wanted.
    pub fn bye(&mut self) -> Result<(), WrongTurn> {
        let fits = matches!(
            self.end.state,
            State::Greeted | State::Observing | State::Reported
        );
        if self.end.turn("bye", fits)? {
            self.send(&ClientMessage::Bye {});
            self.end.enter(State::Left);
        }
        Ok(())
    }

    /// Takes the next bytes from the server, in any fragmentation.
    pub fn receive(&mut self, now: Nanos, bytes: &[u8]) {
        if self.end.state.is_deaf() {
            return;
        }
        self.end.reader.feed(bytes);
        while !self.end.state.is_deaf() {
            let message = match self.end.reader.pop() {
                Ok(None) => return,
                Ok(Some(frame)) => ServerMessage::decode(frame).map_err(|error| error.to_string()),
                Err(_) if self.end.state == State::Connected => Err(STRANGER.to_owned()),
                Err(error) => Err(error.to_string()),
            };
            if let Err(rule) = message.and_then(|message| self.take(now, message)) {
                self.fail(SessionError::Broke { rule });
            }
        }
    }

    /// The server closed the connection, or it broke.
    pub fn eof(&mut self) {
        match self.end.state {
            State::Over => {}
            State::Reported | State::Left => {
                self.end.enter(State::Over);
                self.end.act(ClientAction::Closed);
            }
            _ => {
                let state = self.end.waits_for();
                self.end.fail(SessionError::Closed { state }, &[]);
            }
        }
    }

    /// Fails the session if its deadline has passed.
    pub fn expire(&mut self, now: Nanos) {
        if self.end.is_late(now) {
            let state = self.end.waits_for();
            self.fail(SessionError::TimedOut { state });
        }
    }

    /// When [`Self::expire`] wants to be called; none while nothing is due.
    pub fn next_deadline(&self) -> Option<Nanos> {
        self.end.next_deadline()
    }

    /// The next thing that the driver must know.
    pub fn poll_action(&mut self) -> Option<ClientAction> {
        self.end.poll_action()
    }

    /// Bytes for the server; empty when there are none.
    pub fn transmit(&self) -> &[u8] {
        self.end.outbox.waiting()
    }

    /// The first `n` bytes of [`Self::transmit`] are written.
    pub fn consumed(&mut self, n: usize) {
        self.end.outbox.consumed(n);
    }

    /// Whether nothing that the server sends matters any more: send what waits, then close.
    pub const fn is_over(&self) -> bool {
        self.end.state.is_deaf()
    }

    /// Bytes of memory held for what came and what goes.
    pub fn buffered(&self) -> usize {
        self.end.buffered()
    }

    fn take(&mut self, now: Nanos, message: ServerMessage) -> Result<(), Broken> {
        use ServerMessage as M;
        match (self.end.state, message) {
            (_, M::Abort { reason }) => {
                self.end.fail(SessionError::PeerAborted { reason }, &[]);
            }
            (State::Connected | State::Greeted | State::Proposed, M::Refuse { code, reason }) => {
                self.end.fail(SessionError::Refused { code, reason }, &[]);
            }
            (
                State::Connected,
                M::Hello {
                    protocol, netdyno, ..
                },
            ) if protocol != PROTOCOL => {
                self.fail(SessionError::Version {
                    ours: PROTOCOL,
                    theirs: protocol,
                    netdyno,
                });
            }
            (State::Connected, M::Hello { facts, .. }) => {
                self.end.enter(State::Greeted);
                self.end.act(ClientAction::Peer(facts));
            }
            (
                State::Proposed,
                M::Accept {
                    test,
                    token,
                    caps,
                    sysctls,
                },
            ) => {
                self.roster.check_caps(&caps)?;
                let connected_by = now + self.roster.patience();
                self.end.enter_until(State::Accepted, connected_by);
                self.end.act(ClientAction::Accepted {
                    test,
                    token,
                    caps,
                    sysctls,
                });
            }
            (State::Accepted, M::Attached { grants }) => {
                self.roster.check_count("grants", grants.len())?;
                self.end.enter(State::Attached);
                self.end.act(ClientAction::Attached(grants));
            }
            (State::Starting, M::Started {}) => {
                self.end.enter(State::Running);
                self.end.act(ClientAction::Started);
            }
            (state, M::Edge { edge }) if state.has_edges() => {
                self.roster.check_edge(&edge)?;
                self.end.act(ClientAction::Edge(edge));
            }
            (state, M::Observed { observation }) if state.has_observations() => {
                self.roster.check_observation(&observation)?;
                self.end.act(ClientAction::Observed(observation));
            }
            (state, M::Done { sent }) if let Some(next) = state.peer_done() => {
                self.roster.check_totals(&sent)?;
                self.end.enter(next);
                self.end.act(ClientAction::PeerDone(sent));
            }
            (State::BothDone, M::Report { report }) => {
                self.assembly = Some(Assembly::begin(&self.roster, report)?);
                self.end.enter(State::Reporting);
            }
            (State::Reporting, M::Flows { load, first, flows }) => {
                if let Some(assembly) = &mut self.assembly {
                    assembly.add(&self.roster, load, first, flows)?;
                }
            }
            (State::Reporting, M::ReportEnd {}) => {
                if let Some(assembly) = self.assembly.take() {
                    let report = assembly.finish(&self.roster)?;
                    self.end.enter(State::Reported);
                    self.end.act(ClientAction::Report(report));
                }
            }
            (_, message) => {
                let (name, waits_for) = (message.name(), self.end.waits_for());
                return Err(format!(
                    "the server sent '{name}' while the client waits for {waits_for}"
                ));
            }
        }
        Ok(())
    }

    fn fail(&mut self, error: SessionError) {
        let farewell = abort(&error.to_string()).encode();
        self.end.fail(error, &farewell);
    }

    fn send(&mut self, message: &ClientMessage) {
        self.end.outbox.push(&message.encode());
    }
}

fn abort(reason: &str) -> ClientMessage {
    let reason = reason.to_owned();
    ClientMessage::Abort { reason }
}
