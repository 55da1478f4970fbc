//! From connected sockets to flows at work.

use std::sync::Arc;

use proto::Parse;
use proto::iperf2::{Ack, Mode, digits};
use sys::{Readiness, Wait, clock, thread};
use units::{Bytes, Nanos};

use super::line::Line;
use super::order::{Kind, Length, Offer, Order, Source};
use super::{Client, ClientError, FIRST_LINE};
use crate::flow::{Flow, Manner, Pace, StreamSend};
use crate::iperf2::event::{Event, Tell};
use crate::iperf2::flow::{
    Bounce, BurstReader, BurstSend, DatagramReceive, DatagramSend, Farewell, Frames, Hello,
    Receive, Schedule, Sizes, Stamps,
};
use crate::iperf2::meter::{Meter, Way};
use crate::iperf2::roll::Entry;
use crate::pacer::Pacer;
use crate::squad::{Member, Single, Watch};
use crate::tally::Half;

/// From the announcement of many flows' start to the start.
const LEAD: Nanos = Nanos::from_millis(2);
/// Flows that have a thread each; more share as many threads as there are CPUs.
const MOST_THREADS: usize = 64;
/// How often a reverse flow says hello, as iperf does.
const HELLOS: u32 = 100;
/// Room for what is received beside streams.
const LEAST_SINK: usize = 64 << 10;

/// A flow that is to have a worker.
struct Worked {
    flow: Box<dyn Flow>,
    active: bool,
    single: Option<Single>,
}

impl Client {
    /// Waits for a given time, or after connecting; false if the user has had enough.
    pub(super) fn wait_for_start(&mut self) -> Result<bool, ClientError> {
        let mut until = clock::now() + self.order.delay;
        if let Some(at) = self.order.start_at {
            until = clock::now() + (at - clock::wall());
        }
        while clock::now() < until && !self.interrupted {
            self.turn(Some(until))?;
        }
        Ok(!self.interrupted)
    }

    /// Sends the test headers, and waits for acks if they are wanted.
    pub(super) fn send_headers(&mut self, tell: Tell<'_>) -> Result<(), ClientError> {
        let order = self.order.clone();
        if !order.is_tcp {
            return Ok(());
        }
        let is_bounce = matches!(order.kind, Kind::Bounce(_));
        for line in &mut self.lines {
            if !order.header || (is_bounce && !line.is_load) {
                continue;
            }
            let mut header = order.test_header(line.peer.port(), clock::wall());
            header.mode = line.mode;
            header.threads = order.legs.len() as u32;
            let bytes = header.encode();
            match sys::send(&*line.socket, &bytes, Wait::Never) {
                Ok(n) if n == bytes.len() => {
                    (line.header, line.header_len) = (Some(header), n);
                }
                Ok(_) => return Err(ClientError::Dropped { peer: line.peer }),
                Err(error) => {
                    return Err(ClientError::Socket {
                        doing: format!("sending the test header to {}", line.peer),
                        error,
                    });
                }
            }
        }
        if order.wants_ack {
            self.wait_for_acks(order.ack_patience, tell)?;
        }
        Ok(())
    }

    fn wait_for_acks(&mut self, patience: Nanos, tell: Tell<'_>) -> Result<(), ClientError> {
        let deadline = clock::now() + patience;
        let mut heard: Vec<Vec<u8>> = vec![Vec::new(); self.lines.len()];
        let mut left = self.lines.len();
        for (at, line) in self.lines.iter().enumerate() {
            let added = self
                .epoll
                .add(&*line.socket, FIRST_LINE + at as u64, Readiness::READ);
            added.map_err(|error| ClientError::System {
                doing: "waiting for acks",
                error,
            })?;
        }
        while left > 0 && clock::now() < deadline && !self.interrupted {
            for key in self.turn(Some(deadline))? {
                let at = (key - FIRST_LINE) as usize;
                let (Some(line), Some(bytes)) = (self.lines.get(at), heard.get_mut(at)) else {
                    continue;
                };
                // No further than the ack goes: data may follow it.
                let wanted = if bytes.len() < 8 {
                    8
                } else {
                    ack_length(bytes)
                };
                let have = bytes.len();
                bytes.resize(wanted.max(have), 0);
                match sys::recv(&*line.socket, &mut bytes[have..], Wait::Never) {
                    Ok(0) => return Err(ClientError::Dropped { peer: line.peer }),
                    Ok(n) => bytes.truncate(have + n),
                    Err(_) => bytes.truncate(have),
                }
                let (at_wall, flow) = (clock::wall(), line.flow);
                match Ack::parse(bytes) {
                    Parse::Incomplete => continue,
                    Parse::Complete(Some((ack, _))) => tell(Event::Acked {
                        flow,
                        ack,
                        at: at_wall,
                    }),
                    Parse::Complete(None) => tell(Event::Note(format!(
                        "{} answered with something that is no ack",
                        line.peer
                    ))),
                }
                let _ = self.epoll.remove(&*line.socket);
                left -= 1;
            }
        }
        if left > 0 && !self.interrupted {
            tell(Event::Note(
                "the server did not acknowledge the test header: it may be older than 2.0.13"
                    .to_owned(),
            ));
        }
        for line in &self.lines {
            let _ = self.epoll.remove(&*line.socket);
        }
        Ok(())
    }

    /// Puts the flows to work.
    pub(super) fn start(&mut self, tell: Tell<'_>) -> Result<(), ClientError> {
        let order = self.order.clone();
        let several = self.lines.len() > 1;
        let start = clock::now() + if several { LEAD } else { Nanos::ZERO };
        self.began = start;
        let mut worked = Vec::new();
        let mut lines = std::mem::take(&mut self.lines);
        let mut payload = 0;
        for (number, line) in lines.iter_mut().enumerate() {
            let spacing = Nanos::new(order.spacing.get() * number as u64);
            let lead = match &order.load {
                Some(load) if !line.is_load => load.lead,
                _ => Nanos::ZERO,
            };
            let made = self.make(&order, line, start + spacing + lead, &mut payload)?;
            worked.extend(made);
        }
        self.lines = lines;
        let sink = order.size.max(LEAST_SINK);
        for (number, flows) in share(worked).into_iter().enumerate() {
            let watch = Watch {
                name: format!("iperf-{}", number + 1),
                flows: flows
                    .into_iter()
                    .map(|worked| Member {
                        flow: worked.flow,
                        active: worked.active,
                        single: worked.single,
                    })
                    .collect(),
                payload: digits(payload),
                sink,
                cpu: None,
                start,
            };
            self.squad
                .start(watch)
                .map_err(|error| ClientError::System {
                    doing: "starting a worker",
                    error,
                })?;
        }
        if matches!(order.mode, Mode::Reverse) && order.length == Length::ForEver {
            tell(Event::Note("the server sends until this ends".to_owned()));
        }
        Ok(())
    }

    /// The flows of one line.
    fn make(
        &mut self,
        order: &Arc<Order>,
        line: &mut Line,
        start: Nanos,
        payload: &mut usize,
    ) -> Result<Vec<Worked>, ClientError> {
        let mut worked = Vec::new();
        let tcp = order
            .is_tcp
            .then(|| sys::tcp_info(&*line.socket).ok())
            .flatten();
        let (flow, socket) = (line.flow, line.socket.clone());
        let mut enter = |way, meter: &Arc<Meter>| {
            let mut entry = Entry::new(flow, way, meter.clone(), start);
            if order.is_tcp {
                entry.tcp = Some(socket.clone());
                entry.set_first(tcp);
            }
            self.roll.enter(entry);
        };
        if let (Kind::Bounce(bounce), false) = (&order.kind, line.is_load) {
            let meter = Arc::new(Meter::of_bounces(order.bins));
            enter(Way::Bounces, &meter);
            line.sends = Some(meter.clone());
            let left = order.bytes();
            let text = digits(bounce.size as usize);
            let flow = Bounce::new(line.socket.clone(), meter, *bounce, &text, left, start);
            return Ok(vec![Worked {
                flow: Box::new(flow),
                active: true,
                single: None,
            }]);
        }
        if line.mode != Mode::Reverse {
            let bins = order.bins.filter(|_| order.write_times && order.is_tcp);
            let meter = Arc::new(Meter::new(bins));
            enter(Way::Sends, &meter);
            line.sends = Some(meter.clone());
            worked.push(if order.is_tcp {
                stream(order, line, meter, start, payload)?
            } else {
                datagrams(order, line, meter, start)
            });
        }
        if matches!(line.mode, Mode::Reverse | Mode::FullDuplex) {
            let meter = Arc::new(Meter::new(order.bins));
            enter(Way::Receives, &meter);
            line.receives = Some(meter.clone());
            worked.push(receiver(order, line, meter));
        }
        Ok(worked)
    }
}

/// What the client sends on a stream.
fn stream(
    order: &Arc<Order>,
    line: &Line,
    meter: Arc<Meter>,
    start: Nanos,
    payload: &mut usize,
) -> Result<Worked, ClientError> {
    let is_load = line.is_load;
    let rate = match order.offer {
        Offer::Rate(rate) if !is_load => Some(rate),
        Offer::Varying { mean, .. } if !is_load => Some(units::BitRate::new(mean as u64)),
        _ => None,
    };
    // A write of more than the rate carries in 10 ms would be a burst.
    let size = match rate {
        Some(rate) => order.size.min((rate.get() / 800).max(1) as usize),
        None => order.size,
    };
    let half = Half {
        bytes: line.header_len as u64,
        ..Half::default()
    };
    meter.tally.set_sent(&half);
    let left = match order.bytes() {
        u64::MAX => u64::MAX,
        // The header is a part of what is asked.
        bytes => bytes.saturating_sub(line.header_len as u64),
    };
    let left = if is_load { u64::MAX } else { left };
    let varies = |pacer: Pacer| match order.offer {
        Offer::Varying { mean, deviation } => {
            pacer.varying(deviation / mean.max(1.0), u64::from(line.flow))
        }
        _ => pacer,
    };
    let pace = rate.map(|rate| Pace {
        pacer: varies(Pacer::stream(Bytes::new(size as u64), rate, start)),
        errors: Default::default(),
        last: None,
    });
    let has_source = matches!(order.source, Source::File(_));
    let is_plain = matches!(order.kind, Kind::Bulk | Kind::Bounce(_))
        && !order.trip_times
        && !order.write_times
        && !has_source;
    let waits = order.socket.prefetch.is_some();
    if is_plain || is_load {
        *payload = (*payload).max(size);
        let single = (pace.is_none() && !waits).then(|| Single {
            socket: line.socket.clone(),
            shut_to_stop: true,
        });
        let flow = StreamSend {
            socket: line.socket.clone(),
            tally: meter.tally.clone(),
            half,
            size,
            left,
            pace,
            manner: Manner::default(),
            rest: 0,
            full: false,
        };
        return Ok(Worked {
            flow: Box::new(flow),
            active: true,
            single,
        });
    }
    let schedule = match &order.kind {
        Kind::Frames { settings } => {
            let sizes = Sizes::drawn(settings, u64::from(line.flow));
            Schedule::Frames(Frames::new(settings.per_second, sizes, start))
        }
        Kind::Bursts { period, size } => {
            let per_second = 1.0 / period.as_secs_f64().max(1e-6);
            Schedule::Frames(Frames::new(per_second, Sizes::Fixed(size.len()), start))
        }
        Kind::NearCongestion(weight) => Schedule::Near {
            weight: *weight,
            until: Nanos::ZERO,
        },
        _ => pace.map_or(Schedule::Free, Schedule::Pace),
    };
    let front = size.max(proto::iperf2::BurstHeader::LEN);
    *payload = (*payload).max(front);
    let has_bursts =
        order.trip_times || matches!(order.kind, Kind::Frames { .. } | Kind::Bursts { .. });
    let began = order.start_at.unwrap_or_else(clock::wall);
    let source = match &order.source {
        Source::Digits => None,
        Source::File(file) => Some(file.try_clone().map_err(|error| ClientError::Socket {
            doing: "opening what is to be sent once more".to_owned(),
            error,
        })?),
    };
    let flow = BurstSend {
        socket: line.socket.clone(),
        meter: meter.clone(),
        half,
        size,
        left,
        schedule,
        stamps: has_bursts.then(|| Stamps::new(began, &digits(front))),
        times: order.write_times.then(|| meter.times_pen()),
        source,
        message: Default::default(),
        full: false,
    };
    Ok(Worked {
        flow: Box::new(flow),
        active: true,
        single: None,
    })
}

/// What the client sends in datagrams.
fn datagrams(order: &Arc<Order>, line: &mut Line, meter: Arc<Meter>, start: Nanos) -> Worked {
    let size = order.size.max(proto::iperf2::DatagramHeader::LEAST);
    let datagram = first_datagram(order, line, size);
    let pacer = match order.offer {
        Offer::Unlimited => None,
        Offer::Rate(rate) => Some(Pacer::datagrams(Bytes::new(size as u64), rate, start)),
        Offer::Varying { mean, deviation } => {
            let rate = units::BitRate::new(mean as u64);
            let pacer = Pacer::datagrams(Bytes::new(size as u64), rate, start);
            Some(pacer.varying(deviation / mean.max(1.0), u64::from(line.flow)))
        }
        Offer::Gap(gap) => Some(Pacer::gaps(gap, start)),
    };
    let frames = match &order.kind {
        Kind::Frames { settings } => {
            let sizes = Sizes::drawn(settings, u64::from(line.flow));
            Some(Frames::new(settings.per_second, sizes, start).datagrams())
        }
        _ => None,
    };
    let is_group = line.peer.ip().is_multicast();
    let flow = DatagramSend {
        socket: line.socket.clone(),
        meter,
        half: Half::default(),
        datagram,
        size,
        id: 1,
        left: order.bytes(),
        pace: pacer.filter(|_| frames.is_none()).map(|pacer| Pace {
            pacer,
            errors: Default::default(),
            last: None,
        }),
        frames,
        farewell: if order.no_udp_fin {
            Farewell::Nothing
        } else if is_group || line.mode == Mode::FullDuplex {
            Farewell::Once
        } else {
            Farewell::Ask
        },
        ending: None,
        full: false,
        pause: None,
        refusals_left: u32::MAX,
    };
    Worked {
        flow: Box::new(flow),
        active: true,
        single: None,
    }
}

/// A datagram with the test header.
fn first_datagram(order: &Order, line: &mut Line, size: usize) -> Vec<u8> {
    let header = order.test_header(line.peer.port(), clock::wall());
    // Below that there is no room for a test header with times.
    if order.trip_times && size < 128 {
        let mut datagram = digits(size.max(18));
        datagram[16..18].copy_from_slice(&[0, 2]);
        return datagram;
    }
    if !order.header {
        return digits(size);
    }
    let mut datagram = digits(size.max(header.datagram_length()));
    header.write_datagram(&mut datagram);
    line.header = Some(header);
    datagram
}

fn receiver(order: &Arc<Order>, line: &mut Line, meter: Arc<Meter>) -> Worked {
    let socket = line.socket.clone();
    if order.is_tcp {
        let mut flow = Receive::new(socket.clone(), meter.clone(), order.size, 0);
        let is_timed = order.trip_times || matches!(order.kind, Kind::Bursts { .. });
        if is_timed && !line.is_load {
            flow.bursts = Some(BurstReader::new(&meter, true));
        }
        return Worked {
            flow: Box::new(flow),
            active: false,
            single: Some(Single {
                socket,
                shut_to_stop: false,
            }),
        };
    }
    let mut flow = DatagramReceive::new(socket, meter, Default::default());
    flow.answers = false;
    flow.frames_2_2 = matches!(order.kind, Kind::Frames { .. }).then_some(false);
    if line.mode == Mode::Reverse {
        let size = order.size.max(proto::iperf2::DatagramHeader::LEN);
        let mut datagram = first_datagram(order, line, size);
        proto::iperf2::DatagramHeader {
            id: 1,
            sent: proto::iperf2::Stamp::from_micros(clock::wall().get() / 1000),
        }
        .write(&mut datagram);
        flow.hello = Some(Hello {
            datagram,
            left: HELLOS,
            due: Nanos::ZERO,
        });
    }
    Worked {
        flow: Box::new(flow),
        active: false,
        single: None,
    }
}

/// Who works with whom: a flow that may block has a thread of its own, as long as there are few;
/// the others share as many threads as there are CPUs.
fn share(worked: Vec<Worked>) -> Vec<Vec<Worked>> {
    let cpus = thread::allowed_cpus().len().max(1);
    let (mut alone, mut others) = (Vec::new(), Vec::new());
    for mut flow in worked {
        if flow.single.is_some() && alone.len() < MOST_THREADS {
            alone.push(vec![flow]);
        } else {
            flow.single = None;
            others.push(flow);
        }
    }
    let threads = cpus.min(others.len());
    let mut shared: Vec<Vec<Worked>> = (0..threads).map(|_| Vec::new()).collect();
    for (number, flow) in others.into_iter().enumerate() {
        shared[number % threads].push(flow);
    }
    alone.extend(shared);
    alone
}

/// How long an ack is that began like this.
fn ack_length(bytes: &[u8]) -> usize {
    if bytes[7] as usize == Ack::LONG {
        Ack::LONG
    } else {
        Ack::SHORT
    }
}
