//! The books, held against what a veth pair and a loopback device of Linux 6.18 counted.

use plan::{Kind, Load};
use record::{Counters, End, EndLedger, Event, IpVersion, LoadReport, TcpInfo};
use units::Bytes;

use super::{changed, first_load, run};
use crate::samples;

/// 3,000,000 bytes written to one connection over a veth pair with segmentation offload off:
/// TCP_INFO of both ends before closing, and what the interface counted.
fn measured(end: End) -> TcpInfo {
    let (sent, received, out, back) = match end {
        End::Client => (3_000_000, 0, 2_074, 323),
        End::Server => (0, 3_000_000, 322, 2_074),
    };
    TcpInfo {
        tcpi_options: Some(7),
        tcpi_bytes_sent: Some(sent),
        tcpi_bytes_received: Some(received),
        tcpi_segs_out: Some(out),
        tcpi_segs_in: Some(back),
        ..Default::default()
    }
}
const CLIENT_SENT: u64 = 3_136_892;
const CLIENT_RECEIVED: u64 = 21_326;

/// The TCP sample with one load, whose sockets say `info`.
fn with_sockets(info: impl Fn(End) -> TcpInfo) -> Vec<Event> {
    let mut events = samples::tcp_stream();
    if let Event::Begin { plan, .. } = &mut events[0] {
        plan.loads.truncate(1);
    }
    for end in End::BOTH {
        events = first_load(events, end, |load| load.flows[0].tcp_info = Some(info(end)));
    }
    events
}

/// The ledger of one UDP load of a hundred datagrams of 1000 bytes from the client.
fn with_datagrams(change: impl Fn(&mut record::Facts)) -> record::Ledger {
    let mut events = samples::udp_with_loss();
    for event in &mut events {
        match event {
            Event::Begin { plan, facts, .. } => {
                plan.loads[0] = Load {
                    size: Bytes::new(1000),
                    ..Load::new(Kind::UdpStream)
                };
                change(facts);
            }
            Event::Peer { facts } => change(facts),
            _ => {}
        }
    }
    let total = Counters {
        written_bytes: 100_000,
        written_messages: 100,
        ..Default::default()
    };
    let ip = Some(IpVersion::Ipv4);
    let sent = |load: &mut LoadReport| {
        *load = LoadReport {
            total,
            ip,
            ..Default::default()
        }
    };
    let events = first_load(events, End::Client, sent);
    let events = End::BOTH.into_iter().fold(events, |events, end| {
        changed(events, end, |report| {
            let (_, counted) = report.interface.as_mut().unwrap();
            (counted.tx_packets, counted.rx_packets) = (131, 133);
        })
    });
    let got = |load: &mut LoadReport| {
        let total = Counters {
            received_bytes: 90_000,
            received_messages: 90,
            ..Default::default()
        };
        let mut udp = record::UdpCounters {
            received: 90,
            ..Default::default()
        };
        udp.socket_drops = Some(10);
        *load = LoadReport {
            total,
            ip,
            total_udp: Some(udp),
            ..Default::default()
        };
    };
    run(&first_load(events, End::Server, got)).ledger
}

fn explained(ledger: Option<EndLedger>) -> (Option<u64>, Option<u64>) {
    let wire = ledger.unwrap().wire.unwrap();
    (wire.explained_tx_bytes, wire.explained_rx_bytes)
}

#[test]
fn tcp_explains_what_a_veth_counted_to_the_byte() {
    let ledger = run(&with_sockets(measured)).ledger;
    assert_eq!(
        explained(ledger.client),
        (Some(CLIENT_SENT), Some(CLIENT_RECEIVED))
    );
    assert_eq!(
        explained(ledger.server),
        (Some(CLIENT_RECEIVED), Some(CLIENT_SENT))
    );
}

#[test]
fn a_fin_is_no_byte_on_the_wire() {
    const CLOSE_WAIT: u64 = 8;
    let closed = |end| {
        let mut info = measured(end);
        if end == End::Server {
            info.tcpi_state = Some(CLOSE_WAIT);
            info.tcpi_bytes_received = info.tcpi_bytes_received.map(|bytes| bytes + 1);
        }
        info
    };
    let ledger = run(&with_sockets(closed)).ledger;
    assert_eq!(
        explained(ledger.server),
        (Some(CLIENT_RECEIVED), Some(CLIENT_SENT))
    );
}

#[test]
fn with_segmentation_offload_a_packet_has_one_header() {
    // As measured, but the interface saw one packet for every ten segments.
    let events = changed(with_sockets(measured), End::Client, |report| {
        report.interface.as_mut().unwrap().1.tx_packets = 207;
    });
    let (sent, received) = explained(run(&events).ledger.client);
    assert_eq!(sent, Some(3_000_000 + (2_074 * 66 + 8) * 207 / 2_074));
    assert_eq!(received, Some(CLIENT_RECEIVED));
}

#[test]
fn options_that_were_not_negotiated_are_not_explained() {
    let plain = |end| TcpInfo {
        tcpi_options: Some(0),
        ..measured(end)
    };
    let (sent, _) = explained(run(&with_sockets(plain)).ledger.client);
    // A SYN still names its MSS.
    assert_eq!(sent, Some(3_000_000 + 2_074 * 54 + 4));
}

#[test]
fn headers_that_are_not_known_explain_nothing() {
    let older = |end| TcpInfo {
        tcpi_bytes_sent: None,
        ..measured(end)
    };
    let ledger = run(&with_sockets(older)).ledger;
    assert_eq!(explained(ledger.client), (None, None));
    assert_eq!(ledger.client.unwrap().socket.unwrap().sent_bytes, None);
    assert_eq!(
        ledger.client.unwrap().socket.unwrap().segments_out,
        Some(2_074)
    );
    let events = first_load(with_sockets(measured), End::Client, |load| load.ip = None);
    assert_eq!(explained(run(&events).ledger.client), (None, None));
}

#[test]
fn books_with_a_page_missing_are_closed() {
    let events = first_load(with_sockets(measured), End::Client, |load| {
        load.flows[0].tcp_info = None;
    });
    let client = run(&events).ledger.client.unwrap();
    assert_eq!(client.socket, None);
    assert_eq!(explained(Some(client)), (None, None));
}

#[test]
fn connections_that_do_not_stay_are_not_in_the_books_of_sockets() {
    let mut events = with_sockets(measured);
    if let Event::Begin { plan, .. } = &mut events[0] {
        plan.loads[0] = Load::new(Kind::Crr);
    }
    let client = run(&events).ledger.client.unwrap();
    assert_eq!(client.socket, None);
    assert_eq!(explained(Some(client)), (None, None));
}

#[test]
fn datagrams_are_payload_and_three_headers() {
    let ledger = with_datagrams(|_| {});
    assert_eq!(explained(ledger.client), (Some(104_200), Some(0)));
    // What the socket dropped had come over the interface.
    assert_eq!(explained(ledger.server), (Some(0), Some(104_200)));
}

#[test]
fn on_a_shared_loopback_device_every_packet_counts_twice_and_has_no_link_header() {
    let ledger = with_datagrams(|facts| {
        facts.interface = Some("lo".to_owned());
        facts.mtu_bytes = Some(65_536);
        facts.locality.boot_id = Some("one".to_owned());
    });
    assert_eq!(explained(ledger.client), (Some(102_800), Some(102_800)));
    assert_eq!(explained(ledger.server), (Some(102_800), Some(102_800)));
}

#[test]
fn fragments_are_not_explained() {
    let ledger = with_datagrams(|facts| facts.mtu_bytes = Some(1_027));
    assert_eq!(explained(ledger.client), (None, None));
    let ledger = with_datagrams(|facts| facts.mtu_bytes = Some(1_028));
    assert_eq!(explained(ledger.client), (Some(104_200), Some(0)));
}

#[test]
fn the_application_and_the_interface_are_of_the_whole_life() {
    let run = run(&samples::tcp_stream());
    let (client, server) = (run.ledger.client.unwrap(), run.ledger.server.unwrap());
    assert_eq!(
        client.application.written_bytes,
        server.application.received_bytes
    );
    assert!(client.application.written_bytes > run.loads[0].sent.unwrap().bytes);
    assert!(client.wire.unwrap().interface.tx_bytes > client.application.written_bytes);
}

#[test]
fn the_interface_is_read_again_after_the_goodbye() {
    let mut events = samples::tcp_stream();
    let after = record::InterfaceCounters {
        tx_bytes: 77,
        ..Default::default()
    };
    let before = record::InterfaceCounters {
        tx_bytes: 7,
        ..Default::default()
    };
    events.insert(
        events.len() - 1,
        Event::Wire {
            end: End::Client,
            before,
            after,
        },
    );
    let ledger = run(&events).ledger;
    assert_eq!(ledger.client.unwrap().wire.unwrap().interface.tx_bytes, 70);
    assert!(ledger.server.unwrap().wire.unwrap().interface.tx_bytes > 70);
}
