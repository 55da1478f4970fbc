//! A client and a server against each other, in memory and in virtual time.

use plan::Plan;
use proptest::prelude::*;
use record::{EndReport, Facts, Granted};
use units::Nanos;

use super::*;

/// Both ends and the two byte streams between them, which deliver in fragments.
struct Pair {
    now: Nanos,
    client: ClientSession,
    server: ServerSession,
    /// What each end was told.
    told: (Vec<ClientAction>, Vec<ServerAction>),
    /// Sizes of the fragments, over and over.
    fragments: std::iter::Cycle<std::vec::IntoIter<usize>>,
    /// What the server allows.
    caps: Vec<Cap>,
    /// How many edges the server sends before it is done.
    edges: usize,
    /// What both ends say they sent.
    sent: Vec<SentTotals>,
    report: EndReport,
    plan: Plan,
}

impl Pair {
    fn new(plan: Plan, report: EndReport, fragments: Vec<usize>) -> Self {
        let now = Nanos::from_secs(77);
        let mut server = ServerSession::new(now, sample::facts());
        server.guard(Nanos::from_secs(99));
        let mut client = ClientSession::new(now, "0.1.0");
        client.guard(Nanos::from_secs(99));
        // The acceptor reads the preamble before there is a session.
        let preamble = Preamble::parse(client.transmit());
        assert_eq!(preamble, Ok(crate::Parse::Complete(Preamble::Control)));
        client.consumed(Preamble::LEN);
        Self {
            now,
            client,
            server,
            told: (vec![], vec![]),
            fragments: fragments.into_iter().cycle(),
            caps: sample::caps(),
            edges: 3,
            sent: sample::totals(),
            report,
            plan,
        }
    }

    /// Lets bytes flow and both drivers answer until nobody has anything more to say.
    fn run(&mut self) {
        loop {
            let moved = self.client_to_server() | self.server_to_client();
            let acted = self.client_acts() | self.server_acts();
            self.now = self.now + Nanos::from_millis(1);
            if !moved && !acted {
                return;
            }
        }
    }

    fn client_to_server(&mut self) -> bool {
        let bytes = fragment(self.client.transmit(), &mut self.fragments);
        self.client.consumed(bytes.len());
        self.server.receive(self.now, &bytes);
        !bytes.is_empty()
    }

    fn server_to_client(&mut self) -> bool {
        let bytes = fragment(self.server.transmit(), &mut self.fragments);
        self.server.consumed(bytes.len());
        self.client.receive(self.now, &bytes);
        !bytes.is_empty()
    }

    fn client_acts(&mut self) -> bool {
        let Some(action) = self.client.poll_action() else {
            return false;
        };
        match &action {
            ClientAction::Peer(_) => self
                .client
                .propose(self.now, self.plan.clone(), sample::sysctls())
                .unwrap(),
            ClientAction::Attached(_) => self.client.start(self.now).unwrap(),
            ClientAction::Started => self.client.done(self.sent.clone()).unwrap(),
            ClientAction::Report(_) => self.client.bye().unwrap(),
            _ => {}
        }
        self.told.0.push(action);
        true
    }

    fn server_acts(&mut self) -> bool {
        let Some(action) = self.server.poll_action() else {
            return false;
        };
        let (now, server) = (self.now, &mut self.server);
        match &action {
            ServerAction::Proposed(plan, sysctls) => {
                assert_eq!(**plan, self.plan);
                server
                    .accept(now, 7, sample::TOKEN, self.caps.clone(), sysctls.clone())
                    .unwrap();
                server
                    .attached(now, vec![Granted::default(); plan.loads.len()])
                    .unwrap();
            }
            ServerAction::Start => {
                server.started().unwrap();
                for _ in 0..self.edges {
                    server.edge(sample::edge()).unwrap();
                }
                server.done(self.sent.clone()).unwrap();
            }
            ServerAction::PeerDone(_) => server.report(now, self.report.clone()).unwrap(),
            _ => {}
        }
        self.told.1.push(action);
        true
    }
}

fn fragment(bytes: &[u8], sizes: &mut impl Iterator<Item = usize>) -> Vec<u8> {
    let size = sizes.next().unwrap_or(usize::MAX).min(bytes.len());
    bytes[..size].to_vec()
}

fn whole_run() -> Pair {
    Pair::new(sample::plan(), sample::report(), vec![usize::MAX])
}

/// What both ends are told in a run that goes well.
fn told_in_a_good_run() -> (Vec<ClientAction>, Vec<ServerAction>) {
    let edge = ClientAction::Edge(sample::edge());
    let client = vec![
        ClientAction::Peer(Box::new(sample::facts())),
        ClientAction::Accepted {
            test: 7,
            token: sample::TOKEN,
            caps: sample::caps(),
            sysctls: sample::sysctls(),
        },
        ClientAction::Attached(sample::grants()),
        ClientAction::Started,
        edge.clone(),
        edge.clone(),
        edge,
        ClientAction::PeerDone(sample::totals()),
        ClientAction::Report(Box::new(sample::report())),
    ];
    let server = vec![
        ServerAction::Proposed(Box::new(sample::plan()), sample::sysctls()),
        ServerAction::Start,
        ServerAction::PeerDone(sample::totals()),
        ServerAction::Bye,
    ];
    (client, server)
}

#[test]
fn a_run_from_hello_to_goodbye() {
    let mut pair = whole_run();
    pair.run();
    assert_eq!(pair.told, told_in_a_good_run());
    assert!(pair.client.is_over() && pair.server.is_over());
    assert_eq!(
        (pair.client.next_deadline(), pair.server.next_deadline()),
        (None, None)
    );
    pair.server.eof();
    pair.client.eof();
    assert_eq!(pair.client.poll_action(), Some(ClientAction::Closed));
    assert_eq!(pair.server.poll_action(), None);
}

#[test]
fn the_facts_alone_and_goodbye() {
    let mut pair = whole_run();
    assert!(pair.client_to_server() && pair.server_to_client());
    assert!(matches!(
        pair.client.poll_action(),
        Some(ClientAction::Peer(_))
    ));
    pair.client.bye().unwrap();
    pair.run();
    assert_eq!(pair.told, (vec![], vec![ServerAction::Bye]));
}

#[test]
fn a_refused_plan_ends_both_sides() {
    let mut pair = whole_run();
    while !matches!(pair.server.poll_action(), Some(ServerAction::Proposed(..))) {
        pair.client_to_server();
        pair.server_to_client();
        pair.client_acts();
    }
    let reason = "64 tests are running, as many as this server takes";
    pair.server
        .refuse(RefuseCode::TooManyTests, reason)
        .unwrap();
    pair.run();
    let error = SessionError::Refused {
        code: RefuseCode::TooManyTests,
        reason: reason.into(),
    };
    assert_eq!(pair.told.0.last(), Some(&ClientAction::Failed(error)));
    assert!(pair.client.is_over() && pair.server.is_over());
}

#[test]
fn a_connection_without_a_session_is_refused_too() {
    let mut pair = whole_run();
    let bytes = ServerSession::refusal(RefuseCode::NotAllowed, "192.0.2.1 is not on the list");
    pair.client.receive(pair.now, &bytes);
    let Some(ClientAction::Failed(error)) = pair.client.poll_action() else {
        panic!("not refused");
    };
    assert_eq!(
        error.to_string(),
        "the server refused: 192.0.2.1 is not on the list"
    );
}

#[test]
fn an_abort_of_either_end_reaches_the_other_whenever_it_comes() {
    for steps in 0..40 {
        for by_client in [true, false] {
            let mut pair = whole_run();
            for _ in 0..steps {
                let _ = pair.client_to_server() | pair.server_to_client();
                let _ = pair.client_acts() | pair.server_acts();
            }
            let was_over = (pair.client.is_over(), pair.server.is_over());
            if by_client {
                pair.client.abort("interrupted");
            } else {
                pair.server.abort("stopping");
            }
            pair.run();
            let context = format!("after {steps} steps, by client: {by_client}");
            match (by_client, was_over) {
                (true, (false, false)) => {
                    let aborted = ServerAction::Aborted("interrupted".into());
                    assert_eq!(pair.told.1.last(), Some(&aborted), "{context}");
                }
                (false, (false, false)) => {
                    let reason = "stopping".to_owned();
                    let failed = ClientAction::Failed(SessionError::PeerAborted { reason });
                    assert_eq!(pair.told.0.last(), Some(&failed), "{context}");
                }
                // The goodbye had been said already.
                _ => assert_eq!(pair.told.0, told_in_a_good_run().0, "{context}"),
            }
        }
    }
}

#[test]
fn silence_of_the_other_end_is_noticed_in_virtual_time_whenever_it_comes() {
    for steps in 0..40 {
        let mut pair = whole_run();
        for _ in 0..steps {
            let _ = pair.client_to_server() | pair.server_to_client();
            let _ = pair.client_acts() | pair.server_acts();
        }
        // From here on nothing arrives any more. Who waits for the other end notices; who does
        // not wait has the turn, or is through.
        if let Some(deadline) = pair.client.next_deadline() {
            assert!(deadline <= Nanos::from_secs(99), "after {steps} steps");
            pair.client.expire(deadline);
            let last = std::iter::from_fn(|| pair.client.poll_action()).last();
            let Some(ClientAction::Failed(SessionError::TimedOut { .. })) = last else {
                panic!("after {steps} steps: {last:?}");
            };
        }
        if let Some(deadline) = pair.server.next_deadline() {
            assert!(deadline <= Nanos::from_secs(99), "after {steps} steps");
            pair.server.expire(deadline);
            let last = std::iter::from_fn(|| pair.server.poll_action()).last();
            let Some(ServerAction::Failed(SessionError::TimedOut { .. })) = last else {
                panic!("after {steps} steps: {last:?}");
            };
        }
        assert_eq!(pair.client.next_deadline(), None, "after {steps} steps");
        assert_eq!(pair.server.next_deadline(), None, "after {steps} steps");
    }
}

#[test]
fn two_versions_part_with_a_sentence_at_both_ends() {
    let mut pair = whole_run();
    let hello = ClientMessage::Hello {
        protocol: PROTOCOL + 1,
        netdyno: "9.9".into(),
    };
    pair.server.receive(pair.now, &hello.encode());
    pair.server_to_client();
    let (Some(ClientAction::Failed(at_client)), Some(ServerAction::Failed(at_server))) =
        (pair.client.poll_action(), pair.server.poll_action())
    else {
        panic!("they go on");
    };
    assert_eq!(
        at_client.to_string(),
        format!(
            "the server refused: this server (netdyno 0.1.0) speaks protocol version {PROTOCOL}, \
             the client speaks version {}",
            PROTOCOL + 1
        )
    );
    assert_eq!(
        at_server.to_string(),
        format!(
            "the peer (netdyno 9.9) speaks protocol version {}, this netdyno speaks version \
             {PROTOCOL}",
            PROTOCOL + 1
        )
    );
}

#[test]
fn hostile_texts_reach_no_driver() {
    let mut pair = whole_run();
    let facts = Facts {
        hostname: Some("\x1b]0;owned\x07".repeat(100)),
        ..sample::facts()
    };
    pair.server = ServerSession::new(pair.now, facts);
    assert!(pair.client_to_server() && pair.server_to_client());
    let Some(ClientAction::Peer(facts)) = pair.client.poll_action() else {
        panic!("no hello");
    };
    let hostname = facts.hostname.expect("a name");
    assert_eq!(hostname.chars().count(), 256);
    assert!(!hostname.chars().any(char::is_control), "{hostname:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_fragmentation_tells_the_same(fragments in prop::collection::vec(1..2000usize, 1..30)) {
        let mut pair = Pair::new(sample::plan(), sample::report(), fragments);
        pair.run();
        prop_assert_eq!(pair.told, told_in_a_good_run());
    }

    #[test]
    fn any_report_arrives_whole(
        flows in prop::collection::vec(1..600u32, 1..4), fragment in 1000..100_000usize,
    ) {
        let report = sample::report_of(&flows);
        let mut pair = Pair::new(sample::plan_of(&flows), report.clone(), vec![fragment]);
        (pair.caps, pair.edges, pair.sent) = (vec![], 0, vec![]);
        pair.run();
        let told = pair.told.0.last();
        prop_assert_eq!(told, Some(&ClientAction::Report(Box::new(report))));
    }
}
