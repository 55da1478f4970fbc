//! A client's flow at the server, or both directions of one.

use std::net::SocketAddr;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use proto::iperf2::{Amount, Mode, TestHeader, UpperFlags, digits};
use record::TcpInfo;
use sys::{Options, clock};
use units::{BitRate, Nanos};

use super::House;
use super::arriving::{Arriving, refuse};
use super::limits::{CLOCKS, LONGEST};
use crate::flow::{Flow, Throttled};
use crate::iperf2::event::{Event, FlowFacts, Refusal, Tell};
use crate::iperf2::flow::{BurstReader, Echo, Receive, ReceivedBurst};
use crate::iperf2::meter::{Meter, Way};
use crate::iperf2::roll::Entry;
use crate::squad::{Member, Single, Squad, Watch};

/// What serves one connection or one sender of datagrams.
pub(super) struct Session {
    pub flows: Vec<u32>,
    pub squad: Squad,
    pub peer: SocketAddr,
    pub local: SocketAddr,
    pub is_tcp: bool,
    /// When this end stops sending.
    pub deadline: Option<Nanos>,
    /// When the flow is ended, whatever it does.
    pub end_at: Option<Nanos>,
    /// What the client asked for: a connection back may be due when this is over.
    pub header: Option<TestHeader>,
    /// Bursts that came.
    pub bursts: Option<Receiver<ReceivedBurst>>,
}

impl Session {
    /// Tells of bursts that came since.
    pub fn tell_bursts(&self, tell: Tell<'_>) {
        let bursts = self.bursts.iter().flat_map(Receiver::try_iter);
        for (burst, flow) in bursts.zip(self.flows.iter().cycle()) {
            tell(Event::Burst { flow: *flow, burst });
        }
    }

    pub fn is_over(&self) -> bool {
        self.squad.left() == 0
    }

    pub fn at_time(&mut self, now: Nanos) {
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            self.deadline = None;
            self.squad.stop();
        }
        if self.end_at.is_some_and(|end| end <= now) {
            self.end_at = None;
            self.squad.finish();
        }
    }

    /// Ends all flows; why one of them ended, if not as planned.
    pub fn finish(&mut self) -> Option<String> {
        let ended = self.squad.finish();
        ended.into_iter().find_map(|ended| ended.broken)
    }
}

/// A flow that is to have a worker.
pub(super) struct Part {
    pub flow: Box<dyn Flow>,
    pub way: Way,
    pub meter: Arc<Meter>,
    /// Whether its worker may make blocking calls.
    pub single: bool,
}

impl Part {
    /// The same at the rate that the server's owner permits.
    fn held(self, rate: BitRate) -> Self {
        let tally = self.meter.tally.clone();
        let counted = move || tally.counters(false);
        Self {
            flow: Box::new(Throttled::new(self.flow, counted, rate)),
            single: false,
            ..self
        }
    }
}

/// A flow's common facts.
pub(super) struct Line {
    pub socket: Arc<OwnedFd>,
    pub local: SocketAddr,
    pub peer: SocketAddr,
    pub is_tcp: bool,
    pub header: Option<TestHeader>,
    pub bounce: Option<(u32, u32, bool)>,
    pub is_backward: bool,
    pub payload: usize,
    /// Bytes of room for what is received.
    pub sink: usize,
    /// Bursts that come.
    pub bursts: Option<Receiver<ReceivedBurst>>,
}

impl House {
    /// A connection that ended before its first byte.
    pub(super) fn only_connected(&mut self, arriving: Arriving, tell: Tell<'_>) {
        let socket = Arc::new(arriving.socket);
        let flow = self.number();
        let mut facts = facts(flow, &socket, arriving.local, arriving.peer, true);
        facts.only_connects = true;
        tell(Event::Flow(Box::new(facts)));
        tell(Event::Ended { flow, reason: None });
        self.ended += 1;
        if self.sessions.is_empty() && self.arriving.is_empty() {
            tell(Event::Idle);
        }
    }

    /// A stream of a client, of whom `already` bytes were read.
    pub(super) fn begin_stream(
        &mut self,
        arriving: Arriving,
        header: Option<TestHeader>,
        already: u64,
        tell: Tell<'_>,
    ) {
        let Arriving {
            socket,
            local,
            peer,
            ..
        } = arriving;
        let socket = Arc::new(socket);
        let mode = header.as_ref().map_or(Mode::Forward, |header| header.mode);
        let extended = header.as_ref().and_then(|header| header.extended.as_ref());
        let options = Options::of(&*socket);
        if let Some(extended) = extended {
            let tos = self.config.tos_override.unwrap_or(extended.tos);
            if tos != 0 {
                let _ = options.set_tos(local.is_ipv6(), tos);
            }
            if extended.upper.has(UpperFlags::QUICK_ACK) {
                let _ = options.set_quickack();
            }
        }
        let (mut parts, mut bursts) = (Vec::new(), None);
        if mode != Mode::Reverse {
            let meter = Arc::new(Meter::new(self.config.bins));
            let size = self.config.size;
            let size = self
                .held(header.as_ref())
                .map_or(size, |rate| Throttled::piece(size, rate));
            let mut receive = Receive::new(socket.clone(), meter.clone(), size, already);
            let upper = header.as_ref().map(|header| header.upper());
            let upper = upper.unwrap_or_default();
            let has_frames = self.config.by_frame && upper.has(UpperFlags::ISOCHRONOUS);
            let has_bursts = upper.has(UpperFlags::BURSTS) || has_frames;
            if has_bursts || self.has_trip_times(header.as_ref()) {
                let mut reader = BurstReader::new(&meter, false);
                if has_bursts {
                    bursts = Some(reader.listen(self.config.size, self.workers.clone()));
                }
                receive.bursts = Some(reader);
            }
            receive.discards = self.config.skips_copy;
            receive.pace = self.read_pace();
            parts.push(Part {
                single: receive.pace.is_none(),
                flow: Box::new(receive),
                way: Way::Receives,
                meter,
            });
        }
        let mut payload = 0;
        if let Some(header) = header
            .as_ref()
            .filter(|_| matches!(mode, Mode::Reverse | Mode::FullDuplex))
        {
            let (part, size) = self.stream_sender(&socket, header);
            payload = size;
            parts.push(part);
        }
        let line = Line {
            socket,
            local,
            peer,
            is_tcp: true,
            bounce: None,
            is_backward: false,
            payload,
            sink: self.config.size,
            header,
            bursts,
        };
        self.begin(line, parts, tell);
        self.go_back_at_once(tell);
    }

    /// A bounceback, of whose first request `front` was read.
    pub(super) fn begin_echo(&mut self, arriving: Arriving, front: Vec<u8>, tell: Tell<'_>) {
        let mut front = front;
        // The rest of the first request is usually here; its size decides whether we take it.
        let mut more = [0; 60];
        if let Ok(n) = sys::recv(&arriving.socket, &mut more, sys::Wait::Never) {
            front.extend_from_slice(&more[..n]);
        }
        let message = proto::iperf2::BounceMessage::read(&front);
        if front.len() >= 8 && (message.size as usize) < proto::iperf2::BounceMessage::LEAST {
            return refuse(&arriving, Refusal::SmallBounce, tell);
        }
        let Arriving {
            socket,
            local,
            peer,
            ..
        } = arriving;
        let socket = Arc::new(socket);
        let _ = Options::of(&*socket).set_nodelay();
        let meter = Arc::new(Meter::new(None));
        let quickack = message.flags.has(proto::iperf2::BounceFlags::QUICK_ACK);
        let bounce = Some((message.size, message.hold_us, quickack));
        let echo = Echo::new(socket.clone(), meter.clone(), local.is_ipv6(), front);
        let part = Part {
            flow: Box::new(echo),
            way: Way::Bounces,
            meter,
            single: false,
        };
        let line = Line {
            socket,
            local,
            peer,
            is_tcp: true,
            header: None,
            bounce,
            is_backward: false,
            payload: 0,
            sink: self.config.size,
            bursts: None,
        };
        self.begin(line, vec![part], tell);
    }

    /// Puts a flow to work, and says so.
    pub(super) fn begin(&mut self, line: Line, parts: Vec<Part>, tell: Tell<'_>) {
        let flow = self.number();
        let now = clock::now();
        let mut facts = facts(flow, &line.socket, line.local, line.peer, line.is_tcp);
        let mode = line.header.as_ref().map_or(Mode::Forward, |h| h.mode);
        facts.ways = parts.iter().map(|part| part.way).collect();
        facts.is_against_role = line.is_backward || mode == Mode::Reverse;
        facts.is_full_duplex = mode == Mode::FullDuplex && !line.is_backward;
        facts.trip_times = self.has_trip_times(line.header.as_ref());
        facts.header = line.header.clone();
        facts.bounce = line.bounce;
        let asked = line.header.as_ref().map(|h| h.upper());
        if asked.is_some_and(|upper| upper.has(UpperFlags::TRIP_TIMES)) && !facts.trip_times {
            tell(Event::Note(format!(
                "{}: its clock is more than 600 s away, so trip times are left out",
                line.peer
            )));
        }
        let first = facts.tcp;
        tell(Event::Flow(Box::new(facts)));
        let mode = match mode {
            Mode::Forward if line.is_backward => Mode::Reverse,
            mode => mode,
        };
        let load = match line.bounce {
            Some(_) => plan::Kind::Rr,
            None => crate::iperf2::load(mode, line.is_tcp),
        };
        let mut squad = Squad::new(self.workers.clone());
        let sends = parts.iter().any(|part| part.way == Way::Sends);
        let mut failed = None;
        let held = self.held(line.header.as_ref());
        for part in parts {
            // The kernel paces what TCP sends. Datagrams that come are let in: what they did to the
            // link is done.
            let by_us = match part.way {
                Way::Sends => !line.is_tcp,
                Way::Receives => line.is_tcp,
                Way::Bounces => true,
            };
            let held = held.filter(|_| by_us);
            let part = match held {
                Some(rate) => part.held(rate),
                None => part,
            };
            let mut entry = Entry::new(flow, part.way, part.meter, now);
            if line.is_tcp {
                entry.tcp = Some(line.socket.clone());
            }
            entry.set_first(first);
            self.roll.enter(entry);
            let single = part.single.then(|| Single {
                socket: line.socket.clone(),
                shut_to_stop: part.way == Way::Sends,
            });
            let watch = Watch {
                name: format!("{}-{flow}", load.name()),
                flows: vec![Member {
                    flow: part.flow,
                    active: part.way == Way::Sends,
                    single,
                }],
                payload: digits(line.payload),
                sink: line.sink,
                cpu: None,
                start: now,
            };
            if let Err(error) = squad.start_numbered(watch, &[flow]) {
                failed = Some(error);
            }
        }
        if let Some(error) = failed {
            tell(Event::Note(format!("starting a worker: {error}")));
            squad.finish();
        }
        let amount = line.header.as_ref().map(|header| header.amount);
        let deadline = match amount {
            Some(Amount::Time(time)) if sends => Some(now + time.min(LONGEST)),
            _ if sends => Some(now + LONGEST),
            _ => None,
        };
        let most = self.config.max_duration;
        let deadline = match (deadline, most) {
            (Some(deadline), Some(most)) => Some(deadline.min(now + most)),
            (deadline, _) => deadline,
        };
        // iperf 2 has no word for a test that is too long: it is ended.
        let longest = [self.config.time, most].into_iter().flatten().min();
        self.sessions.push(Session {
            flows: vec![flow],
            squad,
            peer: line.peer,
            local: line.local,
            is_tcp: line.is_tcp,
            deadline,
            end_at: longest.map(|time| now + time),
            header: line.header.filter(|_| !line.is_backward),
            bursts: line.bursts,
        });
    }

    /// What each direction of a flow is held to: the flows of one client share what is permitted.
    pub(super) fn held(&self, header: Option<&TestHeader>) -> Option<BitRate> {
        let flows = header.map_or(1, |header| u64::from(header.threads.max(1)));
        let most = self.config.max_rate?;
        Some(BitRate::new((most.get() / flows).max(1)))
    }

    /// Whether a client times its data on a clock that is ours too.
    pub(super) fn has_trip_times(&self, header: Option<&TestHeader>) -> bool {
        let Some(extended) = header.and_then(|header| header.extended.as_ref()) else {
            return false;
        };
        let apart = (clock::wall().get() / 1000) as i64 - extended.start.as_micros();
        extended.has_trip_times() && apart.unsigned_abs() * 1000 <= CLOCKS.get()
    }
}

pub(super) fn facts(
    flow: u32,
    socket: &Arc<OwnedFd>,
    local: SocketAddr,
    peer: SocketAddr,
    is_tcp: bool,
) -> FlowFacts {
    let tcp: Option<TcpInfo> = is_tcp.then(|| sys::tcp_info(&**socket).ok()).flatten();
    FlowFacts {
        flow,
        ways: Vec::new(),
        is_against_role: false,
        is_full_duplex: false,
        only_connects: false,
        is_tcp,
        local,
        peer,
        socket: socket.as_raw_fd(),
        header: None,
        bounce: None,
        trip_times: false,
        tcp,
        buffer: Options::of(&**socket).rcvbuf().ok(),
        connect_time: None,
        began_wall: clock::wall(),
    }
}
