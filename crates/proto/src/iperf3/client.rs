//! The end that asks for a test.

use units::Nanos;

use super::line::Line;
use super::{
    Cookie, ErrorNumber, Parameters, Peer, Rejected, Results, SessionError, State, WrongTurn,
};

mod step;
#[cfg(test)]
mod tests;

use step::Step;

/// How long a server may take for its next word outside the test. A stock server that reads from
/// a silent connection answers nobody else for up to 30 s.
const ANSWER: Nanos = Nanos::from_secs(60);
/// How long the numbers that follow SERVER_ERROR may take: old servers send only the first one.
const NUMBERS: Nanos = Nanos::from_secs(2);
/// The most that a server may say before its turn: 64 KiB.
const UNREAD: usize = 64 << 10;

/// What the client's driver learns, in order. Nothing follows `Finished` or `Failed`.
#[derive(Debug, Clone, PartialEq)]
pub enum ClientAction {
    /// Open the streams, one after the other, then say so.
    OpenStreams,
    /// All streams exist at the server: prepare.
    Prepare,
    /// Send, and count. Say when the end is reached.
    Run,
    /// The server has stopped and closed its data sockets: give the results.
    GiveResults,
    /// The server's results.
    Results(Box<Results>),
    /// The test is over, and all is told. Close when what waits is sent.
    Finished,
    /// The session is over; a test that runs ends without the server's results.
    Failed(SessionError),
}

/// The client's side of a control connection. Commands in the wrong state are refused as a fault
/// of the caller; once the session is over they do nothing.
#[derive(Debug)]
pub struct ClientSession {
    line: Line<ClientAction>,
    step: Step,
    parameters: Box<Parameters>,
}

impl ClientSession {
    /// A session on a connection that is just made.
    pub fn new(now: Nanos, cookie: &Cookie, parameters: Parameters) -> Self {
        let mut line = Line::new(Some(now + ANSWER));
        line.send(cookie.bytes());
        Self {
            line,
            step: Step::Offered,
            parameters: Box::new(parameters),
        }
    }

    /// Asks for other things. A default may depend on the connection, which is better known when
    /// the cookie has gone; the server has to answer it before it hears what is asked.
    pub fn ask(&mut self, parameters: Parameters) -> Result<(), WrongTurn> {
        if self.turn("ask", self.step == Step::Offered)? {
            *self.parameters = parameters;
        }
        Ok(())
    }

    /// All streams are open: TCP's have sent their cookie, UDP's have their reply.
    pub fn opened(&mut self, now: Nanos) -> Result<(), WrongTurn> {
        if self.turn("opened", self.step == Step::Opening)? {
            self.enter_until(Step::Opened, now + ANSWER);
            self.read(now);
        }
        Ok(())
    }

    /// The end is reached, and what was sent has left this end.
    pub fn ended(&mut self, now: Nanos) -> Result<(), WrongTurn> {
        if self.turn("ended", self.step == Step::Running)? {
            self.line.send(&[State::TestEnd.byte()]);
            self.enter_until(Step::Ended, now + ANSWER);
            self.read(now);
        }
        Ok(())
    }

    /// These are this end's results.
    pub fn results(&mut self, now: Nanos, results: &Results) -> Result<(), WrongTurn> {
        if self.turn("results", self.step == Step::Asked)? {
            self.line.send_message(&results.encode());
            self.enter_until(Step::Told, now + ANSWER);
            self.read(now);
        }
        Ok(())
    }

    /// Gives up, and says so. Close when what waits is sent.
    pub fn terminate(&mut self) {
        if !self.is_over() {
            self.line.send(&[State::ClientTerminate.byte()]);
            self.over();
        }
    }

    /// Takes the next bytes from the server, in any fragmentation.
    pub fn receive(&mut self, now: Nanos, bytes: &[u8]) {
        if !self.is_over() {
            self.line.feed(bytes);
            self.read(now);
        }
    }

    /// The server closed the connection, or it broke.
    pub fn eof(&mut self) {
        match self.step {
            Step::Over => (),
            Step::Refused { number } => self.refused(number),
            // Between its results and its end there is nothing more to learn.
            Step::Shown => self.finish(),
            step => {
                let (state, held) = (step.waits_for(), self.line.held());
                let peer = Peer::Server;
                self.fail(SessionError::Closed { peer, state, held });
            }
        }
    }

    /// Fails the session if its deadline has passed.
    pub fn expire(&mut self, now: Nanos) {
        if self.line.is_late(now) {
            match self.step {
                Step::Refused { number } => self.refused(number),
                step => {
                    let (state, held) = (step.waits_for(), self.line.held());
                    self.fail(SessionError::TimedOut { state, held });
                }
            }
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

    /// Whether nothing that the server sends matters any more: send what waits, then close.
    pub const fn is_over(&self) -> bool {
        matches!(self.step, Step::Over)
    }

    /// Bytes of memory held for what came and what goes.
    pub fn buffered(&self) -> usize {
        self.line.buffered()
    }

    fn read(&mut self, now: Nanos) {
        while self.read_one(now) {}
    }

    /// Takes one message. False when it is not all there.
    fn read_one(&mut self, now: Nanos) -> bool {
        match self.step {
            Step::Over => false,
            Step::Told => self.read_results(now),
            // What the server says meanwhile waits for the driver, unless it gives up.
            step if step.is_drivers() && !self.gives_up() => {
                if self.line.held() > UNREAD {
                    self.broke("it talks on while it is not its turn".to_owned());
                }
                false
            }
            Step::Refused { number: None } => {
                let number = self.line.take_i32();
                if let Some(number) = number {
                    let number = Some(ErrorNumber::new(number));
                    self.step = Step::Refused { number };
                }
                number.is_some()
            }
            Step::Refused {
                number: Some(number),
            } => {
                let errno = self.line.take_i32();
                if errno.is_some() {
                    self.fail(SessionError::Refused { number, errno });
                }
                errno.is_some()
            }
            _ => match self.line.take_byte() {
                Some(byte) => {
                    self.take(now, byte);
                    true
                }
                None => false,
            },
        }
    }

    fn read_results(&mut self, now: Nanos) -> bool {
        // A server may give up here: no length begins so.
        if self.line.peek() == Some([State::ServerError.byte()]) {
            let _ = self.line.take_byte();
            self.take(now, State::ServerError.byte());
            return true;
        }
        match self.line.take_message(None) {
            Ok(None) => false,
            Ok(Some(text)) => {
                match Results::decode(&text) {
                    Ok(results) => {
                        self.enter_until(Step::Shown, now + ANSWER);
                        self.line.act(ClientAction::Results(Box::new(results)));
                    }
                    Err(rejected) => self.fail(rejected.into()),
                }
                true
            }
            Err(length) => {
                self.fail(SessionError::Rejected(Rejected {
                    number: ErrorNumber::RECEIVE_RESULTS,
                    sentence: format!("the server announces results of {length} bytes"),
                }));
                true
            }
        }
    }

    fn take(&mut self, now: Nanos, byte: u8) {
        match (self.step, State::of(byte)) {
            (_, Some(State::ServerError)) => {
                self.enter_until(Step::Refused { number: None }, now + NUMBERS);
            }
            (_, Some(State::AccessDenied)) => self.fail(SessionError::Busy),
            (_, Some(State::ServerTerminate)) => {
                self.fail(SessionError::Terminated(Peer::Server));
            }
            (Step::Offered, Some(State::ParamExchange)) => {
                self.line.send_message(&self.parameters.encode());
                self.enter_until(Step::Sent, now + ANSWER);
            }
            (Step::Sent, Some(State::CreateStreams)) => {
                self.enter(Step::Opening);
                self.line.act(ClientAction::OpenStreams);
            }
            (Step::Opened, Some(State::TestStart)) => {
                self.enter_until(Step::Started, now + ANSWER);
                self.line.act(ClientAction::Prepare);
            }
            (Step::Started, Some(State::TestRunning)) => {
                self.enter(Step::Running);
                self.line.act(ClientAction::Run);
            }
            (Step::Ended, Some(State::ExchangeResults)) => {
                self.enter(Step::Asked);
                self.line.act(ClientAction::GiveResults);
            }
            (Step::Shown, Some(State::DisplayResults)) => self.finish(),
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

    /// Whether the next byte ends the session.
    fn gives_up(&self) -> bool {
        let next = self.line.peek().and_then(|[byte]| State::of(byte));
        matches!(
            next,
            Some(State::ServerError | State::AccessDenied | State::ServerTerminate)
        )
    }

    fn broke(&mut self, rule: String) {
        let peer = Peer::Server;
        self.fail(SessionError::Broke { peer, rule });
    }

    fn refused(&mut self, number: Option<ErrorNumber>) {
        let (peer, state, held) = (Peer::Server, "its error number", self.line.held());
        self.fail(match number {
            Some(number) => SessionError::Refused {
                number,
                errno: None,
            },
            None => SessionError::Closed { peer, state, held },
        });
    }

    fn enter_until(&mut self, step: Step, deadline: Nanos) {
        self.step = step;
        self.line.deadline = Some(deadline);
    }

    /// A step in which it is the driver's turn.
    fn enter(&mut self, step: Step) {
        self.step = step;
        self.line.deadline = None;
    }

    fn over(&mut self) {
        self.enter(Step::Over);
        self.line.forget();
    }

    fn finish(&mut self) {
        self.line.send(&[State::Done.byte()]);
        self.over();
        self.line.act(ClientAction::Finished);
    }

    fn fail(&mut self, error: SessionError) {
        self.over();
        self.line.act(ClientAction::Failed(error));
    }

    /// Whether `command` has its turn. Once the session is over none has, and that is no fault:
    /// the driver may not have heard of it yet.
    fn turn(&self, command: &'static str, fits: bool) -> Result<bool, WrongTurn> {
        let state = self.step.waits_for();
        match (
            fits || matches!(self.step, Step::Refused { .. }),
            self.is_over(),
        ) {
            (_, true) => Ok(false),
            (true, false) => Ok(fits),
            (false, false) => Err(WrongTurn { command, state }),
        }
    }
}
