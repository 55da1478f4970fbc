//! The end that serves. One session is one control connection; its tests come one after the other.

use units::Nanos;

use super::group;
use super::line::Line;
use super::request::{calibrated, debug_ok, system_info};
use super::{ErrorNumber, Frame, Job, Opened, Refusal, Request, SessionError, Tally, WrongTurn};

mod state;
mod task;
#[cfg(test)]
mod tests;

use state::State;
use task::Task;

/// How long a client has for its passphrase, as at netserver.
const PASSPHRASE: Nanos = Nanos::from_secs(20);
/// How long a client may take for its next request. netserver waits for ever.
const REQUEST: Nanos = Nanos::from_secs(120);
/// The most that may wait for a client that does not read: 64 KiB.
const UNREAD: usize = 64 << 10;

/// How a server serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// What every client must say first.
    pub passphrase: Option<String>,
    /// How long, beyond its length, a test may wait for its first data. netserver waits 4
    /// seconds, and so is no server for clients that start their tests later than that.
    pub patience: Nanos,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            passphrase: None,
            patience: Task::PAD,
        }
    }
}

/// What the server's driver learns, in order. Nothing follows `Closed` or `Failed`.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerAction {
    /// Open the data socket, then say so or refuse. A job that is opened has begun: the socket
    /// accepts or receives, and the CPUs are measured if the job says so.
    Open(Box<Job>),
    /// Measure how fast an idle CPU counts, and say it.
    Calibrate,
    /// The time is up and the client has not ended the test: end it, and give the results. What
    /// came after `over_since` is not part of the test's length.
    Stop {
        /// When the test's time was over.
        over_since: Nanos,
    },
    /// A request was refused without the driver. Nothing to do.
    Refused(Refusal),
    /// The client closed the connection between two tests: it has all that it wanted.
    Closed,
    /// The session is over; a test that runs is void. Close the connection.
    Failed(SessionError),
}

/// The server's side of a control connection. Commands in the wrong state are refused as a fault
/// of the caller; once the session is over they do nothing.
#[derive(Debug)]
pub struct ServerSession {
    line: Line<ServerAction>,
    terms: Terms,
    state: State,
    /// The test at hand, from its request to its results.
    task: Option<Box<Task>>,
}

impl ServerSession {
    /// A session on a connection that is just accepted.
    pub fn new(now: Nanos, terms: Terms) -> Self {
        let (state, patience) = match terms.passphrase {
            Some(_) => (State::Locked, PASSPHRASE),
            None => (State::Idle, REQUEST),
        };
        Self {
            line: Line::new(Some(now + patience)),
            terms,
            state,
            task: None,
        }
    }

    /// The data sockets are open, one for each test: the tests run. There may be fewer than were
    /// asked for.
    pub fn opened(&mut self, now: Nanos, opened: &[Opened]) -> Result<(), WrongTurn> {
        if self.turn("opened", self.state == State::Opening)?
            && let Some(task) = &mut self.task
        {
            for one in opened {
                let mut frame = one.encode(&task.request);
                group::grant(&mut frame, opened.len() as u32);
                self.line.send(&frame);
            }
            self.line.deadline = task.due(now, self.terms.patience);
            self.state = State::Open;
        }
        Ok(())
    }

    /// The first data came, or the first connection: the test's time counts from here. It is no
    /// fault to say it again.
    pub fn began(&mut self, now: Nanos) -> Result<(), WrongTurn> {
        if self.turn("began", matches!(self.state, State::Open | State::Begun))? {
            // A driver that was told to stop has no deadline to move.
            if self.state == State::Open
                && self.line.deadline.is_some()
                && let Some(task) = &mut self.task
            {
                self.line.deadline = task.due(now, task.grace);
            }
            self.state = State::Begun;
        }
        Ok(())
    }

    /// The tests are over, and this was it: one for each that was opened, in the same order.
    pub fn results(&mut self, now: Nanos, tallies: &[Tally]) -> Result<(), WrongTurn> {
        if self.turn("results", matches!(self.state, State::Open | State::Begun))?
            && let Some(task) = self.task.take()
        {
            for tally in tallies {
                self.line.send(&tally.encode(&task.request));
            }
            self.enter_idle(now);
        }
        Ok(())
    }

    /// What was asked for cannot be done, or not to its end: the client gets the number.
    pub fn refuse(&mut self, now: Nanos, number: ErrorNumber) -> Result<(), WrongTurn> {
        if self.turn("refuse", self.state.is_drivers())? {
            self.task = None;
            self.line.send(&Frame::new(0, number.get()));
            self.enter_idle(now);
        }
        Ok(())
    }

    /// How fast an idle CPU counts, which is clock ticks per second on Linux, and how many there
    /// are.
    pub fn calibrated(&mut self, now: Nanos, rate: f32, cpus: u32) -> Result<(), WrongTurn> {
        if self.turn("calibrated", self.state == State::Calibrating)? {
            self.line.send(&calibrated(rate, cpus));
            self.enter_idle(now);
        }
        Ok(())
    }

    /// Takes the next bytes from the client, in any fragmentation.
    pub fn receive(&mut self, now: Nanos, bytes: &[u8]) {
        if self.is_over() {
            return;
        }
        self.line.reader.feed(bytes);
        while !self.is_over()
            && let Some(frame) = self.line.reader.pop()
        {
            self.take(now, &frame);
        }
    }

    /// The client closed the connection, or it broke.
    pub fn eof(&mut self) {
        match (self.state, self.line.reader.held()) {
            (State::Over, _) => {}
            (State::Idle, 0) => {
                self.enter(State::Over);
                self.line.act(ServerAction::Closed);
            }
            (state, held) => {
                let state = state.waits_for();
                self.fail(SessionError::Closed { state, held });
            }
        }
    }

    /// Fails the session if its deadline has passed, or has the test stopped.
    pub fn expire(&mut self, now: Nanos) {
        if !self.line.is_late(now) {
            return;
        }
        if let Some(task) = &self.task {
            self.line.deadline = None;
            let over_since = task.over;
            self.line.act(ServerAction::Stop { over_since });
        } else {
            let (state, held) = (self.state.waits_for(), self.line.reader.held());
            self.fail(SessionError::TimedOut { state, held });
        }
    }

    /// When [`Self::expire`] wants to be called; none while nothing is due.
    pub const fn next_deadline(&self) -> Option<Nanos> {
        self.line.deadline
    }

    /// The next thing that the driver must know.
    pub fn poll_action(&mut self) -> Option<ServerAction> {
        self.line.poll_action()
    }

    /// Bytes for the client; empty when there are none.
    pub fn transmit(&self) -> &[u8] {
        self.line.waiting()
    }

    /// The first `n` bytes of [`Self::transmit`] are written.
    pub fn consumed(&mut self, n: usize) {
        self.line.consumed(n);
    }

    /// Whether nothing that the client sends matters any more: send what waits, then close.
    pub const fn is_over(&self) -> bool {
        matches!(self.state, State::Over)
    }

    /// Bytes of memory held for what came and what goes.
    pub fn buffered(&self) -> usize {
        self.line.buffered()
    }

    fn take(&mut self, now: Nanos, frame: &Frame) {
        match self.state {
            State::Locked => match Request::decode(frame) {
                Ok(Request::Passphrase(text)) if self.unlocks(&text) => self.enter_idle(now),
                _ => self.fail(SessionError::Passphrase),
            },
            State::Idle => {
                // A client may talk on between tests, but not for ever without a test.
                match Request::decode(frame) {
                    Ok(request) => self.answer(request, group::asked(frame)),
                    Err(refusal) => self.turn_down(refusal),
                }
                if self.line.waiting().len() > UNREAD {
                    let rule = "the client leaves more than 64 KiB unread".to_owned();
                    self.fail(SessionError::Broke { rule });
                }
            }
            state => {
                let rule = format!(
                    "the client sent a message while the server waits for {}",
                    state.waits_for()
                );
                self.fail(SessionError::Broke { rule });
            }
        }
    }

    fn answer(&mut self, request: Request, tests: u32) {
        match request {
            Request::DebugOn | Request::DebugOff => self.line.send(&debug_ok()),
            Request::SystemInfo => self.line.send(&system_info()),
            // It is welcome where none is needed, and gets no answer anywhere.
            Request::Passphrase(_) => {}
            Request::Calibrate => {
                self.enter(State::Calibrating);
                self.line.act(ServerAction::Calibrate);
            }
            Request::Test { cpu, test } => match Job::of(&test, cpu) {
                Ok(job) => {
                    let job = Job { tests, ..job };
                    self.task = Some(Box::new(Task::new(test, &job)));
                    self.enter(State::Opening);
                    self.line.act(ServerAction::Open(Box::new(job)));
                }
                Err(refusal) => self.turn_down(refusal),
            },
        }
    }

    fn turn_down(&mut self, refusal: Refusal) {
        let number = refusal.number.get();
        self.line.send(&Frame::new(0, number));
        self.line.act(ServerAction::Refused(refusal));
    }

    fn unlocks(&self, text: &[u8]) -> bool {
        let wanted = self.terms.passphrase.as_deref().unwrap_or_default();
        let most = wanted.len().min(Request::PASSPHRASE_MAX.len());
        text == &wanted.as_bytes()[..most]
    }

    fn enter_idle(&mut self, now: Nanos) {
        self.state = State::Idle;
        self.line.deadline = Some(now + REQUEST);
    }

    /// A state in which it is the driver's turn.
    fn enter(&mut self, state: State) {
        self.state = state;
        self.line.deadline = None;
    }

    fn fail(&mut self, error: SessionError) {
        self.enter(State::Over);
        self.task = None;
        self.line.act(ServerAction::Failed(error));
    }

    /// Whether `command` has its turn. Once the session is over none has, and that is no fault:
    /// the driver may not have heard of it yet.
    fn turn(&self, command: &'static str, fits: bool) -> Result<bool, WrongTurn> {
        let state = self.state.waits_for();
        match (fits, self.is_over()) {
            (_, true) => Ok(false),
            (true, false) => Ok(true),
            (false, false) => Err(WrongTurn { command, state }),
        }
    }
}
