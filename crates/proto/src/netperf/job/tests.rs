use std::net::IpAddr;

use plan::Family;

use super::*;
use crate::netperf::{
    Direction, ExchangeRequest, ExchangeTest, Flags, MaertsRequest, OmniRequest, StreamRequest,
    StreamTest, TestName, UdpStreamRequest,
};

fn size(bytes: u64) -> Option<Bytes> {
    Some(Bytes::new(bytes))
}

fn of(request: OmniRequest) -> Result<Job, Refusal> {
    Job::of(&TestRequest::Omni(Box::new(request)), None)
}

fn job(name: TestName) -> Job {
    let request = name.request().expect("a test with a request");
    Job::of(&request, None).unwrap()
}

const fn exchange(reconnects: bool) -> Work {
    Work::Exchange {
        request: Bytes::new(1),
        response: Bytes::new(1),
        reconnects,
    }
}

#[test]
fn every_bare_name_is_a_job() {
    use Transport::{Sctp, SctpMany, Tcp, Udp};
    let receive = Work::Receive { size: None };
    for (name, transport, work, dontroute) in [
        (TestName::TcpStream, Tcp, receive, false),
        (TestName::TcpMaerts, Tcp, Work::Send { size: None }, false),
        (TestName::TcpSendfile, Tcp, receive, false),
        (TestName::TcpRr, Tcp, exchange(false), false),
        (TestName::TcpCrr, Tcp, exchange(true), false),
        (TestName::TcpCc, Tcp, Work::Connect, false),
        (TestName::TcpMss, Tcp, receive, false),
        (TestName::UdpStream, Udp, receive, true),
        (TestName::UdpRr, Udp, exchange(false), false),
        (TestName::Omni, Tcp, receive, false),
        (TestName::SctpStream, Sctp, receive, false),
        (TestName::SctpStreamMany, SctpMany, receive, false),
        (TestName::SctpRr, Sctp, exchange(false), false),
        (TestName::SctpRrMany, SctpMany, exchange(false), false),
    ] {
        let expected = Job {
            options: DataOptions {
                dontroute,
                ..DataOptions::default()
            },
            // A classic request without options says nothing of where buffers lie, omni always does.
            send_place: job(name).send_place,
            recv_place: job(name).recv_place,
            ..Job::new(transport, work, Length::Seconds(10), Family::V4, 0)
        };
        assert_eq!(job(name), expected, "{name:?}");
    }
}

#[test]
fn both_layouts_of_a_test_are_the_same_job() {
    for name in TestName::all() {
        let Some(classic) = name.classic() else {
            continue;
        };
        let mut classic = Job::of(&TestRequest::new(classic), None).unwrap();
        let mut migrated = job(name);
        // An empty request says nothing of where buffers lie.
        (classic.send_place, classic.recv_place) = (migrated.send_place, migrated.recv_place);
        // Only omni has a word for it.
        migrated.options.dontroute = false;
        assert_eq!(classic, migrated, "{name:?}");
    }
}

#[test]
fn connections_one_after_the_other() {
    assert!(job(TestName::TcpCrr).reconnects());
    assert!(job(TestName::TcpCc).reconnects());
    assert!(!job(TestName::TcpRr).reconnects());
    assert!(!job(TestName::TcpStream).reconnects());
}

#[test]
fn everything_that_omni_can_ask_for() {
    let client: IpAddr = "10.0.0.1".parse().unwrap();
    let server: IpAddr = "10.0.0.2".parse().unwrap();
    let flags = [
        Flags::NODELAY,
        Flags::MEASURE_CPU,
        Flags::FASTOPEN,
        Flags::PKTINFO,
        Flags::CONNECTED,
        Flags::DEFER_ACCEPT,
        Flags::MTU_DISCOVER,
        Flags::KEEPALIVE,
    ];
    let request = OmniRequest {
        send_buffer: size(1),
        recv_buffer: size(2),
        flags: flags.into_iter().fold(Flags::NONE, |all, flag| all | flag),
        length: Length::Count(5),
        recv_avoidance: 1,
        data_port: 7100,
        client_port: 7000,
        burst: 3,
        interval_usecs: 2000,
        client_address: client.into(),
        server_address: server.into(),
        priority: Some(6),
        tos: Some(0x28),
        congestion: "reno".into(),
        fill_file: "/etc/passwd".into(),
        ..OmniRequest::default()
    };
    let expected = Job {
        transport: Transport::Tcp,
        work: Work::Receive { size: None },
        length: Length::Count(5),
        family: Family::V4,
        address: Some(server),
        port: 7100,
        options: DataOptions {
            send_buffer: size(1),
            recv_buffer: size(2),
            nodelay: true,
            keepalive: true,
            dontroute: true,
            fastopen: true,
            defer_accept: true,
            pktinfo: true,
            connected: true,
            mtu_discover: true,
            priority: Some(6),
            tos: Some(0x28),
            congestion: Some("reno".into()),
        },
        client_address: Some(client),
        client_port: 7000,
        cpu: Some(3),
        measures_cpu: true,
        avoids_copies: true,
        pace: Some(Pace {
            burst: 3,
            interval: Nanos::from_millis(2),
        }),
        send_place: (8, 0),
        recv_place: (8, 0),
        tests: 1,
    };
    let request = TestRequest::Omni(Box::new(request));
    assert_eq!(Job::of(&request, Some(3)), Ok(expected));
}

#[test]
fn each_flag_is_one_option() {
    let none = of(OmniRequest {
        flags: Flags::ROUTING,
        ..OmniRequest::default()
    });
    assert_eq!(none.unwrap().options, DataOptions::default());
    let with = |flag: Flags| {
        let flags = Flags::ROUTING | flag;
        let request = OmniRequest {
            flags,
            ..OmniRequest::default()
        };
        of(request).unwrap().options
    };
    assert!(with(Flags::NODELAY).nodelay);
    assert!(with(Flags::KEEPALIVE).keepalive);
    assert!(with(Flags::FASTOPEN).fastopen);
    assert!(with(Flags::PKTINFO).pktinfo);
    assert!(with(Flags::CONNECTED).connected);
    assert!(with(Flags::DEFER_ACCEPT).defer_accept);
    assert!(with(Flags::MTU_DISCOVER).mtu_discover);
}

#[test]
fn sizes_of_one_way_tests() {
    let work = |request| of(request).unwrap().work;
    let plain = OmniRequest {
        send_size: size(3000),
        recv_size: size(2000),
        ..OmniRequest::default()
    };
    assert_eq!(work(plain.clone()), Work::Receive { size: size(2000) });
    let maerts = OmniRequest {
        direction: Direction::Send,
        ..plain
    };
    assert_eq!(work(maerts.clone()), Work::Send { size: size(3000) });
    // `-r` counts more than `-m` and `-M`.
    let requests = OmniRequest {
        request_size: size(1),
        response_size: size(2),
        ..maerts
    };
    assert_eq!(work(requests.clone()), Work::Send { size: size(2) });
    let receive = OmniRequest {
        direction: Direction::Receive,
        ..requests
    };
    assert_eq!(work(receive), Work::Receive { size: size(1) });
}

#[test]
fn udp_knows_no_nodelay_and_no_tos_of_zero() {
    let job = of(OmniRequest {
        flags: Flags::NODELAY,
        tos: Some(0),
        priority: Some(0),
        socket_type: 2,
        protocol: 17,
        ..OmniRequest::default()
    });
    let options = job.unwrap().options;
    assert!(!options.nodelay);
    assert_eq!(options.tos, None);
    assert_eq!(options.priority, Some(0));
}

#[test]
fn a_pace_needs_both_of_its_numbers() {
    for (burst, interval_usecs) in [(0, 0), (5, 0), (0, 1000)] {
        let job = of(OmniRequest {
            burst,
            interval_usecs,
            ..OmniRequest::default()
        });
        assert_eq!(job.unwrap().pace, None);
    }
}

#[test]
fn protocols_that_nobody_has_are_refused() {
    for (socket_type, protocol, expected) in [
        (1, 6, Some(Transport::Tcp)),
        (u32::MAX, 6, Some(Transport::Tcp)),
        (1, 0, Some(Transport::Tcp)),
        (2, 17, Some(Transport::Udp)),
        (u32::MAX, 17, Some(Transport::Udp)),
        (2, 0, Some(Transport::Udp)),
        (1, 132, Some(Transport::Sctp)),
        (3, 33, None),
        (2, 136, None),
        (2, 6, None),
        (1, 17, None),
        (u32::MAX, 0, None),
    ] {
        let job = of(OmniRequest {
            socket_type,
            protocol,
            ..OmniRequest::default()
        });
        match expected {
            Some(transport) => assert_eq!(job.unwrap().transport, transport),
            None => assert_eq!(job.unwrap_err().number, ErrorNumber::PROTOCOL),
        }
    }
    let refusal = of(OmniRequest {
        socket_type: 3,
        protocol: 33,
        ..OmniRequest::default()
    });
    assert_eq!(
        refusal.unwrap_err().to_string(),
        "refused with error 93: socket type 3 with protocol 33: type 1 with protocol 6 (TCP) or \
         132 (SCTP) and type 2 with protocol 17 (UDP) are accepted"
    );
}

#[test]
fn datagrams_have_a_longest() {
    let udp = |direction, bytes| {
        of(OmniRequest {
            socket_type: 2,
            protocol: 17,
            direction,
            send_size: size(bytes),
            request_size: size(1),
            response_size: size(bytes),
            ..OmniRequest::default()
        })
    };
    for direction in [Direction::Send, Direction::Both] {
        assert!(udp(direction, 65507).is_ok());
        let refusal = udp(direction, 65508).unwrap_err();
        assert_eq!(refusal.number, ErrorNumber::MESSAGE_SIZE);
        assert_eq!(
            refusal.reason,
            "datagrams of 65508 bytes: up to 65507 bytes are accepted"
        );
    }
    // A receiver only gets what the client can send.
    assert!(udp(Direction::Receive, 65508).is_ok());
}

#[test]
fn connections_need_a_protocol_and_a_transaction_for_them() {
    let refused = |protocol, direction, flags| {
        let socket_type = if protocol == 17 { 2 } else { 1 };
        let job = of(OmniRequest {
            socket_type,
            protocol,
            direction,
            flags,
            ..OmniRequest::default()
        });
        job.err().map(|refusal| refusal.number)
    };
    let invalid = Some(ErrorNumber::INVALID);
    let (connect, both) = (Direction::Connect, Direction::Both);
    assert_eq!(refused(6, connect, Flags::NONE), None);
    assert_eq!(refused(6, connect, Flags::RECONNECTS), None);
    assert_eq!(refused(6, both, Flags::RECONNECTS), None);
    assert_eq!(refused(17, connect, Flags::NONE), invalid);
    assert_eq!(refused(17, both, Flags::RECONNECTS), invalid);
    assert_eq!(refused(6, Direction::Receive, Flags::RECONNECTS), invalid);
    assert_eq!(refused(6, Direction::Send, Flags::RECONNECTS), invalid);
}

#[test]
fn everything_that_classic_layouts_can_ask_for() {
    let job = |request| Job::of(&request, None).unwrap();
    let options = DataOptions {
        send_buffer: size(1),
        recv_buffer: size(2),
        nodelay: true,
        ..DataOptions::default()
    };
    let base = |transport, work| Job {
        options: options.clone(),
        measures_cpu: true,
        avoids_copies: true,
        ..Job::new(transport, work, Length::Seconds(3), Family::V6, 7100)
    };
    let stream = StreamRequest {
        send_buffer: size(1),
        recv_buffer: size(2),
        recv_size: size(4),
        nodelay: true,
        measure_cpu: true,
        length: Length::Seconds(3),
        recv_avoidance: 1,
        port: 7100,
        family: Family::V6,
        ..StreamRequest::default()
    };
    let work = Work::Receive { size: size(4) };
    assert_eq!(
        job(TestRequest::Stream(StreamTest::Tcp, stream)),
        base(Transport::Tcp, work)
    );
    let maerts = MaertsRequest {
        send_buffer: size(1),
        recv_buffer: size(2),
        send_size: size(4),
        nodelay: true,
        measure_cpu: true,
        length: Length::Seconds(3),
        port: 7100,
        family: Family::V6,
        ..MaertsRequest::default()
    };
    let expected = Job {
        avoids_copies: false,
        ..base(Transport::Tcp, Work::Send { size: size(4) })
    };
    assert_eq!(job(TestRequest::Maerts(maerts)), expected);
    let exchange = ExchangeRequest {
        send_buffer: size(1),
        recv_buffer: size(2),
        request_size: size(100),
        response_size: size(200),
        nodelay: true,
        measure_cpu: true,
        length: Length::Seconds(3),
        recv_avoidance: 1,
        port: 7100,
        family: Family::V6,
        ..ExchangeRequest::default()
    };
    let work = Work::Exchange {
        request: Bytes::new(100),
        response: Bytes::new(200),
        reconnects: true,
    };
    assert_eq!(
        job(TestRequest::Exchange(
            ExchangeTest::TcpCrr,
            exchange.clone()
        )),
        base(Transport::Tcp, work)
    );
    let udp = job(TestRequest::Exchange(ExchangeTest::UdpRr, exchange));
    assert!(!udp.options.nodelay);
    let datagrams = UdpStreamRequest {
        recv_buffer: size(2),
        message_size: size(4),
        connected: true,
        measure_cpu: true,
        length: Length::Seconds(3),
        recv_avoidance: 1,
        port: 7100,
        family: Family::V6,
        ..UdpStreamRequest::default()
    };
    let expected = Job {
        options: DataOptions {
            recv_buffer: size(2),
            connected: true,
            ..DataOptions::default()
        },
        ..base(Transport::Udp, Work::Receive { size: size(4) })
    };
    assert_eq!(job(TestRequest::UdpStream(datagrams)), expected);
}
