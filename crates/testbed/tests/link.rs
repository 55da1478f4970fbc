//! Links of all kinds, with real packets.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod crossing;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::num::NonZeroU16;
use std::time::{Duration, Instant};

use plan::{Family, Link};
use record::{End, InterfaceCounters};
use sys::ethtool::{self, Offload};
use sys::rtnetlink::Rtnetlink;
use testbed::{Testbed, TestbedError};
use units::{BitRate, Nanos};

use crossing::{datagram_sockets, drain, in_testbed, on_server, take};

/// Ethernet, IP and UDP headers, bytes.
fn headers(family: Family) -> u64 {
    match family {
        Family::V6 => 14 + 40 + 8,
        _ => 14 + 20 + 8,
    }
}

fn with_delay(delay: Nanos) -> Link {
    Link {
        delay: Some(delay),
        ..Link::default()
    }
}

#[test]
fn a_fresh_link_is_silent_and_counts_exactly_what_crosses_it() {
    not_run::needs_namespaces!();
    for link in [Link::default(), with_delay(Nanos::from_millis(1))] {
        for family in [Family::V4, Family::V6] {
            in_testbed(link.clone(), family, move |testbed| {
                let counters = |end| testbed.counters(end).unwrap();
                let nothing = InterfaceCounters::default();
                assert_eq!(
                    (counters(End::Client), counters(End::Server)),
                    (nothing, nothing)
                );
                let (near, far) = datagram_sockets(testbed);
                for _ in 0..10 {
                    near.send(&[0; 100]).unwrap();
                }
                far.send(&[0; 50]).unwrap();
                take(&far, 10);
                take(&near, 1);
                let (client, server) = (counters(End::Client), counters(End::Server));
                let expected = InterfaceCounters {
                    tx_packets: 10,
                    tx_bytes: 10 * (100 + headers(family)),
                    rx_packets: 1,
                    rx_bytes: 50 + headers(family),
                    ..nothing
                };
                assert_eq!(client, expected);
                assert_eq!(
                    (server.rx_packets, server.rx_bytes),
                    (client.tx_packets, client.tx_bytes)
                );
                assert_eq!(
                    (server.tx_packets, server.tx_bytes),
                    (client.rx_packets, client.rx_bytes)
                );
            });
        }
    }
}

/// Sends `bytes` over TCP and gives what arrived.
fn stream(testbed: &Testbed, bytes: &[u8]) -> Vec<u8> {
    let address = SocketAddr::new(testbed.address(End::Server), 0);
    let listener = on_server(testbed, || TcpListener::bind(address).unwrap());
    let mut near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (mut far, _) = listener.accept().unwrap();
    let mut received = vec![0; bytes.len()];
    std::thread::scope(|scope| {
        scope.spawn(|| near.write_all(bytes).unwrap());
        far.read_exact(&mut received).unwrap();
    });
    received
}

#[test]
fn a_stream_crosses_unharmed() {
    not_run::needs_namespaces!();
    let pattern: Vec<u8> = (0..20u32 << 20).map(|i| (i % 251) as u8).collect();
    for link in [Link::default(), with_delay(Nanos::new(100_000))] {
        let pattern = pattern.clone();
        in_testbed(link, Family::Any, move |testbed| {
            assert!(stream(testbed, &pattern) == pattern);
            let counters = testbed.counters(End::Client).unwrap();
            assert!(counters.tx_bytes > pattern.len() as u64);
        });
    }
}

#[test]
fn a_slow_link_carries_small_packets() {
    not_run::needs_namespaces!();
    not_run::needs_program!("tc");
    let link = Link {
        rate: Some(BitRate::new(100_000_000)),
        ..Link::default()
    };
    in_testbed(link, Family::V4, |testbed| {
        stream(testbed, &[0; 1_000_000]);
        let sent = testbed.counters(End::Client).unwrap();
        // Half a millisecond of the link's time is four frames.
        let largest = 4 * 1514;
        assert!(sent.tx_bytes <= sent.tx_packets * largest, "{sent:?}");
    });
}

#[test]
fn a_rate_is_never_exceeded() {
    not_run::needs_namespaces!();
    not_run::needs_program!("tc");
    let rate = BitRate::new(10_000_000);
    for qdisc in [
        None,
        Some("tbf burst 4000 limit 100000"),
        Some("htb"),
        Some("bfifo limit 100000"),
    ] {
        let link = Link {
            rate: Some(rate),
            qdisc: qdisc.map(str::to_owned),
            ..Link::default()
        };
        in_testbed(link, Family::V4, move |testbed| {
            let (near, far) = datagram_sockets(testbed);
            const DATAGRAMS: usize = 50;
            let begin = Instant::now();
            for _ in 0..DATAGRAMS {
                near.send(&[0; 1200]).unwrap();
            }
            take(&far, DATAGRAMS);
            // All but what leaves at once needs its time: a bucket of at most 4100 bytes, and
            // with htb the frame that empties it.
            let bits = ((DATAGRAMS - 1) as u64 * (1200 + headers(Family::V4)) - 4100) * 8;
            let least = Duration::from_secs_f64(bits as f64 / rate.get() as f64);
            assert!(begin.elapsed() >= least, "{qdisc:?}: {:?}", begin.elapsed());
        });
    }
}

#[test]
fn a_full_queue_drops_the_rest() {
    not_run::needs_namespaces!();
    not_run::needs_program!("tc");
    let link = Link {
        // So slow that nothing but the bucket's content leaves while the test runs.
        rate: Some(BitRate::new(800)),
        qdisc: Some("tbf burst 2kb limit 6kb".into()),
        ..Link::default()
    };
    in_testbed(link, Family::V4, |testbed| {
        let (near, _far) = datagram_sockets(testbed);
        for _ in 0..20 {
            // The kernel says nothing of a drop in a qdisc to a sender of datagrams.
            near.send(&[0; 1200]).unwrap();
        }
        // 2048 bytes let one frame of 1242 through at once.
        let server = testbed.counters(End::Server).unwrap();
        assert_eq!(server.rx_packets, 1);
    });
}

#[test]
fn a_delay_holds_both_ways() {
    not_run::needs_namespaces!();
    let delay = Nanos::from_millis(20);
    in_testbed(with_delay(delay), Family::V4, move |testbed| {
        let (near, far) = datagram_sockets(testbed);
        for _ in 0..5 {
            let begin = Instant::now();
            near.send(b"ping").unwrap();
            take(&far, 1);
            assert!(begin.elapsed() >= delay.into());
            far.send(b"pong").unwrap();
            take(&near, 1);
            assert!(begin.elapsed() >= (delay + delay).into());
        }
    });
}

#[test]
fn a_loss_has_its_share_and_repeats_itself() {
    not_run::needs_namespaces!();
    const ROUNDS: usize = 200;
    const EACH: usize = 50;
    let link = Link {
        loss: Some(0.1),
        ..Link::default()
    };
    let (tell, told) = std::sync::mpsc::channel();
    for _ in 0..2 {
        let tell = tell.clone();
        in_testbed(link.clone(), Family::V4, move |testbed| {
            let (near, far) = datagram_sockets(testbed);
            let sent = (ROUNDS * EACH) as u64;
            let mut arrived = 0;
            for round in 1..=ROUNDS {
                for _ in 0..EACH {
                    near.send(&[0; 20]).unwrap();
                }
                // Wait for the relay, so that no queue overflows.
                let decided = || testbed.relay_counts().unwrap().to_server;
                while decided().forwarded + decided().lost < (round * EACH) as u64 {
                    std::thread::yield_now();
                }
                let forwarded = decided().forwarded as usize;
                take(&far, forwarded - arrived);
                arrived = forwarded;
            }
            let counts = testbed.relay_counts().unwrap();
            assert_eq!(counts.to_server.forwarded + counts.to_server.lost, sent);
            assert_eq!((counts.to_server.dropped, counts.to_client.lost), (0, 0));
            assert!(testbed.relay_cpu().unwrap() > Nanos::ZERO);
            tell.send(counts.to_server.lost).unwrap();
        });
    }
    let (first, second) = (told.recv().unwrap(), told.recv().unwrap());
    assert_eq!(first, second);
    // Five standard deviations of 10,000 draws: 5 * sqrt(10000 * 0.1 * 0.9).
    assert!(first.abs_diff(1000) < 150, "{first}");
}

#[test]
fn an_interrupted_link_loses_everything_until_it_is_back() {
    not_run::needs_namespaces!();
    for link in [Link::default(), with_delay(Nanos::from_millis(1))] {
        for family in [Family::V4, Family::V6] {
            in_testbed(link.clone(), family, |testbed| {
                let (near, far) = datagram_sockets(testbed);
                near.send(b"before").unwrap();
                take(&far, 1);
                testbed.set_down(true).unwrap();
                for _ in 0..10 {
                    // Without a carrier the kernel may refuse to send, or let it vanish.
                    let _ = near.send(b"lost");
                }
                let relay_lost = || testbed.relay_counts().map_or(10, |c| c.to_server.lost);
                while relay_lost() < 10 {
                    std::thread::yield_now();
                }
                assert_eq!(drain(&far, Duration::from_millis(20)), 0);
                testbed.set_down(false).unwrap();
                far.set_read_timeout(Some(crossing::PATIENCE)).unwrap();
                near.send(b"after").unwrap();
                take(&far, 1);
                far.send(b"answer").unwrap();
                take(&near, 1);
            });
        }
    }
}

#[test]
fn queues_mtu_and_offloads_are_as_asked_at_both_ends() {
    not_run::needs_namespaces!();
    for (delay, offload) in [
        (None, Some(true)),
        (None, Some(false)),
        (Some(Nanos::ZERO), Some(false)),
    ] {
        let link = Link {
            delay,
            offload,
            queues: NonZeroU16::new(4),
            mtu: Some(9000),
            ..Link::default()
        };
        in_testbed(link, Family::V6, move |testbed| {
            let check = |end| {
                let device = testbed.device(end);
                let link = Rtnetlink::open().unwrap().link(device).unwrap();
                assert_eq!(link.mtu, Some(9000));
                if delay.is_none() {
                    assert_eq!(link.tx_queues, Some(4));
                }
                for offload_kind in Offload::ALL {
                    let is = ethtool::offload(device, offload_kind).unwrap();
                    assert_eq!(Some(is), offload, "{device} {offload_kind:?}");
                }
            };
            check(End::Client);
            on_server(testbed, || check(End::Server));
            let (near, far) = datagram_sockets(testbed);
            near.send(&[0; 8000]).unwrap();
            take(&far, 1);
        });
    }
}

#[test]
fn a_qdisc_stands_at_both_ends() {
    not_run::needs_namespaces!();
    not_run::needs_program!("tc");
    let link = Link {
        qdisc: Some("htb r2q 1000 default 3".into()),
        ..Link::default()
    };
    in_testbed(link, Family::V4, |testbed| {
        let qdisc = |end| {
            let link = Rtnetlink::open().unwrap().link(testbed.device(end));
            link.unwrap().qdisc
        };
        assert_eq!(qdisc(End::Client).as_deref(), Some("htb"));
        assert_eq!(
            on_server(testbed, || qdisc(End::Server)).as_deref(),
            Some("htb")
        );
        let (near, far) = datagram_sockets(testbed);
        near.send(b"through").unwrap();
        take(&far, 1);
    });
}

fn refusal(link: Link, family: Family) -> TestbedError {
    std::thread::spawn(move || {
        let home = sys::netns::NetNs::current().unwrap().inode().unwrap();
        let error = Testbed::create(&link, family).unwrap_err();
        let now = sys::netns::NetNs::current().unwrap().inode().unwrap();
        assert_eq!(home, now, "the thread is back where it was");
        error
    })
    .join()
    .unwrap()
}

#[test]
fn what_tc_or_the_kernel_refuses_is_said_in_a_sentence() {
    not_run::needs_root!();
    not_run::needs_program!("tc");
    let qdisc = |words: &str| Link {
        qdisc: Some(words.into()),
        ..Link::default()
    };
    let words = refusal(qdisc("tbf speed 10"), Family::V4);
    assert!(words.is_usage());
    let words = words.to_string();
    assert!(
        words.starts_with("'tbf speed 10' is not a qdisc that tc understands: "),
        "{words}"
    );
    assert!(
        words.contains("\"speed\"") && !words.contains('\n'),
        "{words}"
    );
    let unknown = refusal(qdisc("nosuchqdisc"), Family::V4);
    assert!(!unknown.is_usage());
    assert!(
        unknown.to_string().contains("qdisc kind is unknown"),
        "{unknown}"
    );
}

#[test]
fn contradictions_are_refused_before_anything_is_made() {
    let relayed = with_delay(Nanos::from_millis(1));
    for (link, family, part) in [
        (
            Link {
                mtu: Some(1000),
                ..Link::default()
            },
            Family::V6,
            "1280",
        ),
        (
            Link {
                offload: Some(true),
                ..relayed.clone()
            },
            Family::V4,
            "offload=on",
        ),
        (
            Link {
                mtu: Some(65535),
                ..relayed.clone()
            },
            Family::V4,
            "65521",
        ),
        (
            Link {
                queues: NonZeroU16::new(300),
                ..relayed
            },
            Family::V4,
            "256",
        ),
    ] {
        let error = refusal(link, family);
        assert!(
            error.is_usage() && error.to_string().contains(part),
            "{error}"
        );
    }
}
