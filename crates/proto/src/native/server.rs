//! The end that serves. One session is one client; what all of them share (limits, tokens, the
//! allowed addresses) is the driver's.

use plan::Plan;
use record::{Edge, End, EndReport, Facts, Granted, Observation};
use units::Nanos;

use super::endpoint::{ANSWER, Endpoint};
use super::report::Pieces;
use super::roster::{Broken, Roster};
use super::state::State;
use super::{
    Cap, ClientMessage, FrameReader, MessageError, PROTOCOL, RefuseCode, SentTotals, ServerMessage,
    SessionError, Sysctls, Token, WrongTurn,
};

#[cfg(test)]
mod tests;

/// The most that may wait for a client that does not read: 16 MiB.
const UNREAD: usize = 16 << 20;

/// What the server's driver learns, in order. Nothing follows `Aborted`, `Bye` or `Failed`.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerAction {
    /// The client wants a run with these sysctls of this host: accept or refuse.
    Proposed(Box<Plan>, Sysctls),
    /// The client wants to know what this host counts, as often as that.
    Observe(Nanos),
    /// The client's flows are ready: start, and say so.
    Start,
    /// The client has sent its last byte of load.
    PeerDone(Vec<SentTotals>),
    /// The client wants the load to end now.
    Stop,
    /// The client gave up.
    Aborted(String),
    /// The client has all that it wanted.
    Bye,
    /// The session is over; what waits to be sent tells the client why. Send it and shut the
    /// sending side down before closing, or a reset may overtake it.
    Failed(SessionError),
}

impl From<SessionError> for ServerAction {
    fn from(error: SessionError) -> Self {
        Self::Failed(error)
    }
}

/// The server's side of a control connection. Commands in the wrong state are refused as a fault
/// of the caller; once the session is over they do nothing.
#[derive(Debug)]
pub struct ServerSession {
    end: Endpoint<ServerAction>,
    facts: Box<Facts>,
    roster: Roster,
    pieces: Option<Pieces>,
}

impl ServerSession {
    /// A session on a connection whose control preamble has been read already; `facts` are what
    /// the client is told about this host.
    pub fn new(now: Nanos, facts: Facts) -> Self {
        Self {
            end: Endpoint::new(End::Server, FrameReader::SERVER_LIMIT, now + ANSWER),
            facts: Box::new(facts),
            roster: Roster::default(),
            pieces: None,
        }
    }

    /// The bytes that refuse a connection that gets no session at all.
    pub fn refusal(code: RefuseCode, reason: &str) -> Vec<u8> {
        refuse(code, reason).encode()
    }

    /// Does what the client proposed; `sysctls` are those that it asked for, as they are now. Flows have ten seconds, and one more for every 2000.
    pub fn accept(
        &mut self,
        now: Nanos,
        test: u64,
        token: Token,
        caps: Vec<Cap>,
        sysctls: Sysctls,
    ) -> Result<(), WrongTurn> {
        if self.end.turn("accept", self.end.state == State::Proposed)? {
            self.send(&ServerMessage::Accept {
                test,
                token,
                caps,
                sysctls,
            });
            self.end.reader.raise_limit(self.roster.server_limit());
            let connected_by = now + self.roster.patience();
            self.end.enter_until(State::Accepted, connected_by);
        }
        Ok(())
    }

    /// Does not do it, or does not even want to hear it.
    pub fn refuse(&mut self, code: RefuseCode, reason: &str) -> Result<(), WrongTurn> {
        let fits = matches!(
            self.end.state,
            State::Connected | State::Greeted | State::Proposed
        );
        if self.end.turn("refuse", fits)? {
            self.send(&refuse(code, reason));
            self.end.enter(State::Left);
        }
        Ok(())
    }

    /// Every flow is connected; `grants` are one per load.
    pub fn attached(&mut self, now: Nanos, grants: Vec<Granted>) -> Result<(), WrongTurn> {
        if self
            .end
            .turn("attached", self.end.state == State::Accepted)?
        {
            self.send(&ServerMessage::Attached { grants });
            self.end.enter_until(State::Attached, now + ANSWER);
        }
        Ok(())
    }

    /// The load runs here.
    pub fn started(&mut self) -> Result<(), WrongTurn> {
        if self
            .end
            .turn("started", self.end.state == State::Starting)?
        {
            self.send(&ServerMessage::Started {});
            self.end.enter(State::Running);
        }
        Ok(())
    }

    /// The client must be through with its load at this time.
    pub fn guard(&mut self, until: Nanos) {
        self.end.set_guard(until);
    }

    /// The counts at an edge. A client that leaves 16 MiB unread is dropped.
    pub fn edge(&mut self, edge: Edge) -> Result<(), WrongTurn> {
        let fits = self.end.state.has_edges();
        self.tell("edge", fits, ServerMessage::Edge { edge })
    }

    /// What this host counted by now; as for [`Self::edge`].
    pub fn observed(&mut self, observation: Box<Observation>) -> Result<(), WrongTurn> {
        let fits = self.end.state.has_observations();
        self.tell("observed", fits, ServerMessage::Observed { observation })
    }

    fn tell(
        &mut self,
        command: &'static str,
        fits: bool,
        message: ServerMessage,
    ) -> Result<(), WrongTurn> {
        if self.end.turn(command, fits)? {
            if self.end.outbox.waiting().len() > UNREAD {
                let rule = "the client leaves more than 16 MiB unread".to_owned();
                self.fail(SessionError::Broke { rule });
            } else {
                self.send(&message);
            }
        }
        Ok(())
    }

    /// The server has sent its last byte of load.
    pub fn done(&mut self, sent: Vec<SentTotals>) -> Result<(), WrongTurn> {
        let next = self.end.state.ours_done();
        if self.end.turn("done", next.is_some())?
            && let Some(next) = next
        {
            self.send(&ServerMessage::Done { sent });
            self.end.enter(next);
        }
        Ok(())
    }

    /// The closing figures, one per load of the plan. They go out in pieces, made as the ones
    /// before are taken; the client has as long as its flows had to connect.
    pub fn report(&mut self, now: Nanos, report: EndReport) -> Result<(), WrongTurn> {
        if self.end.turn("report", self.end.state == State::BothDone)? {
            self.pieces = Some(Pieces::of(Box::new(report)));
            let taken_by = now + self.roster.patience();
            self.end.enter_until(State::Reporting, taken_by);
            self.refill();
        }
        Ok(())
    }

    /// Gives up, and tells the client why. What still comes is skipped.
    pub fn abort(&mut self, reason: &str) {
        if !self.end.state.is_deaf() {
            self.send(&abort(reason));
            self.end.enter(State::Left);
        }
    }

    /// Takes the next bytes from the client, in any fragmentation.
    pub fn receive(&mut self, now: Nanos, bytes: &[u8]) {
        if self.end.state.is_deaf() {
            return;
        }
        self.end.reader.feed(bytes);
        while !self.end.state.is_deaf() {
            let message = match self.end.reader.pop() {
                Ok(None) => return,
                Ok(Some(frame)) => ClientMessage::decode(frame),
                Err(error) => Err(MessageError::Unreadable(error.to_string())),
            };
            let outcome = match message {
                Err(error @ MessageError::Plan(_)) if self.end.state == State::Greeted => {
                    let rule = error.to_string();
                    let farewell = Self::refusal(RefuseCode::BadPlan, &rule);
                    self.end.fail(SessionError::Broke { rule }, &farewell);
                    return;
                }
                Err(error) => Err(error.to_string()),
                Ok(message) => self.take(now, message),
            };
            if let Err(rule) = outcome {
                self.fail(SessionError::Broke { rule });
            }
        }
    }

    /// The client closed the connection, or it broke. After the whole report that is a goodbye.
    pub fn eof(&mut self) {
        match self.end.state {
            State::Left | State::Over => self.end.enter(State::Over),
            State::Reported if self.transmit().is_empty() => {
                self.end.enter(State::Over);
                self.end.act(ServerAction::Bye);
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
    pub fn poll_action(&mut self) -> Option<ServerAction> {
        self.end.poll_action()
    }

    /// Bytes for the client; empty when there are none.
    pub fn transmit(&self) -> &[u8] {
        self.end.outbox.waiting()
    }

    /// The first `n` bytes of [`Self::transmit`] are written.
    pub fn consumed(&mut self, n: usize) {
        self.end.outbox.consumed(n);
        self.refill();
    }

    /// Whether nothing that the client sends matters any more: send what waits, then close.
    pub const fn is_over(&self) -> bool {
        self.end.state.is_deaf()
    }

    /// Bytes of memory held for what came and what goes, a report that is on its way left out.
    pub fn buffered(&self) -> usize {
        self.end.buffered()
    }

    /// Makes the report's next piece when the one before has left. The deadline for the whole
    /// report stays.
    fn refill(&mut self) {
        if self.end.state == State::Reporting
            && self.end.outbox.waiting().is_empty()
            && let Some(piece) = self.pieces.as_mut().and_then(Iterator::next)
        {
            if matches!(piece, ServerMessage::ReportEnd {}) {
                self.pieces = None;
                self.end.state = State::Reported;
            }
            self.send(&piece);
        }
    }

    fn take(&mut self, now: Nanos, message: ClientMessage) -> Result<(), Broken> {
        use ClientMessage as M;
        match (self.end.state, message) {
            (_, M::Abort { reason }) => {
                self.end.enter(State::Over);
                self.end.act(ServerAction::Aborted(reason));
            }
            (State::Connected, M::Hello { protocol, netdyno }) if protocol != PROTOCOL => {
                let error = SessionError::Version {
                    ours: PROTOCOL,
                    theirs: protocol,
                    netdyno,
                };
                let ours = &self.facts.netdyno;
                let reason = format!(
                    "this server (netdyno {ours}) speaks protocol version {PROTOCOL}, \
                     the client speaks version {protocol}"
                );
                let farewell = Self::refusal(RefuseCode::Version, &reason);
                self.end.fail(error, &farewell);
            }
            (State::Connected, M::Hello { .. }) => {
                let facts = self.facts.clone();
                self.send(&ServerMessage::Hello {
                    protocol: PROTOCOL,
                    netdyno: facts.netdyno.clone(),
                    facts,
                });
                self.end.enter_until(State::Greeted, now + ANSWER);
            }
            (State::Greeted, M::Propose { plan, sysctls }) => {
                self.roster = Roster::of(&plan);
                self.end.enter(State::Proposed);
                self.end.act(ServerAction::Proposed(plan, sysctls));
            }
            (State::Greeted, M::Observe { interval }) => {
                self.end.enter(State::Observing);
                self.end.act(ServerAction::Observe(interval));
            }
            (State::Attached, M::Start {}) => {
                self.end.enter(State::Starting);
                self.end.act(ServerAction::Start);
            }
            (state, M::Done { sent }) if let Some(next) = state.peer_done() => {
                self.roster.check_totals(&sent)?;
                self.end.enter(next);
                self.end.act(ServerAction::PeerDone(sent));
            }
            (state, M::Stop {}) if state.has_edges() => self.end.act(ServerAction::Stop),
            // It was said before the report had come.
            (State::Reporting | State::Reported, M::Stop {}) => {}
            (State::Greeted | State::Observing | State::Reported, M::Bye {}) => {
                self.end.enter(State::Over);
                self.end.act(ServerAction::Bye);
            }
            (_, message) => {
                let (name, waits_for) = (message.name(), self.end.waits_for());
                return Err(format!(
                    "the client sent '{name}' while the server waits for {waits_for}"
                ));
            }
        }
        Ok(())
    }

    fn fail(&mut self, error: SessionError) {
        let farewell = abort(&error.to_string()).encode();
        self.end.fail(error, &farewell);
    }

    fn send(&mut self, message: &ServerMessage) {
        self.end.outbox.push(&message.encode());
    }
}

fn abort(reason: &str) -> ServerMessage {
    let reason = reason.to_owned();
    ServerMessage::Abort { reason }
}

fn refuse(code: RefuseCode, reason: &str) -> ServerMessage {
    let reason = reason.to_owned();
    ServerMessage::Refuse { code, reason }
}
