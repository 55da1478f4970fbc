//! Every kind of load, over both IP versions: what was asked is what was done.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use plan::Kind;
use record::{End, Phase, Run};

use crate::client::Client;
use crate::server::Server;

/// Loopback of both families; IPv6 only where this machine has it.
fn loopbacks() -> Vec<IpAddr> {
    let v6 = IpAddr::from(Ipv6Addr::LOCALHOST);
    match std::net::UdpSocket::bind((v6, 0)) {
        Ok(_) => vec![Ipv4Addr::LOCALHOST.into(), v6],
        Err(error) => {
            not_run::cell("IPv6", format!("no socket on ::1: {error}"));
            vec![Ipv4Addr::LOCALHOST.into()]
        }
    }
}

/// A short run of `load` against a server of its own.
fn run(address: IpAddr, words: &str) -> Run {
    let server = Server::at(address, "");
    Client::new(&format!("{} {words}", server.address())).document()
}

#[test]
fn every_kind_moves_its_data_over_both_ip_versions() {
    for address in loopbacks() {
        let server = Server::at(address, "");
        for kind in Kind::ALL {
            let probe = if kind == Kind::Probe {
                ""
            } else {
                "--no-probe"
            };
            // Unpaced datagrams would only measure what the receiving socket drops.
            let rate = if kind.name().starts_with("udp") && !kind.is_exchange() {
                ":rate=10M"
            } else {
                ""
            };
            let words = format!("{} -t 0.3 {probe} --load {kind}{rate}", server.address());
            let run = Client::new(&words).document();
            let what = format!("{kind} over {address}");
            assert_eq!(run.loads.len(), 1, "{what}");
            let load = &run.loads[0];
            assert_eq!((load.kind, load.flows), (kind, 1), "{what}");
            assert!(
                load.received.is_some_and(|received| received.bytes > 0),
                "{what}: {:?}",
                load.received
            );
            assert_eq!(
                load.directions.len(),
                if kind.is_exchange() {
                    0
                } else {
                    directions(kind)
                }
            );
            assert!(
                load.directions
                    .iter()
                    .all(|way| way.received.unwrap().bytes > 0),
                "{what}"
            );
            assert_eq!(
                load.transactions.is_some_and(|n| n > 0),
                kind.is_exchange(),
                "{what}"
            );
            assert_eq!(
                load.latency.is_some_and(|l| l.samples > 0),
                kind.is_exchange(),
                "{what}"
            );
        }
    }
}

fn directions(kind: Kind) -> usize {
    End::BOTH
        .into_iter()
        .filter(|end| end.receives(kind))
        .count()
}

#[test]
fn bytes_end_a_load_exactly_there() {
    for address in loopbacks() {
        for (load, flows, bytes, ways) in [
            ("stream", 1, 10_000_001, 1),
            ("maerts", 3, 1_234_567, 1),
            ("bidir", 2, 3_000_000, 2),
            ("stream:size=1000", 2, 1_500, 1),
        ] {
            let separator = if load.contains(':') { ',' } else { ':' };
            let words = format!("--no-probe --load {load}{separator}flows={flows},bytes={bytes}");
            let run = run(address, &words);
            let [received, sent] = [run.loads[0].received, run.loads[0].sent].map(Option::unwrap);
            let all = flows * bytes * ways;
            assert_eq!(received.bytes, all, "{load} over {address}");
            // The last acknowledgement may be on its way when the sender looks.
            let sent = sent.bytes;
            assert!(sent > 0 && sent <= all, "{load} over {address}: {sent}");
            let rows = run.loads[0].per_flow.iter().map(|row| row.received_bytes);
            assert!(
                rows.eq((0..flows).map(|_| Some(bytes * ways))),
                "{load} over {address}"
            );
        }
    }
}

#[test]
fn a_count_ends_a_load_exactly_there() {
    for (load, count) in [
        ("rr:flows=3", 1000),
        ("crr", 50),
        ("rr:depth=8,flows=2", 1001),
        ("udp-rr", 200),
    ] {
        let separator = if load.contains(':') { ',' } else { ':' };
        let words = format!("--no-probe --load {load}{separator}count={count}");
        let run = run(Ipv4Addr::LOCALHOST.into(), &words);
        let load = &run.loads[0];
        assert_eq!(
            load.transactions,
            Some(u64::from(load.flows) * count),
            "{words}"
        );
        assert_eq!(
            load.latency.unwrap().samples,
            u64::from(load.flows) * count,
            "{words}"
        );
        assert!(
            load.per_flow
                .iter()
                .all(|row| row.transactions == Some(count)),
            "{words}"
        );
    }
    let words = "--no-probe --load udp-stream:size=100,count=1000,flows=2";
    let run = run(Ipv4Addr::LOCALHOST.into(), words);
    let loss = &run.loads[0].loss[0];
    assert_eq!(
        (loss.sent, loss.received + loss.lost),
        (2000, 2000),
        "{loss:?}"
    );
}

#[test]
fn bytes_end_datagrams_with_the_last_one_that_is_needed() {
    let words = "--no-probe --load udp-maerts:size=1000,bytes=10500";
    let run = run(Ipv4Addr::LOCALHOST.into(), words);
    assert_eq!(run.loads[0].loss[0].sent, 11);
}

#[test]
fn a_run_whose_loads_are_through_ends_before_its_time() {
    let words = "-t 1h --load stream:bytes=1M --load rr:count=100";
    let run = run(Ipv4Addr::LOCALHOST.into(), words);
    assert_eq!(run.loads[0].received.unwrap().bytes, 1 << 20);
    assert_eq!(run.loads[1].transactions, Some(100));
}

#[test]
fn a_run_whose_time_is_over_ends_before_its_loads() {
    let run = run(
        Ipv4Addr::LOCALHOST.into(),
        "-t 0.5 --no-probe --load stream:bytes=1T,rate=10M",
    );
    assert!(run.loads[0].received.unwrap().bytes < 1 << 30);
}

#[test]
fn a_delayed_load_starts_later_and_counts_from_then() {
    let words = "-t 1 -i 0.1 --no-probe --load stream:name=first,rate=100M \
                 --load stream:name=later,rate=100M,delay=500ms";
    let run = run(Ipv4Addr::LOCALHOST.into(), words);
    for interval in run
        .intervals
        .iter()
        .filter(|interval| interval.end == End::Server)
    {
        let later = interval.loads[1].counters.received_bytes;
        if interval.to_ns < 500_000_000 {
            assert_eq!(later, 0, "{interval:?}");
        }
    }
    let [first, later] = [0, 1].map(|load| run.loads[load].received.unwrap());
    assert!(
        first.seconds > 0.9 && later.seconds < 0.6,
        "{first:?} {later:?}"
    );
    assert!(
        later.bytes > 0 && later.bytes < first.bytes * 3 / 4,
        "{first:?} {later:?}"
    );
}

#[test]
fn a_warm_up_is_shown_and_not_counted() {
    let run = run(
        Ipv4Addr::LOCALHOST.into(),
        "-O 0.5 -t 0.5 -i 0.1 --no-probe --load stream:rate=100M",
    );
    let sum = |phase| {
        let intervals = run
            .intervals
            .iter()
            .filter(|i| i.end == End::Server && i.phase == phase);
        intervals
            .map(|interval| interval.loads[0].counters.received_bytes)
            .sum::<u64>()
    };
    let received = run.loads[0].received.unwrap();
    assert!(sum(Phase::Omit) > 0);
    assert_eq!(sum(Phase::Measure), received.bytes);
    assert!(received.seconds < 0.75, "{received:?}");
}

#[test]
fn loads_of_one_run_start_together() {
    let words = "-t 0.5 -i 0.1 --no-probe --load stream:rate=50M --load maerts:rate=50M \
                 --load udp-stream:rate=10M,flows=4 --load rr:rps=1000 --load crr";
    let run = run(Ipv4Addr::LOCALHOST.into(), words);
    for (i, load) in run.loads.iter().enumerate() {
        let receiver = End::BOTH
            .into_iter()
            .find(|end| end.receives(load.kind))
            .unwrap();
        let first = run
            .intervals
            .iter()
            .find(|interval| interval.end == receiver)
            .unwrap();
        assert!(
            first.loads[i].counters.received_bytes > 0,
            "{}: {first:?}",
            load.name
        );
    }
    assert!(
        run.loads
            .iter()
            .all(|load| load.received.unwrap().seconds > 0.4)
    );
}
