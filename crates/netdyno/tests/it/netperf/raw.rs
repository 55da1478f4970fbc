//! Clients that misbehave: nothing of them lasts.

use std::fs;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream, UdpSocket};
use std::time::{Duration, Instant};

use plan::Family;
use proto::netperf::{Flags, Frame, Length, OmniRequest, Request, TestName, TestRequest};
use record::End;

use super::{Netserver, Whose, addresses};
use crate::hosts::{Hosts, hosts};
use crate::process::eventually;

fn connect(hosts: &Hosts<'_>) -> TcpStream {
    connect_to(addresses(hosts))
}

fn connect_to(host: IpAddr) -> TcpStream {
    let at = SocketAddr::new(host, proto::netperf::PORT);
    let stream = TcpStream::connect(at).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    stream
}

fn answer(stream: &mut TcpStream) -> [u8; Frame::LEN] {
    let mut frame = [0; Frame::LEN];
    stream.read_exact(&mut frame).unwrap();
    frame
}

fn errno(frame: &[u8; Frame::LEN]) -> u32 {
    u32::from_be_bytes(frame[4..8].try_into().unwrap())
}

/// The number in one place of a message.
fn word(frame: &[u8; Frame::LEN], place: usize) -> u32 {
    u32::from_be_bytes(frame[4 * place..][..4].try_into().unwrap())
}

/// Asks for a test that is granted; its data port.
fn opened(stream: &mut TcpStream, request: &[u8]) -> u16 {
    stream.write_all(request).unwrap();
    let frame = answer(stream);
    assert_eq!(errno(&frame), 0);
    word(&frame, 13).try_into().unwrap()
}

/// A client's data socket, that sends to the server's.
fn datagrams(to: (IpAddr, u16)) -> UdpSocket {
    let any: IpAddr = match to.0 {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => std::net::Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0)).unwrap();
    let patience = Some(Duration::from_secs(5));
    socket.set_read_timeout(patience).unwrap();
    socket.connect(to).unwrap();
    socket
}

fn threads(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/task")).unwrap().count()
}

fn request(name: TestName, change: impl FnOnce(&mut OmniRequest)) -> Vec<u8> {
    let Some(TestRequest::Omni(mut request)) = name.request() else {
        panic!("an omni test");
    };
    request.family = Family::V4;
    change(&mut request);
    let test = TestRequest::Omni(request);
    Request::Test { cpu: None, test }
        .encode()
        .as_bytes()
        .to_vec()
}

#[test]
fn an_unknown_test_is_refused_and_the_connection_lives() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let _server = Netserver::start(hosts, Whose::Ours, "");
        let mut stream = connect(hosts);
        let mut unknown = [0; Frame::LEN];
        unknown[..4].copy_from_slice(&777u32.to_be_bytes());
        stream.write_all(&unknown).unwrap();
        assert_eq!(errno(&answer(&mut stream)), 998);
        stream.write_all(&request(TestName::TcpRr, |_| {})).unwrap();
        assert_eq!(errno(&answer(&mut stream)), 0);
    });
}

#[test]
fn a_port_that_is_taken_is_an_error() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let _server = Netserver::start(hosts, Whose::Ours, "");
        let mut stream = connect(hosts);
        let taken = request(TestName::TcpStream, |request| {
            request.data_port = proto::netperf::PORT
        });
        stream.write_all(&taken).unwrap();
        assert_eq!(errno(&answer(&mut stream)), 98);
    });
}

/// Tests without an end, of clients that vanish: their threads and ports go with them.
#[test]
fn clients_that_vanish_leave_nothing() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let server = Netserver::start(hosts, Whose::Ours, "");
        let pid = server.0.id();
        eventually("the first connection's thread has ended", || {
            (threads(pid) == 1).then_some(())
        });
        let mut clients = Vec::new();
        for name in [
            TestName::UdpStream,
            TestName::UdpRr,
            TestName::TcpStream,
            TestName::TcpCrr,
        ] {
            let mut stream = connect(hosts);
            let endless = request(name, |request| request.length = Length::Count(1_000_000));
            stream.write_all(&endless).unwrap();
            assert_eq!(errno(&answer(&mut stream)), 0);
            clients.push(stream);
        }
        assert!(threads(pid) > clients.len());
        drop(clients);
        eventually("all threads have ended", || {
            (threads(pid) == 1).then_some(())
        });
        let sockets = hosts.on(End::Server, || {
            ["tcp", "udp"].map(|table| fs::read_to_string(format!("/proc/thread-self/net/{table}")))
        });
        let [tcp, udp] = sockets.map(Result::unwrap);
        // State 0A is LISTEN: the control port only.
        assert_eq!(tcp.matches(" 0A ").count(), 1, "{tcp}");
        assert_eq!(udp.lines().count(), 1, "{udp}");
    });
}

/// Each of them had a thread that waited two minutes for the rest.
#[test]
fn half_a_message_costs_no_thread() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let server = Netserver::start(hosts, Whose::Ours, "");
        let halves: Vec<TcpStream> = (0..200)
            .map(|number| {
                let mut half = connect(hosts);
                half.write_all(&[0; Frame::LEN][..1 + number]).unwrap();
                half
            })
            .collect();
        // Whoever says all of it is answered meanwhile.
        let mut whole = connect(hosts);
        whole.write_all(&request(TestName::TcpRr, |_| {})).unwrap();
        assert_eq!(errno(&answer(&mut whole)), 0);
        let threads = threads(server.0.id());
        assert!(threads < 10, "{threads} threads, {} halves", halves.len());
    });
}

/// Nobody says that the datagrams are over: the server waits out its pad, which is not part of the
/// test's time.
#[test]
fn an_end_that_is_lost_is_waited_for() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let _server = Netserver::start(hosts, Whose::Ours, "");
        let mut stream = connect(hosts);
        let asked = request(TestName::UdpStream, |request| {
            request.length = Length::Seconds(1);
        });
        let port = opened(&mut stream, &asked);
        let socket = datagrams((addresses(hosts), port));
        for _ in 0..10 {
            socket.send(&[7; 100]).unwrap();
        }
        let began = Instant::now();
        let figures = answer(&mut stream);
        assert!(began.elapsed() > Duration::from_secs(4));
        assert_eq!((errno(&figures), word(&figures, 3)), (0, 1000));
        let elapsed = f32::from_bits(word(&figures, 12));
        assert!((0.9..3.0).contains(&elapsed), "{elapsed}");
    });
}

/// What netperf's later version asks for with `-N -n`, and what 2.7.0 asks for: with the flag only
/// the first sender is heard.
#[test]
fn a_servers_datagram_socket_may_be_connected() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let _server = Netserver::start(hosts, Whose::Ours, "");
        for flags in [Flags::ROUTING, Flags::ROUTING | Flags::CONNECTED] {
            let mut stream = connect(hosts);
            let asked = request(TestName::UdpRr, |request| request.flags = flags);
            let port = opened(&mut stream, &asked);
            let (first, second) = (
                datagrams((addresses(hosts), port)),
                datagrams((addresses(hosts), port)),
            );
            let mut reply = [0; 8];
            for _ in 0..2 {
                first.send(b"?").unwrap();
                assert_eq!(first.recv(&mut reply).unwrap(), 1, "{flags:?}");
            }
            second
                .set_read_timeout(Some(Duration::from_millis(300)))
                .unwrap();
            // Refused by the kernel, or never answered.
            let answered = second.send(b"?").and_then(|_| second.recv(&mut reply));
            let shared = flags == Flags::ROUTING;
            assert_eq!(answered.is_ok(), shared, "{flags:?}");
        }
    });
}

/// `-B`: a host of many addresses answers from the one that was asked.
#[test]
fn answers_leave_from_the_address_that_was_asked() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let _server = Netserver::start(hosts, Whose::Ours, "");
        let own: IpAddr = Ipv4Addr::LOCALHOST.into();
        let other: IpAddr = Ipv4Addr::new(127, 0, 0, 9).into();
        hosts.on(End::Server, || {
            for (flags, from) in [
                (Flags::ROUTING, own),
                (Flags::ROUTING | Flags::PKTINFO, other),
            ] {
                let mut stream = connect_to(own);
                let asked = request(TestName::UdpRr, |request| request.flags = flags);
                let port = opened(&mut stream, &asked);
                let socket = UdpSocket::bind((own, 0)).unwrap();
                let patience = Some(Duration::from_secs(5));
                socket.set_read_timeout(patience).unwrap();
                socket.send_to(b"?", (other, port)).unwrap();
                let mut reply = [0; 8];
                let answer = socket.recv_from(&mut reply).unwrap();
                assert_eq!(answer, (1, (from, port).into()), "{flags:?}");
            }
        });
    });
}

/// A size of nothing is the default, and one beyond all bounds is answered at once.
#[test]
fn absurd_sizes_are_answered() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let server = Netserver::start(hosts, Whose::Ours, "");
        let most = units::Bytes::new(u32::MAX.into());
        for (name, size) in [
            (TestName::TcpStream, units::Bytes::new(0)),
            (TestName::TcpStream, most),
            (TestName::UdpStream, most),
            (TestName::TcpMaerts, units::Bytes::new(0)),
            (TestName::TcpMaerts, most),
            (TestName::UdpRr, most),
            (TestName::TcpRr, most),
        ] {
            let mut stream = connect(hosts);
            let asked = request(name, |request| {
                (request.send_size, request.recv_size) = (Some(size), Some(size));
                if request.request_size.is_some() {
                    (request.request_size, request.response_size) = (Some(size), Some(size));
                }
            });
            stream.write_all(&asked).unwrap();
            let frame = answer(&mut stream);
            let known = [0, 12, 22, 90];
            assert!(
                known.contains(&errno(&frame)),
                "{name:?} {size}: {}",
                errno(&frame)
            );
        }
        eventually("all tests are gone", || {
            (threads(server.0.id()) == 1).then_some(())
        });
    });
}
