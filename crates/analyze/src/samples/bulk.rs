//! Bulk TCP that goes to its end.

use std::num::NonZeroU32;

use plan::{Kind, Load, Plan};
use record::{
    Counters, End, Event, FlowReport, Grant, Granted, IpVersion, Latency, LoadEdge, LoadReport,
    Status,
};

use super::stage::{
    asked, begin, buckets, closing, edges, peer, plan, received, socket, window, written,
};

/// Payload bytes a second over gigabit Ethernet with timestamps.
const RATE: u64 = 117_685_000;
/// Written and not yet acknowledged.
const QUEUED: u64 = 2_600_000;
const WRITE: u64 = 131_072;

pub fn finish() -> Event {
    Event::Finish {
        status: Status::Ok,
        reason: None,
    }
}

/// One stream with the probe beside it, three seconds.
pub fn tcp_stream() -> Vec<Event> {
    let plan = plan(
        "beta",
        1,
        3,
        Load::with_probe(vec![Load::new(Kind::Stream)]),
    );
    let mut events = stream_until(&plan, 4);
    let sent = 3 * RATE;
    events.push(closing(
        End::Client,
        &plan,
        3,
        vec![
            LoadReport {
                window_ns: window(&plan, 3),
                counted: written(sent + QUEUED, sent / WRITE + 20),
                counted_acked_bytes: Some(sent),
                counted_retransmits: Some(4),
                total: written(sent + QUEUED, sent / WRITE + 20),
                congestion_control: Some("cubic".to_owned()),
                ip: Some(IpVersion::Ipv4),
                flows: vec![FlowReport {
                    counted: written(sent + QUEUED, sent / WRITE + 20),
                    total: written(sent + QUEUED, sent / WRITE + 20),
                    tcp_info: Some(socket(sent + QUEUED, 0)),
                    client_port: Some(40_000),
                    ..Default::default()
                }],
                ..Default::default()
            },
            probe(&plan, 3),
        ],
    ));
    let got = received(sent, sent / 60_000);
    events.push(closing(
        End::Server,
        &plan,
        3,
        vec![
            LoadReport {
                window_ns: window(&plan, 3),
                counted: got,
                total: received(sent + QUEUED, sent / 60_000 + 30),
                congestion_control: Some("cubic".to_owned()),
                ip: Some(IpVersion::Ipv4),
                flows: vec![FlowReport {
                    counted: got,
                    total: received(sent + QUEUED, sent / 60_000 + 30),
                    tcp_info: Some(socket(0, sent + QUEUED)),
                    ..Default::default()
                }],
                ..Default::default()
            },
            answers(&plan, 3),
        ],
    ));
    events.push(finish());
    events
}

/// The same up to the edges of `last`, without an end.
pub fn stream_until(plan: &Plan, last: u64) -> Vec<Event> {
    let mut events = vec![begin(plan, "beta -t 3"), peer(), granted()];
    events.extend(edges(End::Client, plan, last, |second| {
        let sent = (second - 1) * RATE;
        let stream = LoadEdge {
            counters: written(sent + QUEUED * (second - 1).min(1), sent / WRITE),
            acked_bytes: Some(sent),
            retransmits: Some((second - 1).min(2) * 2),
            rtt_us: Some(if second == 1 {
                210
            } else {
                1_150 + 10 * second
            }),
            cwnd_segments: Some(if second == 1 { 10 } else { 108 + second }),
            ..Default::default()
        };
        vec![stream, probe_edge(second)]
    }));
    events.extend(edges(End::Server, plan, last, |second| {
        let got = (second - 1) * RATE;
        let stream = LoadEdge {
            counters: received(got, got / 60_000),
            ..Default::default()
        };
        vec![stream, LoadEdge::default()]
    }));
    events
}

fn granted() -> Event {
    let grant = |load, end, sndbuf| Grant {
        load,
        end,
        granted: Granted {
            sndbuf_bytes: Some(sndbuf),
            rcvbuf_bytes: Some(131_072),
            mss_bytes: Some(1448),
            congestion_control: Some("cubic".to_owned()),
            ..Default::default()
        },
    };
    let ends = |load| {
        [
            grant(load, End::Client, 87_040),
            grant(load, End::Server, 87_040),
        ]
    };
    Event::Granted {
        grants: [ends(0), ends(1)].concat(),
    }
}

fn probe_edge(second: u64) -> LoadEdge {
    let median = if second == 1 { 205_000 } else { 1_270_000 };
    let latency = Latency {
        samples: 10,
        min_ns: Some(median / 2),
        mean_ns: Some(median),
        p50_ns: Some(median),
        p90_ns: Some(median * 5 / 4),
        p95_ns: Some(median * 5 / 4),
        p99_ns: Some(median * 3 / 2),
        p999_ns: Some(median * 3 / 2),
        max_ns: Some(median * 3 / 2),
    };
    LoadEdge {
        counters: asked(10 * second),
        latency: Some(latency),
        ..Default::default()
    }
}

/// The probe at the asking end: ten requests a second.
pub fn probe(plan: &Plan, seconds: u64) -> LoadReport {
    let asking = |from: u64, n: u64| buckets((0..n).map(move |i| from + i * 7_919 % (from / 2)));
    LoadReport {
        window_ns: window(plan, seconds),
        counted: asked(10 * seconds),
        total: asked(10 * seconds + 10),
        response: Some(asking(1_050_000, 10 * seconds)),
        service: Some(asking(1_040_000, 10 * seconds)),
        idle: Some(asking(190_000, 10)),
        congestion_control: Some("cubic".to_owned()),
        ip: Some(IpVersion::Ipv4),
        flows: vec![FlowReport {
            counted: asked(10 * seconds),
            total: asked(10 * seconds + 10),
            mean_response_ns: Some(1_260_000),
            tcp_info: Some(socket(10 * seconds + 10, 10 * seconds + 10)),
            client_port: Some(39_999),
            ..Default::default()
        }],
        ..Default::default()
    }
}

/// The probe at the answering end.
pub fn answers(plan: &Plan, seconds: u64) -> LoadReport {
    let answered = |n| Counters {
        transactions: 0,
        ..asked(n)
    };
    LoadReport {
        window_ns: window(plan, seconds),
        counted: answered(10 * seconds),
        total: answered(10 * seconds + 10),
        congestion_control: Some("cubic".to_owned()),
        ip: Some(IpVersion::Ipv4),
        flows: vec![FlowReport {
            counted: answered(10 * seconds),
            total: answered(10 * seconds + 10),
            tcp_info: Some(socket(10 * seconds + 10, 10 * seconds + 10)),
            ..Default::default()
        }],
        ..Default::default()
    }
}

/// Four connections, both ways, without a probe; the second direction is slower.
pub fn bidir() -> Vec<Event> {
    let mut load = Load::new(Kind::Bidir);
    load.flows = NonZeroU32::new(4).expect("not zero");
    let plan = plan("beta", 0, 3, vec![load]);
    let (up, down) = (27_000_000, 21_000_000);
    let both = |out: u64, back: u64| {
        let counted = written(out, out / WRITE) + received(back, back / 50_000);
        LoadEdge {
            counters: counted,
            acked_bytes: Some(out),
            retransmits: Some(0),
            rtt_us: Some(2_340),
            cwnd_segments: Some(87),
            ..Default::default()
        }
    };
    let mut events = vec![begin(&plan, "beta -t 3 -P 4 --bidir --no-probe"), peer()];
    let client = |second| vec![both(4 * up * second, 4 * down * second)];
    let server = |second| vec![both(4 * down * second, 4 * up * second)];
    events.extend(edges(End::Client, &plan, 3, client));
    events.extend(edges(End::Server, &plan, 3, server));
    for (end, out, back) in [(End::Client, up, down), (End::Server, down, up)] {
        let counted = |flow: u64| {
            let (out, back) = (out * 3 + flow * 1_000_000, back * 3 + flow * 1_000_000);
            written(out, out / WRITE) + received(back, back / 50_000)
        };
        let flows = (0..4).map(|flow| FlowReport {
            counted: counted(flow),
            total: counted(flow),
            tcp_info: Some(socket(
                counted(flow).written_bytes,
                counted(flow).received_bytes,
            )),
            client_port: (end == End::Client).then_some(40_000 + flow as u16),
            ..Default::default()
        });
        let flows: Vec<FlowReport> = flows.collect();
        let sum = flows
            .iter()
            .fold(Counters::default(), |sum, flow| sum + flow.counted);
        let load = LoadReport {
            window_ns: window(&plan, 3),
            counted: sum,
            counted_acked_bytes: Some(sum.written_bytes),
            counted_retransmits: Some(u64::from(end == End::Server) * 17),
            total: sum,
            congestion_control: Some("cubic".to_owned()),
            ip: Some(IpVersion::Ipv6),
            flows,
            ..Default::default()
        };
        events.push(closing(end, &plan, 3, vec![load]));
    }
    events.push(finish());
    events
}

/// A thousand flows to the client; each fourth gets half of what the others get.
pub fn thousand_flows() -> Vec<Event> {
    let mut load = Load::new(Kind::Maerts);
    load.flows = NonZeroU32::new(1000).expect("not zero");
    let plan = plan("beta", 0, 2, vec![load]);
    let share = |flow: u64| {
        if flow.is_multiple_of(4) {
            120_000
        } else {
            240_000
        }
    };
    let mut events = vec![begin(&plan, "beta -t 2 -P 1000 -R --no-probe"), peer()];
    let edge = |counters| {
        vec![LoadEdge {
            counters,
            ..Default::default()
        }]
    };
    let per_second: u64 = (0..1000).map(share).sum::<u64>() / 2;
    events.extend(edges(End::Client, &plan, 2, |s| {
        edge(received(s * per_second, s * 3_000))
    }));
    events.extend(edges(End::Server, &plan, 2, |s| {
        edge(written(s * per_second, s * 800))
    }));
    for end in End::BOTH {
        let counted = |flow| match end {
            End::Client => received(share(flow), 6),
            End::Server => written(share(flow), 2),
        };
        let tcp_info = |flow| match end {
            End::Client => socket(0, share(flow)),
            End::Server => socket(share(flow), 0),
        };
        let flows = (0..1000).map(|flow| FlowReport {
            counted: counted(flow),
            total: counted(flow),
            tcp_info: Some(tcp_info(flow)),
            client_port: (end == End::Client).then_some(20_000 + flow as u16),
            ..Default::default()
        });
        let flows: Vec<FlowReport> = flows.collect();
        let sum = flows
            .iter()
            .fold(Counters::default(), |sum, flow| sum + flow.counted);
        let load = LoadReport {
            window_ns: window(&plan, 2),
            counted: sum,
            counted_acked_bytes: (end == End::Server).then_some(sum.written_bytes),
            counted_retransmits: (end == End::Server).then_some(0),
            total: sum,
            congestion_control: Some("cubic".to_owned()),
            ip: Some(IpVersion::Ipv4),
            flows,
            ..Default::default()
        };
        let Event::Report(mut report) = closing(end, &plan, 2, vec![load]) else {
            continue;
        };
        report.memory_per_flow_bytes = Some(9_216);
        events.push(Event::Report(report));
    }
    events.push(finish());
    events
}
