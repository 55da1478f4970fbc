//! Keeps the runs of other tools' command lines in the run store, as netdyno's own: what happened
//! is written as it happens, so that a run that is killed leaves its intervals.
//!
//! ```text
//! let mut keeper = Keeper::of_environment();               one for a command line
//! keeper.begin(plan, argv, End::Client, peer);             before the first connection
//! keeper.start();                                          the common start: data begins to move
//! keeper.take(Event::Edge(..));                            every interval, the last one included
//! keeper.through();                                        data has moved, threads are still there
//! keeper.take(Event::Report(..));                          one for each end that is known
//! keeper.finish(Status::Ok, None);                         after the last connection
//! ```
//!
//! `begin` to `finish` may be repeated: each is a run of its own, a test repeated ten times is ten.
//! An iteration without `start` is one that failed before any data moved.
//!
//! Instants are ns since the common start. The caller knows the flows, the keeper knows the host:
//! to the edges and the report of its own end it adds the CPU times of this process and host, to
//! the report the counters of the interface that leads to the peer. At the start and at edges of
//! its own end it reads what the host counts, on the caller's thread, which is none with traffic. A warm-up is a last edge of
//! [`Phase::Omit`](record::Phase::Omit) where it ends, and edges of
//! [`Phase::Measure`](record::Phase::Measure) from there.
//!
//! Nothing that goes wrong here stops a test. It is said in one sentence on standard error, once
//! for all runs of a command line, and those are then not kept.

mod host;

use std::net::IpAddr;

use analyze::{assemble, invalidity};
use plan::Plan;
use record::{
    CpuTimes, Doubt, Edge, End, EndReport, Event, InterfaceCounters, Observation, Phase, Status,
};

use crate::label;
use crate::say;
use crate::store::{Store, Writer};
use host::Host;

/// Keeps one run after the other.
pub struct Keeper {
    store: Result<Store, &'static str>,
    run: Option<Kept>,
    /// Something went wrong, and was said.
    silent: bool,
}

/// A run that goes on.
struct Kept {
    writer: Writer,
    events: Vec<Event>,
    /// Which end this host is.
    here: End,
    interface: Option<(String, InterfaceCounters)>,
    host: Host,
    /// CPU times where the measured time begins, and at its latest edge.
    cpu: (Option<CpuTimes>, Option<CpuTimes>),
}

impl Keeper {
    /// In the run store that the environment names.
    pub fn of_environment() -> Self {
        Self::at(Store::of_environment().ok_or(NOWHERE))
    }

    fn at(store: Result<Store, &'static str>) -> Self {
        Self {
            store,
            run: None,
            silent: false,
        }
    }

    /// Opens a stored run. `plan` is the test in netdyno's own words, or why it has none; `here`
    /// is this host's end; `peer` is where its data goes to or comes from, if that is known.
    pub fn begin(
        &mut self,
        plan: Result<Plan, String>,
        command: &[String],
        here: End,
        peer: Option<IpAddr>,
    ) {
        if self.silent {
            return;
        }
        let store = self.store.as_ref().map_err(|reason| (*reason).to_owned());
        let opened = store.and_then(|store| Kept::open(store, plan?, command, here, peer));
        match opened {
            Ok(run) => self.run = Some(run),
            Err(reason) => self.complain(&reason),
        }
    }

    /// Data begins to move: the zero of all instants.
    pub fn start(&mut self) {
        let Some(run) = &self.run else {
            return;
        };
        let edge = Edge {
            end: run.here,
            at_ns: 0,
            phase: Phase::Idle,
            cpu: None,
            loads: Vec::new(),
        };
        self.take(Event::Edge(edge));
    }

    /// Writes what happened.
    pub fn take(&mut self, event: Event) {
        let written = self.run.as_mut().map(|run| run.take(event));
        if let Some(Err(reason)) = written {
            self.complain(&reason);
        }
    }

    /// Everything has been moved, and the threads that did it are still there: the host is looked
    /// at for the last time.
    pub fn through(&mut self) {
        let written = self.run.as_mut().map(|run| {
            let seen = run.host.last();
            run.observed(seen)
        });
        if let Some(Err(reason)) = written {
            self.complain(&reason);
        }
    }

    /// Ends the run, and writes its document.
    pub fn finish(&mut self, status: Status, reason: Option<String>) {
        let ended = self.run.as_mut().map(|run| run.finish(status, reason));
        if let Some(Err(reason)) = ended {
            self.complain(&reason);
        }
        self.run = None;
    }

    fn complain(&mut self, reason: &str) {
        if let Some(run) = self.run.take() {
            run.writer.discard();
        }
        if !self.silent {
            self.silent = true;
            say!("{reason}; this run is not kept");
        }
    }
}

impl Kept {
    fn open(
        store: &Store,
        plan: Plan,
        command: &[String],
        here: End,
        peer: Option<IpAddr>,
    ) -> Result<Self, String> {
        let started = label::now();
        let (id, writer) = create(store, &started)?;
        let name = peer.and_then(observe::interface::towards);
        let facts = observe::facts(name.as_deref());
        let local = name.as_deref() == Some("lo");
        let host = Host::new(here, name.as_deref());
        let counters = |name: String| Some((name.clone(), observe::interface::counters(&name)?));
        let mut run = Self {
            writer,
            events: Vec::new(),
            here,
            interface: name.and_then(counters),
            host,
            cpu: (None, None),
        };
        let (client, server) = match here {
            End::Client => (facts, None),
            End::Server => (record::Facts::default(), Some(facts)),
        };
        run.write(Event::Begin {
            schema: Event::SCHEMA.into(),
            id,
            started,
            command: command.to_vec(),
            plan: Box::new(plan),
            facts: Box::new(client),
        })?;
        if let Some(facts) = server.map(Box::new) {
            run.write(Event::Peer { facts })?;
        }
        if local {
            run.write(Event::Doubt(Doubt {
                doubt: "never-left-host".to_owned(),
                about: "loads, hosts_observed".to_owned(),
                evidence: "the other end has an address of this host".to_owned(),
            }))?;
        }
        Ok(run)
    }

    fn take(&mut self, event: Event) -> Result<(), String> {
        match event {
            Event::Edge(edge) if edge.end == self.here => {
                let edge = self.with_cpu(edge);
                let seen = self.host.at(&edge);
                self.write(Event::Edge(edge))?;
                self.observed(seen)
            }
            Event::Report(report) if report.end == self.here => {
                let seen = self.host.last();
                self.observed(seen)?;
                self.write(Event::Report(Box::new(self.with_host(*report))))
            }
            other => self.write(other),
        }
    }

    fn observed(&mut self, seen: Option<Observation>) -> Result<(), String> {
        match seen {
            Some(seen) => self.write(Event::Observed(Box::new(seen))),
            None => Ok(()),
        }
    }

    fn finish(&mut self, status: Status, reason: Option<String>) -> Result<(), String> {
        let mut finish = Event::Finish { status, reason };
        let document = assemble(self.events.iter().chain([&finish]));
        if let Some(reason) = document.as_ref().and_then(invalidity) {
            finish = Event::Finish {
                status: Status::Invalid,
                reason: Some(reason),
            };
        }
        self.write(finish)?;
        match assemble(&self.events) {
            Some(document) => self
                .writer
                .finish(&document)
                .map_err(|error| format!("{error:#}")),
            None => Ok(()),
        }
    }

    fn write(&mut self, event: Event) -> Result<(), String> {
        let added = self.writer.add(&event);
        self.events.push(event);
        added.map_err(|error| format!("{error:#}"))
    }

    fn with_cpu(&mut self, mut edge: Edge) -> Edge {
        let cpu = *edge.cpu.get_or_insert_with(observe::cpu::now);
        match edge.phase {
            Phase::Idle | Phase::Omit => self.cpu.0 = Some(cpu),
            Phase::Measure => self.cpu.1 = Some(cpu),
        }
        edge
    }

    fn with_host(&self, mut report: EndReport) -> EndReport {
        report.cpu = report.cpu.or(self.cpu.0.zip(self.cpu.1));
        let after = || {
            let (name, before) = self.interface.as_ref()?;
            Some((*before, observe::interface::counters(name)?))
        };
        report.interface = report.interface.or_else(after);
        report
    }
}

/// A folder of its own. Of a hundred runs that start in one second two may draw the same name.
fn create(store: &Store, started: &str) -> Result<(String, Writer), String> {
    const DRAWS: usize = 4;
    let mut answer = Err(String::new());
    for _ in 0..DRAWS {
        let id = label::run_id(started);
        answer = match store.create(&id) {
            Ok(writer) => return Ok((id, writer)),
            Err(error) => Err(format!("{error:#}")),
        };
    }
    answer
}

const NOWHERE: &str = "neither XDG_STATE_HOME nor HOME says where to keep runs";

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use plan::{Kind, Load, Path, Timing};
    use record::{Counters, LoadEdge, LoadReport};
    use units::Nanos;

    use super::*;

    fn plan() -> Plan {
        let path = Path::Host {
            host: "peer".to_owned(),
            port: 12_865,
            family: plan::Family::Any,
        };
        let timing = Timing {
            idle: Nanos::ZERO,
            omit: Nanos::ZERO,
            duration: Some(Nanos::from_secs(2)),
            interval: None,
        };
        Plan::new(path, timing, vec![Load::new(Kind::Maerts)]).unwrap()
    }

    fn received(bytes: u64) -> Counters {
        Counters {
            received_bytes: bytes,
            ..Counters::default()
        }
    }

    fn edge(seconds: u64) -> Event {
        Event::Edge(Edge {
            end: End::Client,
            at_ns: seconds * 1_000_000_000,
            phase: Phase::Measure,
            cpu: None,
            loads: vec![LoadEdge {
                counters: received(1000 * seconds),
                ..LoadEdge::default()
            }],
        })
    }

    fn began(folder: &std::path::Path) -> Keeper {
        let mut keeper = Keeper::at(Ok(Store::at(folder)));
        let peer = Some(Ipv4Addr::LOCALHOST.into());
        keeper.begin(Ok(plan()), &["tool".to_owned()], End::Client, peer);
        keeper.start();
        keeper.take(edge(1));
        keeper
    }

    #[test]
    fn a_run_that_is_killed_leaves_its_intervals() {
        let folder = tempfile::tempdir().unwrap();
        drop(began(folder.path()));
        let store = Store::at(folder.path());
        let run = store.document(&store.find(None).unwrap()).unwrap();
        assert_eq!((run.status, run.intervals.len()), (Status::Failed, 1));
        assert_eq!(run.loads[0].received.unwrap().bytes, 1000);
        assert!(run.cost.client.is_some(), "CPU times of the edges");
        assert!(
            run.doubts
                .iter()
                .any(|doubt| doubt.doubt == "never-left-host")
        );
    }

    #[test]
    fn the_host_adds_what_it_knows() {
        let folder = tempfile::tempdir().unwrap();
        let mut keeper = began(folder.path());
        keeper.take(edge(2));
        keeper.take(Event::Report(Box::new(EndReport {
            end: End::Client,
            cpu: None,
            interface: None,
            loads: vec![LoadReport {
                window_ns: (0, 2_000_000_000),
                counted: received(2000),
                total: received(2000),
                ..LoadReport::default()
            }],
            memory_per_flow_bytes: None,
            workers: None,
        })));
        keeper.finish(Status::Ok, None);
        let store = Store::at(folder.path());
        let run = store.document(&store.find(None).unwrap()).unwrap();
        assert_eq!((run.status, run.intervals.len()), (Status::Ok, 2));
        let (cost, books) = (run.cost.client.unwrap(), run.ledger.client.unwrap());
        assert!(cost.cpu_share.is_some() && books.wire.is_some());
        let host = run.hosts_observed.client.unwrap();
        assert!(
            host.seconds.is_some(),
            "readings at the start and at the end"
        );
        assert!(host.counted.iter().any(|row| row.source == "netdyno"));
    }

    #[test]
    fn what_cannot_be_kept_is_said_once_and_stops_nothing() {
        let mut keeper = Keeper::at(Err(NOWHERE));
        for _ in 0..2 {
            keeper.begin(Ok(plan()), &[], End::Client, None);
            keeper.start();
            keeper.take(edge(1));
            keeper.finish(Status::Ok, None);
            assert!(keeper.silent && keeper.run.is_none());
        }
    }
}
