//! The run that the sessions are about: two loads, the first with three flows.

use plan::{Family, Load, Path, Plan, Timing};
use proto::native::{ClientMessage, PROTOCOL, SentTotals, ServerMessage, Sysctls, Token};
use record::{
    Counters, Edge, End, EndReport, Facts, FlowReport, Granted, LoadEdge, LoadReport, Observation,
    Phase, Rows,
};

pub(crate) fn plan() -> Plan {
    let loads = ["udp-bidir:flows=3", "rr"].map(|text| Load::parse(text).expect("a load"));
    let path = Path::Host {
        host: "192.0.2.1".into(),
        port: Path::DEFAULT_PORT,
        family: Family::Any,
    };
    Plan::new(path, Timing::for_loads(&loads), loads.into()).expect("a plan")
}

pub(crate) fn facts() -> Facts {
    Facts {
        netdyno: "0.1.0".into(),
        hostname: Some("server".into()),
        cpus: Some(2),
        ..Facts::default()
    }
}

pub(crate) const TOKEN: Token = Token::new([0xab; 16]);

pub(crate) fn grants() -> Vec<Granted> {
    vec![Granted::default(); 2]
}

pub(crate) fn totals() -> Vec<SentTotals> {
    vec![SentTotals {
        load: 0,
        flows: vec![10, 20, 30],
    }]
}

pub(crate) fn edge() -> Edge {
    let load = |flows| LoadEdge {
        flows: vec![Counters::default(); flows],
        ..LoadEdge::default()
    };
    Edge {
        end: End::Server,
        at_ns: 1_000_000_000,
        phase: Phase::Measure,
        cpu: None,
        loads: vec![load(3), load(1)],
    }
}

pub(crate) fn observation() -> Observation {
    let mut rows = Rows::default();
    rows.set("softnet", "cpu0", "dropped", 3);
    Observation {
        end: End::Server,
        at_ns: 1_000_000_000,
        rows,
        ..Observation::default()
    }
}

pub(crate) fn report() -> EndReport {
    let load = |flows| LoadReport {
        flows: vec![FlowReport::default(); flows],
        ..LoadReport::default()
    };
    EndReport {
        end: End::Server,
        cpu: None,
        interface: None,
        loads: vec![load(3), load(1)],
        memory_per_flow_bytes: None,
        workers: None,
    }
}

/// What a well-behaved client says, in order.
pub(crate) fn client_says() -> [ClientMessage; 5] {
    [
        ClientMessage::Hello {
            protocol: PROTOCOL,
            netdyno: "0.1.0".into(),
        },
        ClientMessage::Propose {
            plan: Box::new(plan()),
            sysctls: sysctls(),
        },
        ClientMessage::Start {},
        ClientMessage::Done { sent: totals() },
        ClientMessage::Bye {},
    ]
}

/// What the server's host has set for the run.
pub(crate) fn sysctls() -> Sysctls {
    let set = ("net.ipv4.tcp_sack".to_owned(), "0".to_owned());
    Sysctls::from([set])
}

/// What a well-behaved server says, in order.
pub(crate) fn server_says() -> [ServerMessage; 11] {
    let mut bare = report();
    let [first, second] = [0, 1].map(|load| ServerMessage::Flows {
        load,
        first: 0,
        flows: std::mem::take(&mut bare.loads[load].flows),
    });
    [
        ServerMessage::Hello {
            protocol: PROTOCOL,
            netdyno: "0.1.0".into(),
            facts: Box::new(facts()),
        },
        ServerMessage::Accept {
            test: 7,
            token: TOKEN,
            caps: vec![],
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
        first,
        second,
        ServerMessage::ReportEnd {},
    ]
}
