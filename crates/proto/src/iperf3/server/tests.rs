use super::*;
use crate::iperf3::{
    ClientAction, ClientSession, Cookie, CpuUse, Direction, Protocol, Retransmits,
};

const NOW: Nanos = Nanos::from_secs(100);

fn results() -> Results {
    Results {
        cpu: CpuUse::default(),
        host_cpu_percent: None,
        retransmits: Retransmits::Unknown,
        congestion: Some("cubic".to_owned()),
        output: None,
        streams: Vec::new(),
    }
}

fn message(text: &str) -> Vec<u8> {
    [&(text.len() as u32).to_be_bytes(), text.as_bytes()].concat()
}

/// A client's whole side of a test, after its cookie; in the words of 3.12.
fn clients_side() -> Vec<u8> {
    let parameters = r#"{"tcp":true,"omit":0,"time":0,"num":1048576,"blockcount":0,"parallel":1,"len":131072,"pacing_timer":1000,"client_version":"3.12"}"#;
    let results = r#"{"cpu_util_total":29.7,"cpu_util_user":0,"cpu_util_system":29.7,"sender_has_retransmits":1,"congestion_used":"bbr","streams":[{"id":1,"bytes":1048576,"retransmits":0,"jitter":0,"errors":0,"packets":0,"start_time":0,"end_time":0.00301}]}"#;
    assert_eq!(parameters.len(), 0x81, "as it was seen");
    [message(parameters), vec![4], message(results), vec![16]].concat()
}

fn react(session: &mut ServerSession, told: &mut Vec<ServerAction>) {
    while let Some(action) = session.poll_action() {
        match action {
            ServerAction::Open(_) => {
                session.opened(NOW).unwrap();
                session.started(NOW).unwrap();
            }
            ServerAction::End => session.ended(NOW).unwrap(),
            ServerAction::Results(_) => session.results(NOW, &results()).unwrap(),
            ServerAction::Finished | ServerAction::Failed(_) => (),
        }
        told.push(action);
    }
}

#[test]
fn a_test_goes_the_same_way_in_any_fragmentation() {
    let says = [&[9, 10, 1, 2, 13][..], &message(&results().encode()), &[14]].concat();
    for size in 1..200 {
        let mut session = ServerSession::new(NOW);
        let mut told = Vec::new();
        for fragment in clients_side().chunks(size) {
            session.receive(NOW, fragment);
            react(&mut session, &mut told);
        }
        assert_eq!(session.transmit(), says, "{size} bytes at a time");
        assert_eq!(told.len(), 4);
        assert_eq!(told[3], ServerAction::Finished);
        let ServerAction::Open(parameters) = &told[0] else {
            panic!("{told:?}");
        };
        assert_eq!(parameters.bytes.map(|bytes| bytes.get()), Some(1 << 20));
        assert!(session.is_over());
    }
}

fn at(stage: usize) -> (ServerSession, Vec<ServerAction>) {
    let whole = clients_side();
    let cuts = [
        0,
        50,
        4 + 0x81,
        4 + 0x81 + 1,
        4 + 0x81 + 50,
        whole.len() - 1,
    ];
    let mut session = ServerSession::new(NOW);
    let mut told = Vec::new();
    session.receive(NOW, &whole[..cuts[stage]]);
    react(&mut session, &mut told);
    (session, told)
}

#[test]
fn a_client_that_goes_or_falls_silent_is_named_in_every_state() {
    for stage in 0..6 {
        let (mut session, mut told) = at(stage);
        session.eof();
        react(&mut session, &mut told);
        match told.pop() {
            Some(ServerAction::Finished) if stage == 5 => (),
            Some(ServerAction::Failed(SessionError::Closed {
                peer: Peer::Client, ..
            })) => (),
            other => panic!("stage {stage}: {other:?}"),
        }
        let (mut session, mut told) = at(stage);
        let Some(deadline) = session.next_deadline() else {
            assert_eq!(stage, 2, "a test without a time may run on");
            continue;
        };
        session.consumed(usize::MAX);
        session.expire(deadline);
        react(&mut session, &mut told);
        assert!(
            matches!(
                told.pop(),
                Some(ServerAction::Failed(SessionError::TimedOut { .. }))
            ),
            "stage {stage}"
        );
        assert_eq!(session.transmit()[0], 0xfe);
    }
}

#[test]
fn a_test_that_goes_on_is_ended_after_its_time() {
    let mut session = ServerSession::new(NOW);
    session.receive(NOW, &message(r#"{"tcp":true,"time":3,"omit":1}"#));
    react(&mut session, &mut Vec::new());
    let due = NOW + Nanos::from_secs(44);
    assert_eq!(session.next_deadline(), Some(due));
    session.consumed(usize::MAX);
    session.expire(due);
    assert_eq!(session.transmit(), [0xfe, 0, 0, 0, 160, 0, 0, 0, 0]);
}

#[test]
fn a_client_that_is_ended_says_so_in_every_state() {
    for stage in [0, 2, 3, 5] {
        let (mut session, mut told) = at(stage);
        session.receive(NOW, &[12]);
        react(&mut session, &mut told);
        let error = SessionError::Terminated(Peer::Client);
        assert_eq!(told.pop(), Some(ServerAction::Failed(error)), "{stage}");
    }
}

#[test]
fn what_has_no_place_is_answered_with_its_number() {
    for (bytes, number) in [
        (vec![0, 0, 0x20, 1], 114),
        (vec![0xff; 4], 114),
        (message("{"), 114),
        (message(r#"{"tcp":true,"parallel":0}"#), 6),
        ([&clients_side()[..0x85], &[7]].concat(), 110),
        ([&clients_side()[..0x86], &message("{}")[..]].concat(), 117),
        ([&clients_side()[..0x86], &[0x7f; 4]].concat(), 117),
    ] {
        let mut session = ServerSession::new(NOW);
        let mut told = Vec::new();
        session.receive(NOW, &bytes);
        react(&mut session, &mut told);
        assert!(matches!(told.pop(), Some(ServerAction::Failed(_))));
        let says = session.transmit();
        assert_eq!(&says[says.len() - 9..], [0xfe, 0, 0, 0, number, 0, 0, 0, 0]);
    }
}

/// Moves the bytes of each end to the other, so many at a time.
fn exchange(client: &mut ClientSession, server: &mut ServerSession, size: usize) {
    let some = |bytes: &[u8]| bytes[..size.min(bytes.len())].to_vec();
    let bytes = some(client.transmit());
    client.consumed(bytes.len());
    server.receive(NOW, &bytes);
    let bytes = some(server.transmit());
    server.consumed(bytes.len());
    client.receive(NOW, &bytes);
}

#[test]
fn both_ends_lead_each_other_through_a_test() {
    for (protocol, size) in [
        (Protocol::Tcp, 1),
        (Protocol::Udp, 7),
        (Protocol::Tcp, 4096),
    ] {
        let mut parameters = Parameters::new(protocol);
        parameters.direction = Direction::Both;
        parameters.title = Some("both".to_owned());
        let mut client = ClientSession::new(NOW, &Cookie::new([1; 36]), parameters.clone());
        // The cookie is read before there is a session.
        client.consumed(Cookie::LEN);
        let mut server = ServerSession::new(NOW);
        let (mut clients, mut servers) = (Vec::new(), Vec::new());
        while !(client.is_over() && server.is_over()) {
            exchange(&mut client, &mut server, size);
            while let Some(action) = client.poll_action() {
                match action {
                    ClientAction::OpenStreams => client.opened(NOW).unwrap(),
                    ClientAction::Run => client.ended(NOW).unwrap(),
                    ClientAction::GiveResults => client.results(NOW, &results()).unwrap(),
                    _ => (),
                }
                clients.push(action);
            }
            react(&mut server, &mut servers);
        }
        // Only the block size, which a client always says, is more than was asked.
        parameters.block = Some(parameters.block_size());
        assert_eq!(servers[0], ServerAction::Open(Box::new(parameters)));
        assert_eq!(servers[2], ServerAction::Results(Box::new(results())));
        assert_eq!(servers.last(), Some(&ServerAction::Finished));
        assert_eq!(clients[4], ClientAction::Results(Box::new(results())));
        assert_eq!(clients.last(), Some(&ClientAction::Finished));
    }
}
