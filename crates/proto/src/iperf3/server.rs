//! The end that serves. One session is one test; it begins when the cookie is here.

use units::Nanos;

use super::line::Line;
use super::{ErrorNumber, Parameters, Peer, Rejected, Results, SessionError, State, WrongTurn};

mod step;
#[cfg(test)]
mod tests;

use step::Step;

/// How long a client may take for its parameters: 10 s for a read, as at stock servers.
const PARAMETERS: Nanos = Nanos::from_secs(10);
/// How long its streams may take. A stock client waits 30 s for the reply of one UDP stream.
const STREAMS: Nanos = Nanos::from_secs(60);
/// How long its results and its last word may take.
const RESULTS: Nanos = Nanos::from_secs(30);
/// How long after its time a test may go on, as at stock servers.
const GRACE: Nanos = Nanos::from_secs(40);
/// The most that a client may say before its turn: 64 KiB.
const UNREAD: usize = 64 << 10;

const TERMINATE: u8 = State::ClientTerminate.byte();

/// What the server's driver learns, in order. Nothing follows `Finished` or `Failed`.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerAction {
    /// Look at the parameters, open what the streams need, then say so or refuse.
    Open(Box<Parameters>),
    /// The client has ended the test: stop, close the data sockets, and say so.
    End,
    /// The client's results: give this end's.
    Results(Box<Results>),
    /// The test is over, and all is told. Close.
    Finished,
    /// The session is over; a test that runs ends without the client's results. Send what waits,
    /// then close.
    Failed(SessionError),
}

/// The server's side of a control connection. Commands in the wrong state are refused as a fault
/// of the caller; once the session is over they do nothing.
#[derive(Debug)]
pub struct ServerSession {
    line: Line<ServerAction>,
    step: Step,
    /// How long the test may run; none for as long as the client wants.
    length: Option<Nanos>,
}

impl ServerSession {
    /// A session whose cookie is here.
    pub fn new(now: Nanos) -> Self {
        let mut line = Line::new(Some(now + PARAMETERS));
        line.send(&[State::ParamExchange.byte()]);
        Self {
            line,
            step: Step::Asked,
            length: None,
        }
    }

    /// Streams can come.
    pub fn opened(&mut self, now: Nanos) -> Result<(), WrongTurn> {
        if self.turn("opened", self.step == Step::Opening)? {
            self.line.send(&[State::CreateStreams.byte()]);
            self.enter_until(Step::Gathering, now + STREAMS);
            self.read();
        }
        Ok(())
    }

    /// All streams are here: the test begins.
    pub fn started(&mut self, now: Nanos) -> Result<(), WrongTurn> {
        if self.turn("started", self.step == Step::Gathering)? {
            let states = [State::TestStart.byte(), State::TestRunning.byte()];
            self.line.send(&states);
            self.enter(Step::Running);
            self.line.deadline = self.length.map(|length| now + length + GRACE);
            self.read();
        }
        Ok(())
    }

    /// The test has stopped.
    pub fn ended(&mut self, now: Nanos) -> Result<(), WrongTurn> {
        if self.turn("ended", self.step == Step::Ending)? {
            self.line.send(&[State::ExchangeResults.byte()]);
            self.enter_until(Step::Exchanging, now + RESULTS);
            self.read();
        }
        Ok(())
    }

    /// These are this end's results.
    pub fn results(&mut self, now: Nanos, results: &Results) -> Result<(), WrongTurn> {
        if self.turn("results", self.step == Step::Telling)? {
            self.line.send_message(&results.encode());
            self.line.send(&[State::DisplayResults.byte()]);
            self.enter_until(Step::Told, now + RESULTS);
            self.read();
        }
        Ok(())
    }

    /// It is not done, or not to its end. Send what waits, then close.
    pub fn refuse(&mut self, number: ErrorNumber, errno: i32) {
        if !self.is_over() {
            self.line.send(&[State::ServerError.byte()]);
            self.line.send(&number.get().to_be_bytes());
            self.line.send(&errno.to_be_bytes());
            self.over();
        }
    }

    /// This server ends. Send what waits, then close.
    pub fn terminate(&mut self) {
        if !self.is_over() {
            self.line.send(&[State::ServerTerminate.byte()]);
            self.over();
        }
    }

    /// Takes the next bytes from the client, in any fragmentation.
    ///
    /// Nothing here depends on when they came.
    pub fn receive(&mut self, _now: Nanos, bytes: &[u8]) {
        if !self.is_over() {
            self.line.feed(bytes);
            self.read();
        }
    }

    /// The client closed the connection, or it broke.
    pub fn eof(&mut self) {
        match self.step {
            Step::Over => (),
            // It has all that it wanted.
            Step::Told => self.finish(),
            step => {
                let (state, held) = (step.waits_for(), self.line.held());
                let peer = Peer::Client;
                self.fail(SessionError::Closed { peer, state, held });
            }
        }
    }

    /// Fails the session if its deadline has passed, and tells the client why.
    pub fn expire(&mut self, now: Nanos) {
        if !self.line.is_late(now) {
            return;
        }
        let (number, error) = match self.step {
            Step::Running => {
                let seconds = GRACE.get() / 1_000_000_000;
                let error = SessionError::Expired { seconds };
                (ErrorNumber::SERVER_EXPIRED, error)
            }
            step => {
                let number = match step {
                    Step::Asked => ErrorNumber::RECEIVE_PARAMETERS,
                    Step::Gathering => ErrorNumber::STREAM_ACCEPT,
                    Step::Exchanging => ErrorNumber::RECEIVE_RESULTS,
                    _ => ErrorNumber::RECEIVE_STATE,
                };
                let (state, held) = (step.waits_for(), self.line.held());
                (number, SessionError::TimedOut { state, held })
            }
        };
        self.refuse(number, 0);
        self.line.act(ServerAction::Failed(error));
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
        matches!(self.step, Step::Over)
    }

    /// Bytes of memory held for what came and what goes.
    pub fn buffered(&self) -> usize {
        self.line.buffered()
    }

    fn read(&mut self) {
        while self.read_one() {}
    }

    /// Takes one message. False when it is not all there, or not its turn.
    fn read_one(&mut self) -> bool {
        match self.step {
            Step::Over => false,
            Step::Asked => self.read_text(
                ErrorNumber::RECEIVE_PARAMETERS,
                "parameters",
                Some(Parameters::LONGEST),
                |session, text| {
                    let parameters = Parameters::decode(text)?;
                    session.length = parameters.time.map(|time| time + parameters.omit);
                    session.enter(Step::Opening);
                    session.line.act(ServerAction::Open(Box::new(parameters)));
                    Ok(())
                },
            ),
            Step::Exchanging => self.read_text(
                ErrorNumber::RECEIVE_RESULTS,
                "results",
                None,
                |session, text| {
                    let results = Results::decode(text)?;
                    session.enter(Step::Telling);
                    session.line.act(ServerAction::Results(Box::new(results)));
                    Ok(())
                },
            ),
            // What the client says meanwhile waits for the driver.
            step if step.is_drivers() && self.line.peek() != Some([TERMINATE]) => {
                if self.line.held() > UNREAD {
                    let rule = "it talks on while it is not its turn".to_owned();
                    self.broke(rule);
                }
                false
            }
            _ => match self.line.take_byte() {
                Some(byte) => {
                    self.take(byte);
                    true
                }
                None => false,
            },
        }
    }

    fn read_text(
        &mut self,
        number: ErrorNumber,
        what: &str,
        most: Option<usize>,
        take: impl FnOnce(&mut Self, &[u8]) -> Result<(), Rejected>,
    ) -> bool {
        // A client may give up here: no length begins so, being longer than any text.
        if self.line.peek() == Some([TERMINATE]) {
            self.fail(SessionError::Terminated(Peer::Client));
            return true;
        }
        let taken = match self.line.take_message(most) {
            Ok(None) => return false,
            Ok(Some(text)) => take(self, &text),
            Err(length) => Err(Rejected {
                number,
                sentence: format!("the client announces {what} of {length} bytes"),
            }),
        };
        if let Err(rejected) = taken {
            self.refuse(rejected.number, 0);
            self.line.act(ServerAction::Failed(rejected.into()));
        }
        true
    }

    fn take(&mut self, byte: u8) {
        match (self.step, State::of(byte)) {
            (_, Some(State::ClientTerminate)) => {
                self.fail(SessionError::Terminated(Peer::Client));
            }
            (Step::Running, Some(State::TestEnd)) => {
                self.enter(Step::Ending);
                self.line.act(ServerAction::End);
            }
            (Step::Told, Some(State::Done)) => self.finish(),
            (step, state) => {
                let what = state.map_or_else(
                    || format!("the byte {byte:#04x}"),
                    |state| state.name().to_owned(),
                );
                let rule = format!("{what} while this end waits for {}", step.waits_for());
                self.broke(rule);
            }
        }
    }

    fn broke(&mut self, rule: String) {
        let peer = Peer::Client;
        self.refuse(ErrorNumber::UNKNOWN_MESSAGE, 0);
        let error = SessionError::Broke { peer, rule };
        self.line.act(ServerAction::Failed(error));
    }

    fn enter_until(&mut self, step: Step, deadline: Nanos) {
        self.step = step;
        self.line.deadline = Some(deadline);
    }

    /// A step in which it is the driver's turn, or the client's for as long as it wants.
    fn enter(&mut self, step: Step) {
        self.step = step;
        self.line.deadline = None;
    }

    fn over(&mut self) {
        self.enter(Step::Over);
        self.line.forget();
    }

    fn finish(&mut self) {
        self.over();
        self.line.act(ServerAction::Finished);
    }

    fn fail(&mut self, error: SessionError) {
        self.over();
        self.line.act(ServerAction::Failed(error));
    }

    /// Whether `command` has its turn. Once the session is over none has, and that is no fault:
    /// the driver may not have heard of it yet.
    fn turn(&self, command: &'static str, fits: bool) -> Result<bool, WrongTurn> {
        let state = self.step.waits_for();
        match (fits, self.is_over()) {
            (_, true) => Ok(false),
            (true, false) => Ok(true),
            (false, false) => Err(WrongTurn { command, state }),
        }
    }
}
