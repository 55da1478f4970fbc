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
    /// The client's own end of it.
    End,
    /// Skipped.
    Deaf,
}
use Next::{Bad, Deaf, End as Ends, To};

/// Every state against every message, in the order of [`sample::client_messages`].
#[rustfmt::skip]
const TABLE: [(State, [Next; 8]); 15] = [
    //           hello        propose       observe        start         done          stop           abort bye
    (Connected, [To(Greeted), Bad,          Bad,           Bad,          Bad,          Bad,           Ends, Bad]),
    (Greeted,   [Bad,         To(Proposed), To(Observing), Bad,          Bad,          Bad,           Ends, Ends]),
    (Proposed,  [Bad,         Bad,          Bad,           Bad,          Bad,          Bad,           Ends, Bad]),
    (Accepted,  [Bad,         Bad,          Bad,           Bad,          Bad,          Bad,           Ends, Bad]),
    (Observing, [Bad,         Bad,          Bad,           Bad,          Bad,          Bad,           Ends, Ends]),
    (Attached,  [Bad,         Bad,          Bad,           To(Starting), Bad,          Bad,           Ends, Bad]),
    (Starting,  [Bad,         Bad,          Bad,           Bad,          Bad,          Bad,           Ends, Bad]),
    (Running,   [Bad,         Bad,          Bad,           Bad,          To(PeerDone), To(Running),   Ends, Bad]),
    (OursDone,  [Bad,         Bad,          Bad,           Bad,          To(BothDone), To(OursDone),  Ends, Bad]),
    (PeerDone,  [Bad,         Bad,          Bad,           Bad,          Bad,          To(PeerDone),  Ends, Bad]),
    (BothDone,  [Bad,         Bad,          Bad,           Bad,          Bad,          To(BothDone),  Ends, Bad]),
    (Reporting, [Bad,         Bad,          Bad,           Bad,          Bad,          To(Reporting), Ends, Bad]),
    (Reported,  [Bad,         Bad,          Bad,           Bad,          Bad,          To(Reported),  Ends, Ends]),
    (Left,      [Deaf; 8]),
    (Over,      [Deaf; 8]),
];

const NAMES: [&str; 9] = [
    "accept", "refuse", "attached", "started", "edge", "observed", "done", "report", "abort",
];

/// Every state against every command, in the order of [`NAMES`]: where it leads, or nowhere.
#[rustfmt::skip]
const COMMANDS: [(State, [Option<State>; 9]); 15] = [
    //           accept          refuse      attached        started        edge            observed        done            report           abort
    (Connected, [None,           Some(Left), None,           None,          None,           None,           None,           None,            Some(Left)]),
    (Greeted,   [None,           Some(Left), None,           None,          None,           None,           None,           None,            Some(Left)]),
    (Proposed,  [Some(Accepted), Some(Left), None,           None,          None,           None,           None,           None,            Some(Left)]),
    (Accepted,  [None,           None,       Some(Attached), None,          None,           None,           None,           None,            Some(Left)]),
    (Observing, [None,           None,       None,           None,          None,           Some(Observing),None,           None,            Some(Left)]),
    (Attached,  [None,           None,       None,           None,          None,           None,           None,           None,            Some(Left)]),
    (Starting,  [None,           None,       None,           Some(Running), None,           None,           None,           None,            Some(Left)]),
    (Running,   [None,           None,       None,           None,          Some(Running),  Some(Running),  Some(OursDone), None,            Some(Left)]),
    (OursDone,  [None,           None,       None,           None,          Some(OursDone), Some(OursDone), None,           None,            Some(Left)]),
    (PeerDone,  [None,           None,       None,           None,          Some(PeerDone), Some(PeerDone), Some(BothDone), None,            Some(Left)]),
    (BothDone,  [None,           None,       None,           None,          Some(BothDone), Some(BothDone), None,           Some(Reporting), Some(Left)]),
    (Reporting, [None,           None,       None,           None,          None,           None,           None,           None,            Some(Left)]),
    (Reported,  [None,           None,       None,           None,          None,           None,           None,           None,            Some(Left)]),
    (Left,      [Some(Left); 9]),
    (Over,      [Some(Over); 9]),
];

/// How long each state may last, with the guard set; and what the client's silence, or its
/// closing, is called then.
const WAITS: [(State, Option<Nanos>, &str); 13] = [
    (Connected, Some(after(5)), "the client's hello"),
    (Greeted, Some(after(5)), "the client's plan"),
    (Proposed, None, "the server's answer to the plan"),
    (Accepted, Some(after(10)), "all flows to connect"),
    (Observing, None, "the client to have seen enough"),
    (Attached, Some(after(5)), "the client to start the run"),
    (Starting, None, "the server to confirm the start"),
    (Running, Some(GUARD), "the run to end"),
    (OursDone, Some(GUARD), "the client to finish sending"),
    (PeerDone, Some(GUARD), "the server to finish sending"),
    (BothDone, Some(GUARD), "the server's report"),
    (Reporting, Some(after(10)), "the client to take the report"),
    (Reported, Some(after(10)), "the client's goodbye"),
];

const fn after(seconds: u64) -> Nanos {
    Nanos::from_secs(NOW.get() / 1_000_000_000 + seconds)
}

/// A server that has come to `state` at [`NOW`], with nothing left to send or to tell.
fn server_in(state: State) -> ServerSession {
    let mut server = ServerSession::new(NOW, sample::facts());
    server.guard(GUARD);
    let [hello, propose, observe, start, done, _, _, bye] =
        sample::client_messages().map(|message| message.encode());
    while server.end.state != state {
        match server.end.state {
            Connected => server.receive(NOW, &hello),
            Greeted if state == Observing => server.receive(NOW, &observe),
            Greeted => server.receive(NOW, &propose),
            Proposed if state == Left => server.refuse(RefuseCode::TooLong, "no").unwrap(),
            Proposed => server
                .accept(NOW, 7, sample::TOKEN, sample::caps(), sample::sysctls())
                .unwrap(),
            Accepted => server.attached(NOW, sample::grants()).unwrap(),
            Attached => server.receive(NOW, &start),
            Starting => server.started().unwrap(),
            Running if state == PeerDone => server.receive(NOW, &done),
            Running | PeerDone => server.done(sample::totals()).unwrap(),
            OursDone => server.receive(NOW, &done),
            BothDone => {
                server.consumed(usize::MAX);
                server.report(NOW, sample::report()).unwrap();
            }
            Reporting => server.consumed(usize::MAX),
            Reported => server.receive(NOW, &bye),
            Observing => unreachable!("it is where it was to come to"),
            Left | Over => unreachable!("nothing comes after the end"),
        }
    }
    while server.poll_action().is_some() {}
    if state != Reporting {
        server.consumed(usize::MAX);
    }
    server
}

fn only_action(server: &mut ServerSession) -> ServerAction {
    let action = server.poll_action().expect("an action");
    assert_eq!(server.poll_action(), None, "after {action:?}");
    action
}

/// The last thing that waits to be said to the client.
fn last_said(server: &ServerSession) -> Option<ServerMessage> {
    let mut reader = FrameReader::new(FrameReader::CLIENT_LIMIT);
    reader.feed(server.transmit());
    let next = || {
        let frame = reader.pop().unwrap()?;
        Some(ServerMessage::decode(frame).unwrap())
    };
    std::iter::from_fn(next).last()
}

#[test]
fn every_message_in_every_state() {
    for (state, row) in TABLE {
        for (next, message) in row.into_iter().zip(sample::client_messages()) {
            let name = message.name();
            let context = format!("'{name}' in {state:?}");
            let mut server = server_in(state);
            let waiting = server.transmit().len();
            server.receive(NOW, &message.encode());
            match next {
                To(next) => {
                    assert_eq!(server.end.state, next, "{context}");
                    let says = server.transmit().len() > waiting;
                    assert_eq!(says, name == "hello", "{context}");
                }
                Deaf => {
                    assert_eq!(server.end.state, state, "{context}");
                    assert_eq!(server.poll_action(), None, "{context}");
                }
                Bad => {
                    let waits_for = state.waits_for(End::Server);
                    let rule =
                        format!("the client sent '{name}' while the server waits for {waits_for}");
                    let error = SessionError::Broke { rule };
                    let reason = error.to_string();
                    let failed = ServerAction::Failed(error);
                    assert_eq!(only_action(&mut server), failed, "{context}");
                    let abort = ServerMessage::Abort { reason };
                    assert_eq!(last_said(&server), Some(abort), "{context}");
                }
                Ends => {
                    let action = only_action(&mut server);
                    let ended = match name {
                        "bye" => action == ServerAction::Bye,
                        _ => action == ServerAction::Aborted("interrupted".into()),
                    };
                    assert!(ended && server.is_over(), "{context}: {action:?}");
                    assert_eq!(server.transmit().len(), waiting, "{context}");
                }
            }
        }
    }
}

#[test]
fn every_command_in_every_state() {
    for (state, row) in COMMANDS {
        for (next, command) in row.into_iter().zip(NAMES) {
            let context = format!("'{command}' in {state:?}");
            let mut server = server_in(state);
            let waiting = server.transmit().len();
            let outcome = match command {
                "accept" => server.accept(NOW, 7, sample::TOKEN, vec![], Default::default()),
                "refuse" => server.refuse(RefuseCode::TooLong, "no"),
                "attached" => server.attached(NOW, sample::grants()),
                "started" => server.started(),
                "edge" => server.edge(sample::edge()),
                "observed" => server.observed(Box::new(sample::observation())),
                "done" => server.done(sample::totals()),
                "report" => server.report(NOW, sample::report()),
                _ => {
                    server.abort("enough");
                    Ok(())
                }
            };
            assert_eq!(server.poll_action(), None, "{context}");
            assert_eq!(server.end.state, next.unwrap_or(state), "{context}");
            if next.is_some() && !state.is_deaf() {
                let said = last_said(&server).map(|message| message.name());
                assert_eq!((outcome, said), (Ok(()), Some(command)), "{context}");
                continue;
            }
            assert_eq!(server.transmit().len(), waiting, "{context}");
            let wrong = next.is_none().then(|| WrongTurn {
                command,
                state: state.waits_for(End::Server),
            });
            assert_eq!(outcome.err(), wrong, "{context}");
        }
    }
}

#[test]
fn every_state_has_its_patience() {
    for (state, deadline, waits_for) in WAITS {
        let mut server = server_in(state);
        assert_eq!(server.next_deadline(), deadline, "{state:?}");
        let Some(deadline) = deadline else {
            server.expire(Nanos::new(u64::MAX));
            assert_eq!(server.poll_action(), None, "{state:?}");
            continue;
        };
        server.expire(Nanos::new(deadline.get() - 1));
        assert_eq!(server.poll_action(), None, "{state:?}");
        server.expire(deadline);
        let error = SessionError::TimedOut { state: waits_for };
        let reason = error.to_string();
        assert_eq!(only_action(&mut server), ServerAction::Failed(error));
        assert_eq!(last_said(&server), Some(ServerMessage::Abort { reason }));
        assert_eq!(server.next_deadline(), None);
    }
    assert_eq!(server_in(Left).next_deadline(), None);
}

#[test]
fn a_closed_connection_is_a_failure_until_the_report_is_out() {
    for (state, _, waits_for) in WAITS {
        let mut server = server_in(state);
        server.eof();
        let expected = match state {
            Reported => ServerAction::Bye,
            _ => ServerAction::Failed(SessionError::Closed { state: waits_for }),
        };
        assert_eq!(only_action(&mut server), expected);
        server.eof();
        assert_eq!(server.poll_action(), None, "said once");
    }
    let mut server = server_in(Left);
    server.eof();
    assert_eq!((server.poll_action(), server.end.state), (None, Over));
}

#[test]
fn a_client_that_closes_with_the_reports_end_unsent_has_no_report() {
    let mut server = server_in(Reporting);
    while server.end.state == Reporting {
        let waiting = server.transmit().len();
        server.consumed(waiting);
    }
    assert_eq!(last_said(&server), Some(ServerMessage::ReportEnd {}));
    server.eof();
    let state = Reported.waits_for(End::Server);
    let failed = ServerAction::Failed(SessionError::Closed { state });
    assert_eq!(only_action(&mut server), failed);
}

#[test]
fn a_large_plan_gets_time_and_room() {
    let mut server = server_in(Greeted);
    let plan = sample::plan_of(&[99_999, 1]);
    let propose = ClientMessage::Propose {
        plan: Box::new(plan),
        sysctls: Default::default(),
    };
    server.receive(NOW, &propose.encode());
    server
        .accept(NOW, 1, sample::TOKEN, vec![], Default::default())
        .unwrap();
    assert_eq!(server.next_deadline(), Some(after(10 + 50)));
    server.attached(NOW, sample::grants()).unwrap();
    server.receive(NOW, &ClientMessage::Start {}.encode());
    server.started().unwrap();
    while server.poll_action().is_some() {}
    let totals = SentTotals {
        load: 0,
        flows: vec![u64::MAX; 99_999],
    };
    let sent = vec![totals];
    let done = ClientMessage::Done { sent: sent.clone() };
    server.receive(NOW, &done.encode());
    assert_eq!(only_action(&mut server), ServerAction::PeerDone(sent));
}

#[test]
fn another_version_is_refused_with_both_numbers() {
    let mut server = server_in(Connected);
    let json = br#"{"hello":{"protocol":99,"netdyno":"9.9","colour":"red"}}"#;
    let length = u32::try_from(json.len()).unwrap();
    server.receive(NOW, &length.to_be_bytes());
    server.receive(NOW, json);
    let error = SessionError::Version {
        ours: PROTOCOL,
        theirs: 99,
        netdyno: "9.9".into(),
    };
    assert_eq!(only_action(&mut server), ServerAction::Failed(error));
    let refuse = ServerMessage::Refuse {
        code: RefuseCode::Version,
        reason: format!(
            "this server (netdyno 0.1.0) speaks protocol version {PROTOCOL}, \
             the client speaks version 99"
        ),
    };
    assert_eq!(last_said(&server), Some(refuse));
}

#[test]
fn an_invalid_plan_is_refused_with_the_plans_own_sentence() {
    let propose = sample::client_messages()[1].encode();
    let json = String::from_utf8(propose[4..].to_vec()).unwrap();
    let json = json.replacen("\"flows\":3", "\"flows\":3000000", 1);
    let mut server = server_in(Greeted);
    let length = u32::try_from(json.len()).unwrap();
    server.receive(NOW, &length.to_be_bytes());
    server.receive(NOW, json.as_bytes());
    let Some(ServerMessage::Refuse { code, reason }) = last_said(&server) else {
        panic!("not refused");
    };
    assert_eq!(code, RefuseCode::BadPlan);
    assert!(reason.starts_with("the plan is not valid: "), "{reason}");
    assert!(reason.contains("3000000"), "{reason}");
    let failed = ServerAction::Failed(SessionError::Broke { rule: reason });
    assert_eq!(only_action(&mut server), failed);
}

#[test]
fn totals_that_do_not_fit_the_plan_are_broken_rules() {
    for (sent, rule) in [
        (
            r#"[{"load":0,"flows":[1,2]}]"#,
            "totals with 2 flows of load 0, it has 3",
        ),
        (
            r#"[{"load":2,"flows":[]}]"#,
            "totals for load 2, the plan has 2 loads",
        ),
        (
            r#"[{"load":1,"flows":[1]},{"load":1,"flows":[1]}]"#,
            "totals name a load twice, or not in the plan's order",
        ),
    ] {
        let mut server = server_in(Running);
        let json = format!(r#"{{"done":{{"sent":{sent}}}}}"#);
        let length = u32::try_from(json.len()).unwrap();
        server.receive(NOW, &length.to_be_bytes());
        server.receive(NOW, json.as_bytes());
        let rule = rule.to_owned();
        let failed = ServerAction::Failed(SessionError::Broke { rule });
        assert_eq!(only_action(&mut server), failed);
    }
}

#[test]
fn a_client_that_does_not_read_is_dropped() {
    let mut server = server_in(Running);
    while !server.is_over() {
        server.edge(sample::edge()).unwrap();
        assert!(server.buffered() < UNREAD + 10_000);
    }
    let rule = "the client leaves more than 16 MiB unread".to_owned();
    let failed = ServerAction::Failed(SessionError::Broke { rule });
    assert_eq!(only_action(&mut server), failed);
}

#[test]
fn a_report_waits_in_pieces() {
    let mut server = server_in(BothDone);
    let flows = [256 * 40, 1];
    server.roster = Roster::of(&sample::plan_of(&flows));
    server.report(NOW, sample::report_of(&flows)).unwrap();
    let mut most = 0;
    while server.end.state == Reporting {
        // The socket takes a part now and a part then.
        server.consumed(1 + server.transmit().len() / 3);
        most = most.max(server.transmit().len());
    }
    let piece = serde_json::to_vec(&sample::report_of(&[256]).loads[0].flows).unwrap();
    assert!(most < piece.len() + 1000, "{most} bytes waited at once");
}
