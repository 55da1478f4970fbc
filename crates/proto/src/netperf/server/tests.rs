use units::Bytes;

use super::*;
use crate::netperf::{
    Direction, ExchangeTest, Length, OmniRequest, StreamTest, Test, TestName, TestRequest, Work,
    fixture, sample,
};
use State::*;

const NOW: Nanos = Nanos::from_secs(1000);

fn after(seconds: u64) -> Nanos {
    NOW + Nanos::from_secs(seconds)
}

fn request(name: TestName) -> TestRequest {
    name.request().expect("a test with a request")
}

fn frame(test: TestRequest) -> Frame {
    Request::Test { cpu: None, test }.encode()
}

fn passphrase(text: &str) -> Frame {
    Request::Passphrase(text.as_bytes().to_vec()).encode()
}

fn unlocked() -> ServerSession {
    ServerSession::new(NOW, Terms::default())
}

fn locked() -> ServerSession {
    let terms = Terms {
        passphrase: Some("sesame".into()),
        ..Terms::default()
    };
    ServerSession::new(NOW, terms)
}

/// A session in `state`, with nothing left to tell or to send.
fn at(state: State) -> ServerSession {
    if state == Locked {
        return locked();
    }
    let mut session = unlocked();
    let calls = session_calls(state);
    for call in calls {
        call(&mut session);
    }
    assert_eq!(session.state, state);
    while session.poll_action().is_some() {}
    session.consumed(session.transmit().len());
    session
}

type Call = fn(&mut ServerSession);

fn session_calls(state: State) -> &'static [Call] {
    const ASK: Call = |s| s.receive(NOW, fixture::omni_request().as_bytes());
    const OPEN: Call = |s| s.opened(NOW, &[sample::opened()]).unwrap();
    const BEGIN: Call = |s| s.began(NOW).unwrap();
    const CALIBRATE: Call = |s| s.receive(NOW, Request::Calibrate.encode().as_bytes());
    const END: Call = |s| s.eof();
    match state {
        Locked | Idle => &[],
        Calibrating => &[CALIBRATE],
        Opening => &[ASK],
        Open => &[ASK, OPEN],
        Begun => &[ASK, OPEN, BEGIN],
        Over => &[END],
    }
}

fn actions(session: &mut ServerSession) -> Vec<ServerAction> {
    std::iter::from_fn(|| session.poll_action()).collect()
}

/// The messages that wait to be sent.
fn sent(session: &mut ServerSession) -> Vec<Frame> {
    let bytes = session.transmit().to_vec();
    session.consumed(bytes.len());
    let (frames, rest) = bytes.as_chunks();
    assert!(rest.is_empty(), "{} bytes of a message", rest.len());
    frames.iter().map(|bytes| Frame::of(*bytes)).collect()
}

const STATES: [State; 7] = [Locked, Idle, Calibrating, Opening, Open, Begun, Over];

/// Where every message leads from every state: debug, calibration, the right passphrase, a wrong
/// one, a test, an unknown type, a test with an absurd field.
#[rustfmt::skip]
const MESSAGES: [(State, [State; 7]); 7] = [
    //            debug calibrate    sesame other test     998   absurd
    (Locked,      [Over, Over,        Idle,  Over, Over,    Over, Over]),
    (Idle,        [Idle, Calibrating, Idle,  Idle, Opening, Idle, Idle]),
    (Calibrating, [Over; 7]),
    (Opening,     [Over; 7]),
    (Open,        [Over; 7]),
    (Begun,       [Over; 7]),
    (Over,        [Over; 7]),
];

fn messages() -> [Frame; 7] {
    let mut absurd = fixture::omni_request();
    absurd.set_word(3, 0x8000_0000);
    [
        Request::DebugOn.encode(),
        Request::Calibrate.encode(),
        passphrase("sesame"),
        passphrase("sesam"),
        fixture::omni_request(),
        Frame::new(777, u32::MAX),
        absurd,
    ]
}

#[test]
fn every_message_in_every_state() {
    for (state, next) in MESSAGES {
        for (message, next) in messages().iter().zip(next) {
            let mut session = at(state);
            session.receive(NOW, message.as_bytes());
            assert_eq!(session.state, next, "{state:?} and\n{message:?}");
            let failed = matches!(actions(&mut session).last(), Some(ServerAction::Failed(_)));
            assert_eq!(failed, next == Over && state != Over, "{state:?}");
            if next == Over {
                assert_eq!(sent(&mut session), [], "a broken rule gets no answer");
                assert_eq!(session.next_deadline(), None);
            }
        }
    }
}

const NAMES: [&str; 5] = ["opened", "began", "results", "refuse", "calibrated"];

/// Where every command leads from every state, in the order of [`NAMES`]; none is a fault of the
/// caller.
#[rustfmt::skip]
const COMMANDS: [(State, [Option<State>; 5]); 7] = [
    //            opened      began        results     refuse      calibrated
    (Locked,      [None,       None,        None,       None,       None]),
    (Idle,        [None,       None,        None,       None,       None]),
    (Calibrating, [None,       None,        None,       Some(Idle), Some(Idle)]),
    (Opening,     [Some(Open), None,        None,       Some(Idle), None]),
    (Open,        [None,       Some(Begun), Some(Idle), Some(Idle), None]),
    (Begun,       [None,       Some(Begun), Some(Idle), Some(Idle), None]),
    (Over,        [Some(Over); 5]),
];

#[test]
fn every_command_in_every_state() {
    for (state, nexts) in COMMANDS {
        for (name, next) in NAMES.into_iter().zip(nexts) {
            let mut session = at(state);
            let outcome = match name {
                "opened" => session.opened(NOW, &[sample::opened()]),
                "began" => session.began(NOW),
                "results" => session.results(NOW, &[sample::tally()]),
                "refuse" => session.refuse(NOW, ErrorNumber::INVALID),
                _ => session.calibrated(NOW, 100.0, 2),
            };
            assert_eq!(session.state, next.unwrap_or(state), "{name} in {state:?}");
            let expected = match next {
                Some(_) => Ok(()),
                None => Err(WrongTurn {
                    command: name,
                    state: state.waits_for(),
                }),
            };
            assert_eq!(outcome, expected);
            let answers = next.is_some() && state != Over && name != "began";
            assert_eq!(sent(&mut session).len(), usize::from(answers), "{name}");
            assert_eq!(
                actions(&mut session),
                [],
                "a command tells its caller nothing"
            );
        }
    }
}

/// How long every state may last, and what becomes of it then.
const WAITS: [(State, Option<u64>, Option<State>); 7] = [
    (Locked, Some(20), Some(Over)),
    (Idle, Some(120), Some(Over)),
    (Calibrating, None, None),
    (Opening, None, None),
    // One second of test, and four.
    (Open, Some(5), Some(Open)),
    (Begun, Some(5), Some(Begun)),
    (Over, None, None),
];

#[test]
fn every_state_has_its_patience() {
    for (state, seconds, next) in WAITS {
        let mut session = at(state);
        assert_eq!(session.next_deadline(), seconds.map(after), "{state:?}");
        let Some(deadline) = session.next_deadline() else {
            session.expire(Nanos::new(u64::MAX));
            assert_eq!(session.state, state);
            continue;
        };
        session.expire(Nanos::new(deadline.get() - 1));
        assert_eq!(session.state, state, "too early");
        assert_eq!(actions(&mut session), []);
        session.expire(deadline);
        assert_eq!(Some(session.state), next);
        let expected = match next {
            Some(Over) => ServerAction::Failed(SessionError::TimedOut {
                state: state.waits_for(),
                held: 0,
            }),
            _ => ServerAction::Stop {
                over_since: after(1),
            },
        };
        assert_eq!(actions(&mut session), [expected], "{state:?}");
        assert_eq!(session.next_deadline(), None, "once is enough");
    }
}

#[test]
fn every_state_and_the_end_of_the_connection() {
    for state in STATES {
        let mut session = at(state);
        session.eof();
        let expected = match state {
            Over => vec![],
            Idle => vec![ServerAction::Closed],
            state => vec![ServerAction::Failed(SessionError::Closed {
                state: state.waits_for(),
                held: 0,
            })],
        };
        assert_eq!(actions(&mut session), expected, "{state:?}");
        assert!(session.is_over());
        session.eof();
        assert_eq!(actions(&mut session), []);
    }
}

#[test]
fn half_a_message_costs_nothing_lasting() {
    let mut session = unlocked();
    session.receive(NOW, &fixture::omni_request().as_bytes()[..100]);
    session.eof();
    let (state, held) = ("the client's next request", 100);
    let failed = ServerAction::Failed(SessionError::Closed { state, held });
    assert_eq!(actions(&mut session), [failed]);

    // Whoever trickles gets no more time than whoever is silent.
    let mut session = unlocked();
    for second in 0..100 {
        session.receive(after(second), b"\0");
    }
    session.expire(after(120));
    let failed = ServerAction::Failed(SessionError::TimedOut { state, held });
    assert_eq!(actions(&mut session), [failed]);
}

#[test]
fn a_message_of_256_bytes_is_an_old_netperf() {
    let mut session = unlocked();
    session.receive(NOW, &[0; 256]);
    session.expire(after(120));
    let Some(ServerAction::Failed(error)) = session.poll_action() else {
        panic!("the time is up");
    };
    let sentence = error.to_string();
    assert!(sentence.contains("netperf before 2.6.0"), "{sentence}");
}

#[test]
fn the_exchange_of_the_fixtures() {
    let mut session = unlocked();
    session.receive(NOW, fixture::omni_request().as_bytes());
    let [ServerAction::Open(job)] = &actions(&mut session)[..] else {
        panic!("one job");
    };
    assert_eq!(job.cpu, Some(1));
    assert!(job.options.nodelay && job.measures_cpu);
    assert_eq!(job.options.congestion.as_deref(), Some("cubic"));
    let work = Work::Exchange {
        request: Bytes::new(100),
        response: Bytes::new(200),
        reconnects: false,
    };
    assert_eq!(job.work, work);
    session.opened(NOW, &[sample::opened()]).unwrap();
    assert_eq!(sent(&mut session), [fixture::omni_response()]);
    session.results(NOW, &[sample::tally()]).unwrap();
    let mut expected = fixture::omni_results();
    expected.set_word(0, 99);
    expected.set_word(19, 0);
    assert_eq!(sent(&mut session), [expected]);
    session.eof();
    assert_eq!(actions(&mut session), [ServerAction::Closed]);
}

#[test]
fn several_tests_one_after_the_other() {
    let mut session = unlocked();
    for (second, test) in (0..).zip(Test::ALL) {
        let now = after(100 * second);
        session.receive(now, frame(TestRequest::new(test)).as_bytes());
        let actions = actions(&mut session);
        assert!(matches!(actions[..], [ServerAction::Open(_)]), "{test:?}");
        session.opened(now, &[sample::opened()]).unwrap();
        session.results(now, &[sample::tally()]).unwrap();
        let types: Vec<_> = sent(&mut session).iter().map(Frame::kind).collect();
        assert_eq!(types, [test.response(), test.results()]);
        assert_eq!(session.next_deadline(), Some(now + Nanos::from_secs(120)));
    }
}

#[test]
fn a_refused_test_leaves_the_connection_usable() {
    let in_use = ErrorNumber::new(98);
    for state in [Calibrating, Opening, Open, Begun] {
        let mut session = at(state);
        session.refuse(NOW, in_use).unwrap();
        let answers = sent(&mut session);
        assert_eq!(answers.len(), 1);
        assert_eq!(answers[0].errno(), 98, "{state:?}");
        session.receive(NOW, fixture::omni_request().as_bytes());
        assert_eq!(session.state, Opening);
    }
}

#[test]
fn absurd_and_unknown_requests_are_told_and_refused() {
    let mut session = unlocked();
    let [.., unknown, absurd] = messages();
    session.receive(NOW, unknown.as_bytes());
    session.receive(NOW, absurd.as_bytes());
    let dccp = OmniRequest {
        socket_type: 3,
        protocol: 33,
        ..OmniRequest::default()
    };
    let dccp = TestRequest::Omni(Box::new(dccp));
    session.receive(NOW, frame(dccp).as_bytes());
    let numbers: Vec<_> = sent(&mut session).iter().map(Frame::errno).collect();
    assert_eq!(numbers, [998, 22, 93]);
    let told: Vec<_> = actions(&mut session)
        .into_iter()
        .map(|action| match action {
            ServerAction::Refused(refusal) => refusal.number.get(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(told, numbers);
    assert_eq!(session.state, Idle);
    assert_eq!(
        session.next_deadline(),
        Some(after(120)),
        "no more patience"
    );
}

#[test]
fn a_receive_size_of_zero_is_the_default() {
    let mut request = fixture::omni_request();
    request.set_word(26, 4);
    request.set_word(7, u32::MAX);
    request.set_word(9, 0);
    let mut session = unlocked();
    session.receive(NOW, request.as_bytes());
    let [ServerAction::Open(job)] = &actions(&mut session)[..] else {
        panic!("one job");
    };
    assert_eq!(job.work, Work::Receive { size: None });
}

#[test]
fn small_messages_are_answered() {
    let mut session = unlocked();
    for request in [Request::DebugOn, Request::DebugOff, Request::SystemInfo] {
        session.receive(NOW, request.encode().as_bytes());
    }
    let types: Vec<_> = sent(&mut session).iter().map(Frame::kind).collect();
    assert_eq!(types, [3, 3, 601]);
    session.receive(NOW, Request::Calibrate.encode().as_bytes());
    assert_eq!(actions(&mut session), [ServerAction::Calibrate]);
    session.calibrated(NOW, 100.0, 2).unwrap();
    let answers = sent(&mut session);
    let words = [0, 1, 2, 3].map(|at| answers[0].word(at));
    assert_eq!(words, [5, 0, 0x42c8_0000, 2]);
}

#[test]
fn the_passphrase_opens_and_is_not_asked_for_again() {
    let mut session = locked();
    session.receive(NOW, passphrase("sesame").as_bytes());
    assert_eq!(sent(&mut session), [], "it has no answer");
    assert_eq!(session.next_deadline(), Some(after(120)));
    session.receive(NOW, fixture::omni_request().as_bytes());
    assert_eq!(session.state, Opening);
}

#[test]
fn a_wrong_or_missing_passphrase_closes_without_a_reply() {
    for message in [
        passphrase("sesame "),
        passphrase("sesam"),
        passphrase(""),
        fixture::omni_request(),
        Frame::new(777, 0),
    ] {
        let mut session = locked();
        session.receive(NOW, message.as_bytes());
        let failed = ServerAction::Failed(SessionError::Passphrase);
        assert_eq!(actions(&mut session), [failed]);
        assert_eq!(session.transmit(), b"");
    }
}

#[test]
fn a_passphrase_that_is_too_long_counts_as_far_as_it_travels() {
    let long = "x".repeat(700);
    let terms = Terms {
        passphrase: Some(long.clone()),
        ..Terms::default()
    };
    let mut session = ServerSession::new(NOW, terms);
    session.receive(NOW, passphrase(&long).as_bytes());
    assert_eq!(session.state, Idle);
}

#[test]
fn a_client_that_does_not_read_is_dropped() {
    let mut session = unlocked();
    let question = Request::DebugOn.encode();
    let mut asked = 0;
    while !session.is_over() {
        session.receive(NOW, question.as_bytes());
        asked += 1;
        assert!(asked < 1000, "{} bytes wait", session.transmit().len());
    }
    assert!(asked * Frame::LEN > UNREAD);
    let rule = "the client leaves more than 64 KiB unread".to_owned();
    let failed = ServerAction::Failed(SessionError::Broke { rule });
    assert_eq!(actions(&mut session), [failed]);
}

/// When the test stops if data came at all, counted from the first data; and how long it waits
/// for that.
#[test]
fn every_test_has_its_time() {
    let omni = |direction, length| {
        TestRequest::Omni(Box::new(OmniRequest {
            direction,
            length,
            ..OmniRequest::default()
        }))
    };
    let ten = Length::Seconds(10);
    for (test, waits, runs) in [
        (omni(Direction::Receive, ten), Some(14), Some(14)),
        (omni(Direction::Both, ten), Some(14), Some(14)),
        // The server ends what it sends.
        (omni(Direction::Send, ten), Some(14), Some(10)),
        // Nobody says that there are no more connections.
        (omni(Direction::Connect, ten), Some(14), Some(11)),
        (request(TestName::TcpCrr), Some(14), Some(11)),
        (request(TestName::TcpCc), Some(14), Some(11)),
        (request(TestName::UdpStream), Some(14), Some(14)),
        (request(TestName::TcpSendfile), Some(14), Some(14)),
        (TestRequest::new(Test::Maerts), Some(14), Some(10)),
        (
            TestRequest::new(Test::Exchange(ExchangeTest::UdpRr)),
            Some(14),
            Some(14),
        ),
        (
            TestRequest::new(Test::Stream(StreamTest::Sctp)),
            Some(14),
            Some(14),
        ),
        (omni(Direction::Receive, Length::Unlimited), None, None),
        (omni(Direction::Send, Length::Count(5)), None, None),
    ] {
        let mut session = unlocked();
        session.receive(NOW, frame(test.clone()).as_bytes());
        session.opened(NOW, &[sample::opened()]).unwrap();
        let due = |from: u64, seconds: Option<u64>| seconds.map(|seconds| after(from + seconds));
        assert_eq!(session.next_deadline(), due(0, waits), "{test:?}");
        session.began(after(3)).unwrap();
        assert_eq!(session.next_deadline(), due(3, runs), "{test:?}");
        // The next connection of the same test.
        session.began(after(5)).unwrap();
        assert_eq!(session.next_deadline(), due(3, runs), "{test:?}");
        if let Some(deadline) = session.next_deadline() {
            actions(&mut session);
            session.expire(deadline);
            let over_since = after(13);
            let stop = ServerAction::Stop { over_since };
            assert_eq!(actions(&mut session), [stop], "{test:?}");
        }
    }
}

/// The start delay of a client (`-s`) counts before the test's time, not in it.
#[test]
fn a_test_that_begins_late_is_no_shorter() {
    let terms = Terms {
        patience: Nanos::from_secs(60),
        ..Terms::default()
    };
    let mut session = ServerSession::new(NOW, terms);
    session.receive(NOW, fixture::omni_request().as_bytes());
    session.opened(NOW, &[sample::opened()]).unwrap();
    assert_eq!(session.next_deadline(), Some(after(61)));
    session.began(after(60)).unwrap();
    assert_eq!(session.next_deadline(), Some(after(65)));
}

#[test]
fn data_after_the_stop_starts_nothing_anew() {
    let mut session = at(Open);
    session.expire(after(5));
    session.began(after(5)).unwrap();
    assert_eq!(session.next_deadline(), None);
    session.results(after(6), &[sample::tally()]).unwrap();
    assert_eq!(session.next_deadline(), Some(after(126)));
}

#[test]
fn an_end_is_an_end() {
    let mut session = at(Over);
    session.receive(NOW, fixture::omni_request().as_bytes());
    session.expire(Nanos::new(u64::MAX));
    assert_eq!(actions(&mut session), []);
    assert_eq!(session.transmit(), b"");
    assert_eq!(session.buffered(), 0);
}
