//! netperf's tests in netdyno's own words: what was asked, and what happened.

use std::net::IpAddr;
use std::num::NonZeroU32;

use engine::netperf::client::{ClientError, Control, Flow, News, Outcome};
use plan::{Kind, Load, Path, Plan, Stop, Timing, Transport};
use proto::netperf::Length;
use record::{
    Counters, Doubt, Edge, End, EndReport, Event, FlowReport, IpVersion, LoadEdge, LoadReport,
    Phase, Status, UdpCounters,
};
use report::dialect::netperf::Way;
use units::{Bytes, Nanos};

use crate::commands::keep::Keeper;
use crate::dialect::netperf::NetperfRequest;

/// Keeps one iteration after the other; each is a run of its own.
pub(super) struct Keep<'a> {
    request: &'a NetperfRequest,
    command: &'a [String],
    flows: u32,
    /// Where the control connection goes.
    peer: Option<IpAddr>,
    keeper: Keeper,
}

impl<'a> Keep<'a> {
    /// For `flows` equal tests.
    pub fn new(
        request: &'a NetperfRequest,
        command: &'a [String],
        flows: u32,
        control: &Control,
    ) -> Self {
        Self {
            request,
            command,
            flows,
            peer: control.addresses.first().map(|address| address.ip()),
            keeper: Keeper::of_environment(),
        }
    }

    /// Begins an iteration.
    pub fn begin(&mut self) {
        let plan = plan(self.request, self.flows);
        self.keeper
            .begin(plan, self.command, End::Client, self.peer);
        for evidence in beyond_plan(self.request) {
            self.keeper.take(Event::Doubt(Doubt {
                doubt: "plan-differs".to_owned(),
                about: "plan".to_owned(),
                evidence,
            }));
        }
    }

    /// Keeps what is heard meanwhile.
    pub fn hear(&mut self, news: &News) {
        match news {
            News::Start => self.keeper.start(),
            News::Edge { at, load } => {
                let edge = edge(End::Client, *at, (**load).clone());
                self.keeper.take(Event::Edge(edge));
            }
            News::Through => self.keeper.through(),
            News::Progress(_) => (),
        }
    }

    /// Keeps what came of it.
    pub fn end(&mut self, outcome: &Outcome) {
        let broken = outcome.flows.iter().find_map(|flow| flow.error.as_ref());
        let (status, reason) = match broken {
            _ if outcome.interrupted => (Status::Interrupted, None),
            Some(error) => (Status::Failed, Some(error.to_string())),
            None => (Status::Ok, None),
        };
        let udp = self.request.data.transport == proto::netperf::Transport::Udp;
        self.keeper
            .take(Event::Report(Box::new(report(End::Client, outcome, udp))));
        // A server that nobody asked has told nothing.
        if outcome.flows.iter().any(|flow| flow.results.is_some()) {
            let load = LoadEdge {
                counters: sum(outcome, |flow| counters(End::Server, flow).0),
                ..LoadEdge::default()
            };
            let at = window(End::Server, outcome);
            self.keeper.take(Event::Edge(edge(End::Server, at, load)));
            self.keeper
                .take(Event::Report(Box::new(report(End::Server, outcome, udp))));
        }
        self.keeper.finish(status, reason);
    }

    /// Keeps that it did not come to its end.
    pub fn fail(&mut self, error: &ClientError) {
        let status = match error {
            ClientError::Interrupted => Status::Interrupted,
            _ => Status::Failed,
        };
        self.keeper.finish(status, Some(error.to_string()));
    }
}

/// The test in netdyno's own words.
fn plan(request: &NetperfRequest, flows: u32) -> Result<Plan, String> {
    let mut load = match request.load() {
        Ok(load) => load,
        // Connections alone are the nearest to those with a transaction each.
        Err(_) if request.data.way == Way::Connect => {
            let mut load = Load::new(Kind::Crr);
            if let Length::Count(count) = request.length {
                load.stop = Stop::Count {
                    count: count.into(),
                };
            }
            load
        }
        Err(reason) => return Err(reason.to_owned()),
    };
    // The worker threads are called after it.
    load.name = "netperf".to_owned();
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
            // To the user's ^C.
            Length::Unlimited => Some(Timing::LONGEST),
            Length::Count(_) => None,
        },
        interval: Some(Timing::DEFAULT_INTERVAL),
    };
    Plan::new(path, timing, vec![load]).map_err(|error| error.to_string())
}

/// What the test did that the plan does not say, since netdyno's own tests cannot do it.
fn beyond_plan(request: &NetperfRequest) -> Vec<String> {
    let mut sentences = Vec::new();
    if request.data.way == Way::Connect {
        let told = "connections were made and closed, without a request and a reply on them";
        sentences.push(told.to_owned());
    }
    if let Ok(load) = request.load()
        && load.kind.transport() == Transport::Udp
    {
        let sent = match load.kind.is_exchange() {
            true => load.request.min(load.reply),
            false => load.size,
        };
        if sent < Load::DATAGRAM_HEADER {
            sentences.push(format!(
                "datagrams of {sent} were sent, without the header of {} that netdyno's own hold",
                Load::DATAGRAM_HEADER
            ));
        }
    }
    if request.length == Length::Unlimited {
        sentences.push("the test had no end of its own".to_owned());
    }
    let options = request.beyond_load();
    if !options.is_empty() {
        sentences.push(format!(
            "the test had options of its own: {}",
            options.join(" ")
        ));
    }
    sentences
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

fn edge(end: End, at: Nanos, load: LoadEdge) -> Edge {
    Edge {
        end,
        at_ns: at.get(),
        phase: Phase::Measure,
        cpu: None,
        loads: vec![load],
    }
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
    let retransmits = outcome
        .flows
        .iter()
        .map(|flow| flow.window_retransmits)
        .sum::<Option<u64>>();
    let local = outcome.flows.iter().find_map(|flow| flow.local);
    let broken = outcome.flows.iter().filter_map(|flow| flow.error.as_ref());
    let response = outcome.response.clone();
    // Times of single sends are netperf's own figure, and no response times.
    let asks = outcome
        .flows
        .iter()
        .any(|flow| flow.counters.transactions > 0);
    let asked = client && asks && !response.0.is_empty();
    let load = LoadReport {
        window_ns: (0, window(end, outcome).get()),
        counted: sum(outcome, |flow| counters(end, flow).0),
        counted_acked_bytes: acked.filter(|_| client && !udp),
        counted_retransmits: retransmits.filter(|_| client && !udp),
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
        ip: local.map(|local| match local.ip().to_canonical() {
            IpAddr::V4(_) => IpVersion::Ipv4,
            IpAddr::V6(_) => IpVersion::Ipv6,
        }),
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
        workers: client.then_some(outcome.workers),
    }
}
