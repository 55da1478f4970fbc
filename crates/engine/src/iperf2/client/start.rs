//! From connected sockets to flows at work.

use std::sync::Arc;

use proto::Parse;
use proto::iperf2::{Ack, Mode, digits};
use sys::{Readiness, Wait, clock, thread};
use units::{BitRate, Nanos};

use super::line::Line;
use super::order::{Kind, Length, Order};
use super::worked::{Worked, datagrams, receiver, stream};
use super::{Client, ClientError, FIRST_LINE};
use crate::iperf2::event::{Event, Tell};
use crate::iperf2::flow::Bounce;
use crate::iperf2::meter::{Meter, Way};
use crate::iperf2::roll::Entry;
use crate::squad::{Member, Watch};

/// From the announcement of many flows' start to the start.
const LEAD: Nanos = Nanos::from_millis(2);
/// Flows that have a thread each; more share as many threads as there are CPUs.
const MOST_THREADS: usize = 64;
/// Room for what is received beside streams.
const LEAST_SINK: usize = 64 << 10;

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
        let several = self.lines.len() > 1;
        for line in self.lines.iter_mut().filter(|line| !line.is_started()) {
            if !order.header || (is_bounce && !line.is_load) {
                continue;
            }
            let mut header = order.test_header(line.flow, line.peer.port(), clock::wall());
            header.mode = line.mode;
            header.threads = order.legs.len() as u32;
            let bytes = header.encode();
            match sys::send(&*line.socket, &bytes, Wait::Never) {
                Ok(n) if n == bytes.len() => {
                    (line.header, line.header_len) = (Some(header), n);
                }
                Ok(_) => return Err(ClientError::Dropped { peer: line.peer }),
                // The others have their test; it fails at its first bytes.
                Err(_) if several => (),
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
        let several = order.synchronised && self.lines.len() > 1;
        let start = clock::now() + if several { LEAD } else { Nanos::ZERO };
        if self.began == Nanos::ZERO {
            self.began = start;
            let first = order.socket.fq_rate.zip(order.pace_step);
            self.next_pace = first.map(|(rate, (step, every))| {
                (
                    start + every,
                    BitRate::new(rate.get().saturating_add(step.get())),
                )
            });
        }
        let mut worked = Vec::new();
        let mut lines = std::mem::take(&mut self.lines);
        let mut payload = 0;
        for (number, line) in lines.iter_mut().enumerate() {
            if line.is_started() {
                continue;
            }
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
            let numbers: Vec<u32> = flows.iter().map(|worked| worked.number).collect();
            let lines = self.lines.iter();
            let mut first = lines.filter(|line| numbers.first() == Some(&line.flow));
            let kind = first
                .next()
                .map_or(plan::Kind::Stream, |line| line.load(&order));
            let watch = Watch {
                name: format!("{}-{number}", kind.name()),
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
                .start_numbered(watch, &numbers)
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
                number: line.flow,
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
                datagrams(order, line, meter, start)?
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
