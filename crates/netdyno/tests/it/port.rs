//! Everything goes through one port, and nobody gets a datagram who did not prove himself.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use plan::Kind;
use record::End;

use crate::client::Client;
use crate::forwarder::{Forwarder, Passing};
use crate::server::Server;

#[test]
fn every_kind_works_through_a_forwarder_of_that_one_port() {
    let server = Server::start("");
    let forwarder = Forwarder::start(server.address(), |datagram, pass| pass(datagram));
    assert_ne!(forwarder.address().port(), server.address().port());
    for kind in Kind::ALL {
        let probe = if kind == Kind::Probe {
            ""
        } else {
            "--no-probe"
        };
        let rate = if kind.name().starts_with("udp") && !kind.is_exchange() {
            ":rate=2M,flows=2"
        } else {
            ""
        };
        let words = format!("{} -t 0.3 {probe} --load {kind}{rate}", forwarder.address());
        let run = Client::new(&words).document();
        assert!(run.loads[0].received.unwrap().bytes > 0, "{kind}");
        assert!(
            run.loads[0]
                .directions
                .iter()
                .all(|way| way.received.unwrap().bytes > 0),
            "{kind}"
        );
    }
}

/// Every tenth datagram passes twice; of every twenty one is held back behind the two after it.
fn mangled() -> impl Passing {
    let mut count = 0_u64;
    let mut held: Option<(u64, Vec<u8>)> = None;
    move |datagram: &[u8], pass: &mut dyn FnMut(&[u8])| {
        // Greetings pass as they are.
        if datagram[0] != 0xd1 {
            return pass(datagram);
        }
        count += 1;
        if count % 20 == 5 {
            held = Some((count, datagram.to_vec()));
            return;
        }
        pass(datagram);
        if count.is_multiple_of(10) {
            pass(datagram);
        }
        if let Some((_, late)) = held.take_if(|(at, _)| count == *at + 2) {
            pass(&late);
        }
    }
}

#[test]
fn duplicates_and_reordered_datagrams_are_told_apart_and_are_no_loss() {
    let server = Server::start("");
    let forwarder = Forwarder::start(server.address(), mangled());
    let words = format!(
        "{} --no-probe --load udp-stream:rate=1M,size=500,count=200",
        forwarder.address()
    );
    let run = Client::new(&words).document();
    let load = &run.loads[0];
    let loss = &load.loss[0];
    assert_eq!((loss.receiver, loss.sent), (End::Server, 200), "{loss:?}");
    assert_eq!(
        (loss.received, loss.lost, loss.duplicate),
        (200, 0, 20),
        "{loss:?}"
    );
    assert_eq!(
        (loss.reordered, loss.reorder_depth_max),
        (10, 2),
        "{loss:?}"
    );
    assert_eq!(loss.malformed, 0);
    assert_eq!(loss.outages, [], "a hole that was filled is no outage");
}

#[test]
fn a_loss_on_the_path_is_a_loss_with_its_outage() {
    let server = Server::start("");
    let mut count = 0;
    let forwarder = Forwarder::start(server.address(), move |datagram, pass| {
        count += u32::from(datagram[0] == 0xd1);
        if !(50..60).contains(&count) {
            pass(datagram);
        }
    });
    let words = format!(
        "{} --no-probe --load udp-stream:rate=1M,size=500,count=200",
        forwarder.address()
    );
    let run = Client::new(&words).document();
    let loss = &run.loads[0].loss[0];
    assert_eq!(
        (loss.sent, loss.received, loss.lost),
        (200, 190, 10),
        "{loss:?}"
    );
    assert_eq!(
        (loss.duplicate, loss.reordered, loss.outages.len()),
        (0, 0, 1),
        "{loss:?}"
    );
    assert_eq!(loss.outages[0].lost, 10);
    // Ten gaps of 4 ms by the sender's own clock.
    assert!(loss.outages[0].length_ns >= 39_000_000, "{loss:?}");
}

/// A greeting as a stranger would make it: the right layout, a token that is no one's.
fn hello(token: [u8; 16]) -> Vec<u8> {
    let mut hello = b"NETDYNO\x01\x03\0\0\0\0\0\0\0".to_vec();
    hello.extend_from_slice(&token);
    hello
}

#[test]
fn an_address_without_a_token_gets_no_byte() {
    let server = Server::start("");
    let words = format!(
        "{} -t 2 --no-probe --load udp-maerts:rate=1M --json",
        server.address()
    );
    let client = Client::new(&words).start();
    client.measures(End::Server, 1);
    let stranger = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let mut data = vec![0; 100];
    data[0] = 0xd2;
    let datagrams = [
        hello([0; 16]),
        hello([7; 16]),
        hello([7; 16])[..31].to_vec(),
        b"NETDYNO".to_vec(),
        data,
        Vec::new(),
    ];
    for datagram in &datagrams {
        stranger.send_to(datagram, server.address()).unwrap();
    }
    assert_silent(&stranger);
    let ended = client.end();
    ended.went_to_its_end();
    assert!(ended.document().loads[0].received.unwrap().bytes > 0);
    assert_silent(&stranger);
}

fn assert_silent(socket: &UdpSocket) {
    socket
        .set_read_timeout(Some(Duration::from_millis(300)))
        .unwrap();
    let answer: std::io::Result<(usize, SocketAddr)> = socket.recv_from(&mut [0; 2048]);
    assert!(answer.is_err(), "{answer:?}");
}
