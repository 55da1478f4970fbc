//! Gathers a test's flows until all are there, and answers hellos whose welcome was lost.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use plan::{Plan, Transport};
use proto::native::{Claim, Preamble};
use sys::{Epoll, Events, Readiness, Wait};
use units::Nanos;

use super::door::Door;
use crate::crew::FlowLine;
use crate::options;

/// The flows that are here.
pub(super) struct Attaching {
    plan: Arc<Plan>,
    door: Arc<Door>,
    lines: Vec<Vec<Option<OwnedFd>>>,
    missing: usize,
    /// Waits for hellos on UDP sockets, by load and flow.
    hellos: Epoll,
}

impl Attaching {
    /// Nothing is here yet.
    pub fn new(plan: Arc<Plan>, door: Arc<Door>) -> io::Result<Self> {
        let lines = plan
            .loads
            .iter()
            .map(|load| (0..load.flows.get()).map(|_| None).collect());
        Ok(Self {
            lines: lines.collect(),
            missing: door.expected(),
            hellos: Epoll::new()?,
            door,
            plan,
        })
    }

    /// To be watched: readable when [`Attaching::answer_hellos`] has something to do.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.hellos.as_fd()
    }

    /// Takes what has arrived. True when every flow is here.
    ///
    /// # Errors
    /// An option that cannot be set on a flow's socket.
    pub fn take_arrivals(&mut self, peer: SocketAddr) -> Result<bool, String> {
        for (claim, socket) in self.door.take() {
            let load = &self.plan.loads[usize::from(claim.load)];
            options::apply(&socket, load, peer.is_ipv6(), false)
                .map_err(|error| format!("load '{}': {error}", load.name))?;
            if load.kind.transport() == Transport::Udp {
                let key = u64::from(claim.load) << 32 | u64::from(claim.flow);
                self.hellos
                    .add(&socket, key, Readiness::READ)
                    .map_err(|error| error.to_string())?;
            }
            self.lines[usize::from(claim.load)][claim.flow as usize] = Some(socket);
            self.missing -= 1;
        }
        Ok(self.missing == 0)
    }

    /// Says welcome again to flows that said hello again.
    pub fn answer_hellos(&self) {
        let mut events = Events::with_capacity(64);
        if self.hellos.wait(&mut events, Some(Nanos::ZERO)).is_err() {
            return;
        }
        for (key, _) in events.iter() {
            let (load, flow) = ((key >> 32) as usize, (key & 0xffff_ffff) as usize);
            let Some(socket) = &self.lines[load][flow] else {
                continue;
            };
            let mut buffer = [0; 2 * Preamble::LEN];
            while let Ok(n) = sys::recv(socket, &mut buffer, Wait::Never) {
                if let Some(Preamble::UdpHello(claim)) = Preamble::parse_datagram(&buffer[..n]) {
                    welcome(socket, claim);
                }
            }
        }
    }

    /// The flows, for the workers.
    pub fn lines(self) -> Vec<Vec<FlowLine>> {
        let line = |socket: Option<OwnedFd>| socket.map_or(FlowLine::Later, FlowLine::Socket);
        self.lines
            .into_iter()
            .map(|load| load.into_iter().map(line).collect())
            .collect()
    }

    /// The plan and the entrance.
    pub fn parts(&self) -> (Arc<Plan>, Arc<Door>) {
        (self.plan.clone(), self.door.clone())
    }
}

/// Says welcome to a flow that has shown its token.
pub(super) fn welcome(socket: &OwnedFd, claim: Claim) {
    // A welcome that is lost here is said again when the hello comes again.
    let _ = sys::send(socket, &Preamble::UdpWelcome(claim).encode(), Wait::Never);
}
