//! A client's test in netdyno's own words, for the run store.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};

use engine::iperf2::client::{ClientError, Outcome};
use engine::iperf2::{Counts, Event as Heard, Reading, Way};
use plan::Plan;
use proto::iperf2::ServerReport;
use record::{
    Counters, Edge, End, EndReport, Event, FlowReport, IpVersion, LoadEdge, LoadReport, Phase,
    Status, UdpCounters,
};

use crate::commands::keep::Keeper;
use crate::dialect::iperf2::{ClientRequest, Mode};

/// Keeps what is heard of one test.
pub(super) struct Kept {
    keeper: Keeper,
    /// Loads of the plan.
    loads: usize,
    /// Flows that the client made for its test; streams beside a bounceback and connections back
    /// follow, and are the second load.
    own: u32,
    is_udp: bool,
    parts: HashMap<(u32, Way), Part>,
    reports: HashMap<u32, ServerReport>,
    began: bool,
}

/// One direction of a flow.
struct Part {
    local: SocketAddr,
    /// Cumulative.
    counters: Counters,
    retransmits: u64,
    /// It was read since the edge before.
    is_read: bool,
    last: Option<Box<Reading>>,
}

impl Kept {
    /// Opens a run.
    pub fn begin(request: &ClientRequest, own: u32, peer: IpAddr, command: &[String]) -> Self {
        let plan: Result<Plan, String> = request.plan().map_err(|error| error.to_string());
        let loads = plan.as_ref().map_or(0, |plan| plan.loads.len());
        let mut keeper = Keeper::of_environment();
        keeper.begin(plan, command, End::Client, Some(peer));
        let own = match &request.mode {
            Mode::ConnectOnly(_) => u32::MAX,
            _ => own,
        };
        Self {
            keeper,
            loads,
            own,
            is_udp: request.common.transport == plan::Transport::Udp,
            parts: HashMap::new(),
            reports: HashMap::new(),
            began: false,
        }
    }

    /// Keeps what is heard.
    pub fn hear(&mut self, event: &Heard) {
        match event {
            Heard::Flow(facts) => {
                if !std::mem::replace(&mut self.began, true) {
                    self.keeper.start();
                }
                for way in &facts.ways {
                    let part = Part {
                        local: facts.local,
                        counters: Counters::default(),
                        retransmits: 0,
                        is_read: false,
                        last: None,
                    };
                    self.parts.insert((facts.flow, *way), part);
                }
            }
            Heard::Reading(reading) => self.read(reading),
            Heard::Through => self.keeper.through(),
            Heard::ServerReport {
                flow,
                report: Some(report),
                ..
            } => {
                self.reports.insert(*flow, *report);
            }
            _ => (),
        }
    }

    fn read(&mut self, reading: &Reading) {
        let Some(part) = self.parts.get_mut(&(reading.flow, reading.way)) else {
            return;
        };
        let (mut counted, mut retransmits) = of_counts(&reading.counts, reading.way);
        if reading.is_final {
            if let Some(omitted) = &reading.omitted {
                let (before, retransmitted) = of_counts(omitted, reading.way);
                (counted, retransmits) = (counted + before, retransmits + retransmitted);
            }
            (part.counters, part.retransmits) = (counted, retransmits);
            part.last = Some(Box::new(reading.clone()));
            return;
        }
        part.counters = part.counters + counted;
        part.retransmits += retransmits;
        part.is_read = true;
        let going = |part: &&Part| part.last.is_none();
        if self.parts.values().filter(going).all(|part| part.is_read) {
            self.edge(reading.to.get());
        }
    }

    /// All parts that go on have been read.
    fn edge(&mut self, at_ns: u64) {
        let mut loads = vec![LoadEdge::default(); self.loads];
        for ((flow, way), part) in &mut self.parts {
            part.is_read = false;
            let at = usize::from(*flow > self.own);
            if let Some(load) = loads.get_mut(at) {
                load.counters = load.counters + part.counters;
                if !self.is_udp && *way == Way::Sends {
                    *load.retransmits.get_or_insert(0) += part.retransmits;
                }
            }
        }
        self.keeper.take(Event::Edge(Edge {
            end: End::Client,
            at_ns,
            phase: Phase::Measure,
            cpu: None,
            loads,
        }));
    }

    /// Closes the run.
    pub fn finish(mut self, outcome: &Result<Outcome, ClientError>) {
        let last = self.parts.values().filter_map(|part| part.last.as_ref());
        if let Some(end) = last.map(|reading| reading.to.get()).max() {
            self.edge(end);
            let loads = (0..self.loads).map(|load| self.load(load)).collect();
            self.keeper.take(report(End::Client, loads));
            if !self.reports.is_empty() {
                let load = self.server_load();
                let mut loads = vec![load];
                loads.resize(self.loads, LoadReport::default());
                self.keeper.take(report(End::Server, loads));
            }
        }
        let (status, reason) = match outcome {
            Ok(outcome) if outcome.interrupted => (Status::Interrupted, None),
            Ok(outcome) => match outcome.failures.first() {
                None => (Status::Ok, None),
                Some(failure) => (Status::Failed, Some(failure.clone())),
            },
            Err(error) => (Status::Failed, Some(error.to_string())),
        };
        self.keeper.finish(status, reason);
    }

    /// What this end counted of one load.
    fn load(&self, number: usize) -> LoadReport {
        let mut load = LoadReport::default();
        let mut flows: HashMap<u32, FlowReport> = HashMap::new();
        for ((flow, way), part) in &self.parts {
            let Some(reading) = part
                .last
                .as_ref()
                .filter(|_| usize::from(*flow > self.own) == number)
            else {
                continue;
            };
            load.window_ns.1 = load.window_ns.1.max(reading.to.get());
            load.total = load.total + part.counters;
            let row = flows.entry(*flow).or_default();
            row.total = row.total + part.counters;
            row.client_port = Some(part.local.port());
            load.ip = Some(match part.local.ip().to_canonical() {
                IpAddr::V4(_) => IpVersion::Ipv4,
                IpAddr::V6(_) => IpVersion::Ipv6,
            });
            if let Some(tcp) = reading.counts.tcp {
                row.tcp_info = Some(tcp);
                if *way == Way::Sends {
                    // A flow ends when all of it is acknowledged.
                    *load.counted_acked_bytes.get_or_insert(0) += part.counters.written_bytes;
                    *load.counted_retransmits.get_or_insert(0) += part.retransmits;
                }
            }
            if self.is_udp && *way == Way::Receives {
                row.udp = Some(reading.counts.sequence);
                let sum = load.total_udp.get_or_insert_default();
                *sum = together(*sum, reading.counts.sequence);
            }
            if let Some(responses) = &reading.responses {
                let before = load.response.take().unwrap_or_default();
                load.response = Some(before.with(responses));
                row.mean_response_ns = Some((reading.times.mean * 1e3) as u64);
            }
            row.counted = row.total;
        }
        load.counted = load.total;
        load.counted_udp = load.total_udp;
        load.service = load.response.clone();
        let mut rows: Vec<_> = flows.into_iter().collect();
        rows.sort_by_key(|(flow, _)| *flow);
        load.flows = rows.into_iter().map(|(_, row)| row).collect();
        load
    }

    /// What servers said of datagrams: by iperf's own rules.
    fn server_load(&self) -> LoadReport {
        let mut load = LoadReport::default();
        let mut flows: Vec<_> = self.reports.iter().collect();
        flows.sort_by_key(|(flow, _)| **flow);
        for (_, report) in flows {
            let received = report.datagrams.saturating_sub(report.lost);
            let counters = Counters {
                received_bytes: report.bytes,
                received_messages: received,
                ..Counters::default()
            };
            let udp = UdpCounters {
                received,
                reordered: report.out_of_order,
                highest_plus_one: report.datagrams,
                jitter_ns: Some(report.jitter_us.saturating_mul(1000)),
                ..UdpCounters::default()
            };
            load.total = load.total + counters;
            load.window_ns.1 = load
                .window_ns
                .1
                .max(report.duration_us.saturating_mul(1000));
            let sum = load.total_udp.get_or_insert_default();
            *sum = together(*sum, udp);
            load.flows.push(FlowReport {
                counted: counters,
                total: counters,
                udp: Some(udp),
                ..FlowReport::default()
            });
        }
        load.counted = load.total;
        load.counted_udp = load.total_udp;
        load
    }
}

fn report(end: End, loads: Vec<LoadReport>) -> Event {
    Event::Report(Box::new(EndReport {
        end,
        cpu: None,
        interface: None,
        loads,
        memory_per_flow_bytes: None,
        workers: None,
    }))
}

/// Counters of one direction, and segments sent again.
fn of_counts(counts: &Counts, way: Way) -> (Counters, u64) {
    let counters = match way {
        Way::Sends => Counters {
            written_bytes: counts.bytes,
            written_messages: counts.messages,
            send_failures: counts.errors,
            ..Counters::default()
        },
        Way::Receives => Counters {
            received_bytes: counts.bytes,
            received_messages: counts.messages,
            ..Counters::default()
        },
        // Both ways together, in equal parts unless replies have a size of their own.
        Way::Bounces => Counters {
            written_bytes: counts.bytes / 2,
            received_bytes: counts.bytes / 2,
            written_messages: counts.messages,
            received_messages: counts.messages,
            transactions: counts.messages,
            ..Counters::default()
        },
    };
    let again = counts.tcp.and_then(|tcp| tcp.tcpi_total_retrans);
    (counters, again.unwrap_or(0))
}

/// Facts of two flows as one.
fn together(a: UdpCounters, b: UdpCounters) -> UdpCounters {
    UdpCounters {
        received: a.received + b.received,
        duplicate: a.duplicate + b.duplicate,
        reordered: a.reordered + b.reordered,
        reorder_depth_max: a.reorder_depth_max.max(b.reorder_depth_max),
        highest_plus_one: a.highest_plus_one + b.highest_plus_one,
        malformed: a.malformed + b.malformed,
        socket_drops: None,
        jitter_ns: a.jitter_ns.max(b.jitter_ns),
    }
}
