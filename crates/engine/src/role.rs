//! Which behaviours a load needs at each end, and how a worker makes them.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use plan::{Arrival, Kind, Load, Shape, Stop, Transport};
use proto::native::{DatagramHeader, DatagramKind};
use record::End;
use stats::{Jitter, Sequence};
use units::Nanos;

use crate::arrivals::Arrivals;
use crate::flow::{
    Answer, Ask, ConnectAsk, Flow, Manner, Outages, Pace, Patience, StreamReceive, StreamSend,
    Timer, Timings, UdpAnswer, UdpAsk, UdpReceive, UdpSend,
};
use crate::histogram::Histogram;
use crate::opener::Opener;
use crate::pacer::{Pacer, message_size};
use crate::tally::{Half, Tally};
use crate::worker::LEAST_READ;

/// What one worker does with one socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    /// Sends bulk data.
    Send,
    /// Receives bulk data.
    Receive,
    /// Asks and waits for answers.
    Ask,
    /// Answers.
    Answer,
}

impl Role {
    /// The roles of `end` in a load of this kind.
    pub fn of(kind: Kind, end: End) -> Vec<Self> {
        let client = end == End::Client;
        match kind.shape() {
            Shape::Bulk {
                to_server,
                to_client,
            } => {
                let (sends, receives) = if client {
                    (to_server, to_client)
                } else {
                    (to_client, to_server)
                };
                let send = sends.then_some(Self::Send);
                let receive = receives.then_some(Self::Receive);
                send.into_iter().chain(receive).collect()
            }
            Shape::Exchange | Shape::ConnectExchange if client => vec![Self::Ask],
            Shape::Exchange | Shape::ConnectExchange => vec![Self::Answer],
        }
    }

    /// Whether the load ends when this role has ended: senders and askers decide.
    pub fn is_active(self) -> bool {
        matches!(self, Self::Send | Self::Ask)
    }
}

/// Where a role's data goes out and comes in.
pub(crate) enum Line {
    /// A connected socket.
    Socket(Arc<OwnedFd>),
    /// A new connection for each transaction.
    Opener(Box<Opener>),
}

/// A behaviour that is still to be made: made by its worker once the start is known.
pub(crate) struct Part {
    pub role: Role,
    pub load: Arc<Load>,
    /// The load's index in the plan.
    pub index: usize,
    /// The flow's index in the load.
    pub flow: u32,
    pub line: Line,
    pub tally: Arc<Tally>,
    /// Where an asking role keeps its times.
    pub timings: Option<Timings>,
    /// Where a sending role that we pace keeps its timer's errors.
    pub gaps: Option<Arc<Histogram>>,
}

/// The instants that all flows of a run at one end share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start {
    /// The run's common start.
    pub origin: Nanos,
    /// When this load starts.
    pub load: Nanos,
    /// Seed of arrival processes.
    pub seed: u64,
}

impl Part {
    /// Makes the behaviour.
    pub fn make(self, start: Start) -> Box<dyn Flow> {
        let load = &self.load;
        let request = load.request.len();
        let reply = load.reply.len();
        let depth = load.depth.get() as usize;
        let left = match load.stop {
            Stop::Time => u64::MAX,
            Stop::Bytes { bytes } => bytes.get(),
            Stop::Count { count } => count,
        };
        let arrivals = Arrivals::new(
            load.arrival,
            start.load,
            self.flow,
            load.flows.get(),
            start.seed,
        );
        let timer = || {
            Timer::new(
                self.timings.clone().unwrap_or_default(),
                !matches!(load.arrival, Arrival::Closed),
            )
        };
        let header = |kind| DatagramHeader {
            kind,
            load: self.index as u16,
            flow: self.flow,
            seq: 0,
            sent: Nanos::ZERO,
        };
        let tally = self.tally.clone();
        let socket = match self.line {
            Line::Socket(socket) => socket,
            Line::Opener(opener) => {
                return Box::new(ConnectAsk {
                    opener,
                    tally,
                    timer: timer(),
                    arrivals,
                    request,
                    reply,
                    left,
                    sent: Half::default(),
                    received: Half::default(),
                    current: None,
                    generation: 0,
                    stopping: false,
                    tries_again: false,
                    pause: None,
                });
            }
        };
        let size = message_size(load).len();
        let pace = || {
            load.rate.map(|rate| Pace {
                pacer: Pacer::of(load, rate, start.load),
                errors: self.gaps.clone().unwrap_or_default(),
                last: None,
            })
        };
        let half = Half::default();
        match (self.role, load.kind.transport()) {
            (Role::Send, Transport::Tcp) => {
                let left = match load.stop {
                    Stop::Count { count } => count.saturating_mul(load.size.get()),
                    _ => left,
                };
                let pace = pace();
                Box::new(StreamSend {
                    socket,
                    tally,
                    half,
                    size,
                    left,
                    pace,
                    manner: Manner::default(),
                    rest: 0,
                    full: false,
                })
            }
            (Role::Send, Transport::Udp) => {
                // The last datagram is a whole one: at least the bytes that were asked.
                let left = match load.stop {
                    Stop::Bytes { bytes } => bytes.get().div_ceil(load.size.get()),
                    _ => left,
                };
                let (pace, header) = (pace(), header(DatagramKind::Data));
                Box::new(UdpSend {
                    socket,
                    tally,
                    half,
                    size,
                    left,
                    header,
                    pace,
                    full: false,
                    pause: None,
                })
            }
            (Role::Receive, Transport::Tcp) => {
                let size = size.max(LEAST_READ);
                Box::new(StreamReceive {
                    socket,
                    tally,
                    half,
                    size,
                    trunc: load.trunc,
                    patience: Patience::default(),
                    timer: None,
                })
            }
            (Role::Receive, Transport::Udp) => Box::new(UdpReceive {
                socket,
                tally,
                half,
                load: self.index as u16,
                flow: self.flow,
                sequence: Sequence::default(),
                jitter: Jitter::default(),
                malformed: 0,
                outages: Outages::new(start.origin),
                last_sent: None,
            }),
            (Role::Ask, Transport::Tcp) => Box::new(Ask {
                socket,
                tally,
                timer: timer(),
                arrivals,
                request,
                reply,
                depth,
                left,
                progress: Default::default(),
            }),
            (Role::Ask, Transport::Udp) => Box::new(UdpAsk {
                socket,
                tally,
                timer: timer(),
                arrivals,
                request,
                depth,
                left,
                header: header(DatagramKind::Request),
                sent: half,
                received: half,
                waiting: Default::default(),
                unanswered: 0,
                stopping: false,
            }),
            (Role::Answer, Transport::Tcp) => Box::new(Answer {
                socket,
                tally,
                request,
                reply,
                progress: Default::default(),
            }),
            (Role::Answer, Transport::Udp) => Box::new(UdpAnswer {
                socket,
                tally,
                reply,
                sent: half,
                received: half,
            }),
        }
    }
}
