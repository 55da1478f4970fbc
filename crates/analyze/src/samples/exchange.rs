//! Requests and replies.

use std::num::NonZeroU32;

use plan::{Arrival, Kind, Load};
use record::{Counters, End, Event, FlowReport, IpVersion, Latency, LoadEdge, LoadReport};

use super::bulk::finish;
use super::stage::{asked, begin, buckets, closing, edges, peer, plan, socket, window};

/// A thousand requests a second of one flow for ten seconds, intended at even distances, while
/// the server stands still for one of them: response times show it, service times hardly.
pub fn open_loop() -> Vec<Event> {
    let mut load = Load::new(Kind::Rr);
    load.depth = NonZeroU32::new(1).expect("not zero");
    load.arrival = Arrival::Paced {
        requests_per_second: 1000.0,
    };
    let plan = plan("beta", 0, 10, vec![load]);
    let mut events = vec![begin(&plan, "beta --load rr:rps=1000 --no-probe"), peer()];
    events.extend(edges(End::Client, &plan, 10, |second| {
        let calm = second != 6;
        let done = 1000 * second - if second == 5 { 900 } else { 0 };
        let latency = Latency {
            samples: if calm { 1000 } else { 1900 },
            min_ns: Some(58_000),
            mean_ns: Some(if calm { 71_000 } else { 470_000_000 }),
            p50_ns: Some(if calm { 69_000 } else { 450_000_000 }),
            p90_ns: Some(if calm { 80_000 } else { 890_000_000 }),
            p95_ns: Some(if calm { 83_000 } else { 940_000_000 }),
            p99_ns: Some(if calm { 91_000 } else { 980_000_000 }),
            p999_ns: Some(if calm { 95_000 } else { 995_000_000 }),
            max_ns: Some(if calm { 96_000 } else { 1_000_000_000 }),
        };
        vec![LoadEdge {
            counters: asked(done),
            latency: Some(latency),
            ..Default::default()
        }]
    }));
    events.extend(edges(End::Server, &plan, 10, |_| vec![LoadEdge::default()]));
    let usual = |i: u64| 58_000 + i * 7 % 30_000;
    // The requests that were due while the server stood still waited for its return.
    let response = (0..10_000_u64).map(|i| {
        if i < 1000 {
            (1000 - i) * 1_000_000
        } else {
            usual(i)
        }
    });
    let service = (0..10_000_u64).map(|i| if i == 0 { 1_000_000_000 } else { usual(i) });
    let answered = Counters {
        transactions: 0,
        ..asked(10_000)
    };
    let flow = |counted, port| FlowReport {
        counted,
        total: counted,
        tcp_info: Some(socket(10_000, 10_000)),
        client_port: port,
        ..Default::default()
    };
    let client = LoadReport {
        window_ns: window(&plan, 10),
        counted: asked(10_000),
        total: asked(10_000),
        response: Some(buckets(response)),
        service: Some(buckets(service)),
        ip: Some(IpVersion::Ipv4),
        flows: vec![FlowReport {
            mean_response_ns: Some(50_100_000),
            ..flow(asked(10_000), Some(40_000))
        }],
        ..Default::default()
    };
    let server = LoadReport {
        window_ns: window(&plan, 10),
        counted: answered,
        total: answered,
        ip: Some(IpVersion::Ipv4),
        flows: vec![flow(answered, None)],
        ..Default::default()
    };
    events.push(closing(End::Client, &plan, 10, vec![client]));
    events.push(closing(End::Server, &plan, 10, vec![server]));
    events.push(finish());
    events
}
