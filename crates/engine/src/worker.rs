//! One thread with its flows. It drives many by readiness and deadlines, or a single one by
//! blocking calls. Between its start and its end it takes no lock and writes no log.

use std::sync::Arc;

use plan::Load;
use record::Outage;
use sys::{Wait, Wake, clock, thread};
use units::Nanos;

use crate::answering::Answering;
use crate::flow::{Flow, Room, State};
use crate::many::Many;
use crate::orders::{Level, Orders};
use crate::role::{Part, Role, Start};

/// What a worker is given.
pub(crate) struct Task {
    pub parts: Vec<Part>,
    pub load: Arc<Load>,
    pub role: Role,
    /// When the load starts, after the run's common start.
    pub offset: Nanos,
    pub cpu: Option<u16>,
    pub orders: Arc<Orders>,
    /// Told when the level rises, for a worker that waits on descriptors.
    pub wake: Arc<Wake>,
    /// Connections that come later (the answering end of connect-request-response).
    pub answering: Option<Answering>,
}

/// How a flow ended.
#[derive(Debug, Default)]
pub(crate) struct Ended {
    pub load: usize,
    /// The sentence, when it broke.
    pub broken: Option<String>,
    pub outages: Vec<Outage>,
}

/// Bytes that a receiving worker has room for at least: small reads of a fast stream would cost
/// more than the stream.
pub(crate) const LEAST_READ: usize = 128 * 1024;

impl Task {
    /// Whether the single flow of this task may have the thread for itself.
    pub fn may_block(&self) -> bool {
        let load = &self.load;
        let closed = matches!(load.arrival, plan::Arrival::Closed);
        let udp_ask = self.role == Role::Ask && load.kind.transport() == plan::Transport::Udp;
        self.parts.len() == 1
            && self.answering.is_none()
            && load.kind != plan::Kind::Crr
            && !udp_ask
            && match self.role {
                Role::Send => load.rate.is_none(),
                Role::Ask => closed && load.depth.get() == 1,
                Role::Receive | Role::Answer => true,
            }
    }

    /// Whether the coordinator waits for the ends of this task's flows. Datagrams have no end of
    /// file, and a probe goes on for as long as the other loads do.
    pub fn counts(&self) -> bool {
        let tcp = self.load.kind.transport() == plan::Transport::Tcp;
        (self.role.is_active() || tcp) && self.load.kind != plan::Kind::Probe
    }

    /// Pins the thread. The worker's first act; the run does not start when it fails.
    pub fn settle(&self) -> std::io::Result<()> {
        thread::exact_timers();
        self.cpu.map_or(Ok(()), thread::pin)
    }

    /// The worker's life after it has settled.
    pub fn run(self) -> Vec<Ended> {
        let Some(go) = self.orders.wait_for_go() else {
            return Vec::new();
        };
        let start = Start {
            origin: go.origin,
            load: go.origin + self.offset,
            seed: go.seed,
        };
        let (may_block, counts) = (self.may_block(), self.counts());
        let mut room = self.room();
        if self.role.is_active() {
            self.orders.wait_until(start.load);
        }
        let Self {
            parts,
            role,
            orders,
            wake,
            answering,
            ..
        } = self;
        let mut flows: Vec<Running> = parts
            .into_iter()
            .map(|part| Running {
                load: part.index,
                number: part.flow,
                counts,
                active: role.is_active(),
                flow: part.make(start),
            })
            .collect();
        match flows.pop() {
            Some(only) if may_block => {
                room.wait = Wait::Block;
                vec![alone(only, &orders, &mut room)]
            }
            last => {
                flows.extend(last);
                Many::new(flows, orders, wake, answering).run(&mut room)
            }
        }
    }

    fn room(&self) -> Room {
        let load = &self.load;
        let largest = [load.size, load.request, load.reply]
            .map(|b| b.len())
            .into_iter()
            .max();
        let largest = largest.unwrap_or(0).max(proto::native::Preamble::LEN);
        // Not compressible, and the same every time.
        let mut byte = 0x9E37_79B9_u32;
        let payload = (0..largest).map(|_| {
            byte = byte.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (byte >> 24) as u8
        });
        Room {
            payload: payload.collect::<Vec<u8>>().into(),
            sink: vec![0; largest.max(LEAST_READ)].into(),
            wait: Wait::Never,
        }
    }
}

/// A flow at work.
pub(crate) struct Running {
    pub load: usize,
    pub number: u32,
    /// Whether the coordinator waits for its end.
    pub counts: bool,
    pub active: bool,
    pub flow: Box<dyn Flow>,
}

impl Running {
    /// Notes the flow's end and gives what is left to say.
    pub fn end(self, state: State, orders: &Orders) -> Ended {
        // When the run is being ended, our own shutdown is what breaks calls.
        let expected = orders.level()
            >= if self.active {
                Level::Stop
            } else {
                Level::Finish
            };
        let broken = match state {
            State::Broken(broken) if !expected => Some(match broken.error {
                Some(error) => {
                    format!("flow {} broke while {}: {error}", self.number, broken.doing)
                }
                None => format!("flow {} broke while {}", self.number, broken.doing),
            }),
            _ => None,
        };
        let ended = Ended {
            load: self.load,
            broken,
            outages: self.flow.outages(),
        };
        // Dropped first: a socket of its own is closed before the coordinator hears of the end.
        let (counts, active) = (self.counts, self.active);
        drop(self);
        if counts {
            orders.ended(active);
        }
        ended
    }
}

/// Drives a single flow with blocking calls on its socket, which the coordinator made blocking. The coordinator unblocks it by shutting the socket.
pub(crate) fn alone(mut running: Running, orders: &Orders, room: &mut Room) -> Ended {
    let mut stopped = false;
    loop {
        let level = orders.level();
        if level == Level::Finish {
            return running.end(State::Done, orders);
        }
        let state = if level == Level::Stop && !stopped {
            stopped = true;
            running.flow.stop()
        } else {
            if let Some(due) = running.flow.due().filter(|due| !due.is_zero()) {
                clock::sleep_until(due);
            }
            running.flow.advance(room)
        };
        match state {
            State::Going => (),
            State::Broken(_) if orders.level() >= Level::Stop && running.active && !stopped => {
                // Shutting the socket broke the call before the new level was seen.
                stopped = true;
                if let state @ (State::Done | State::Broken(_)) = running.flow.stop() {
                    return running.end(state, orders);
                }
            }
            state => return running.end(state, orders),
        }
    }
}
