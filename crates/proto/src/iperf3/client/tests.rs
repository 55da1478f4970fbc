use super::*;
use crate::iperf3::{CpuUse, Protocol, Retransmits, StreamId, StreamResult};

const NOW: Nanos = Nanos::from_secs(100);

fn session() -> ClientSession {
    let parameters = Parameters::new(Protocol::Tcp);
    let mut session = ClientSession::new(NOW, &Cookie::new([3; 36]), parameters);
    session.consumed(Cookie::LEN);
    session
}

pub(super) fn results() -> Results {
    Results {
        cpu: CpuUse::default(),
        host_cpu_percent: None,
        retransmits: Retransmits::Receiver,
        congestion: None,
        output: None,
        streams: vec![StreamResult {
            id: StreamId::of_index(0),
            bytes: 655_360,
            retransmits: None,
            jitter_s: 0.0,
            lost: 0,
            packets: 0,
            omitted: None,
            seconds: Some(0.004205),
            path: None,
        }],
    }
}

/// A server's whole side of a test.
fn servers_side() -> Vec<u8> {
    let text = results().encode();
    let length = (text.len() as u32).to_be_bytes();
    [&[9, 10, 1, 2, 13][..], &length, text.as_bytes(), &[14]].concat()
}

/// Does at once whatever is to be done.
fn react(session: &mut ClientSession, told: &mut Vec<ClientAction>) {
    while let Some(action) = session.poll_action() {
        match action {
            ClientAction::OpenStreams => session.opened(NOW).unwrap(),
            ClientAction::Run => session.ended(NOW).unwrap(),
            ClientAction::GiveResults => session.results(NOW, &results()).unwrap(),
            _ => (),
        }
        told.push(action);
    }
}

/// Feeds bytes of a server, so many at a time, to a driver that does at once what is to be done.
fn led(bytes: &[u8], size: usize) -> (Vec<ClientAction>, Vec<u8>) {
    let mut session = session();
    let mut told = Vec::new();
    for fragment in bytes.chunks(size) {
        session.receive(NOW, fragment);
        react(&mut session, &mut told);
    }
    (told, session.transmit().to_vec())
}

#[test]
fn a_test_goes_the_same_way_in_any_fragmentation() {
    let own = results().encode();
    let parameters = Parameters::new(Protocol::Tcp).encode();
    let message = |text: &str| [&(text.len() as u32).to_be_bytes(), text.as_bytes()].concat();
    let says = [message(&parameters), vec![4], message(&own), vec![16]].concat();
    for size in 1..200 {
        let (told, said) = led(&servers_side(), size);
        assert_eq!(
            told,
            [
                ClientAction::OpenStreams,
                ClientAction::Prepare,
                ClientAction::Run,
                ClientAction::GiveResults,
                ClientAction::Results(Box::new(results())),
                ClientAction::Finished,
            ],
            "{size} bytes at a time"
        );
        assert_eq!(said, says);
    }
}

#[test]
fn a_server_that_starts_before_the_driver_is_ready_waits_for_it() {
    let mut session = session();
    session.receive(NOW, &[9, 10, 1, 2]);
    assert_eq!(session.poll_action(), Some(ClientAction::OpenStreams));
    assert_eq!(session.poll_action(), None);
    session.opened(NOW).unwrap();
    assert_eq!(session.poll_action(), Some(ClientAction::Prepare));
    assert_eq!(session.poll_action(), Some(ClientAction::Run));
}

/// The server's bytes up to each point at which it may fail.
fn stages() -> Vec<Vec<u8>> {
    let whole = servers_side();
    (0..=5).map(|n| whole[..n].to_vec()).collect()
}

fn failure(bytes: &[u8], then: impl FnOnce(&mut ClientSession)) -> SessionError {
    let mut session = session();
    let mut told = Vec::new();
    session.receive(NOW, bytes);
    react(&mut session, &mut told);
    then(&mut session);
    react(&mut session, &mut told);
    match told.pop() {
        Some(ClientAction::Failed(error)) => {
            assert!(session.is_over());
            error
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_error_is_taken_wherever_it_comes() {
    for stage in stages() {
        let refused = |numbers: &[u8], errno: Option<i32>| {
            let bytes = [&stage, &[0xfe][..], numbers].concat();
            let error = failure(&bytes, |session| {
                if errno == Some(-1) {
                    session.expire(session.next_deadline().unwrap());
                } else if errno.is_none() {
                    session.eof();
                }
            });
            let errno = errno.filter(|errno| *errno >= 0);
            let number = ErrorNumber::RATE_LIMIT;
            assert_eq!(error, SessionError::Refused { number, errno });
        };
        refused(&[0, 0, 0, 27, 0, 0, 0, 5], Some(5));
        refused(&[0, 0, 0, 27], None);
        refused(&[0, 0, 0, 27, 0], Some(-1));
        let twice = [0, 0, 0, 27, 0, 0, 0, 0, 0xfe, 0, 0, 0, 27, 0, 0, 0, 0];
        refused(&twice, Some(0));
        let with = |byte| failure(&[&stage[..], &[byte]].concat(), |_| {});
        if stage.len() < 5 {
            assert_eq!(with(0xff), SessionError::Busy);
            assert_eq!(with(11), SessionError::Terminated(Peer::Server));
        }
    }
}

#[test]
fn a_server_that_goes_or_falls_silent_is_named_in_every_state() {
    for (n, stage) in stages().into_iter().enumerate() {
        let error = failure(&stage, ClientSession::eof);
        assert!(matches!(error, SessionError::Closed { .. }), "{error}");
        // While it is the driver's turn nothing is due.
        let mut told = Vec::new();
        let mut session = session();
        session.receive(NOW, &stage);
        react(&mut session, &mut told);
        let deadline = session.next_deadline().unwrap();
        assert!(deadline <= NOW + ANSWER);
        session.expire(deadline);
        let Some(ClientAction::Failed(error)) = session.poll_action() else {
            panic!("stage {n}");
        };
        assert!(matches!(error, SessionError::TimedOut { .. }), "{error}");
    }
}

#[test]
fn what_has_no_place_is_told() {
    for bytes in [
        &[2][..],
        &[9, 9],
        &[9, 10, 13],
        &[9, 10, 1, 2, 14],
        &[0x55],
        &[3],
    ] {
        let error = failure(bytes, |_| {});
        assert!(matches!(error, SessionError::Broke { .. }), "{error}");
    }
    let mut long = servers_side()[..5].to_vec();
    long.extend([0x7f, 0xff, 0xff, 0xff]);
    let error = failure(&long, |_| {});
    assert!(error.to_string().contains("2147483647 bytes"), "{error}");
}

#[test]
fn an_interrupted_client_says_so() {
    let mut session = session();
    session.receive(NOW, &[9, 10]);
    session.consumed(usize::MAX);
    session.terminate();
    assert_eq!(session.transmit(), [12]);
    session.opened(NOW).unwrap();
    assert!(session.is_over());
}

#[test]
fn a_command_out_of_turn_is_the_callers_fault() {
    let mut session = session();
    assert!(session.opened(NOW).is_err());
    assert!(session.ended(NOW).is_err());
    assert!(session.results(NOW, &results()).is_err());
}

#[test]
fn what_is_asked_may_change_until_the_server_wants_to_hear_it() {
    let mut session = session();
    let later = Parameters {
        parallel: 7,
        ..Parameters::new(Protocol::Tcp)
    };
    session.ask(later.clone()).unwrap();
    session.receive(NOW, &[9]);
    let said = String::from_utf8_lossy(session.transmit()).into_owned();
    assert!(said.ends_with(&later.encode()), "{said}");
    assert!(session.ask(later).is_err());
}
