//! Leads one test from the control connection's first message to its goodbye.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use plan::Plan;
use proto::native::{RefuseCode, ServerAction, ServerSession, Sysctls, Token};
use record::{End, InterfaceCounters};
use sys::{Wake, clock};
use tracing::{info, warn};
use units::Nanos;

use super::attach::Attaching;
use super::door::{Doors, Place};
use super::{Config, Set, limits};
use crate::control::Control;
use crate::course::{Course, LEAD};
use crate::crew::Crew;
use crate::watch::Watch;

/// How long the last words to a client may take.
const LAST_WORDS: Nanos = Nanos::from_millis(500);

/// A client and what its session needs.
pub(super) struct Guest {
    pub socket: OwnedFd,
    pub peer: SocketAddr,
    /// Given back when the session is over.
    pub place: Place,
    pub wake: Arc<Wake>,
    pub config: Arc<Config>,
    pub doors: Arc<Doors>,
    /// Told when the server is to end after this test.
    pub over: Arc<Wake>,
}

/// The session's thread. Whatever happens to it happens to nobody else.
pub(super) fn lead(guest: Guest) {
    let Guest {
        socket,
        peer,
        place,
        wake,
        config,
        doors,
        over,
    } = guest;
    let test = place.number;
    let interface = observe::interface::towards(peer.ip());
    let before = interface
        .as_ref()
        .and_then(|name| observe::interface::counters(name));
    let facts = observe::facts(interface.as_deref());
    let qdisc = facts.qdisc.clone();
    let control = match Control::new(socket, wake, None) {
        Ok(control) => control,
        Err(error) => return warn!(test, %peer, %error, "preparing the control connection"),
    };
    let mut session = Session {
        control,
        session: ServerSession::new(clock::now(), facts),
        config,
        doors,
        peer,
        test,
        interface: interface.zip(before),
        qdisc,
        token: None,
        attaching: None,
        course: None,
        watch: None,
        memory_before: None,
        reported: false,
        set: None,
    };
    let started = clock::now();
    let end = session.drive();
    let took = clock::now() - started;
    match &end {
        Ok(()) => info!(test, %peer, %took, "done"),
        Err(reason) => info!(test, %peer, %took, reason, "ended early"),
    }
    let was_a_test = session.token.is_some();
    if let Some(token) = session.token {
        session.doors.close(&token);
    }
    // The workers and their sockets go first, so that a peer sees the end at once.
    drop(session.course.take());
    // And then the host is as it was, before the client can begin its next run.
    drop(session.set.take());
    let Session {
        control,
        session: mut words,
        config,
        ..
    } = session;
    control.close(&mut words, LAST_WORDS);
    drop(place);
    if was_a_test && config.one_off {
        over.wake();
    }
}

struct Session {
    control: Control,
    session: ServerSession,
    config: Arc<Config>,
    doors: Arc<Doors>,
    peer: SocketAddr,
    test: u64,
    interface: Option<(String, InterfaceCounters)>,
    /// The interface's root qdisc.
    qdisc: Option<String>,
    token: Option<Token>,
    attaching: Option<Attaching>,
    course: Option<Course>,
    /// For a client that only wants to see.
    watch: Option<Watch>,
    memory_before: Option<u64>,
    reported: bool,
    /// Sysctls of this host, until the session is over.
    set: Option<Set>,
}

impl Session {
    /// To the goodbye, or to the sentence that says why not.
    fn drive(&mut self) -> Result<(), String> {
        loop {
            let call = self
                .course
                .as_ref()
                .filter(|_| !self.reported)
                .and_then(Course::next_call)
                .or_else(|| self.watch.as_ref().map(Watch::next));
            self.control
                .turn(&mut self.session, call)
                .map_err(|error| error.to_string())?;
            if self.doors.is_ending() {
                self.session.abort("the server was stopped");
                return Err("the server ends".to_owned());
            }
            while let Some(action) = self.session.poll_action() {
                if self.act(action)? {
                    return Ok(());
                }
            }
            self.gather()?;
            self.advance_course();
            self.look()?;
        }
    }

    /// Does what the client asks. True after its goodbye.
    fn act(&mut self, action: ServerAction) -> Result<bool, String> {
        let now = clock::now();
        match action {
            ServerAction::Proposed(plan, sysctls) => self.consider(*plan, &sysctls)?,
            ServerAction::Observe(interval) => {
                let interface = self.interface.as_ref().map(|(name, _)| name.as_str());
                let longest = self.config.max_duration;
                self.watch = Some(Watch::new(interface, interval, longest));
            }
            ServerAction::Start => {
                if let Some(course) = &mut self.course {
                    course.go(now + LEAD, self.test);
                    if let Some(until) = course.guard() {
                        self.session.guard(until);
                    }
                    let _ = self.session.started();
                }
            }
            ServerAction::PeerDone(sent) => {
                if let Some(course) = &mut self.course {
                    course.peer_done(now, sent);
                }
            }
            ServerAction::Stop => {
                if let Some(course) = &mut self.course {
                    course.stop(now);
                }
            }
            ServerAction::Aborted(reason) => return Err(format!("the client gave up: {reason}")),
            ServerAction::Bye => return Ok(true),
            ServerAction::Failed(error) => return Err(error.to_string()),
        }
        Ok(false)
    }

    /// Tells a client that only wants to see.
    fn look(&mut self) -> Result<(), String> {
        let Some(watch) = &mut self.watch else {
            return Ok(());
        };
        if let Some(observation) = watch.look() {
            let _ = self.session.observed(Box::new(observation));
        }
        match watch.is_over() {
            true => self.tell(Err(
                "the server grants no longer look (--max-duration)".to_owned()
            )),
            false => Ok(()),
        }
    }

    fn consider(&mut self, mut plan: Plan, sysctls: &Sysctls) -> Result<(), String> {
        let caps = match limits::apply(&self.config, &mut plan) {
            Ok(caps) => caps,
            Err((code, sentence)) => return self.refuse(code, sentence),
        };
        if !sysctls.is_empty() {
            match self.set(sysctls) {
                Ok(set) => self.set = Some(set),
                Err(sentence) => return self.refuse(RefuseCode::Sysctl, sentence),
            }
        }
        let mut bytes = [0; 16];
        if let Err(error) = getrandom::fill(&mut bytes) {
            return self.refuse(
                RefuseCode::Resource,
                format!("no randomness for a token: {error}"),
            );
        }
        let token = Token::new(bytes);
        let plan = Arc::new(plan);
        let door = self.doors.open(token, &plan, self.control.wake.clone());
        self.token = Some(token);
        let loads: Vec<&str> = plan.loads.iter().map(|load| load.kind.name()).collect();
        info!(test = self.test, peer = %self.peer, loads = loads.join("+"), "accepted");
        self.memory_before = observe::memory::resident_user_bytes();
        let attaching = Attaching::new(plan, door).map_err(|error| error.to_string())?;
        self.control
            .watch(attaching.fd())
            .map_err(|error| error.to_string())?;
        self.attaching = Some(attaching);
        let set = self.set.as_ref().map(|set| set.now.clone());
        let set = set.unwrap_or_default();
        let _ = self
            .session
            .accept(clock::now(), self.test, token, caps, set);
        Ok(())
    }

    fn set(&self, wanted: &Sysctls) -> Result<Set, String> {
        let Some(setter) = &self.config.sysctls else {
            return Err("the server sets no sysctls: start it with --allow-sysctl".to_owned());
        };
        let set = setter.set(wanted)?;
        let names: Vec<&str> = wanted.keys().map(String::as_str).collect();
        info!(test = self.test, peer = %self.peer, sysctls = names.join(" "), "set");
        Ok(set)
    }

    fn refuse(&mut self, code: RefuseCode, sentence: String) -> Result<(), String> {
        let _ = self.session.refuse(code, &sentence);
        Err(sentence)
    }

    /// Takes flows that have come; with the last one the workers start.
    fn gather(&mut self) -> Result<(), String> {
        let Some(attaching) = &mut self.attaching else {
            return Ok(());
        };
        attaching.answer_hellos();
        let all = attaching.take_arrivals(self.peer);
        if self.course.is_some() || !self.tell(all)? {
            return Ok(());
        }
        self.put_to_work()
    }

    fn put_to_work(&mut self) -> Result<(), String> {
        let Some(attaching) = self.attaching.take() else {
            return Ok(());
        };
        self.control.unwatch(attaching.fd());
        let (plan, door) = attaching.parts();
        let lines = attaching.lines();
        let crew = Crew::new(&plan, End::Server, lines, self.control.wake.clone());
        let crew = self.tell(crew.map_err(|error| error.to_string()))?;
        for (index, load) in crew.loads.iter().enumerate() {
            door.connect(index as u16, load.inboxes().to_vec());
        }
        let course = Course::new(
            &plan,
            End::Server,
            crew,
            self.interface.clone(),
            self.memory_before,
            self.config.tracing,
        );
        let granted = course.granted(self.qdisc.as_deref());
        self.course = Some(course);
        let _ = self.session.attached(clock::now(), granted);
        Ok(())
    }

    /// A failure that the client must hear of.
    fn tell<T>(&mut self, result: Result<T, String>) -> Result<T, String> {
        if let Err(sentence) = &result {
            self.session.abort(sentence);
        }
        result
    }

    fn advance_course(&mut self) {
        let Some(course) = self.course.as_mut().filter(|_| !self.reported) else {
            return;
        };
        let now = clock::now();
        if let Some(edge) = course.call(now) {
            let _ = self.session.edge(edge);
        }
        for observation in course.observations() {
            let _ = self.session.observed(Box::new(observation));
        }
        if let Some(sent) = course.done(now) {
            let _ = self.session.done(sent);
        }
        if course.is_over(now) {
            self.reported = true;
            let report = course.close();
            let _ = self.session.report(now, report);
        }
    }
}
