//! Leads one client's test, from its cookie to its end. Whatever happens to it happens to nobody
//! else.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use proto::iperf3::{
    Cookie, ErrorNumber, Parameters, Protocol, Rejected, Results, ServerAction, ServerSession,
};
use sys::{Options, Wait, Wake, clock};
use units::{BitRate, Nanos};

use super::acceptor::Shared;
use super::rooms::{Arrival, Room};
use super::{Scribe, TestError, policy};
use crate::control::Control;
use crate::iperf3::client::started;
use crate::iperf3::lane::Lane;
use crate::iperf3::limit::Watched;
use crate::iperf3::test::{Setup, Test};
use crate::iperf3::{Contact, Event, Outcome, socket};

/// How long receivers may take for what is in their sockets when the client has ended the test.
const DRAIN: Nanos = Nanos::from_millis(500);
/// How long nothing may come of what is announced, and how often that is looked at.
const QUIET: Nanos = Nanos::from_millis(200);
const LOOK: Nanos = Nanos::from_millis(5);
/// How often a limit of the rate is looked at.
const LIMIT_LOOK: Nanos = Nanos::from_secs(1);
/// How long the last words to a client may take.
const LAST_WORDS: Nanos = Nanos::from_millis(500);

/// Why a TCP stream of a server has no label: it could only have its client's.
const NO_LABEL: &str = "the flow label: an accepted connection takes its client's only with \
    net.ipv6.flowlabel_consistency=0, and not over Multipath TCP; the stream goes without";

/// The session's thread.
pub(super) fn lead(
    socket: OwnedFd,
    peer: SocketAddr,
    cookie: Cookie,
    number: u64,
    wake: Arc<Wake>,
    shared: &Arc<Shared>,
) {
    let mut scribe = (shared.config.scribes)(number);
    let control = match Control::new(socket, wake.clone(), None) {
        Ok(control) => control,
        Err(error) => {
            let number = ErrorNumber::new(104);
            let sentence = format!("taking the control connection: {error}");
            return scribe.closed(Some(&TestError { number, sentence }));
        }
    };
    let config = &shared.config;
    let prepared = socket::send_timeout(control.socket(), config.send_timeout)
        .and_then(|()| socket::keepalive(control.socket(), config.keepalive));
    if let Err(failed) = prepared {
        scribe.tell(Event::Remark(&failed.sentence()));
    }
    let mut guest = Guest {
        control,
        session: ServerSession::new(clock::now()),
        shared,
        peer,
        cookie,
        scribe,
        wake,
        parameters: None,
        room: None,
        entered: false,
        lanes: Vec::new(),
        test: None,
        limit: None,
        received: (0, Nanos::ZERO),
        ending: None,
        local: None,
        outcome: None,
        asked: false,
        finished: false,
    };
    let end = guest.drive();
    guest.conclude(end);
}

struct Guest<'a> {
    control: Control,
    session: ServerSession,
    shared: &'a Arc<Shared>,
    peer: SocketAddr,
    cookie: Cookie,
    scribe: Box<dyn Scribe>,
    wake: Arc<Wake>,
    parameters: Option<Parameters>,
    /// Where its streams arrive.
    room: Option<Arc<Room>>,
    /// The room is open.
    entered: bool,
    lanes: Vec<Lane>,
    test: Option<Test>,
    /// The most that it may move, and when that is looked at next.
    limit: Option<(Watched, Nanos)>,
    /// What was received when it was looked at, and when that changed.
    received: (u64, Nanos),
    /// The client has ended the test.
    ending: Option<Ending>,
    local: Option<Results>,
    outcome: Option<Outcome>,
    /// Its parameters came.
    asked: bool,
    finished: bool,
}

/// The end of a test at this end.
enum Ending {
    /// A number of bytes is announced and not all are here: some clients say the end while the
    /// data is on its way. Received so far, when that was, and when to look next.
    Awaiting {
        expected: u64,
        received: u64,
        since: Nanos,
        look: Nanos,
    },
    /// Until when receivers may take what is there.
    Draining { until: Nanos },
}

impl Guest<'_> {
    /// To the client's last word, or to the reason why not.
    fn drive(&mut self) -> Result<(), TestError> {
        while !self.finished {
            let call = self.next_instant();
            let turned = self.control.turn(&mut self.session, call);
            turned.map_err(|error| TestError {
                number: ErrorNumber::new(118),
                sentence: format!("waiting for events: {error}"),
            })?;
            while let Some(action) = self.session.poll_action() {
                self.act(action)?;
            }
            if self.shared.ending.load(Ordering::Acquire) {
                self.session.terminate();
                return Err(TestError {
                    number: ErrorNumber::SERVER_TERMINATED,
                    sentence: "the server was terminated".to_owned(),
                });
            }
            self.gather()?;
            self.look()?;
            // Commands may have had the session read on.
            while let Some(action) = self.session.poll_action() {
                self.act(action)?;
            }
        }
        Ok(())
    }

    fn next_instant(&self) -> Option<Nanos> {
        let test = self.test.as_ref()?;
        match self.ending {
            Some(Ending::Awaiting { look, .. }) => return Some(look),
            Some(Ending::Draining { until }) => return Some(until),
            None => (),
        }
        let timeout = self.shared.config.receive_timeout;
        let idle = test.received().map(|_| self.received.1 + timeout);
        let limit = self.limit.as_ref().map(|(_, look)| *look);
        let instants = [test.ledger.next_edge(), idle, limit];
        instants.into_iter().flatten().min()
    }

    fn act(&mut self, action: ServerAction) -> Result<(), TestError> {
        match action {
            ServerAction::Open(parameters) => {
                self.asked = true;
                self.open(*parameters)?;
            }
            ServerAction::End => {
                let now = clock::now();
                self.ending = Some(Ending::Awaiting {
                    expected: self.announced().unwrap_or(0),
                    received: 0,
                    since: now,
                    look: now,
                });
            }
            ServerAction::Results(remote) => self.exchange(*remote),
            ServerAction::Finished => self.finished = true,
            ServerAction::Failed(error) => {
                return Err(TestError {
                    number: error.number(),
                    sentence: error.to_string(),
                });
            }
        }
        Ok(())
    }

    fn open(&mut self, parameters: Parameters) -> Result<(), TestError> {
        if let Err(Rejected { number, sentence }) =
            policy::permits(&self.shared.config, &parameters)
        {
            return Err(self.refuse(number, 0, sentence));
        }
        if parameters.protocol == Protocol::Sctp
            && let Err(error) = sys::sctp_socket(self.peer)
        {
            let errno = error.raw_os_error().unwrap_or(0);
            let sentence = format!("listening for SCTP streams: {error}");
            return Err(self.refuse(ErrorNumber::STREAM_LISTEN, errno, sentence));
        }
        let room = Room::new(
            self.cookie,
            parameters.protocol,
            self.peer.ip(),
            self.wake.clone(),
        );
        self.room = Some(Arc::new(room));
        let contact = Contact {
            peer: self.peer,
            local: sys::local_address(self.control.socket()).unwrap_or(self.peer),
            cookie: self.cookie,
            control_mss: Options::of(self.control.socket()).mss().ok(),
            block_from_mss: false,
            parameters: parameters.clone(),
        };
        self.scribe.tell(Event::Contact(&contact));
        self.parameters = Some(parameters);
        Ok(())
    }

    fn refuse(&mut self, number: ErrorNumber, errno: i32, sentence: String) -> TestError {
        self.session.refuse(number, errno);
        TestError { number, sentence }
    }

    /// What each stream is held to.
    fn held(&self, parameters: &Parameters) -> Option<BitRate> {
        self.shared.config.rate_limit?.of_stream(parameters)
    }

    /// Takes streams that arrive; begins when all are here.
    fn gather(&mut self) -> Result<(), TestError> {
        let (Some(room), Some(parameters)) = (self.room.clone(), self.parameters.clone()) else {
            return Ok(());
        };
        if !self.entered {
            if !self.shared.rooms.enter(&room) {
                return Ok(());
            }
            self.entered = true;
            // Its turn is what led here.
            let _ = self.session.opened(clock::now());
            self.control.flush(&mut self.session);
        }
        while self.lanes.len() < parameters.streams() as usize {
            let Some(arrival) = room.take() else {
                return Ok(());
            };
            self.welcome(arrival, &parameters)?;
        }
        self.leave();
        self.start(&parameters)
    }

    fn welcome(&mut self, arrival: Arrival, parameters: &Parameters) -> Result<(), TestError> {
        let Arrival {
            socket,
            mut peer,
            reply,
        } = arrival;
        let prepared = socket::apply(&socket, parameters, peer).and_then(|()| {
            let timeout = self.shared.config.send_timeout;
            socket::send_timeout(
                &socket,
                timeout.filter(|_| parameters.protocol == Protocol::Tcp),
            )
        });
        if let Err(failed) = prepared {
            let errno = failed.error.raw_os_error().unwrap_or(0);
            return Err(self.refuse(failed.number, errno, failed.sentence()));
        }
        let index = self.lanes.len() as u32;
        let sends = !parameters.client_sends(index);
        if let Some(rate) = self.held(parameters).filter(|_| sends) {
            let rate = parameters.fq_rate.map_or(rate, |asked| asked.min(rate));
            if let Err(error) = Options::of(&socket).set_pacing(rate) {
                let sentence = format!("holding a stream to {rate}: {error}");
                let errno = error.raw_os_error().unwrap_or(0);
                return Err(self.refuse(ErrorNumber::RATE_LIMIT, errno, sentence));
            }
        }
        // As at stock servers: the test goes on with the system's own.
        if let Err(failed) = socket::congestion(&socket, parameters) {
            self.scribe.tell(Event::Remark(&failed.sentence()));
        }
        if reply.is_some() {
            match socket::flow_label(&socket, parameters, peer) {
                Ok(labelled) if labelled != peer => {
                    let _ = sys::connect(&socket, labelled);
                    peer = labelled;
                }
                Ok(_) => (),
                Err(failed) => self.scribe.tell(Event::Remark(&failed.sentence())),
            }
        }
        if let Some(reply) = reply {
            // A reply that does not go is the client's timeout.
            let _ = sys::send(&socket, &reply, Wait::Never);
        }
        let labelled = parameters.flow_label.is_some() && parameters.protocol == Protocol::Tcp;
        if labelled && sends && !self.shared.reflects_labels {
            self.scribe.tell(Event::Remark(NO_LABEL));
        }
        let lane = Lane::new(index, socket, peer, sends, parameters, false);
        self.scribe.tell(Event::Connected(&lane.connected));
        self.lanes.push(lane);
        Ok(())
    }

    fn start(&mut self, parameters: &Parameters) -> Result<(), TestError> {
        let lanes = std::mem::take(&mut self.lanes);
        let now = clock::now();
        self.scribe
            .tell(Event::Started(&started(&lanes, parameters)));
        // Its turn is what led here. The client hears of it before the first data comes.
        let _ = self.session.started(now);
        self.control.flush(&mut self.session);
        let config = &self.shared.config;
        let setup = Setup {
            parameters,
            client: false,
            affinity: parameters.server_affinity.or(config.affinity),
            file: config.file.as_deref(),
            interval: config.interval,
            wake: &self.wake,
            held: self.held(parameters),
        };
        match Test::start(lanes, &setup) {
            Ok(test) => {
                let held = setup.held.is_some();
                let limit = config.rate_limit.filter(|_| !held);
                self.limit = limit.map(|limit| (Watched::new(limit, now), now + LIMIT_LOOK));
                self.received = (0, now);
                self.test = Some(test);
                Ok(())
            }
            Err(error) => {
                let errno = error.raw_os_error().unwrap_or(0);
                let sentence = format!("starting the test: {error}");
                Err(self.refuse(ErrorNumber::INIT_STREAM, errno, sentence))
            }
        }
    }

    /// What there is to see now.
    fn look(&mut self) -> Result<(), TestError> {
        let Some(test) = &mut self.test else {
            return Ok(());
        };
        let now = clock::now();
        match &mut self.ending {
            Some(Ending::Awaiting {
                expected,
                received,
                since,
                look,
            }) => {
                let here = test.received().unwrap_or(u64::MAX);
                if here > *received {
                    (*received, *since) = (here, now);
                }
                if here >= *expected || now >= *since + QUIET {
                    test.begin_to_stop();
                    self.ending = Some(Ending::Draining { until: now + DRAIN });
                } else {
                    *look = now + LOOK;
                    return Ok(());
                }
            }
            Some(Ending::Draining { .. }) => (),
            None => return self.look_on(now),
        }
        if let Some(Ending::Draining { until }) = self.ending
            && self.test.as_ref().is_some_and(Test::is_drained) | (now >= until)
        {
            self.ending = None;
            self.stop();
            // Its turn is what led here.
            let _ = self.session.ended(now);
        }
        Ok(())
    }

    /// Bytes that the client has said it would send, where nothing of them is omitted.
    fn announced(&self) -> Option<u64> {
        let parameters = self.parameters.as_ref()?;
        let counted = parameters.protocol == Protocol::Tcp && parameters.omit.is_zero();
        let size = parameters.block_size().get();
        let blocks = parameters.blocks.map(|blocks| blocks.saturating_mul(size));
        let bytes = parameters.bytes.map(|bytes| bytes.get()).or(blocks);
        bytes.filter(|_| counted)
    }

    /// Edges and limits while the test goes on.
    fn look_on(&mut self, now: Nanos) -> Result<(), TestError> {
        let Some(test) = &mut self.test else {
            return Ok(());
        };
        if let Some(interval) = test.ledger.look(now) {
            self.scribe.tell(Event::Interval(&interval));
        }
        if let Some((limit, look)) = &mut self.limit
            && *look <= now
        {
            *look = now + LIMIT_LOOK;
            if limit.is_exceeded(now, test.moved()) {
                let sentence = "the test is faster than this server permits".to_owned();
                return Err(self.refuse(ErrorNumber::RATE_LIMIT, 0, sentence));
            }
        }
        if let Some(received) = test.received() {
            let timeout = self.shared.config.receive_timeout;
            if received != self.received.0 {
                self.received = (received, now);
            } else if now >= self.received.1 + timeout {
                let sentence = format!("nothing was received for {timeout}");
                return Err(self.refuse(ErrorNumber::IDLE_RECEIVE, 0, sentence));
            }
        }
        Ok(())
    }

    /// Ends the data, and closes its sockets.
    fn stop(&mut self) {
        let Some(mut test) = self.test.take() else {
            return;
        };
        test.stop_receiving();
        let last = test.stop();
        self.scribe.tell(Event::Interval(&last));
        let results = test.results(None);
        let mut outcome = test.outcome();
        outcome.local = Some(results.clone());
        self.outcome = Some(outcome);
        self.local = Some(results);
    }

    fn exchange(&mut self, remote: Results) {
        let Some(mut results) = self.local.take() else {
            return;
        };
        if let Some(outcome) = &mut self.outcome {
            outcome.remote = Some(remote);
        }
        if let Some(outcome) = self.outcome.take() {
            self.scribe.ended(&outcome);
        }
        let wanted = self
            .parameters
            .as_ref()
            .is_some_and(|p| p.get_server_output);
        results.output = wanted.then(|| self.scribe.output()).flatten();
        // Its turn is what led here.
        let _ = self.session.results(clock::now(), &results);
    }

    fn leave(&mut self) {
        if let Some(room) = self.room.take().filter(|_| self.entered) {
            self.shared.rooms.leave(&room);
        }
    }

    /// Whatever was measured is told, and the client hears what there is to hear.
    fn conclude(mut self, end: Result<(), TestError>) {
        // The client hears why before its data meets a socket that is gone.
        self.control.flush(&mut self.session);
        self.leave();
        self.stop();
        if let Some(outcome) = self.outcome.take() {
            self.scribe.ended(&outcome);
        }
        self.scribe.closed(end.as_ref().err());
        self.lanes.clear();
        self.control.close(&mut self.session, LAST_WORDS);
        // Who is not let in does not use up a server of one test.
        let refused = end.is_err_and(|error| error.number == ErrorNumber::AUTHORIZATION);
        if self.shared.config.one_off && !refused && self.asked {
            self.shared.one_is_over.store(true, Ordering::Release);
        }
    }
}
