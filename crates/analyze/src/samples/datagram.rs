//! Datagrams, some of them lost.

use plan::{Kind, Load};
use record::{
    End, Event, FlowReport, GapError, Grant, Granted, IpVersion, LoadEdge, LoadReport, Outage,
    UdpCounters,
};
use units::{BitRate, Bytes};

use super::bulk::finish;
use super::stage::{S, begin, buckets, closing, edges, peer, plan, received, window, written};

/// 20 Mbit/s in datagrams of 1250 bytes: 2000 a second, of which 1990 arrive in time.
const PER_SECOND: u64 = 2_000;
const SIZE: u64 = 1_250;

/// One flow of 20 Mbit/s for three seconds: an outage of 15 ms, then single losses; a socket that
/// was read too late once; a few duplicates and late ones. The receive buffer was capped.
pub fn udp_with_loss() -> Vec<Event> {
    let mut load = Load::new(Kind::UdpStream);
    load.size = Bytes::new(SIZE);
    load.rate = Some(BitRate::new(20_000_000));
    let plan = plan("beta", 0, 3, vec![load]);
    let granted = |end| Granted {
        sndbuf_bytes: Some(425_984),
        rcvbuf_bytes: Some(425_984),
        rate_bits_per_second: Some(20_000_000),
        capped: match end {
            End::Client => Vec::new(),
            End::Server => {
                vec!["SO_RCVBUF: 4.00 MiB asked, 212992 B granted (net.core.rmem_max)".to_owned()]
            }
        },
        ..Default::default()
    };
    let grants = End::BOTH.map(|end| Grant {
        load: 0,
        end,
        granted: granted(end),
    });
    let arguments = "beta -u -b 20M -l 1250 -w 4M -t 3 --no-probe";
    let mut events = vec![
        begin(&plan, arguments),
        peer(),
        Event::Granted {
            grants: grants.into(),
        },
    ];
    let sent = |seconds| written(seconds * PER_SECOND * SIZE, seconds * PER_SECOND);
    let got = |seconds| {
        let datagrams = PER_SECOND * seconds - lost(seconds);
        received(datagrams * SIZE, datagrams + 2)
    };
    let edge = |counters, udp| {
        vec![LoadEdge {
            counters,
            udp,
            ..Default::default()
        }]
    };
    events.extend(edges(End::Client, &plan, 3, |s| edge(sent(s), None)));
    events.extend(edges(End::Server, &plan, 3, |s| {
        edge(got(s), Some(counters(s)))
    }));
    let error = buckets((0..6_000_u64).map(|i| {
        if i.is_multiple_of(50) {
            61_000
        } else {
            900 + i % 700
        }
    }));
    let client = LoadReport {
        window_ns: window(&plan, 3),
        counted: sent(3),
        total: sent(3),
        gap: Some(GapError {
            asked_gap_ns: S / PER_SECOND,
            errors: error,
        }),
        ip: Some(IpVersion::Ipv4),
        flows: vec![FlowReport {
            counted: sent(3),
            total: sent(3),
            client_port: Some(40_000),
            ..Default::default()
        }],
        ..Default::default()
    };
    let server = LoadReport {
        window_ns: window(&plan, 3),
        counted: got(3),
        counted_udp: Some(counters(3)),
        total: got(3),
        total_udp: Some(counters(3)),
        outages: vec![
            Outage {
                flow: 0,
                until_ns: 2_400_000_000,
                length_ns: 500_000,
                lost: 1,
            },
            Outage {
                flow: 0,
                until_ns: 1_615_000_000,
                length_ns: 15_000_000,
                lost: 30,
            },
        ],
        ip: Some(IpVersion::Ipv4),
        flows: vec![FlowReport {
            counted: got(3),
            total: got(3),
            udp: Some(counters(3)),
            ..Default::default()
        }],
        ..Default::default()
    };
    events.push(closing(End::Client, &plan, 3, vec![client]));
    events.push(closing(End::Server, &plan, 3, vec![server]));
    events.push(finish());
    events
}

fn lost(seconds: u64) -> u64 {
    [0, 0, 30, 34][seconds as usize]
}

fn counters(seconds: u64) -> UdpCounters {
    UdpCounters {
        received: PER_SECOND * seconds - lost(seconds),
        duplicate: 2,
        reordered: 5,
        reorder_depth_max: 3,
        highest_plus_one: PER_SECOND * seconds,
        malformed: 0,
        socket_drops: Some(3),
        jitter_ns: Some(11_400 + 100 * seconds),
    }
}
