//! Leads a test from the control connection to the results.

use std::net::SocketAddr;
use std::sync::Arc;

use proto::iperf3::{ClientAction, ClientSession, Cookie, ErrorNumber, Parameters, Protocol};
use sys::signal::Signals;
use sys::{Options, Wake, clock};
use units::{Bytes, Nanos};

use super::opening::Opening;
use super::{ClientError, Job, Run, dial};
use crate::control::Control;
use crate::iperf3::lane::Lane;
use crate::iperf3::test::{Setup, Test};
use crate::iperf3::{Contact, Event, Outcome, Started, socket};

/// How long the queue of a sender may take to empty when the time is over; of one that has a
/// number of bytes to send.
const DRAIN: Nanos = Nanos::from_millis(500);
const DRAIN_COUNTED: Nanos = Nanos::from_secs(30);
/// After that: a stock server that hears of the end stops reading, and forgets what is in its
/// socket.
const SETTLE: Nanos = Nanos::from_millis(5);
/// How long last words may take.
const LAST_WORDS: Nanos = Nanos::from_millis(500);

pub(super) struct Driver<'a> {
    job: &'a Job,
    parameters: Parameters,
    contact: Contact,
    cookie: Cookie,
    server: SocketAddr,
    signals: Option<&'a Signals>,
    tell: &'a mut dyn FnMut(Event<'_>),
    control: Control,
    session: ClientSession,
    wake: Arc<Wake>,
    opening: Option<Opening>,
    lanes: Vec<Lane>,
    test: Option<Test>,
    /// When its time is over.
    end: Option<Nanos>,
    draining: Option<Draining>,
    /// What was received when it was looked at, and when that changed.
    received: (u64, Nanos),
    outcome: Option<Outcome>,
    error: Option<ClientError>,
    finished: bool,
}

/// Waiting until what was sent has left this end.
struct Draining {
    until: Nanos,
    look: Nanos,
    step: Nanos,
    settled: bool,
}

impl<'a> Driver<'a> {
    /// Makes the control connection.
    ///
    /// # Errors
    /// Why there is none.
    pub fn new(
        job: &'a Job,
        signals: Option<&'a Signals>,
        tell: &'a mut dyn FnMut(Event<'_>),
    ) -> Result<Self, ClientError> {
        let (socket, server) = dial::control(job, signals)?;
        let mut random = [0; Cookie::LEN - 1];
        getrandom::fill(&mut random)
            .map_err(|error| ClientError::system(std::io::Error::other(error)))?;
        let cookie = Cookie::new(random);
        let local = sys::local_address(&socket).unwrap_or(server);
        let wake = Arc::new(Wake::new().map_err(ClientError::system)?);
        let mut control =
            Control::new(socket, wake.clone(), signals).map_err(ClientError::system)?;
        // Such a connection has times of its own, which give way to those that were asked.
        socket::send_timeout(control.socket(), job.send_timeout)?;
        socket::keepalive(control.socket(), job.keepalive)?;
        let mut session = ClientSession::new(clock::now(), &cookie, job.parameters.clone());
        // A segment is at most half of the largest window that the peer has offered, which is
        // larger in its answer to the cookie than in its SYN: iperf3 looks here too.
        control.flush(&mut session);
        let control_mss = dial::mss(control.socket());
        let mut parameters = job.parameters.clone();
        let block_from_mss = parameters.block.is_none() && parameters.protocol == Protocol::Udp;
        if block_from_mss {
            let (least, most) = Parameters::DATAGRAMS;
            let fits = control_mss.filter(|mss| (least..=most).contains(mss));
            parameters.block = fits;
        }
        let block = parameters.block_size();
        parameters.block = Some(block);
        if let Some(gso) = &mut parameters.gso {
            whole_datagrams(gso, block);
        }
        // Nothing was read yet.
        let _ = session.ask(parameters.clone());
        let contact = Contact {
            peer: server,
            local,
            cookie,
            parameters: parameters.clone(),
            control_mss,
            block_from_mss,
        };
        Ok(Self {
            job,
            session,
            parameters,
            contact,
            cookie,
            server,
            signals,
            tell,
            control,
            wake,
            opening: None,
            lanes: Vec::new(),
            test: None,
            end: None,
            draining: None,
            received: (0, Nanos::ZERO),
            outcome: None,
            error: None,
            finished: false,
        })
    }

    /// To the end, whichever it is.
    pub fn run(mut self) -> Run {
        while !self.finished {
            if let Err(error) = self.turn() {
                self.give_up(error);
            }
        }
        let Self {
            control,
            mut session,
            outcome,
            mut error,
            test,
            ..
        } = self;
        control.close(&mut session, LAST_WORDS);
        if error.is_none() {
            let broken = test.and_then(|test| test.broken.into_iter().next());
            error = broken.map(ClientError::Broken);
        }
        Run { outcome, error }
    }

    fn turn(&mut self) -> Result<(), ClientError> {
        let call = self.next_instant();
        let turned = self.control.turn(&mut self.session, call);
        turned.map_err(ClientError::system)?;
        if self.signals.and_then(Signals::next).is_some() {
            return Err(ClientError::Interrupted);
        }
        while let Some(action) = self.session.poll_action() {
            self.act(action)?;
        }
        let now = clock::now();
        self.open(now)?;
        self.look(now)?;
        self.drain(now);
        while let Some(action) = self.session.poll_action() {
            self.act(action)?;
        }
        Ok(())
    }

    fn next_instant(&self) -> Option<Nanos> {
        if let Some(opening) = &self.opening {
            return Some(opening.deadline());
        }
        if let Some(draining) = &self.draining {
            return Some(draining.look);
        }
        let test = self.test.as_ref().filter(|_| self.outcome.is_none())?;
        let idle = test
            .received()
            .map(|_| self.received.1 + self.job.receive_timeout);
        [self.end, idle, test.ledger.next_edge()]
            .into_iter()
            .flatten()
            .min()
    }

    fn act(&mut self, action: ClientAction) -> Result<(), ClientError> {
        match action {
            ClientAction::OpenStreams => {
                (self.tell)(Event::Contact(&self.contact));
                let opening = Opening::new(self.server, self.cookie)?;
                let watched = self.control.watch(opening.fd());
                watched.map_err(ClientError::system)?;
                self.opening = Some(opening);
            }
            ClientAction::Prepare => (),
            ClientAction::Run => self.start()?,
            ClientAction::GiveResults => {
                if let Some(test) = &mut self.test {
                    test.stop_receiving();
                    let results = test.results(None);
                    // Its turn is what the action says.
                    let _ = self.session.results(clock::now(), &results);
                    if let Some(outcome) = &mut self.outcome {
                        outcome.local = Some(results);
                    }
                }
            }
            ClientAction::Results(results) => {
                if let Some(outcome) = &mut self.outcome {
                    outcome.remote = Some(*results);
                }
            }
            ClientAction::Finished => self.finished = true,
            ClientAction::Failed(error) => return Err(ClientError::Session(error)),
        }
        Ok(())
    }

    fn open(&mut self, now: Nanos) -> Result<(), ClientError> {
        let Some(opening) = &mut self.opening else {
            return Ok(());
        };
        if let Some(lanes) = opening.advance(self.job, &self.parameters, now)? {
            self.control.unwatch(opening.fd());
            self.opening = None;
            for lane in &lanes {
                (self.tell)(Event::Connected(&lane.connected));
            }
            self.lanes = lanes;
            // Its turn is what led here.
            let _ = self.session.opened(now);
        }
        Ok(())
    }

    fn start(&mut self) -> Result<(), ClientError> {
        let lanes = std::mem::take(&mut self.lanes);
        let begun = started(&lanes, &self.parameters);
        if let Some(cpu) = self.job.affinity {
            sys::thread::admits(cpu).map_err(|error| {
                let number = ErrorNumber::AFFINITY;
                ClientError::stream(number, "setting the CPU affinity", error)
            })?;
        }
        let setup = Setup {
            held: None,
            parameters: &self.parameters,
            client: true,
            affinity: self.job.affinity,
            file: self.job.file.as_deref(),
            interval: self.job.interval,
            wake: &self.wake,
        };
        let number = ErrorNumber::INIT_STREAM;
        let test = Test::start(lanes, &setup)
            .map_err(|error| ClientError::stream(number, "starting the test", error))?;
        // A server that sends has begun: whoever is told looks at the whole host, which takes time.
        (self.tell)(Event::Started(&begun));
        let counted_from = test.omitted_until(&self.parameters);
        self.end = self.parameters.time.map(|time| counted_from + time);
        self.received = (0, clock::now());
        self.test = Some(test);
        Ok(())
    }

    /// Edges, and the end.
    fn look(&mut self, now: Nanos) -> Result<(), ClientError> {
        let Some(test) = self.test.as_mut().filter(|_| self.outcome.is_none()) else {
            return Ok(());
        };
        let over = self.end.is_some_and(|end| end <= now) || test.is_through();
        if over && test.ledger.counts() || test.receives_no_more() {
            self.stop(now);
            return Ok(());
        }
        if let Some(interval) = test.ledger.look(now) {
            (self.tell)(Event::Interval(&interval));
        }
        if let Some(received) = test.received() {
            if received != self.received.0 {
                self.received = (received, now);
            } else if now >= self.received.1 + self.job.receive_timeout {
                return Err(ClientError::Idle(self.job.receive_timeout));
            }
        }
        Ok(())
    }

    fn stop(&mut self, now: Nanos) {
        let counted = self.is_counted();
        let Some(test) = &mut self.test else {
            return;
        };
        let last = test.stop();
        (self.tell)(Event::Interval(&last));
        self.outcome = Some(test.outcome());
        self.draining = Some(Draining {
            until: now + if counted { DRAIN_COUNTED } else { DRAIN },
            look: now,
            step: Nanos::from_millis(1),
            settled: test.received().is_some() && test.unsent() == 0,
        });
    }

    /// Whether it ends by a number, not by time.
    fn is_counted(&self) -> bool {
        self.parameters.bytes.is_some() || self.parameters.blocks.is_some()
    }

    /// Says the end when what was sent has left.
    fn drain(&mut self, now: Nanos) {
        let counted = self.is_counted();
        let (Some(draining), Some(test)) = (&mut self.draining, &self.test) else {
            return;
        };
        if now < draining.look {
            return;
        }
        let unsent = test.unsent() > 0 && now < draining.until;
        if unsent {
            draining.look = now + draining.step;
            draining.step = (draining.step + draining.step).min(Nanos::from_millis(16));
        } else if !draining.settled {
            draining.settled = true;
            draining.look = now + SETTLE;
        } else {
            self.draining = None;
            if let Some(outcome) = self.outcome.as_mut().filter(|_| counted) {
                test.ledger.settle(&mut outcome.streams);
            }
            // Its turn is what led here.
            let _ = self.session.ended(now);
        }
    }

    /// Keeps what was measured.
    fn give_up(&mut self, error: ClientError) {
        if self.outcome.is_none()
            && let Some(test) = &mut self.test
        {
            let last = test.stop();
            (self.tell)(Event::Interval(&last));
            test.stop_receiving();
            let mut outcome = test.outcome();
            outcome.local = Some(test.results(None));
            self.outcome = Some(outcome);
        }
        self.session.terminate();
        self.error = Some(error);
        self.finished = true;
    }
}

/// A large send is whole datagrams.
fn whole_datagrams(gso: &mut proto::iperf3::Segmentation, datagram: Bytes) {
    /// What a kernel cuts out of one send at most (UDP_MAX_SEGMENTS).
    const MOST: u64 = 128;
    let size = datagram.get().max(1);
    let most = (gso.buffer.get() / size).clamp(1, MOST);
    *gso = proto::iperf3::Segmentation {
        datagram: Some(datagram),
        buffer: Bytes::new(most * size),
    };
}

/// What is known of the sockets when data begins to move. TCP's buffers are those that a stream had
/// before it was connected, which iperf3 tells: a connection makes them larger at once.
pub(in crate::iperf3) fn started(lanes: &[Lane], parameters: &Parameters) -> Started {
    let first = lanes.first();
    let tcp = parameters.protocol == Protocol::Tcp;
    let unconnected = first
        .filter(|_| tcp && parameters.window.is_none())
        .and_then(|lane| sys::tcp_socket(lane.connected.remote).ok());
    let first = first.map(|lane| &*lane.socket);
    let buffered = unconnected.as_ref().or(first);
    Started {
        sndbuf: buffered.and_then(|socket| Options::of(socket).sndbuf().ok()),
        rcvbuf: buffered.and_then(|socket| Options::of(socket).rcvbuf().ok()),
        mss: first
            .filter(|_| tcp)
            .and_then(|socket| Options::of(socket).mss().ok()),
    }
}
