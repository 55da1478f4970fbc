//! The end that asks for tests.

use units::Nanos;

use super::group;
use super::line::Line;
use super::request::calibration;
use super::{
    ErrorNumber, FieldError, Frame, Opened, Request, SessionError, Tally, TestRequest, WrongTurn,
};

mod state;
#[cfg(test)]
mod tests;

use state::State;

/// How long a server may take for a response, or for results after the client's end of the test.
const ANSWER: Nanos = Nanos::from_secs(120);
/// How long for its calibration.
const CALIBRATION: Nanos = Nanos::from_secs(160);

/// What the client's driver learns, in order. Nothing follows `Failed` or `Closed`.
#[derive(Debug, Clone, PartialEq)]
pub enum ClientAction {
    /// How fast an idle CPU of the server counts, and how many there are.
    Calibrated {
        /// Clock ticks per second on Linux.
        rate: f32,
        /// CPUs.
        cpus: u32,
    },
    /// The server is ready: connect to its data sockets, one for each test that it does, run the
    /// tests, and say when they are over.
    Opened(Vec<Opened>),
    /// The server's figures, in the same order. They may come before the client is through with
    /// its part.
    Results(Vec<Tally>),
    /// The server does not do it, or not to its end. A test that runs is void; say that it is
    /// over. Another may be asked for.
    Refused(ErrorNumber),
    /// The session is over; a test that runs is void.
    Failed(SessionError),
    /// The server closed the connection after the client had closed its side.
    Closed,
}

/// The client's side of a control connection. Commands in the wrong state are refused as a fault
/// of the caller; once the session is over they do nothing.
#[derive(Debug)]
pub struct ClientSession {
    line: Line<ClientAction>,
    state: State,
    /// The test at hand, from its request to its results.
    request: Option<Box<TestRequest>>,
    /// How many tests were asked for, then how many the server does.
    tests: u32,
    /// What came for some of them.
    opened: Vec<Opened>,
    tallies: Vec<Tally>,
}

impl ClientSession {
    /// A session on a connection that is just made, which begins with the passphrase if there is
    /// one. No answer tells whether it was right.
    pub fn new(passphrase: Option<&str>) -> Self {
        let mut line = Line::new(None);
        if let Some(text) = passphrase {
            line.send(&Request::Passphrase(text.as_bytes().to_vec()).encode());
        }
        Self {
            line,
            state: State::Idle,
            request: None,
            tests: 1,
            opened: Vec::new(),
            tallies: Vec::new(),
        }
    }

    /// Asks for so many equal tests, the server's part of them on `cpu`. A server that knows
    /// nothing of more than one does one.
    pub fn ask(
        &mut self,
        now: Nanos,
        cpu: Option<u32>,
        test: TestRequest,
        tests: u32,
    ) -> Result<(), WrongTurn> {
        if self.turn("ask", self.state == State::Idle)? {
            self.request = Some(Box::new(test.clone()));
            (self.tests, self.opened, self.tallies) = (tests, Vec::new(), Vec::new());
            let mut frame = Request::Test { cpu, test }.encode();
            group::ask(&mut frame, tests);
            self.line.send(&frame);
            self.enter_until(State::Asked, now + ANSWER);
        }
        Ok(())
    }

    /// Asks how fast an idle CPU of the server counts.
    pub fn calibrate(&mut self, now: Nanos) -> Result<(), WrongTurn> {
        if self.turn("calibrate", self.state == State::Idle)? {
            self.line.send(&Request::Calibrate.encode());
            self.enter_until(State::Calibrating, now + CALIBRATION);
        }
        Ok(())
    }

    /// The client's part of the test is over, to its last byte and to the end of its sockets.
    pub fn finished(&mut self, now: Nanos) -> Result<(), WrongTurn> {
        let fits = matches!(self.state, State::Running | State::Told);
        if self.turn("finished", fits)? {
            match self.state {
                State::Running => self.enter_until(State::Finished, now + ANSWER),
                _ => self.enter(State::Idle),
            }
        }
        Ok(())
    }

    /// Wants nothing more, or gives up. Shut the sending side down when all is sent, and close
    /// when the server has closed.
    pub fn close(&mut self) {
        if !self.is_over() {
            self.enter(State::Left);
        }
    }

    /// Takes the next bytes from the server, in any fragmentation. Nothing here depends on when
    /// they came.
    pub fn receive(&mut self, _now: Nanos, bytes: &[u8]) {
        if self.is_over() {
            return;
        }
        self.line.reader.feed(bytes);
        while !self.is_over()
            && let Some(frame) = self.line.reader.pop()
        {
            if let Err(rule) = self.take(&frame) {
                self.fail(SessionError::Broke { rule });
            }
        }
    }

    /// The server closed the connection, or it broke.
    pub fn eof(&mut self) {
        match self.state {
            State::Over => {}
            State::Left => {
                self.enter(State::Over);
                self.line.act(ClientAction::Closed);
            }
            state => {
                let (state, held) = (state.waits_for(), self.line.reader.held());
                self.fail(SessionError::Closed { state, held });
            }
        }
    }

    /// Fails the session if its deadline has passed.
    pub fn expire(&mut self, now: Nanos) {
        if self.line.is_late(now) {
            let (state, held) = (self.state.waits_for(), self.line.reader.held());
            self.fail(SessionError::TimedOut { state, held });
        }
    }

    /// When [`Self::expire`] wants to be called; none while nothing is due.
    pub const fn next_deadline(&self) -> Option<Nanos> {
        self.line.deadline
    }

    /// The next thing that the driver must know.
    pub fn poll_action(&mut self) -> Option<ClientAction> {
        self.line.poll_action()
    }

    /// Bytes for the server; empty when there are none.
    pub fn transmit(&self) -> &[u8] {
        self.line.waiting()
    }

    /// The first `n` bytes of [`Self::transmit`] are written.
    pub fn consumed(&mut self, n: usize) {
        self.line.consumed(n);
    }

    /// Whether nothing that the server sends matters any more.
    pub const fn is_over(&self) -> bool {
        matches!(self.state, State::Left | State::Over)
    }

    /// Bytes of memory held for what came and what goes.
    pub fn buffered(&self) -> usize {
        self.line.buffered()
    }

    /// The type of a message from a server means nothing; its place in the sequence does.
    fn take(&mut self, frame: &Frame) -> Result<(), String> {
        let (state, errno) = (self.state, frame.errno());
        match state {
            State::Calibrating if errno == 0 => {
                let (rate, cpus) = calibration(frame);
                self.enter(State::Idle);
                self.line.act(ClientAction::Calibrated { rate, cpus });
            }
            State::Asked if errno == 0 => {
                let opened = self.read(frame, Opened::decode)?;
                self.opened.push(opened);
                self.tests = self.tests.min(group::granted(frame));
                if self.opened.len() as u32 >= self.tests {
                    self.enter(State::Running);
                    let opened = std::mem::take(&mut self.opened);
                    self.line.act(ClientAction::Opened(opened));
                }
            }
            State::Running | State::Finished if errno == 0 => {
                let tally = self.read(frame, Tally::decode)?;
                self.tallies.push(tally);
                if self.tallies.len() as u32 >= self.tests {
                    self.enter_told();
                    let tallies = std::mem::take(&mut self.tallies);
                    self.line.act(ClientAction::Results(tallies));
                }
            }
            State::Calibrating | State::Asked | State::Running | State::Finished => {
                self.enter_told();
                let number = ErrorNumber::new(errno);
                self.line.act(ClientAction::Refused(number));
            }
            State::Idle | State::Told | State::Left | State::Over => {
                let waits_for = state.waits_for();
                return Err(format!(
                    "the server sent a message while the client waits for {waits_for}"
                ));
            }
        }
        Ok(())
    }

    fn read<T>(
        &self,
        frame: &Frame,
        decode: fn(&Frame, &TestRequest) -> Result<T, FieldError>,
    ) -> Result<T, String> {
        match &self.request {
            Some(request) => decode(frame, request).map_err(|error| error.to_string()),
            None => Err("an answer without a request".to_owned()),
        }
    }

    /// The server has said its last word about the test.
    fn enter_told(&mut self) {
        self.request = None;
        self.enter(match self.state {
            State::Running => State::Told,
            _ => State::Idle,
        });
    }

    fn enter_until(&mut self, state: State, deadline: Nanos) {
        self.state = state;
        self.line.deadline = Some(deadline);
    }

    /// A state in which it is the driver's turn.
    fn enter(&mut self, state: State) {
        self.state = state;
        self.line.deadline = None;
    }

    fn fail(&mut self, error: SessionError) {
        self.enter(State::Over);
        self.line.act(ClientAction::Failed(error));
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
