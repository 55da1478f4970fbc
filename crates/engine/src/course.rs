//! One end's run from its start to its closing figures. Both ends have the same course; only
//! their roles in the loads differ. It has no thread and no socket of its own: the control loop
//! asks when it wants to be called, and calls it.

use observe::{Effort, Sampler};
use plan::{Load, Plan, Stop};
use proto::native::SentTotals;
use record::{Buckets, CpuTimes, Edge, End, EndReport, Granted, InterfaceCounters, Observation};
use sys::clock;
use units::Nanos;

use crate::closing;
use crate::crew::{Crew, LoadCrew};
use crate::mark::Mark;
use crate::options;
use crate::orders::Go;
use crate::role::Role;
use crate::timeline::Timeline;
use crate::worker::Ended;

/// How long after the stop a sender or asker may still be in its last call.
const LAST_CALL: Nanos = Nanos::from_secs(1);
/// How long after the stop data of the other end may still come.
const DRAIN: Nanos = Nanos::from_secs(2);
/// The same for datagrams: the peer's word that it has sent all came by the same path, behind
/// them, so they are here or lost. This is for reordering.
const DATAGRAM_DRAIN: Nanos = Nanos::from_millis(300);

/// How long after the server has the word the run starts, at both ends: longer than half of any
/// ordinary round trip, so that the client hears of it in time.
pub(crate) const LEAD: Nanos = Nanos::from_millis(100);

/// The shortest time between two looks at what the host counts: ten a second are enough, and
/// cheap. Intervals that fall between them have none of their own.
const OBSERVE: Nanos = Nanos::from_millis(90);

/// What looks at this host. The ends of a testbed have one kernel: its locks, timers and queues are
/// traced once, at the client.
fn watch(plan: &Plan, end: End, interface: Option<&str>, may_trace: bool) -> Option<Sampler> {
    let asked = plan.observe;
    let shared = matches!(plan.path, plan::Path::Testbed { .. });
    let mut sampler = (asked.rows || asked.traces()).then(|| Sampler::new(interface))?;
    if end == End::Client || !shared {
        match may_trace || !asked.traces() {
            true => sampler.explain(asked),
            false => sampler.tell(
                "the server's kernel is not traced: its operator does not permit it (--no-tracing)",
            ),
        }
    }
    Some(sampler)
}

/// An end's run.
pub(crate) struct Course {
    end: End,
    crew: Crew,
    /// The common start; none until it is known.
    origin: Option<Nanos>,
    timeline: Timeline,
    /// Nobody waits for a probe's end: it goes on until the other loads are through or, where it
    /// is alone, until the time is over.
    only_probes: bool,
    /// Per load: where counting began, where it stopped, response times of the idle phase.
    begin: Vec<Option<Mark>>,
    stop: Vec<Option<Mark>>,
    idle: Vec<Option<Buckets>>,
    /// Response times at the last edge.
    edge: Vec<Buckets>,
    cpu: (Option<CpuTimes>, Option<CpuTimes>),
    stopped: Option<Nanos>,
    said_done: bool,
    peer: Option<(Nanos, Vec<SentTotals>)>,
    interface: Option<(String, InterfaceCounters)>,
    /// User memory before the first flow, bytes.
    memory_before: Option<u64>,
    memory_during: Option<u64>,
    /// None when the host is not to be observed.
    sampler: Option<Sampler>,
    observed: Option<Nanos>,
    observations: Vec<Observation>,
}

impl Course {
    /// A run that starts with [`Course::go`]. `interface` is the one used, with its counters from
    /// before the first connection; `memory_before` is from before then too. The kernel is traced where
    /// the plan asks for it and `may_trace`.
    pub fn new(
        plan: &Plan,
        end: End,
        crew: Crew,
        interface: Option<(String, InterfaceCounters)>,
        memory_before: Option<u64>,
        may_trace: bool,
    ) -> Self {
        let name = interface.as_ref().map(|(name, _)| name.as_str());
        let sampler = watch(plan, end, name, may_trace);
        let offsets: Vec<Nanos> = crew.loads.iter().map(|load| load.offset).collect();
        let loads = crew.loads.len();
        Self {
            end,
            timeline: Timeline::new(plan.timing, &offsets),
            only_probes: plan.loads.iter().all(Load::is_probe),
            crew,
            origin: None,
            begin: vec![None; loads],
            stop: vec![None; loads],
            idle: vec![None; loads],
            edge: vec![Buckets::default(); loads],
            cpu: (None, None),
            stopped: None,
            said_done: false,
            peer: None,
            interface,
            memory_before,
            memory_during: None,
            sampler,
            observed: None,
            observations: Vec::new(),
        }
    }

    /// What the sockets of each load got; `qdisc` is the root qdisc of the interface they use.
    pub fn granted(&self, qdisc: Option<&str>) -> Vec<Granted> {
        let granted = |load: &LoadCrew| {
            let socket = load.flows.iter().find_map(|flow| flow.socket.as_ref());
            let mut granted = socket
                .map(|s| options::granted(s, &load.load))
                .unwrap_or_default();
            granted.cpus = load.cpus.as_slice().to_vec();
            let sends = load.roles.contains(&Role::Send);
            granted
                .capped
                .extend(options::unkept_pace(&load.load, qdisc).filter(|_| sends));
            granted
        };
        self.crew.loads.iter().map(granted).collect()
    }

    /// Starts at `origin`, a little in the future, so that every worker is awake by then.
    pub fn go(&mut self, origin: Nanos, seed: u64) {
        self.origin = Some(origin);
        self.crew.go(Go { origin, seed });
    }

    /// When the peer must be through with everything, and then some; none when nothing bounds
    /// the run.
    pub fn guard(&self) -> Option<Nanos> {
        Some(self.origin? + self.timeline.end()? + LAST_CALL + DRAIN + Nanos::from_secs(1))
    }

    /// When the course wants to be called.
    pub fn next_call(&self) -> Option<Nanos> {
        let origin = self.origin?;
        let tick = self.timeline.next_at().filter(|_| self.stopped.is_none());
        let last_call = self
            .stopped
            .filter(|_| !self.said_done)
            .map(|at| at + LAST_CALL);
        let drained = self
            .peer
            .as_ref()
            .filter(|_| self.said_done)
            .map(|(at, _)| *at + self.drain());
        [tick.map(|tick| origin + tick), last_call, drained]
            .into_iter()
            .flatten()
            .min()
    }

    /// Does what is due: marks, edges, the stop. Gives the edge if there is one.
    pub fn call(&mut self, now: Nanos) -> Option<Edge> {
        let origin = self.origin?;
        self.stop_when_all_is_sent(now);
        if self.stopped.is_some() || self.timeline.next_at().is_none_or(|at| origin + at > now) {
            return None;
        }
        let tick = self.timeline.take()?;
        // Where counting begins or ends and an edge coincide, they are one reading: the intervals of
        // the measured time add up to its total.
        let from_nothing = |load: &usize| self.crew.loads[*load].offset == tick.at;
        let read = match tick.last || !tick.begin.iter().all(from_nothing) {
            true => Mark::whole,
            false => Mark::light,
        };
        let marks: Vec<Mark> = self.crew.loads.iter().map(read).collect();
        let edge = tick.edge.map(|phase| self.edge(origin, phase, &marks));
        if tick.idle_over {
            for ((idle, load), mark) in self.idle.iter_mut().zip(&self.crew.loads).zip(&marks) {
                *idle = load.asks().then(|| mark.response.clone());
            }
        }
        let counts = !tick.begin.is_empty();
        for load in tick.begin {
            // What counts from its own start counts from nothing, at the instant of the start: by
            // the time anybody looks, its first messages have gone.
            self.begin[load] = Some(if self.crew.loads[load].offset == tick.at {
                Mark {
                    at: origin + tick.at,
                    ..Mark::default()
                }
            } else {
                marks[load].clone()
            });
            // The first load to count opens the measured time.
            self.cpu.0.get_or_insert_with(observe::cpu::now);
        }
        if tick.last {
            self.stop_with(now, marks);
        } else {
            self.observe(counts);
        }
        edge
    }

    /// What the host counted since this was last asked for.
    pub fn observations(&mut self) -> Vec<Observation> {
        std::mem::take(&mut self.observations)
    }

    /// Reads what the host counted; not much more often than [`OBSERVE`] unless it `must`.
    fn observe(&mut self, must: bool) {
        let (Some(sampler), Some(origin)) = (&mut self.sampler, self.origin) else {
            return;
        };
        let now = clock::now();
        if must || self.observed.is_none_or(|at| at + OBSERVE <= now) {
            self.observed = Some(now);
            let at = (now - origin).get();
            let effort = if must { Effort::Whole } else { Effort::Cheap };
            self.observations
                .push(sampler.observe(self.end, at, effort));
        }
    }

    /// Ends what this end starts, and the counting.
    pub fn stop(&mut self, now: Nanos) {
        if self.stopped.is_none() {
            let marks = self.crew.loads.iter().map(Mark::whole).collect();
            self.stop_with(now, marks);
        }
    }

    fn stop_with(&mut self, now: Nanos, marks: Vec<Mark>) {
        self.stopped = Some(now);
        self.stop = marks.into_iter().map(Some).collect();
        self.cpu.1 = Some(observe::cpu::now());
        self.memory_during = observe::memory::resident_user_bytes();
        self.observe(true);
        self.crew.stop();
    }

    /// Without a duration the run is over when both ends have sent what they were to send.
    fn stop_when_all_is_sent(&mut self, now: Nanos) {
        if self.crew.active_left() == 0 && self.said_done && self.peer.is_some() {
            self.stop(now);
        }
    }

    /// Whether this end is through and has not said so yet; then what it sent. Through means
    /// that it has sent its last byte and has read every end of file: the word tells the other
    /// end that all of its bytes have arrived, so that its sockets' figures are final.
    pub fn done(&mut self, now: Nanos) -> Option<Vec<SentTotals>> {
        let going = self.crew.active_left() > 0
            || self.crew.passive_left() > 0
            || (self.only_probes && self.stopped.is_none());
        let overdue = self.stopped.is_some_and(|at| at + self.patience() <= now);
        if self.origin.is_none() || self.said_done || (going && !overdue) {
            return None;
        }
        self.said_done = true;
        let sent = |load: &LoadCrew| {
            load.flows
                .iter()
                .map(|flow| flow.tally.counters(false).written_messages)
                .collect()
        };
        let totals = self.crew.loads.iter().enumerate();
        Some(
            totals
                .map(|(load, group)| SentTotals {
                    load,
                    flows: sent(group),
                })
                .collect(),
        )
    }

    /// The peer has sent its last byte.
    pub fn peer_done(&mut self, now: Nanos, sent: Vec<SentTotals>) {
        self.peer = Some((now, sent));
        self.stop_when_all_is_sent(now);
    }

    /// Whether nothing more will come that counts.
    pub fn is_over(&self, now: Nanos) -> bool {
        let Some((peer_done, _)) = &self.peer else {
            return false;
        };
        if self.stopped.is_none() || !self.said_done {
            return false;
        }
        *peer_done + self.drain() <= now
    }

    /// Ends all work and gives the closing figures.
    pub fn close(&mut self) -> EndReport {
        let now = clock::now();
        self.stop(now);
        let ended = self.crew.finish();
        let loads = (0..self.crew.loads.len())
            .map(|load| self.close_load(load, &ended))
            .collect();
        let interface = self
            .interface
            .as_ref()
            .and_then(|(name, before)| Some((*before, observe::interface::counters(name)?)));
        let flows: u64 = self
            .crew
            .loads
            .iter()
            .map(|load| load.flows.len() as u64)
            .sum();
        let grown = self
            .memory_during
            .zip(self.memory_before)
            .map(|(now, then)| now.saturating_sub(then));
        EndReport {
            end: self.end,
            cpu: self.cpu.0.zip(self.cpu.1),
            interface,
            loads,
            workers: Some(self.crew.loads.iter().map(|load| load.workers).sum()),
            memory_per_flow_bytes: grown.and_then(|bytes| bytes.checked_div(flows)),
        }
    }

    fn close_load(&self, index: usize, ended: &[Ended]) -> record::LoadReport {
        let load = &self.crew.loads[index];
        let mine = ended.iter().filter(|e| e.load == index).collect();
        let last = Mark::whole(load);
        let stop = self.stop[index].as_ref().unwrap_or(&last);
        closing::load_report(closing::Figures {
            end: self.end,
            load,
            origin: self.origin.unwrap_or(self.stopped.unwrap_or_default()),
            by_time: load.load.stop == Stop::Time,
            begin: self.begin[index].as_ref(),
            stop,
            last: &last,
            idle: self.idle[index].clone(),
            ended: mine,
        })
    }

    fn edge(&mut self, origin: Nanos, phase: record::Phase, marks: &[Mark]) -> Edge {
        let at = marks.first().map_or(origin, |mark| mark.at);
        let loads = marks
            .iter()
            .zip(&self.edge)
            .map(|(mark, before)| mark.edge(before))
            .collect();
        for (edge, mark) in self.edge.iter_mut().zip(marks) {
            edge.clone_from(&mark.response);
        }
        let cpu = Some(observe::cpu::now());
        Edge {
            end: self.end,
            at_ns: (at - origin).get(),
            phase,
            cpu,
            loads,
        }
    }

    fn waits_for_datagrams(&self) -> bool {
        let udp = |load: &&LoadCrew| load.load.kind.transport() == plan::Transport::Udp;
        self.crew
            .loads
            .iter()
            .filter(udp)
            .any(|load| load.roles.iter().any(|role| !role.is_active()))
    }

    /// How long datagrams may still come after the peer's last word.
    fn drain(&self) -> Nanos {
        if self.waits_for_datagrams() {
            DATAGRAM_DRAIN
        } else {
            Nanos::ZERO
        }
    }

    /// How long after the stop this end waits before it says that it is through.
    fn patience(&self) -> Nanos {
        if self.crew.active_left() > 0 {
            LAST_CALL
        } else {
            DRAIN
        }
    }
}
