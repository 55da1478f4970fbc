//! Clients that misbehave: nothing of them lasts.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use plan::Family;
use proto::netperf::{Frame, Length, OmniRequest, Request, TestName, TestRequest};
use record::End;

use super::{Netserver, Whose, addresses};
use crate::hosts::{Hosts, hosts};
use crate::process::eventually;

fn connect(hosts: &Hosts<'_>) -> TcpStream {
    let at = SocketAddr::new(addresses(hosts), proto::netperf::PORT);
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
        // Half a message.
        let mut half = connect(hosts);
        half.write_all(&[0; 100]).unwrap();
        clients.push(half);
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
