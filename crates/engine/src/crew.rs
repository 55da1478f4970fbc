//! All workers of one end of a run, and the figures they share with the coordinator.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::JoinHandle;

use plan::{Arrival, Kind, Load, Plan, Transport};
use proto::native::Preamble;
use record::End;
use sys::{Options, Wake, thread};
use units::{CpuList, Nanos};

use crate::answering::Answering;
use crate::flow::{ConnectCounts, Timings};
use crate::histogram::Histogram;
use crate::inbox::Inbox;
use crate::opener::Opener;
use crate::orders::{Go, Level, Orders};
use crate::pacer::Pacer;
use crate::role::{Line, Part, Role};
use crate::tally::Tally;
use crate::worker::{Ended, Task};

/// Where a flow's data goes, as the set-up made it.
pub(crate) enum FlowLine {
    /// A connected socket.
    Socket(OwnedFd),
    /// The asking end of connect-request-response.
    Opener(Box<Opener>),
    /// Its answering end: connections come during the run.
    Later,
}

/// The workers of one end.
pub(crate) struct Crew {
    orders: Arc<Orders>,
    hands: Vec<Hand>,
    pub loads: Vec<LoadCrew>,
}

/// A worker as the coordinator sees it.
struct Hand {
    thread: Option<JoinHandle<Vec<Ended>>>,
    wake: Arc<Wake>,
    /// The socket whose blocking call must be ended from outside.
    alone: Option<(Role, Arc<OwnedFd>)>,
}

/// One load's shared figures.
pub(crate) struct LoadCrew {
    pub load: Arc<Load>,
    pub roles: Vec<Role>,
    pub flows: Vec<FlowHandle>,
    /// One per asking worker.
    pub timings: Vec<Timings>,
    /// One per sending worker that paces.
    pub gaps: Vec<Arc<Histogram>>,
    /// CPUs that its workers are pinned to.
    pub cpus: CpuList,
    pub workers: u32,
    /// When it starts, after the run's common start.
    pub offset: Nanos,
    inboxes: Vec<Arc<Inbox>>,
}

/// One flow's shared figures.
#[derive(Default)]
pub(crate) struct FlowHandle {
    pub tally: Arc<Tally>,
    /// None where connections come and go.
    pub socket: Option<Arc<OwnedFd>>,
    /// What TCP counts as acknowledged before the first byte of load.
    pub acked_before: u64,
}

impl FlowHandle {
    /// At the client the SYN and the preamble count as acknowledged, or will in a moment; the
    /// server has sent nothing yet.
    fn new(socket: Option<Arc<OwnedFd>>, end: End) -> Self {
        let info = socket
            .as_ref()
            .and_then(|socket| sys::tcp_info(&**socket).ok());
        let acked = info.and_then(|info| info.tcpi_bytes_acked).unwrap_or(0);
        let least = if end == End::Client {
            1 + Preamble::LEN as u64
        } else {
            0
        };
        Self {
            tally: Arc::default(),
            socket,
            acked_before: acked.max(least),
        }
    }
}

/// Why a crew could not be put together.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CrewError {
    #[error(
        "load '{load}': pinning a worker to CPU {cpu}: {error}; see which CPUs are online and allowed"
    )]
    Pin {
        load: String,
        cpu: u16,
        error: io::Error,
    },
    #[error("load '{load}': starting a worker: {error}")]
    Spawn { load: String, error: io::Error },
}

impl LoadCrew {
    /// Whether this end asks.
    pub fn asks(&self) -> bool {
        self.roles.contains(&Role::Ask)
    }

    /// Whether requests start on their own clock, so that service times are kept apart.
    pub fn is_open_loop(&self) -> bool {
        self.asks() && !matches!(self.load.arrival, Arrival::Closed)
    }

    /// Whether this end learns from sequence numbers.
    pub fn receives_datagrams(&self) -> bool {
        self.load.kind.transport() == Transport::Udp && self.roles.contains(&Role::Receive)
    }

    /// The gap that our pacing keeps at this end.
    pub fn paced_gap(&self) -> Option<Nanos> {
        let rate = self
            .load
            .rate
            .filter(|_| self.roles.contains(&Role::Send))?;
        Some(Pacer::of(&self.load, rate, Nanos::ZERO).gap())
    }

    /// One per answering worker, where connections come during the run; flow `n` belongs to
    /// inbox `n` modulo their number.
    pub fn inboxes(&self) -> &[Arc<Inbox>] {
        &self.inboxes
    }

    /// Workers of one role: as many as CPUs are named, or as there are CPUs; never more than
    /// flows. A probe has its own single one, so that its times are those of the path and not of
    /// a queue in our thread.
    fn worker_count(load: &Load, cpus: &CpuList) -> usize {
        let most = match (load.kind, cpus.as_slice().len()) {
            (Kind::Probe, _) => 1,
            (_, 0) => thread::allowed_cpus().len().max(1),
            (_, named) => named,
        };
        most.min(load.flows.get() as usize)
    }
}

impl Crew {
    /// Starts the workers of `end`; they wait for [`Crew::go`]. `lines` has one entry per load
    /// and flow. `coordinator` is woken when the last active or the last passive flow ends.
    pub fn new(
        plan: &Plan,
        end: End,
        lines: Vec<Vec<FlowLine>>,
        coordinator: Arc<Wake>,
    ) -> Result<Self, CrewError> {
        let mut crew = Self {
            orders: Arc::new(Orders::new(coordinator)),
            hands: Vec::new(),
            loads: Vec::with_capacity(plan.loads.len()),
        };
        for (index, (load, lines)) in plan.loads.iter().zip(lines).enumerate() {
            crew.add_load(plan, end, index, Arc::new(load.clone()), lines)?;
        }
        Ok(crew)
    }

    fn add_load(
        &mut self,
        plan: &Plan,
        end: End,
        index: usize,
        load: Arc<Load>,
        lines: Vec<FlowLine>,
    ) -> Result<(), CrewError> {
        let cpus = if end == End::Client {
            load.cpu.clone()
        } else {
            load.peer_cpu.clone()
        };
        let idle = if load.kind == Kind::Probe {
            Nanos::ZERO
        } else {
            plan.timing.idle
        };
        let roles = Role::of(load.kind, end);
        let per_role = LoadCrew::worker_count(&load, &cpus);
        let mut group = LoadCrew {
            roles: roles.clone(),
            flows: Vec::with_capacity(lines.len()),
            timings: Vec::new(),
            gaps: Vec::new(),
            workers: (roles.len() * per_role) as u32,
            offset: idle + load.delay,
            inboxes: Vec::new(),
            cpus,
            load: load.clone(),
        };
        let mut openers = Vec::with_capacity(lines.len());
        for line in lines {
            let (socket, opener) = match line {
                FlowLine::Socket(socket) => (Some(Arc::new(socket)), None),
                FlowLine::Opener(opener) => (None, Some(opener)),
                FlowLine::Later => (None, None),
            };
            group.flows.push(FlowHandle::new(socket, end));
            openers.push(opener);
        }
        for role in roles {
            for number in 0..per_role {
                let task = self.task(&mut group, &mut openers, index, role, number, per_role)?;
                self.start(task, number)?;
            }
        }
        self.loads.push(group);
        Ok(())
    }

    /// Worker `number` of `workers` takes every `workers`-th flow.
    fn task(
        &self,
        group: &mut LoadCrew,
        openers: &mut [Option<Box<Opener>>],
        index: usize,
        role: Role,
        number: usize,
        workers: usize,
    ) -> Result<Task, CrewError> {
        let failed = |error| CrewError::Spawn {
            load: group.load.name.clone(),
            error,
        };
        // A quarter of a megabyte each, so only where they are filled.
        let timings = (role == Role::Ask).then(Timings::default);
        let paces = role == Role::Send && group.load.rate.is_some();
        let gaps = paces.then(Arc::<Histogram>::default);
        let mut parts = Vec::new();
        let mut counts = vec![None; group.flows.len()];
        for flow in (number..group.flows.len()).step_by(workers) {
            let handle = &group.flows[flow];
            let line = match (&handle.socket, openers[flow].take()) {
                (Some(socket), _) => Line::Socket(socket.clone()),
                (None, Some(opener)) => Line::Opener(opener),
                (None, None) => {
                    counts[flow] = Some(Arc::new(ConnectCounts::new(handle.tally.clone())));
                    continue;
                }
            };
            parts.push(Part {
                role,
                load: group.load.clone(),
                index,
                flow: flow as u32,
                line,
                tally: handle.tally.clone(),
                timings: timings.clone(),
                gaps: gaps.clone(),
            });
        }
        let answering = if counts.iter().any(Option::is_some) {
            let inbox = Arc::new(Inbox::new().map_err(failed)?);
            group.inboxes.push(inbox.clone());
            let (request, reply) = (group.load.request.len(), group.load.reply.len());
            Some(Answering {
                inbox,
                load: index,
                request,
                reply,
                counts,
            })
        } else {
            None
        };
        let wake = Arc::new(Wake::new().map_err(failed)?);
        group.timings.extend(timings);
        group.gaps.extend(gaps);
        let cpus = group.cpus.as_slice();
        let cpu = (!cpus.is_empty()).then(|| cpus[number % cpus.len()]);
        Ok(Task {
            parts,
            load: group.load.clone(),
            role,
            offset: group.offset,
            cpu,
            orders: self.orders.clone(),
            wake,
            answering,
        })
    }

    fn start(&mut self, task: Task, number: usize) -> Result<(), CrewError> {
        let load = task.load.name.clone();
        let failed = |error| CrewError::Spawn {
            load: load.clone(),
            error,
        };
        let active = task.role.is_active();
        let ends_itself = task.counts();
        let counted = if ends_itself { task.parts.len() } else { 0 };
        self.orders.expect(
            if active { counted } else { 0 },
            if active { 0 } else { counted },
        );
        let alone = match task.parts.first().filter(|_| task.may_block()) {
            Some(Part {
                line: Line::Socket(socket),
                ..
            }) => {
                sys::set_blocking(&**socket, true).map_err(failed)?;
                Some((task.role, socket.clone()))
            }
            _ => None,
        };
        let (cpu, wake) = (task.cpu, task.wake.clone());
        let (settled, answer) = mpsc::sync_channel(1);
        let mut name = format!("{load}-{number}");
        // Longer names are cut by the kernel anyway (TASK_COMM_LEN is 16).
        name.truncate(name.floor_char_boundary(15));
        let thread = std::thread::Builder::new().name(name).spawn(move || {
            let result = task.settle();
            let fine = result.is_ok();
            let _ = settled.send(result);
            if !fine {
                return Vec::new();
            }
            let orders = task.orders.clone();
            let ended = task.run();
            // A thread that is gone has no rows in /proc. The coordinator's last reading comes before
            // the stop, which a reader whose peer was quicker has behind it.
            orders.wait_for(Level::Stop);
            ended
        });
        let thread = Some(thread.map_err(failed)?);
        self.hands.push(Hand {
            thread,
            wake,
            alone,
        });
        match (answer.recv(), cpu) {
            (Ok(Err(error)), Some(cpu)) => Err(CrewError::Pin { load, cpu, error }),
            _ => Ok(()),
        }
    }

    /// Starts the run.
    pub fn go(&self, go: Go) {
        self.orders.go(go);
    }

    /// Ends what this end starts.
    pub fn stop(&self) {
        self.orders.raise(Level::Stop);
        for hand in &self.hands {
            hand.wake.wake();
            if let Some((Role::Send, socket)) = &hand.alone {
                sys::shut_sending(&**socket);
            }
        }
    }

    /// Flows of active roles that go on.
    pub fn active_left(&self) -> usize {
        self.orders.active_left()
    }

    /// Flows of passive roles that still wait for an end of file.
    pub fn passive_left(&self) -> usize {
        self.orders.passive_left()
    }

    /// Ends everything and gives how each flow ended. The sockets stay open for their figures.
    pub fn finish(&mut self) -> Vec<Ended> {
        self.orders.raise(Level::Finish);
        for hand in &self.hands {
            hand.wake.wake();
            if let Some((_, socket)) = &hand.alone {
                sys::shut(&**socket);
            }
        }
        let threads = self.hands.iter_mut().filter_map(|hand| hand.thread.take());
        // A worker that panicked has nothing to say; the panic itself was printed.
        threads
            .flat_map(|thread| thread.join().unwrap_or_default())
            .collect()
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.finish();
    }
}

/// What the kernel dropped on a flow's socket.
pub(crate) fn socket_drops(handle: &FlowHandle) -> Option<u64> {
    Options::of(&**handle.socket.as_ref()?).drops().ok()
}
