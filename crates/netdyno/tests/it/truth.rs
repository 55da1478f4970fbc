//! What netdyno says of bytes and packets, against what the kernel counted by itself.

use plan::{Family, Kind, Transport};
use record::{End, EndLedger, InterfaceCounters, Run};

use crate::client::Client;
use crate::hosts::{Hosts, hosts};

const BULK: [&str; 6] = [
    "stream",
    "maerts",
    "bidir",
    "udp-stream:rate=20M",
    "udp-maerts:rate=20M",
    "udp-bidir:rate=20M",
];
const FAMILIES: [(Family, &str); 2] = [(Family::V4, "-4"), (Family::V6, "-6")];

/// Ethernet header, as veth counts it.
const ETHERNET: u64 = 14;
/// The longest IP and TCP headers: 60 bytes of TCP, and IPv6 without extensions.
const LONGEST_HEADERS: u64 = ETHERNET + 40 + 60;
const MTU: u64 = 1500;

fn ledger(run: &Run, end: End) -> EndLedger {
    let ledger = match end {
        End::Client => run.ledger.client,
        End::Server => run.ledger.server,
    };
    ledger.unwrap_or_else(|| panic!("no books of the {}", end.name()))
}

fn wire(run: &Run, end: End) -> InterfaceCounters {
    ledger(run, end).wire.unwrap().interface
}

/// A run between hosts of the test's own, on a link whose every packet is one segment.
fn between(family: Family, words: &'static str, check: impl Fn(&Hosts<'_>, Run) + Send + 'static) {
    hosts("offload=off", family, move |hosts| {
        let server = hosts.serve("");
        let words = format!("{} -t 1 --no-probe --load {words}", server.address());
        let run = Client::new(&words).document();
        // The server ends with its last connection closed: then its host counts no more.
        drop(server);
        check(hosts, run);
    });
}

/// In the testbed the books are closed when everything is over, so nothing is missing in them:
/// what one end sent is what the other received, to the byte and the packet.
#[test]
fn in_the_testbed_each_end_sent_what_the_other_received() {
    not_run::needs_namespaces!();
    for (load, family) in BULK
        .into_iter()
        .zip([FAMILIES[0], FAMILIES[1]].into_iter().cycle())
    {
        for link in ["offload=on", "offload=off", "delay=100us"] {
            let words = format!("{} -t 0.3 --no-probe --load {load} --link {link}", family.1);
            let run = Client::new(&words).document();
            let (client, server) = (wire(&run, End::Client), wire(&run, End::Server));
            let there = |c: InterfaceCounters| (c.tx_bytes, c.tx_packets);
            let back = |c: InterfaceCounters| (c.rx_bytes, c.rx_packets);
            assert!(client.tx_packets > 0 && client.rx_packets > 0, "{words}");
            let dropped = [
                client.tx_dropped,
                client.rx_dropped,
                server.tx_dropped,
                server.rx_dropped,
            ];
            if dropped == [0; 4] {
                assert_eq!(there(client), back(server), "{words}");
                assert_eq!(there(server), back(client), "{words}");
            } else {
                // Only a queue that overflowed may stand between: an unpaced sender and a relay.
                assert!(link.starts_with("delay"), "{words}: {dropped:?}");
                assert!(client.tx_packets >= server.rx_packets, "{words}");
                assert!(server.tx_packets >= client.rx_packets, "{words}");
            }
        }
    }
}

/// UDP: each datagram is one packet, with the headers of UDP, IP and Ethernet, and the kernel's
/// datagram counters and the interface's have exactly those, beside one greeting a flow.
#[test]
fn datagrams_on_the_wire_are_the_datagrams_of_the_document() {
    not_run::needs_root!();
    for (family, ip) in [(Family::V4, 20), (Family::V6, 40)] {
        for load in [
            "udp-stream:rate=20M,flows=2",
            "udp-maerts:rate=20M,size=1000",
            "udp-bidir:rate=9M",
            "udp-rr",
        ] {
            between(family, load, move |hosts, run| {
                let asked = &run.plan.loads[0];
                let greetings = u64::from(asked.flows.get());
                let kernel = End::BOTH.map(|end| hosts.protocols(end));
                let names = if ip == 20 {
                    ["Udp.OutDatagrams", "Udp.InDatagrams"]
                } else {
                    ["Udp6OutDatagrams", "Udp6InDatagrams"]
                };
                for (end, kernel) in End::BOTH.into_iter().zip(&kernel) {
                    let books = ledger(&run, end);
                    let app = books.application;
                    let what = format!("{load} over {family:?}, {end:?}: {app:?}");
                    assert_eq!(kernel[names[0]], app.written_messages + greetings, "{what}");
                    assert_eq!(
                        kernel[names[1]],
                        app.received_messages + greetings,
                        "{what}"
                    );
                    let wire = books.wire.unwrap();
                    let headers = ETHERNET + ip + 8;
                    let packets = |bytes, messages| bytes + messages * headers;
                    assert_eq!(
                        wire.explained_tx_bytes,
                        Some(packets(app.written_bytes, app.written_messages)),
                        "{what}"
                    );
                    assert_eq!(
                        wire.explained_rx_bytes,
                        Some(packets(app.received_bytes, app.received_messages)),
                        "{what}"
                    );
                    // What is not explained is the control connection and the greetings.
                    let counted = hosts.interface(end);
                    let greetings = greetings * (32 + headers);
                    let rest = [
                        (
                            counted.tx_bytes,
                            wire.explained_tx_bytes,
                            counted.tx_packets,
                            app.written_messages,
                        ),
                        (
                            counted.rx_bytes,
                            wire.explained_rx_bytes,
                            counted.rx_packets,
                            app.received_messages,
                        ),
                    ];
                    for (bytes, explained, packets, messages) in rest {
                        let control = bytes - explained.unwrap() - greetings;
                        control_is_plausible(
                            control,
                            packets - messages - run.plan.loads[0].flows.get() as u64,
                            &what,
                        );
                    }
                }
                // Both hosts saw the same.
                let apps = End::BOTH.map(|end| ledger(&run, end).application);
                let lost: u64 = run.loads[0].loss.iter().map(|loss| loss.lost).sum();
                assert_eq!(
                    apps[0].written_messages + apps[1].written_messages,
                    apps[0].received_messages + apps[1].received_messages + lost,
                );
            });
        }
    }
}

/// So many packets of one TCP connection hold so many bytes.
fn control_is_plausible(bytes: u64, packets: u64, what: &str) {
    assert!(
        (6..200).contains(&packets),
        "{what}: {packets} packets of control"
    );
    assert!(
        bytes >= packets * (ETHERNET + 20 + 20),
        "{what}: {bytes} in {packets}"
    );
    assert!(
        bytes <= packets * (ETHERNET + MTU),
        "{what}: {bytes} in {packets}"
    );
}

/// TCP: every packet on the wire is a segment that the kernel counted, and all segments but those
/// of the one control connection are those of the data sockets. What is explained of the bytes is
/// the same at both ends, and leaves as much as the control connection can have had.
#[test]
fn segments_on_the_wire_are_the_segments_of_the_document() {
    not_run::needs_root!();
    for (family, _) in FAMILIES {
        // Slow enough that nothing is lost: a receiver does not count what came twice.
        for load in [
            "stream:rate=50M",
            "maerts:flows=3,rate=20M",
            "bidir:flows=2,rate=9M",
            "rr",
        ] {
            between(family, load, move |hosts, run| {
                let books = End::BOTH.map(|end| ledger(&run, end));
                let retransmitted = books.map(|books| books.socket.unwrap().retransmitted_bytes);
                for (end, books) in End::BOTH.into_iter().zip(books) {
                    let socket = books.socket.unwrap();
                    let kernel = hosts.protocols(end);
                    let counted = hosts.interface(end);
                    let what = format!("{load} over {family:?}, {end:?}: {socket:?}");
                    let sent = kernel["Tcp.OutSegs"] + kernel["Tcp.RetransSegs"];
                    assert_eq!(counted.tx_packets, sent, "{what}");
                    assert_eq!(counted.rx_packets, kernel["Tcp.InSegs"], "{what}");
                    // A listener answers each SYN before the connection's socket exists.
                    let flows = u64::from(run.plan.loads[0].flows.get());
                    let syn_acks = if end == End::Server { flows } else { 0 };
                    let out = counted.tx_packets - socket.segments_out.unwrap() - syn_acks;
                    let back = counted.rx_packets - socket.segments_in.unwrap();
                    if retransmitted != [Some(0); 2] {
                        continue;
                    }
                    let wire = books.wire.unwrap();
                    let explained =
                        [wire.explained_tx_bytes, wire.explained_rx_bytes].map(Option::unwrap);
                    control_is_plausible(counted.tx_bytes - explained[0], out, &what);
                    control_is_plausible(counted.rx_bytes - explained[1], back, &what);
                }
                if retransmitted != [Some(0); 2] {
                    not_run::cell(
                        format!("bytes of {load} over {family:?}"),
                        "the path lost segments",
                    );
                    return;
                }
                let [client, server] = books.map(|books| books.wire.unwrap());
                let ways = [
                    (client.explained_tx_bytes, server.explained_rx_bytes),
                    (server.explained_tx_bytes, client.explained_rx_bytes),
                ];
                // The ends read their sockets while the last acknowledgements are on their way.
                let header = ETHERNET + if family == Family::V6 { 40 } else { 20 } + 20 + 12;
                let flows = u64::from(run.plan.loads[0].flows.get());
                for (sent, received) in ways {
                    let apart = sent.unwrap().abs_diff(received.unwrap());
                    assert!(
                        apart.is_multiple_of(header) && apart <= 3 * flows * header,
                        "{load}: {apart}"
                    );
                }
            });
        }
    }
}

/// Bytes of the application, of the sockets and of the document's headline are the same figure
/// where they must be: everything that was written was acknowledged and read.
#[test]
fn bytes_are_the_same_at_every_layer() {
    not_run::needs_root!();
    for load in ["stream:flows=2", "maerts", "bidir"] {
        between(Family::V4, load, move |_, run| {
            let [client, server] = End::BOTH.map(|end| ledger(&run, end));
            for (from, to) in [(client, server), (server, client)] {
                let what = format!("{load}: {from:?} to {to:?}");
                let written = from.application.written_bytes;
                assert_eq!(to.application.received_bytes, written, "{what}");
                // The sockets also carried the client's preambles, of 32 bytes each, and TCP
                // counts a FIN that arrived as a byte.
                let [sender, receiver] = [from, to].map(|end| end.socket.unwrap());
                let sent = sender.sent_bytes.unwrap() - sender.retransmitted_bytes.unwrap();
                let flows = u64::from(run.plan.loads[0].flows.get());
                let preambles = if from == client { 32 * flows } else { 0 };
                assert_eq!(sent, written + preambles, "{what}");
                let fins = receiver.received_bytes.unwrap() - sent;
                assert!(fins == 0 || fins == flows, "{what}");
            }
        });
    }
}

/// The smallest and the largest that `bytes` of payload can be on the wire.
#[test]
fn tcp_payload_fits_what_the_interface_counted() {
    not_run::needs_root!();
    between(Family::V4, "stream", |hosts, run| {
        assert_eq!(run.loads[0].kind.transport(), Transport::Tcp);
        assert_eq!(run.loads[0].kind, Kind::Stream);
        let payload = ledger(&run, End::Server).application.received_bytes;
        let counted = hosts.interface(End::Server);
        assert!(payload <= counted.rx_bytes - counted.rx_packets * (ETHERNET + 20 + 20));
        assert!(payload >= counted.rx_bytes - counted.rx_packets * LONGEST_HEADERS - 200 * MTU);
    });
}
