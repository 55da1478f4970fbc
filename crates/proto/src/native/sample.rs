//! A small exchange to test with: two loads, the first with three flows.

use plan::{Family, Load, Path, Plan, Timing};
use record::{
    Counters, Edge, End, EndReport, Facts, FlowReport, Gone, Granted, LoadEdge, LoadReport,
    Observation, Phase, Rows,
};

use super::{Cap, ClientMessage, PROTOCOL, RefuseCode, SentTotals, ServerMessage, Sysctls, Token};

/// Flows of the sample's loads.
pub(super) const FLOWS: [u32; 2] = [3, 1];

pub(super) const TOKEN: Token = Token::new([0xab; 16]);

/// A plan of UDP loads with so many flows each.
pub(super) fn plan_of(flows: &[u32]) -> Plan {
    let load = |flows: &u32| Load::parse(&format!("udp-bidir:flows={flows}")).unwrap();
    let loads: Vec<Load> = flows.iter().map(load).collect();
    let path = Path::Host {
        host: "server.example".into(),
        port: Path::DEFAULT_PORT,
        family: Family::Any,
    };
    Plan::new(path, Timing::for_loads(&loads), loads).unwrap()
}

pub(super) fn plan() -> Plan {
    plan_of(&FLOWS)
}

pub(super) fn facts() -> Facts {
    Facts {
        netdyno: "0.1.0".into(),
        hostname: Some("server".into()),
        cpus: Some(2),
        ..Facts::default()
    }
}

pub(super) fn caps() -> Vec<Cap> {
    vec![Cap {
        load: 1,
        rate: Some(units::BitRate::new(1_000_000)),
        sentence: "rate 5M capped to 1M by --max-rate".into(),
    }]
}

pub(super) fn grants() -> Vec<Granted> {
    vec![Granted::default(); FLOWS.len()]
}

/// An edge with the flows of the first load only, as if the second had too many.
pub(super) fn edge() -> Edge {
    let load = |flows| LoadEdge {
        flows: vec![Counters::default(); flows],
        ..LoadEdge::default()
    };
    Edge {
        end: End::Server,
        at_ns: 1_000_000_000,
        phase: Phase::Measure,
        cpu: None,
        loads: vec![load(3), load(0)],
    }
}

pub(super) fn observation() -> Observation {
    let mut rows = Rows::default();
    rows.set("softnet", "cpu0", "dropped", 3);
    Observation {
        end: End::Server,
        at_ns: 1_000_000_000,
        rows,
        gone: vec![Gone {
            source: "interface".into(),
            label: "veth1".into(),
        }],
        unread: vec!["reading /proc/net/snmp: permission denied".into()],
    }
}

pub(super) fn totals() -> Vec<SentTotals> {
    vec![SentTotals {
        load: 0,
        flows: vec![10, 20, 30],
    }]
}

/// A report in which every flow of loads with so many flows can be told from the others.
pub(super) fn report_of(flows: &[u32]) -> EndReport {
    let flow = |index| FlowReport {
        total: Counters {
            written_messages: u64::from(index),
            ..Counters::default()
        },
        ..FlowReport::default()
    };
    let load = |flows: &u32| LoadReport {
        flows: (0..*flows).map(flow).collect(),
        ..LoadReport::default()
    };
    EndReport {
        end: End::Server,
        cpu: None,
        interface: None,
        loads: flows.iter().map(load).collect(),
        memory_per_flow_bytes: Some(4096),
        workers: Some(2),
    }
}

pub(super) fn report() -> EndReport {
    report_of(&FLOWS)
}

/// What the server's host has set for the run.
pub(super) fn sysctls() -> Sysctls {
    let set = ("net.ipv4.tcp_sack".to_owned(), "0".to_owned());
    Sysctls::from([set])
}

/// One of each, in the order of their definition.
pub(super) fn client_messages() -> [ClientMessage; 8] {
    [
        ClientMessage::Hello {
            protocol: PROTOCOL,
            netdyno: "0.1.0".into(),
        },
        ClientMessage::Propose {
            plan: Box::new(plan()),
            sysctls: sysctls(),
        },
        ClientMessage::Observe {
            interval: units::Nanos::from_secs(1),
        },
        ClientMessage::Start {},
        ClientMessage::Done { sent: totals() },
        ClientMessage::Stop {},
        ClientMessage::Abort {
            reason: "interrupted".into(),
        },
        ClientMessage::Bye {},
    ]
}

/// One of each, in the order of their definition.
pub(super) fn server_messages() -> [ServerMessage; 12] {
    let mut bare = report();
    let flows = std::mem::take(&mut bare.loads[0].flows);
    bare.loads[1].flows.clear();
    [
        ServerMessage::Hello {
            protocol: PROTOCOL,
            netdyno: "0.1.0".into(),
            facts: Box::new(facts()),
        },
        ServerMessage::Refuse {
            code: RefuseCode::TooManyTests,
            reason: "64 tests are running".into(),
        },
        ServerMessage::Accept {
            test: 7,
            token: TOKEN,
            caps: caps(),
            sysctls: sysctls(),
        },
        ServerMessage::Attached { grants: grants() },
        ServerMessage::Started {},
        ServerMessage::Edge { edge: edge() },
        ServerMessage::Observed {
            observation: Box::new(observation()),
        },
        ServerMessage::Done { sent: totals() },
        ServerMessage::Report {
            report: Box::new(bare),
        },
        ServerMessage::Flows {
            load: 0,
            first: 0,
            flows,
        },
        ServerMessage::ReportEnd {},
        ServerMessage::Abort {
            reason: "the server is stopping".into(),
        },
    ]
}
