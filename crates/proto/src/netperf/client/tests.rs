use super::*;
use crate::netperf::request::calibrated;
use crate::netperf::{TestName, fixture, sample};
use State::*;

const NOW: Nanos = Nanos::from_secs(1000);

fn after(seconds: u64) -> Nanos {
    NOW + Nanos::from_secs(seconds)
}

/// The request of the fixtures.
fn test() -> TestRequest {
    match Request::decode(&fixture::omni_request()) {
        Ok(Request::Test { test, .. }) => test,
        other => panic!("{other:?}"),
    }
}

/// A session in `state`, with nothing left to tell or to send.
fn at(state: State) -> ClientSession {
    let mut session = ClientSession::new(None);
    for call in session_calls(state) {
        call(&mut session);
    }
    assert_eq!(session.state, state);
    while session.poll_action().is_some() {}
    session.consumed(session.transmit().len());
    session
}

type Call = fn(&mut ClientSession);

fn session_calls(state: State) -> &'static [Call] {
    const ASK: Call = |s| s.ask(NOW, Some(1), test(), 1).unwrap();
    const OPENED: Call = |s| s.receive(NOW, fixture::omni_response().as_bytes());
    const RESULTS: Call = |s| s.receive(NOW, fixture::omni_results().as_bytes());
    const FINISH: Call = |s| s.finished(NOW).unwrap();
    match state {
        Idle => &[],
        Calibrating => &[|s| s.calibrate(NOW).unwrap()],
        Asked => &[ASK],
        Running => &[ASK, OPENED],
        Finished => &[ASK, OPENED, FINISH],
        Told => &[ASK, OPENED, RESULTS],
        Left => &[|s| s.close()],
        Over => &[|s| s.eof()],
    }
}

fn actions(session: &mut ClientSession) -> Vec<ClientAction> {
    std::iter::from_fn(|| session.poll_action()).collect()
}

fn opened() -> ClientAction {
    ClientAction::Opened(vec![sample::opened()])
}

fn results() -> ClientAction {
    ClientAction::Results(vec![sample::tally()])
}

const STATES: [State; 8] = [
    Idle,
    Calibrating,
    Asked,
    Running,
    Finished,
    Told,
    Left,
    Over,
];

/// Where an answer and an error number lead from every state.
const MESSAGES: [(State, State, State); 8] = [
    (Idle, Over, Over),
    (Calibrating, Idle, Idle),
    (Asked, Running, Idle),
    (Running, Told, Told),
    (Finished, Idle, Idle),
    (Told, Over, Over),
    (Left, Left, Left),
    (Over, Over, Over),
];

#[test]
fn every_message_in_every_state() {
    for (state, answered, refused) in MESSAGES {
        let (message, told) = match state {
            Asked => (fixture::omni_response(), opened()),
            Running | Finished => (fixture::omni_results(), results()),
            _ => {
                let (rate, cpus) = (100.0, 2);
                let told = ClientAction::Calibrated { rate, cpus };
                (calibrated(rate, cpus), told)
            }
        };
        let mut session = at(state);
        session.receive(NOW, message.as_bytes());
        assert_eq!(session.state, answered, "{state:?}");
        let broke = ClientAction::Failed(SessionError::Broke {
            rule: format!(
                "the server sent a message while the client waits for {}",
                state.waits_for()
            ),
        });
        let expected = match state {
            Left | Over => vec![],
            Idle | Told => vec![broke.clone()],
            _ => vec![told],
        };
        assert_eq!(actions(&mut session), expected, "{state:?}");

        let mut session = at(state);
        session.receive(NOW, Frame::new(0, 998).as_bytes());
        assert_eq!(session.state, refused, "{state:?}");
        let expected = match state {
            Left | Over => vec![],
            Idle | Told => vec![broke],
            _ => vec![ClientAction::Refused(ErrorNumber::UNKNOWN_TEST)],
        };
        assert_eq!(actions(&mut session), expected, "{state:?}");
    }
}

const NAMES: [&str; 3] = ["ask", "calibrate", "finished"];

/// Where every command leads from every state, in the order of [`NAMES`]; none is a fault of the
/// caller.
#[rustfmt::skip]
const COMMANDS: [(State, [Option<State>; 3]); 8] = [
    //            ask          calibrate          finished
    (Idle,        [Some(Asked), Some(Calibrating), None]),
    (Calibrating, [None,        None,              None]),
    (Asked,       [None,        None,              None]),
    (Running,     [None,        None,              Some(Finished)]),
    (Finished,    [None,        None,              None]),
    (Told,        [None,        None,              Some(Idle)]),
    (Left,        [Some(Left); 3]),
    (Over,        [Some(Over); 3]),
];

#[test]
fn every_command_in_every_state() {
    for (state, nexts) in COMMANDS {
        for (name, next) in NAMES.into_iter().zip(nexts) {
            let mut session = at(state);
            let outcome = match name {
                "ask" => session.ask(NOW, None, test(), 1),
                "calibrate" => session.calibrate(NOW),
                _ => session.finished(NOW),
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
            let asks = state == Idle && next.is_some();
            let bytes = if asks { Frame::LEN } else { 0 };
            assert_eq!(session.transmit().len(), bytes, "{name} in {state:?}");
        }
    }
}

#[test]
fn every_state_can_be_left() {
    for state in STATES {
        let mut session = at(state);
        session.close();
        let expected = if state == Over { Over } else { Left };
        assert_eq!(session.state, expected, "{state:?}");
        assert_eq!(session.next_deadline(), None);
        // What still comes is of no interest.
        session.receive(NOW, fixture::omni_results().as_bytes());
        assert_eq!(actions(&mut session), []);
        session.eof();
        let expected = match state {
            Over => vec![],
            _ => vec![ClientAction::Closed],
        };
        assert_eq!(actions(&mut session), expected, "{state:?}");
    }
}

#[test]
fn every_state_has_its_patience() {
    for state in STATES {
        let seconds = match state {
            Asked | Finished => Some(120),
            Calibrating => Some(160),
            _ => None,
        };
        let mut session = at(state);
        assert_eq!(session.next_deadline(), seconds.map(after), "{state:?}");
        session.receive(NOW, b"\0\0\0");
        session.expire(after(seconds.unwrap_or(1 << 30) - 1));
        assert_eq!(session.state, state, "too early");
        session.expire(after(1 << 30));
        let expected = match seconds {
            None => vec![],
            Some(_) => {
                let (state, held) = (state.waits_for(), 3);
                let error = SessionError::TimedOut { state, held };
                vec![ClientAction::Failed(error)]
            }
        };
        assert_eq!(actions(&mut session), expected, "{state:?}");
    }
}

#[test]
fn every_state_and_the_end_of_the_connection() {
    for state in STATES {
        let mut session = at(state);
        session.receive(NOW, &[0; 100]);
        session.eof();
        let expected = match state {
            Over => vec![],
            Left => vec![ClientAction::Closed],
            state => {
                let (state, held) = (state.waits_for(), 100);
                let error = SessionError::Closed { state, held };
                vec![ClientAction::Failed(error)]
            }
        };
        assert_eq!(actions(&mut session), expected, "{state:?}");
        assert!(session.is_over());
    }
}

#[test]
fn the_exchange_of_the_fixtures() {
    let mut session = ClientSession::new(None);
    session.ask(NOW, Some(1), test(), 1).unwrap();
    assert_eq!(session.transmit(), fixture::omni_request().as_bytes());
    session.consumed(Frame::LEN);
    session.receive(NOW, fixture::omni_response().as_bytes());
    assert_eq!(actions(&mut session), [opened()]);
    session.finished(after(1)).unwrap();
    session.receive(after(1), fixture::omni_results().as_bytes());
    assert_eq!(actions(&mut session), [results()]);
    assert_eq!(session.state, Idle, "the next iteration may come");
    assert_eq!(session.transmit(), b"");
}

#[test]
fn results_may_come_before_the_client_is_through() {
    let mut session = at(Running);
    session.receive(NOW, fixture::omni_results().as_bytes());
    assert_eq!(actions(&mut session), [results()]);
    assert!(session.ask(NOW, None, test(), 1).is_err(), "not yet");
    session.finished(NOW).unwrap();
    session.ask(NOW, None, test(), 1).unwrap();
}

#[test]
fn the_passphrase_goes_first_and_nobody_waits_for_an_answer() {
    let mut session = ClientSession::new(Some("sesame"));
    let expected = Request::Passphrase(b"sesame".to_vec()).encode();
    assert_eq!(session.transmit(), expected.as_bytes());
    session.ask(NOW, Some(1), test(), 1).unwrap();
    let second = &session.transmit()[Frame::LEN..];
    assert_eq!(second, fixture::omni_request().as_bytes());
}

#[test]
fn the_type_of_an_answer_means_nothing() {
    for kind in [0, 97, 99, 0x6200_0000, u32::MAX] {
        let mut session = at(Asked);
        let mut response = fixture::omni_response();
        response.set_word(0, kind);
        session.receive(NOW, response.as_bytes());
        assert_eq!(actions(&mut session), [opened()]);
    }
}

#[test]
fn a_response_without_a_port_breaks_the_rules() {
    let mut session = at(Asked);
    let mut response = fixture::omni_response();
    response.set_word(13, 0);
    session.receive(NOW, response.as_bytes());
    let [ClientAction::Failed(error)] = &actions(&mut session)[..] else {
        panic!("no port");
    };
    assert_eq!(
        error.to_string(),
        "the peer broke netperf's protocol: data_port (word 13) is 0: the server did not get the \
         port, ports from 1 to 65535 are accepted"
    );
}

#[test]
fn every_test_asks_with_its_own_message() {
    for name in TestName::all() {
        let Some(request) = name.request() else {
            continue;
        };
        let kind = request.test().request();
        let mut session = ClientSession::new(None);
        session.ask(NOW, None, request, 1).unwrap();
        assert_eq!(session.transmit()[..4], kind.to_be_bytes(), "{name:?}");
    }
}
