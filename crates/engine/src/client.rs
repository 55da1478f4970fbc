//! The client's side of a run: reach the server, agree, connect, run, collect.

mod connect;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use plan::Plan;
use proto::native::{ClientAction, ClientSession, SessionError, Sysctls};
use record::{Doubt, End, EndReport, Event, Facts, Grant, InterfaceCounters, Observation};
use sys::signal::Signals;
use sys::{Epoll, Events, Readiness, Wake, clock};
use units::Nanos;

use crate::control::Control;
use crate::course::{Course, LEAD};
use crate::crew::{Crew, CrewError};

/// How long one address of the server may take to answer.
const CONNECT_PATIENCE: Nanos = Nanos::from_secs(5);
/// How long the goodbye may take.
pub(crate) const GOODBYE: Nanos = Nanos::from_millis(500);
/// How long the figures of both ends may take after an interrupt.
const FAREWELL: Nanos = Nanos::from_secs(2);

/// A run to make.
pub struct Job {
    /// What to do.
    pub plan: Plan,
    /// Addresses of the server's control port, tried in order.
    pub peers: Vec<SocketAddr>,
    /// This host.
    pub facts: Facts,
    /// The interface towards the server, with its counters from before the run.
    pub interface: Option<(String, InterfaceCounters)>,
    /// Refuse to run when the server turns out to be this very network stack.
    pub refuse_local: bool,
    /// Seed of arrival processes.
    pub seed: u64,
    /// Sysctls that the server's host is to have meanwhile.
    pub sysctls: Sysctls,
}

/// Why a run did not go to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// No address of the server answered.
    #[error("connecting to {peer}: {error}")]
    Unreachable {
        /// The last address tried.
        peer: SocketAddr,
        /// What the system answered.
        error: io::Error,
    },
    /// The session with the server failed.
    #[error("{0}")]
    Session(#[from] SessionError),
    /// The server fell silent.
    #[error("the server has not answered since {since}: it stopped, or the path to it broke")]
    Silent {
        /// As it reads after "since".
        since: &'static str,
    },
    /// A flow could not be connected.
    #[error("connecting a flow of load '{load}': {error}")]
    Flow {
        /// The load's name.
        load: String,
        /// What the system answered.
        error: io::Error,
    },
    /// The workers could not be started.
    #[error("{0}")]
    Workers(String),
    /// The system refused something that every run needs.
    #[error("{doing}: {error}")]
    System {
        /// What was being done.
        doing: String,
        /// What the system answered.
        error: io::Error,
    },
    /// Both ends are one network stack although a host was named.
    #[error(
        "the server is on this very host and network namespace, so the traffic would never leave it; \
         name another host, or say --allow-local"
    )]
    Local,
    /// A signal came.
    #[error("by a signal")]
    Interrupted,
}

/// Makes the run. Every fact goes to `events` as it is learnt, also when the run fails.
///
/// # Errors
/// Why the run did not go to its end; what was measured has been sent to `events` by then.
pub fn run(job: Job, signals: &Signals, events: &Sender<Event>) -> Result<(), RunError> {
    let memory_before = observe::memory::resident_user_bytes();
    let (socket, peer) = reach(&job.peers, signals)?;
    let wake = Wake::new().map_err(no_descriptor)?;
    let control = Control::new(socket, Arc::new(wake), Some(signals)).map_err(no_descriptor)?;
    let session = ClientSession::new(clock::now(), env!("CARGO_PKG_VERSION"));
    let mut client = Client {
        job,
        peer,
        control,
        session,
        signals,
        events,
        course: None,
        met: None,
        started: None,
        reports: 0,
        interrupted: None,
    };
    let mut result = client.drive(memory_before);
    if client.interrupted.is_some() {
        result = Err(RunError::Interrupted);
    }
    if let Err(error) = &result {
        client.session.abort(&error.to_string());
    }
    client.close_course();
    let Client {
        control,
        mut session,
        ..
    } = client;
    control.close(&mut session, GOODBYE);
    result
}

struct Client<'a> {
    job: Job,
    peer: SocketAddr,
    control: Control,
    session: ClientSession,
    signals: &'a Signals,
    events: &'a Sender<Event>,
    course: Option<Course>,
    /// The server's host.
    met: Option<Box<Facts>>,
    /// When the start was asked for.
    started: Option<Nanos>,
    /// Ends that have given their closing figures.
    reports: u32,
    /// When a run that was interrupted must have its figures.
    interrupted: Option<Nanos>,
}

impl Client<'_> {
    fn drive(&mut self, memory_before: Option<u64>) -> Result<(), RunError> {
        loop {
            let call = self
                .course
                .as_ref()
                .filter(|_| self.runs())
                .and_then(Course::next_call);
            let call = call.into_iter().chain(self.interrupted).min();
            self.control
                .turn(&mut self.session, call)
                .map_err(|error| RunError::System {
                    doing: "waiting on the control connection".into(),
                    error,
                })?;
            if self.signals.next().is_some() {
                self.interrupt()?;
            }
            if self.interrupted.is_some_and(|until| until <= clock::now()) {
                return Err(RunError::Interrupted);
            }
            while let Some(action) = self.session.poll_action() {
                if self.act(action, memory_before)? {
                    return Ok(());
                }
            }
            self.advance_course()?;
        }
    }

    /// Ends a load that runs now, so that both ends tell what they have. The second time it is not
    /// waited for.
    fn interrupt(&mut self) -> Result<(), RunError> {
        let now = clock::now();
        match &mut self.course {
            Some(course) if self.interrupted.is_none() && self.session.stop().is_ok() => {
                course.stop(now);
                self.interrupted = Some(now + FAREWELL);
                Ok(())
            }
            _ => Err(RunError::Interrupted),
        }
    }

    fn runs(&self) -> bool {
        self.reports == 0 && self.started.is_some()
    }

    /// Does what the session asks. True when everything is here.
    fn act(&mut self, action: ClientAction, memory_before: Option<u64>) -> Result<bool, RunError> {
        match action {
            ClientAction::Peer(facts) => self.meet(facts)?,
            ClientAction::Accepted {
                token,
                caps,
                sysctls,
                ..
            } => {
                self.learn(sysctls);
                let mut plan = self.job.plan.clone();
                for cap in &caps {
                    if let (Some(load), Some(rate)) = (plan.loads.get_mut(cap.load), cap.rate) {
                        load.rate = Some(load.rate.map_or(rate, |asked| asked.min(rate)));
                    }
                }
                for cap in caps {
                    self.emit(Event::Doubt(Doubt {
                        doubt: "capped".into(),
                        about: format!("loads[{}]", cap.load),
                        evidence: cap.sentence,
                    }));
                }
                let lines = connect::flows(&plan, self.peer, token, Some(self.signals))?;
                let crew = Crew::new(&plan, End::Client, lines, self.control.wake.clone())?;
                let interface = self.job.interface.clone();
                self.course = Some(Course::new(
                    &plan,
                    End::Client,
                    crew,
                    interface,
                    memory_before,
                    true,
                ));
            }
            ClientAction::Attached(granted) => self.start(granted)?,
            ClientAction::Started => self.go(),
            ClientAction::Edge(edge) => self.emit(Event::Edge(edge)),
            ClientAction::Observed(observation) => self.emit(Event::Observed(observation)),
            ClientAction::PeerDone(sent) => {
                if let Some(course) = &mut self.course {
                    course.peer_done(clock::now(), sent);
                }
            }
            ClientAction::Report(report) => {
                self.close_course();
                self.emit(Event::Report(report));
                // The session is at its end: a goodbye always has its turn here.
                let _ = self.session.bye();
                return Ok(true);
            }
            ClientAction::Failed(SessionError::TimedOut { .. }) if self.started.is_some() => {
                return Err(RunError::Silent {
                    since: "the end of the measured time",
                });
            }
            ClientAction::Failed(error) => return Err(error.into()),
            ClientAction::Closed => return Ok(true),
        }
        Ok(false)
    }

    fn meet(&mut self, facts: Box<Facts>) -> Result<(), RunError> {
        let (ours, theirs) = (&self.job.facts.locality, &facts.locality);
        let same = ours.boot_id.is_some() && ours == theirs;
        self.met = Some(facts.clone());
        self.emit(Event::Peer { facts });
        if same && self.job.refuse_local {
            return Err(RunError::Local);
        }
        self.take_turn(|session, job| {
            session.propose(clock::now(), job.plan.clone(), job.sysctls.clone())
        });
        Ok(())
    }

    /// The server's host is as the run wanted it.
    fn learn(&mut self, sysctls: Sysctls) {
        if let Some(mut facts) = self.met.take().filter(|_| !sysctls.is_empty()) {
            facts.sysctls.extend(sysctls);
            self.emit(Event::Peer { facts });
        }
    }

    fn start(&mut self, granted: Vec<record::Granted>) -> Result<(), RunError> {
        let server = granted
            .into_iter()
            .map(|granted| (End::Server, granted))
            .enumerate();
        let client = self
            .course
            .iter()
            .flat_map(|c| c.granted(self.job.facts.qdisc.as_deref()))
            .map(|g| (End::Client, g))
            .enumerate();
        let grants = client
            .chain(server)
            .map(|(load, (end, granted))| Grant { load, end, granted })
            .collect();
        self.emit(Event::Granted { grants });
        self.started = Some(clock::now());
        self.take_turn(|session, _| session.start(clock::now()));
        Ok(())
    }

    /// The server's common start is [`LEAD`] after our word reached it, which was half a round
    /// trip ago if the path is symmetric.
    fn go(&mut self) {
        let now = clock::now();
        let asked = self.started.unwrap_or(now);
        let origin = asked + Nanos::new((now - asked).get() / 2) + LEAD;
        if let Some(course) = &mut self.course {
            course.go(origin, self.job.seed);
            if let Some(until) = course.guard() {
                self.session.guard(until);
            }
        }
    }

    fn advance_course(&mut self) -> Result<(), RunError> {
        if !self.runs() {
            return Ok(());
        }
        let Some(course) = &mut self.course else {
            return Ok(());
        };
        let now = clock::now();
        let edge = course.call(now);
        if let Some(sent) = course.done(now) {
            self.session.done(sent).map_err(wrong_turn)?;
        }
        let over = course.is_over(now);
        let observations = course.observations();
        if let Some(edge) = edge {
            self.emit(Event::Edge(edge));
        }
        self.emit_observations(observations);
        if over {
            self.close_course();
        }
        Ok(())
    }

    /// Ends the course and hands out its closing figures, once.
    fn close_course(&mut self) {
        if self.reports > 0 || self.started.is_none() {
            return;
        }
        if let Some(course) = &mut self.course {
            self.reports += 1;
            let report: EndReport = course.close();
            let observations = course.observations();
            self.emit_observations(observations);
            self.emit(Event::Report(Box::new(report)));
        }
    }

    fn take_turn(
        &mut self,
        turn: impl FnOnce(&mut ClientSession, &Job) -> Result<(), proto::native::WrongTurn>,
    ) {
        // Each turn is taken on the action that invites it, so it is never out of turn.
        let _ = turn(&mut self.session, &self.job);
    }

    fn emit_observations(&self, observations: Vec<Observation>) {
        for observation in observations {
            self.emit(Event::Observed(Box::new(observation)));
        }
    }

    fn emit(&self, event: Event) {
        // The reader of events ends after us; if it broke, the run still goes to its end.
        let _ = self.events.send(event);
    }
}

impl From<CrewError> for RunError {
    fn from(error: CrewError) -> Self {
        Self::Workers(error.to_string())
    }
}

fn wrong_turn(turn: proto::native::WrongTurn) -> RunError {
    RunError::System {
        doing: "keeping to the protocol".into(),
        error: io::Error::other(turn.to_string()),
    }
}

pub(crate) fn no_descriptor(error: io::Error) -> RunError {
    RunError::System {
        doing: "preparing the control connection".into(),
        error,
    }
}

/// Connects to the first address that answers.
pub(crate) fn reach(
    peers: &[SocketAddr],
    signals: &Signals,
) -> Result<(std::os::fd::OwnedFd, SocketAddr), RunError> {
    let mut last = None;
    for &peer in peers {
        match reach_one(peer, signals) {
            Ok(Some(socket)) => return Ok((socket, peer)),
            Ok(None) => return Err(RunError::Interrupted),
            Err(error) => last = Some(RunError::Unreachable { peer, error }),
        }
    }
    Err(last.unwrap_or(RunError::System {
        doing: "looking for an address of the server".into(),
        error: io::ErrorKind::AddrNotAvailable.into(),
    }))
}

/// None when a signal came first.
fn reach_one(peer: SocketAddr, signals: &Signals) -> io::Result<Option<std::os::fd::OwnedFd>> {
    let socket = sys::tcp_socket(peer)?;
    sys::connect(&socket, peer)?;
    let epoll = Epoll::new()?;
    epoll.add(&socket, 0, Readiness::WRITE)?;
    epoll.add(signals, 1, Readiness::READ)?;
    let until = clock::now() + CONNECT_PATIENCE;
    let mut events = Events::with_capacity(2);
    loop {
        let now = clock::now();
        if now >= until {
            return Err(io::ErrorKind::TimedOut.into());
        }
        epoll.wait(&mut events, Some(until - now))?;
        match events.iter().map(|(key, _)| key).max() {
            None => (),
            Some(0) => return sys::take_error(&socket).map(|()| Some(socket)),
            Some(_) => return Ok(None),
        }
    }
}
