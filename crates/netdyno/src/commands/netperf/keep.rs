//! Keeps runs of netperf's in the run store, as netdyno's own.

use std::num::NonZeroU32;

use analyze::assemble;
use engine::netperf::client::{Flow, Outcome};
use plan::{Kind, Load, Path, Plan, Timing, Transport};
use proto::netperf::Length;
use record::{
    Counters, Edge, End, EndReport, Event, FlowReport, LoadEdge, LoadReport, Phase, Status,
    UdpCounters,
};
use report::dialect::netperf::Way;
use units::{Bytes, Nanos};

use crate::dialect::netperf::NetperfRequest;
use crate::label;
use crate::say;
use crate::store::{Store, Writer};

/// Writes what happened; every iteration is a run of its own.
pub(super) struct Keeper {
    plan: Option<Plan>,
    command: Vec<String>,
    /// Nothing that goes wrong with keeping stops a test; it is said once.
    silent: bool,
}

impl Keeper {
    /// For `flows` equal tests.
    pub fn open(request: &NetperfRequest, argv: &[String], flows: u32) -> Self {
        let mut keeper = Self {
            plan: None,
            command: argv.to_vec(),
            silent: false,
        };
        match plan(request, flows) {
            Ok(plan) => keeper.plan = Some(plan),
            Err(reason) => keeper.complain(&reason),
        }
        keeper
    }

    /// Keeps an iteration.
    pub fn take(&mut self, outcome: &Outcome) {
        let Some(plan) = &self.plan else {
            return;
        };
        let udp = plan
            .loads
            .iter()
            .any(|load| load.kind.transport() == Transport::Udp);
        let broken = outcome.flows.iter().find_map(|flow| flow.error.as_ref());
        let (status, reason) = match broken {
            _ if outcome.interrupted => (Status::Interrupted, None),
            Some(error) => (Status::Failed, Some(error.to_string())),
            None => (Status::Ok, None),
        };
        let mut facts = Vec::new();
        for end in End::BOTH {
            // A server that nobody asked has told nothing.
            if end == End::Server && outcome.flows.iter().all(|flow| flow.results.is_none()) {
                continue;
            }
            facts.push(edge(end, outcome));
            facts.push(Event::Report(Box::new(report(end, outcome, udp))));
        }
        facts.push(Event::Finish { status, reason });
        self.write(facts);
    }

    /// Keeps a test that did not come to its end.
    pub fn fail(&mut self, reason: &str) {
        self.write(vec![Event::Finish {
            status: Status::Failed,
            reason: Some(reason.to_owned()),
        }]);
    }

    fn write(&mut self, facts: Vec<Event>) {
        let Some(plan) = self.plan.clone() else {
            return;
        };
        let started = label::now();
        let id = label::run_id(&started);
        let begin = Event::Begin {
            schema: Event::SCHEMA.into(),
            id: id.clone(),
            started,
            command: self.command.clone(),
            plan: Box::new(plan),
            facts: Box::new(observe::facts(None)),
        };
        let events: Vec<Event> = std::iter::once(begin).chain(facts).collect();
        let Some(store) = Store::of_environment() else {
            return self.complain("neither XDG_STATE_HOME nor HOME says where to keep runs");
        };
        let kept = store.create(&id).and_then(|writer| keep(writer, &events));
        if let Err(error) = kept {
            self.complain(&format!("{error:#}"));
        }
    }

    fn complain(&mut self, reason: &str) {
        if !self.silent {
            self.silent = true;
            say!("{reason}; this run is not kept");
        }
    }
}

fn keep(mut writer: Writer, events: &[Event]) -> anyhow::Result<()> {
    for event in events {
        writer.add(event)?;
    }
    match assemble(events) {
        Some(run) => writer.finish(&run),
        None => Ok(()),
    }
}

/// The test in netdyno's own words.
fn plan(request: &NetperfRequest, flows: u32) -> Result<Plan, String> {
    let mut load = match request.load() {
        Ok(load) => load,
        // Connections alone are the nearest to those with a transaction each.
        Err(_) if request.data.way == Way::Connect => Load::new(Kind::Crr),
        Err(reason) => return Err(reason.to_owned()),
    };
    load.flows = NonZeroU32::new(flows).unwrap_or(NonZeroU32::MIN);
    if load.kind.transport() == Transport::Udp {
        // A datagram of a plan holds a header, and netperf's need not.
        let least = |size: &mut Bytes| *size = (*size).max(Load::DATAGRAM_HEADER);
        if load.kind.is_exchange() {
            least(&mut load.request);
            least(&mut load.reply);
        } else {
            least(&mut load.size);
        }
    }
    let path = Path::Host {
        host: request.control.host.clone(),
        port: request.control.port,
        family: request.control.family,
    };
    let timing = Timing {
        idle: Nanos::ZERO,
        omit: Nanos::ZERO,
        duration: match request.length {
            Length::Seconds(seconds) => Some(Nanos::from_secs(seconds.into())),
            Length::Unlimited | Length::Count(_) => None,
        },
        interval: None,
    };
    Plan::new(path, timing, vec![load]).map_err(|error| error.to_string())
}

/// What an end counted of one flow: in the common window, and in its whole life. What a server
/// tells is of the whole life only.
fn counters(end: End, flow: &Flow) -> (Counters, Counters) {
    match (end, &flow.results) {
        (End::Client, _) => (flow.window, flow.counters),
        (End::Server, Some(results)) => {
            let counters = Counters {
                received_bytes: results.bytes_received.get(),
                received_messages: results.recv_calls,
                written_bytes: results.bytes_sent.get(),
                written_messages: results.send_calls,
                ..Counters::default()
            };
            (counters, counters)
        }
        (End::Server, None) => Default::default(),
    }
}

fn sum(outcome: &Outcome, of: impl Fn(&Flow) -> Counters) -> Counters {
    outcome
        .flows
        .iter()
        .fold(Counters::default(), |sum, flow| sum + of(flow))
}

/// How long an end's figures are of. The server's are of all that came, to the end of the last
/// data connection.
fn window(end: End, outcome: &Outcome) -> Nanos {
    let last = outcome.flows.iter().map(|flow| flow.elapsed).max();
    match end {
        End::Client => outcome.window,
        End::Server => last.unwrap_or_default().max(outcome.window),
    }
}

fn edge(end: End, outcome: &Outcome) -> Event {
    Event::Edge(Edge {
        end,
        at_ns: window(end, outcome).get(),
        phase: Phase::Measure,
        cpu: None,
        loads: vec![LoadEdge {
            counters: sum(outcome, |flow| counters(end, flow).0),
            ..LoadEdge::default()
        }],
    })
}

fn report(end: End, outcome: &Outcome, udp: bool) -> EndReport {
    let client = end == End::Client;
    let datagrams = |flow: &Flow| {
        let (_, total) = counters(end, flow);
        udp.then(|| UdpCounters {
            received: total.received_messages,
            highest_plus_one: total.received_messages,
            ..UdpCounters::default()
        })
    };
    let received = sum(outcome, |flow| counters(end, flow).1).received_messages;
    let together = (udp && !client).then(|| UdpCounters {
        received,
        highest_plus_one: received,
        ..UdpCounters::default()
    });
    let rows = outcome.flows.iter().map(|flow| {
        let (counted, total) = counters(end, flow);
        FlowReport {
            counted,
            total,
            udp: datagrams(flow).filter(|_| !client),
            tcp_info: flow.tcp_info.filter(|_| client && !udp),
            client_port: flow.local.map(|local| local.port()).filter(|_| client),
            ..FlowReport::default()
        }
    });
    let acked = outcome
        .flows
        .iter()
        .map(|flow| flow.window_acked)
        .sum::<Option<u64>>();
    let broken = outcome.flows.iter().filter_map(|flow| flow.error.as_ref());
    let response = outcome.response.clone();
    let asked = client && !response.0.is_empty();
    let load = LoadReport {
        window_ns: (0, window(end, outcome).get()),
        counted: sum(outcome, |flow| counters(end, flow).0),
        counted_acked_bytes: acked.filter(|_| client && !udp),
        counted_udp: together,
        total: sum(outcome, |flow| counters(end, flow).1),
        total_udp: together,
        response: asked.then(|| response.clone()),
        service: asked.then_some(response),
        unanswered: (client && udp).then(|| outcome.flows.iter().map(|flow| flow.unanswered).sum()),
        congestion_control: outcome
            .flows
            .iter()
            .find_map(|flow| flow.congestion.clone())
            .filter(|_| client && !udp),
        broken: broken.clone().count() as u32,
        broken_reason: broken.map(|error| error.to_string()).next(),
        flows: rows.collect(),
        ..LoadReport::default()
    };
    EndReport {
        end,
        cpu: None,
        interface: None,
        loads: vec![load],
        memory_per_flow_bytes: None,
        workers: None,
    }
}
