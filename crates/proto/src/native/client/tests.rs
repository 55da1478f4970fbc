use State::*;

use super::*;
use crate::native::sample;

const NOW: Nanos = Nanos::from_secs(1000);
const GUARD: Nanos = Nanos::from_secs(5000);

/// What a message leads to.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Next {
    To(State),
    /// A broken rule.
    Bad,
    /// The server's own end of it.
    End,
    /// Skipped.
    Deaf,
}
use Next::{Bad, Deaf, End as Ends, To};

/// Every state against every message, in the order of [`sample::server_messages`].
#[rustfmt::skip]
const TABLE: [(State, [Next; 12]); 15] = [
    //           hello        refuse accept        attached      started      edge          observed      done          report         flows          report-end    abort
    (Connected, [To(Greeted), Ends,  Bad,          Bad,          Bad,         Bad,          Bad,          Bad,          Bad,           Bad,           Bad,          Ends]),
    (Greeted,   [Bad,         Ends,  Bad,          Bad,          Bad,         Bad,          Bad,          Bad,          Bad,           Bad,           Bad,          Ends]),
    (Proposed,  [Bad,         Ends,  To(Accepted), Bad,          Bad,         Bad,          Bad,          Bad,          Bad,           Bad,           Bad,          Ends]),
    (Accepted,  [Bad,         Bad,   Bad,          To(Attached), Bad,         Bad,          Bad,          Bad,          Bad,           Bad,           Bad,          Ends]),
    (Observing, [Bad,         Bad,   Bad,          Bad,          Bad,         Bad,          To(Observing), Bad,         Bad,           Bad,           Bad,          Ends]),
    (Attached,  [Bad,         Bad,   Bad,          Bad,          Bad,         Bad,          Bad,          Bad,          Bad,           Bad,           Bad,          Ends]),
    (Starting,  [Bad,         Bad,   Bad,          Bad,          To(Running), Bad,          Bad,          Bad,          Bad,           Bad,           Bad,          Ends]),
    (Running,   [Bad,         Bad,   Bad,          Bad,          Bad,         To(Running),  To(Running),  To(PeerDone), Bad,           Bad,           Bad,          Ends]),
    (OursDone,  [Bad,         Bad,   Bad,          Bad,          Bad,         To(OursDone), To(OursDone), To(BothDone), Bad,           Bad,           Bad,          Ends]),
    (PeerDone,  [Bad,         Bad,   Bad,          Bad,          Bad,         To(PeerDone), To(PeerDone), Bad,          Bad,           Bad,           Bad,          Ends]),
    (BothDone,  [Bad,         Bad,   Bad,          Bad,          Bad,         To(BothDone), To(BothDone), Bad,          To(Reporting), Bad,           Bad,          Ends]),
    (Reporting, [Bad,         Bad,   Bad,          Bad,          Bad,         Bad,          Bad,          Bad,          Bad,           To(Reporting), To(Reported), Ends]),
    (Reported,  [Bad,         Bad,   Bad,          Bad,          Bad,         Bad,          Bad,          Bad,          Bad,           Bad,           Bad,          Ends]),
    (Left,      [Deaf,        Deaf,  Deaf,         Deaf,         Deaf,        Deaf,         Deaf,         Deaf,         Deaf,          Deaf,          Deaf,         Deaf]),
    (Over,      [Deaf,        Deaf,  Deaf,         Deaf,         Deaf,        Deaf,         Deaf,         Deaf,         Deaf,          Deaf,          Deaf,         Deaf]),
];

/// Every state against propose, observe, start, done, stop, bye, abort: where it leads, or nowhere.
#[rustfmt::skip]
const COMMANDS: [(State, [Option<State>; 7]); 15] = [
    //           propose         observe          start           done            stop            bye         abort
    (Connected, [None,           None,            None,           None,           None,           None,       Some(Left)]),
    (Greeted,   [Some(Proposed), Some(Observing), None,           None,           None,           Some(Left), Some(Left)]),
    (Proposed,  [None,           None,            None,           None,           None,           None,       Some(Left)]),
    (Accepted,  [None,           None,            None,           None,           None,           None,       Some(Left)]),
    (Observing, [None,           None,            None,           None,           None,           Some(Left), Some(Left)]),
    (Attached,  [None,           None,            Some(Starting), None,           None,           None,       Some(Left)]),
    (Starting,  [None,           None,            None,           None,           None,           None,       Some(Left)]),
    (Running,   [None,           None,            None,           Some(OursDone), Some(Running),  None,       Some(Left)]),
    (OursDone,  [None,           None,            None,           None,           Some(OursDone), None,       Some(Left)]),
    (PeerDone,  [None,           None,            None,           Some(BothDone), Some(PeerDone), None,       Some(Left)]),
    (BothDone,  [None,           None,            None,           None,           Some(BothDone), None,       Some(Left)]),
    (Reporting, [None,           None,            None,           None,           None,           None,       Some(Left)]),
    (Reported,  [None,           None,            None,           None,           None,           Some(Left), Some(Left)]),
    (Left,      [Some(Left); 7]),
    (Over,      [Some(Over); 7]),
];

/// How long each state may last, with the guard set; and what the server's silence, or its
/// closing, is called then.
const WAITS: [(State, Option<Nanos>, &str); 13] = [
    (Connected, Some(after(5)), "the server's hello"),
    (Greeted, None, "the client's plan"),
    (Proposed, Some(after(5)), "the server's answer to the plan"),
    (Accepted, Some(after(10)), "all flows to connect"),
    (Observing, None, "the server's next observation"),
    (Attached, None, "the client to start the run"),
    (Starting, Some(after(5)), "the server to confirm the start"),
    (Running, Some(GUARD), "the run to end"),
    (OursDone, Some(GUARD), "the server to finish sending"),
    (PeerDone, Some(GUARD), "the client to finish sending"),
    (BothDone, Some(GUARD), "the server's report"),
    (Reporting, Some(GUARD), "the rest of the server's report"),
    (Reported, None, "the client's goodbye"),
];

const fn after(seconds: u64) -> Nanos {
    Nanos::from_secs(NOW.get() / 1_000_000_000 + seconds)
}

/// A client that has come to `state` at [`NOW`], with nothing left to send or to tell.
fn client_in(state: State) -> ClientSession {
    let mut client = ClientSession::new(NOW, "0.1.0");
    client.guard(GUARD);
    let [
        hello,
        _,
        accept,
        attached,
        started,
        _,
        _,
        done,
        report,
        _,
        report_end,
        _,
    ] = sample::server_messages().map(|message| message.encode());
    while client.end.state != state {
        match client.end.state {
            Connected => client.receive(NOW, &hello),
            Greeted if state == Observing => client.observe(Nanos::from_secs(1)).unwrap(),
            Greeted => client
                .propose(NOW, sample::plan(), sample::sysctls())
                .unwrap(),
            Proposed => client.receive(NOW, &accept),
            Accepted => client.receive(NOW, &attached),
            Attached => client.start(NOW).unwrap(),
            Starting => client.receive(NOW, &started),
            Running if state == PeerDone => client.receive(NOW, &done),
            Running | PeerDone => client.done(sample::totals()).unwrap(),
            OursDone => client.receive(NOW, &done),
            BothDone => client.receive(NOW, &report),
            Reporting => client.receive(NOW, &report_end),
            Reported => client.bye().unwrap(),
            Left => client.eof(),
            Observing => unreachable!("it is where it was to come to"),
            Over => unreachable!("nothing comes after the end"),
        }
    }
    while client.poll_action().is_some() {}
    client.consumed(usize::MAX);
    client
}

fn only_action(client: &mut ClientSession) -> ClientAction {
    let action = client.poll_action().expect("an action");
    assert_eq!(client.poll_action(), None, "after {action:?}");
    action
}

/// What the client says to the server, by name.
fn said(client: &mut ClientSession) -> Vec<&'static str> {
    let mut reader = FrameReader::new(FrameReader::CLIENT_LIMIT);
    reader.feed(client.transmit());
    client.consumed(usize::MAX);
    let next = || {
        let frame = reader.pop().unwrap()?;
        Some(ClientMessage::decode(frame).unwrap().name())
    };
    std::iter::from_fn(next).collect()
}

#[test]
fn every_message_in_every_state() {
    for (state, row) in TABLE {
        for (next, message) in row.into_iter().zip(sample::server_messages()) {
            let name = message.name();
            let context = format!("'{name}' in {state:?}");
            let mut client = client_in(state);
            client.receive(NOW, &message.encode());
            match next {
                To(next) => {
                    assert_eq!(client.end.state, next, "{context}");
                    assert_eq!(said(&mut client), [""; 0], "{context}");
                }
                Deaf => {
                    assert_eq!(client.end.state, state, "{context}");
                    assert_eq!(client.poll_action(), None, "{context}");
                }
                Bad => {
                    let waits_for = state.waits_for(End::Client);
                    let rule =
                        format!("the server sent '{name}' while the client waits for {waits_for}");
                    let failed = ClientAction::Failed(SessionError::Broke { rule });
                    assert_eq!(only_action(&mut client), failed, "{context}");
                    assert_eq!(said(&mut client), ["abort"], "{context}");
                    assert!(client.is_over(), "{context}");
                }
                Ends => {
                    let failed = matches!(
                        (only_action(&mut client), name),
                        (ClientAction::Failed(SessionError::Refused { .. }), "refuse")
                            | (
                                ClientAction::Failed(SessionError::PeerAborted { .. }),
                                "abort"
                            )
                    );
                    assert!(failed && client.is_over(), "{context}");
                    assert_eq!(said(&mut client), [""; 0], "{context}");
                }
            }
        }
    }
}

#[test]
fn every_command_in_every_state() {
    for (state, row) in COMMANDS {
        for (next, command) in row.into_iter().zip([
            "propose", "observe", "start", "done", "stop", "bye", "abort",
        ]) {
            let mut client = client_in(state);
            let outcome = match command {
                "propose" => client.propose(NOW, sample::plan(), sample::sysctls()),
                "observe" => client.observe(Nanos::from_secs(1)),
                "start" => client.start(NOW),
                "done" => client.done(sample::totals()),
                "stop" => client.stop(),
                "bye" => client.bye(),
                _ => {
                    client.abort("enough");
                    Ok(())
                }
            };
            let context = format!("'{command}' in {state:?}");
            assert_eq!(client.poll_action(), None, "{context}");
            assert_eq!(client.end.state, next.unwrap_or(state), "{context}");
            match next {
                None => {
                    let waits_for = state.waits_for(End::Client);
                    let wrong = WrongTurn {
                        command,
                        state: waits_for,
                    };
                    assert_eq!(outcome, Err(wrong), "{context}");
                    assert_eq!(said(&mut client), [""; 0], "{context}");
                }
                Some(_) if state.is_deaf() => {
                    assert_eq!(outcome, Ok(()), "{context}");
                    assert_eq!(said(&mut client), [""; 0], "{context}");
                }
                Some(_) => {
                    assert_eq!(outcome, Ok(()), "{context}");
                    assert_eq!(said(&mut client), [command], "{context}");
                }
            }
        }
    }
}

#[test]
fn every_state_has_its_patience() {
    for (state, deadline, waits_for) in WAITS {
        let mut client = client_in(state);
        assert_eq!(client.next_deadline(), deadline, "{state:?}");
        let Some(deadline) = deadline else {
            client.expire(Nanos::new(u64::MAX));
            assert_eq!(client.poll_action(), None, "{state:?}");
            continue;
        };
        client.expire(Nanos::new(deadline.get() - 1));
        assert_eq!(client.poll_action(), None, "{state:?}");
        client.expire(deadline);
        let state = waits_for;
        let failed = ClientAction::Failed(SessionError::TimedOut { state });
        assert_eq!(only_action(&mut client), failed);
        assert_eq!(said(&mut client), ["abort"]);
        assert_eq!(client.next_deadline(), None);
    }
    assert_eq!(client_in(Left).next_deadline(), None);
}

#[test]
fn without_a_guard_a_run_has_no_deadline() {
    let mut client = client_in(Running);
    client.end = {
        let mut end = Endpoint::new(End::Client, FrameReader::CLIENT_LIMIT, NOW);
        end.enter(Running);
        end
    };
    assert_eq!(client.next_deadline(), None);
    client.guard(GUARD);
    assert_eq!(client.next_deadline(), Some(GUARD));
}

#[test]
fn a_closed_connection_is_a_failure_until_the_report_is_here() {
    for (state, _, waits_for) in WAITS {
        let mut client = client_in(state);
        client.eof();
        let expected = match state {
            Reported => ClientAction::Closed,
            _ => ClientAction::Failed(SessionError::Closed { state: waits_for }),
        };
        assert_eq!(only_action(&mut client), expected);
        client.eof();
        assert_eq!(client.poll_action(), None, "said once");
    }
    let mut client = client_in(Left);
    client.eof();
    assert_eq!(only_action(&mut client), ClientAction::Closed);
}

#[test]
fn flows_of_a_large_plan_have_longer_to_connect() {
    let mut client = client_in(Greeted);
    client
        .propose(NOW, sample::plan_of(&[4000, 3999]), Default::default())
        .unwrap();
    let accept = ServerMessage::Accept {
        test: 1,
        token: sample::TOKEN,
        caps: vec![],
        sysctls: Default::default(),
    };
    client.receive(NOW, &accept.encode());
    assert_eq!(client.next_deadline(), Some(after(10 + 3)));
}

#[test]
fn another_version_is_told_to_both_with_both_numbers() {
    let mut client = client_in(Connected);
    let hello = ServerMessage::Hello {
        protocol: 99,
        netdyno: "9.9".into(),
        facts: Box::default(),
    };
    client.receive(NOW, &hello.encode());
    let sentence = format!(
        "the peer (netdyno 9.9) speaks protocol version 99, this netdyno speaks version {PROTOCOL}"
    );
    assert!(
        client
            .transmit()
            .ends_with(format!("{sentence}\"}}}}").as_bytes())
    );
    match only_action(&mut client) {
        ClientAction::Failed(error) => assert_eq!(error.to_string(), sentence),
        other => panic!("{other:?}"),
    }
}

#[test]
fn lists_that_do_not_fit_the_plan_are_broken_rules() {
    let [
        _,
        _,
        accept,
        attached,
        _,
        edge,
        observed,
        done,
        report,
        flows,
        ..,
    ] = sample::server_messages();
    let cases = [
        (Proposed, accept, "\"load\":1", "\"load\":2"),
        (
            Accepted,
            attached,
            "\"grants\":[",
            "\"grants\":[{\"cpus\":[],\"capped\":[]},",
        ),
        (
            Running,
            edge.clone(),
            "\"end\":\"server\"",
            "\"end\":\"client\"",
        ),
        (
            Running,
            observed,
            "\"end\":\"server\"",
            "\"end\":\"client\"",
        ),
        (Running, edge, "\"loads\":[", "\"loads\":[],\"x\":["),
        (Running, done, "[10,20,30]", "[10,20]"),
        (BothDone, report, "\"end\":\"server\"", "\"end\":\"client\""),
        (Reporting, flows, "\"first\":0", "\"first\":1"),
    ];
    for (state, message, right, wrong) in cases {
        let frame = message.encode();
        let json = std::str::from_utf8(&frame[4..]).unwrap();
        assert!(json.contains(right), "{json}");
        let json = json.replacen(right, wrong, 1);
        let mut client = client_in(state);
        let length = u32::try_from(json.len()).unwrap();
        client.receive(NOW, &length.to_be_bytes());
        client.receive(NOW, json.as_bytes());
        let action = only_action(&mut client);
        let broke = matches!(&action, ClientAction::Failed(SessionError::Broke { rule })
            if !rule.contains("cannot be read"));
        assert!(broke, "{state:?}: {action:?}");
    }
}

#[test]
fn junk_and_gigantic_messages_are_broken_rules() {
    for (bytes, rule) in [
        (
            &b"HTTP/1.1 400 Bad Request\r\n"[..],
            "what answers on this port is no 'netdyno serve', whose usual port is 12866",
        ),
        (
            b"\0\0\0\x02{}",
            "a message that cannot be read: expected value at line 1 column 2",
        ),
    ] {
        let mut client = client_in(Connected);
        client.receive(NOW, bytes);
        let rule = rule.to_owned();
        let failed = ClientAction::Failed(SessionError::Broke { rule });
        assert_eq!(only_action(&mut client), failed);
    }
}
