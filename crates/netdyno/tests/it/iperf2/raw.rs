//! The server against bytes that no client of today sends: all shapes of first bytes, slow
//! headers, strangers' datagrams, clients that vanish.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream, UdpSocket};
use std::time::{Duration, Instant};

use plan::Family;
use proto::iperf2::{
    Ack, Amount, DatagramHeader, Extended, Mode, ServerReport, Stamp, TestHeader, UpperFlags,
    digits,
};
use record::End;
use units::Nanos;

use super::peer::{Peer, Whose, flows};
use crate::hosts::hosts;

fn header(mode: Mode, upper: UpperFlags, wants_ack: bool) -> TestHeader {
    let now = std::time::SystemTime::now();
    let since_1970 = now.duration_since(std::time::UNIX_EPOCH).unwrap();
    TestHeader {
        mode,
        wants_ack,
        extended: Some(Extended {
            upper,
            start: Stamp::from_micros(since_1970.as_micros() as u64),
            ..Extended::default()
        }),
        ..TestHeader::new(5001, Amount::Time(Nanos::from_secs(1)))
    }
}

fn connect(at: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(at).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    stream
}

/// What the server says until it closes.
fn rest(mut stream: TcpStream) -> Vec<u8> {
    stream.shutdown(Shutdown::Write).unwrap();
    let mut said = Vec::new();
    stream.read_to_end(&mut said).unwrap();
    said
}

#[test]
fn all_first_bytes_are_taken() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let at = SocketAddr::new(hosts.address(End::Server), 7001);
        let server = Peer::start(hosts, Whose::Ours, 7001, "-y C");
        let plain = header(Mode::Forward, UpperFlags::NONE, false);
        let mut of_2_2 = plain.encode();
        of_2_2[..4].copy_from_slice(&[0x40, 1, 0, 0x80]);
        of_2_2.extend([0; 4]);
        // Each has a length of its own, so that the rows tell them apart.
        let fronts: [(Vec<u8>, usize); 7] = [
            (plain.encode(), Ack::SHORT),
            (of_2_2, Ack::SHORT),
            (vec![0; 24], 0),
            (vec![0; 36], 0),
            (digits(1), 0),
            (b"\x08\0\0\0".to_vec(), 0),
            (
                header(Mode::Forward, UpperFlags::TRIP_TIMES, false).encode(),
                Ack::LONG,
            ),
        ];
        let mut lengths = Vec::new();
        for (front, ack) in &fronts {
            let mut stream = connect(at);
            // Byte by byte, as a path may deliver it.
            stream.set_nodelay(true).unwrap();
            for byte in front {
                stream.write_all(&[*byte]).unwrap();
            }
            stream.write_all(&digits(10_000)).unwrap();
            assert_eq!(rest(stream).len(), *ack, "{front:?}");
            lengths.push((front.len() + 10_000) as u64);
        }
        lengths.sort_unstable();
        assert_eq!(flows(&server.end()), lengths);
    });
}

#[test]
fn a_silent_connection_stands_in_nobodys_way() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let at = SocketAddr::new(hosts.address(End::Server), 7001);
        let server = Peer::start(hosts, Whose::Ours, 7001, "-y C");
        let (_silent, mut half) = (connect(at), connect(at));
        half.write_all(&[0x40, 1]).unwrap();
        let stream = connect(at);
        let mut reverse = header(Mode::Reverse, UpperFlags::NONE, false);
        reverse.amount = Amount::Bytes(units::Bytes::new(1000));
        (&stream).write_all(&reverse.encode()).unwrap();
        assert_eq!(rest(stream), digits(1000), "no ack in front");
        assert_eq!(flows(&server.end()), [1000]);
    });
}

fn datagram(id: i64, size: usize) -> Vec<u8> {
    let mut datagram = digits(size);
    header(Mode::Forward, UpperFlags::NONE, false).write_datagram(&mut datagram);
    let sent = Stamp::from_micros(1_000_000);
    DatagramHeader { id, sent }.write(&mut datagram);
    datagram
}

#[test]
fn strangers_datagrams_are_not_answered_beyond_measure() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let at = SocketAddr::new(hosts.address(End::Server), 7001);
        let server = Peer::start(hosts, Whose::Ours, 7001, "-u -y C");
        let socket = || {
            let local = SocketAddr::new(hosts.address(End::Client), 0);
            let socket = UdpSocket::bind(local).unwrap();
            socket.connect(at).unwrap();
            socket
                .set_read_timeout(Some(Duration::from_millis(600)))
                .unwrap();
            socket
        };
        let answers = |socket: &UdpSocket| {
            let mut answers = Vec::new();
            let mut room = [0; 2048];
            while let Ok(n) = socket.recv(&mut room) {
                answers.push(room[..n].to_vec());
            }
            answers
        };
        let crumbs = socket();
        for length in 1..12 {
            crumbs.send(&digits(length)).unwrap();
        }
        crumbs.send(&datagram(-7, 100)).unwrap();
        // Twelve ends of one flow get nine reports, all the same.
        let flow = socket();
        for id in [1, 2, 5, 4, 6, 6] {
            flow.send(&datagram(id, 1000)).unwrap();
        }
        for _ in 0..12 {
            flow.send(&datagram(-7, 1000)).unwrap();
            std::thread::sleep(Duration::from_millis(5));
        }
        // A tiny flow gets no more than three times what it sent.
        let tiny = socket();
        for id in [1, -2] {
            tiny.send(&datagram(id, 12)).unwrap();
        }
        let reports = answers(&flow);
        assert_eq!(reports.len(), 9);
        assert!(reports.iter().all(|report| *report == reports[0]));
        let (report, _) = ServerReport::parse(&reports[0]).unwrap();
        assert_eq!((report.datagrams, report.bytes), (7, 7000));
        // iperf's own rule: a duplicate hides a loss.
        assert_eq!((report.lost, report.out_of_order), (0, 2));
        assert_eq!(answers(&crumbs), Vec::<Vec<u8>>::new());
        assert_eq!(answers(&tiny).len(), 0);
        assert_eq!(flows(&server.end()), [24, 7000]);
    });
}

#[test]
fn a_client_that_vanishes_leaves_nothing() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let at = SocketAddr::new(hosts.address(End::Server), 7001);
        let server = Peer::start(hosts, Whose::Ours, 7001, "-u -y C");
        let threads = || {
            let tasks = std::fs::read_dir(format!("/proc/{}/task", server.pid()));
            tasks.unwrap().count()
        };
        let before = threads();
        let client = UdpSocket::bind(SocketAddr::new(hosts.address(End::Client), 0)).unwrap();
        for id in 1..=20 {
            client.send_to(&datagram(id, 500), at).unwrap();
        }
        crate::process::eventually("the flow is there", || (threads() > before).then_some(()));
        drop(client);
        let began = Instant::now();
        crate::process::eventually("the flow is gone", || (threads() == before).then_some(()));
        assert!(
            began.elapsed() > Duration::from_secs(5),
            "it has some patience"
        );
        assert_eq!(flows(&server.end()), [10_000]);
    });
}
