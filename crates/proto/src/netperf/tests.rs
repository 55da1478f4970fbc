//! A client and a server against each other, in memory and in virtual time.

use proptest::prelude::*;
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
    /// What the client still wants, the next thing last.
    wants: Vec<Want>,
    /// What the server's driver does with a job.
    conduct: Conduct,
}

#[derive(Debug, Clone)]
enum Want {
    Calibration,
    Test(TestRequest),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Conduct {
    /// Data comes, and the client ends it.
    Works,
    /// The server ends it, and the client hears of it before it is through.
    IsFirst,
    /// No data ever comes: the server stops when its patience is over.
    HearsNothing,
    /// There is no such port.
    Refuses,
    /// Something breaks half-way.
    Breaks,
}

impl Pair {
    fn new(wants: &[Want], conduct: Conduct, fragments: Vec<usize>) -> Self {
        let now = Nanos::from_secs(77);
        let passphrase = Some("sesame".to_owned());
        let terms = Terms {
            passphrase: passphrase.clone(),
            ..Terms::default()
        };
        Self {
            now,
            client: ClientSession::new(passphrase.as_deref()),
            server: ServerSession::new(now, terms),
            told: (vec![], vec![]),
            fragments: fragments.into_iter().cycle(),
            wants: wants.iter().rev().cloned().collect(),
            conduct,
        }
    }

    /// Lets bytes flow and both drivers answer until nobody has anything more to say, and then
    /// until the deadline, while there is one before the client has left.
    fn run(&mut self) {
        self.want();
        loop {
            let moved = self.client_to_server() | self.server_to_client();
            let acted = self.client_acts() | self.server_acts();
            if moved || acted {
                self.now = self.now + Nanos::from_millis(1);
                continue;
            }
            if self.client.is_over() {
                return;
            }
            let deadlines = [self.client.next_deadline(), self.server.next_deadline()];
            self.now = deadlines.into_iter().flatten().min().expect("a deadline");
            self.client.expire(self.now);
            self.server.expire(self.now);
        }
    }

    fn want(&mut self) {
        match self.wants.pop() {
            Some(Want::Calibration) => self.client.calibrate(self.now).unwrap(),
            Some(Want::Test(test)) => self.client.ask(self.now, None, test, 1).unwrap(),
            None => self.client.close(),
        }
    }

    fn client_to_server(&mut self) -> bool {
        let bytes = fragment(self.client.transmit(), &mut self.fragments);
        self.client.consumed(bytes.len());
        self.server.receive(self.now, &bytes);
        if self.client.is_over() && self.client.transmit().is_empty() {
            self.server.eof();
        }
        !bytes.is_empty()
    }

    fn server_to_client(&mut self) -> bool {
        let bytes = fragment(self.server.transmit(), &mut self.fragments);
        self.server.consumed(bytes.len());
        self.client.receive(self.now, &bytes);
        if self.server.is_over() && self.server.transmit().is_empty() {
            self.client.eof();
        }
        !bytes.is_empty()
    }

    fn client_acts(&mut self) -> bool {
        let Some(action) = self.client.poll_action() else {
            return false;
        };
        match &action {
            ClientAction::Opened(_) if self.conduct != Conduct::IsFirst => {
                self.client.finished(self.now).unwrap();
            }
            ClientAction::Results(_) | ClientAction::Refused(_) => {
                if self.conduct == Conduct::IsFirst {
                    self.client.finished(self.now).unwrap();
                }
                self.want();
            }
            ClientAction::Calibrated { .. } => self.want(),
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
        let in_use = ErrorNumber::new(98);
        match (&action, self.conduct) {
            (ServerAction::Open(_), Conduct::Refuses) => server.refuse(now, in_use).unwrap(),
            (ServerAction::Open(_), conduct) => {
                server.opened(now, &[sample::opened()]).unwrap();
                if conduct == Conduct::Breaks {
                    server.began(now).unwrap();
                    server.refuse(now, ErrorNumber::SEND_FAILED).unwrap();
                } else if conduct != Conduct::HearsNothing {
                    server.began(now).unwrap();
                    server.results(now, &[sample::tally()]).unwrap();
                }
            }
            (ServerAction::Stop { .. }, _) => server.results(now, &[sample::tally()]).unwrap(),
            (ServerAction::Calibrate, _) => server.calibrated(now, 100.0, 2).unwrap(),
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

/// Every test by its name, as a usual netperf asks and as one without omni.
fn every_want() -> Vec<Want> {
    let named = TestName::all().filter_map(TestName::request);
    let classic = TestName::all()
        .filter_map(TestName::classic)
        .map(TestRequest::new);
    let tests = named.chain(classic).map(Want::Test);
    tests.chain([Want::Calibration]).collect()
}

/// What both ends are told in a run that goes well.
fn told_in_a_good_run(wants: &[Want]) -> (Vec<ClientAction>, Vec<ServerAction>) {
    let (mut client, mut server) = (vec![], vec![]);
    for want in wants {
        match want {
            Want::Calibration => {
                let (rate, cpus) = (100.0, 2);
                client.push(ClientAction::Calibrated { rate, cpus });
                server.push(ServerAction::Calibrate);
            }
            Want::Test(test) => {
                let opened = Opened::decode(&sample::opened().encode(test), test).unwrap();
                let tally = Tally::decode(&sample::tally().encode(test), test).unwrap();
                client.push(ClientAction::Opened(vec![opened]));
                client.push(ClientAction::Results(vec![tally]));
                let job = Job::of(test, None).unwrap();
                server.push(ServerAction::Open(Box::new(job)));
            }
        }
    }
    client.push(ClientAction::Closed);
    server.push(ServerAction::Closed);
    (client, server)
}

#[test]
fn every_test_alone() {
    for want in every_want() {
        for conduct in [Conduct::Works, Conduct::IsFirst] {
            let wants = [want.clone()];
            let mut pair = Pair::new(&wants, conduct, vec![usize::MAX]);
            pair.run();
            assert_eq!(pair.told, told_in_a_good_run(&wants), "{conduct:?}");
        }
    }
}

#[test]
fn all_tests_on_one_connection() {
    let wants = every_want();
    let mut pair = Pair::new(&wants, Conduct::Works, vec![usize::MAX]);
    pair.run();
    assert_eq!(pair.told, told_in_a_good_run(&wants));
}

#[test]
fn an_iteration_is_a_whole_test() {
    let test = TestName::TcpRr.request().unwrap();
    let wants = vec![Want::Test(test); 30];
    let mut pair = Pair::new(&wants, Conduct::Works, vec![usize::MAX]);
    pair.run();
    assert_eq!(pair.told, told_in_a_good_run(&wants));
}

#[test]
fn a_test_without_data_ends_after_its_time_and_four_seconds() {
    let test = TestName::TcpStream.request().unwrap();
    let mut pair = Pair::new(&[Want::Test(test)], Conduct::HearsNothing, vec![usize::MAX]);
    pair.run();
    assert!(matches!(
        pair.told.1[..],
        [
            ServerAction::Open(_),
            ServerAction::Stop { .. },
            ServerAction::Closed
        ]
    ));
    assert!(matches!(
        pair.told.0[..],
        [
            ClientAction::Opened(_),
            ClientAction::Results(_),
            ClientAction::Closed
        ]
    ));
    let elapsed = pair.now - Nanos::from_secs(77);
    assert_eq!(elapsed.get() / 1_000_000_000, 14);
}

#[test]
fn a_refused_test_is_followed_by_the_next() {
    for (conduct, number) in [(Conduct::Refuses, 98), (Conduct::Breaks, 992)] {
        let test = TestName::UdpStream.request().unwrap();
        let wants = [Want::Test(test.clone()), Want::Test(test)];
        let mut pair = Pair::new(&wants, conduct, vec![usize::MAX]);
        pair.run();
        let refused: Vec<_> = pair
            .told
            .0
            .iter()
            .filter_map(|action| match action {
                ClientAction::Refused(number) => Some(number.get()),
                _ => None,
            })
            .collect();
        assert_eq!(refused, [number, number], "{conduct:?}");
        assert_eq!(pair.told.0.last(), Some(&ClientAction::Closed));
        assert_eq!(pair.told.1.last(), Some(&ServerAction::Closed));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn fragments_do_not_matter(fragments in prop::collection::vec(1_usize..1500, 1..20)) {
        let wants = every_want();
        let mut pair = Pair::new(&wants, Conduct::Works, fragments);
        pair.run();
        prop_assert_eq!(pair.told, told_in_a_good_run(&wants));
    }

    /// Whatever a client sends, and however it is cut, the server's driver is told the same.
    #[test]
    fn a_server_takes_any_stream(
        kinds in prop::collection::vec(
            prop_oneof![Just(97_u32), Just(10), Just(5), Just(1), Just(6), any::<u32>()],
            0..5,
        ),
        word in any::<u32>(),
        at in 2_usize..164,
        tail in 0_usize..656,
        size in 1_usize..1500,
    ) {
        let mut stream = vec![];
        for kind in kinds {
            let mut frame = Frame::new(kind, u32::MAX);
            frame.set_word(at, word);
            stream.extend_from_slice(frame.as_bytes());
        }
        stream.resize(stream.len() + tail, 0);
        let told = |size: usize| {
            let mut server = ServerSession::new(Nanos::ZERO, Terms::default());
            for fragment in stream.chunks(size) {
                server.receive(Nanos::ZERO, fragment);
            }
            server.eof();
            let told: Vec<_> = std::iter::from_fn(|| server.poll_action()).collect();
            (told, server.transmit().to_vec())
        };
        prop_assert_eq!(told(size), told(usize::MAX));
    }
}

/// netdyno's own words: one question, an answer and results for each of three tests.
#[test]
fn many_tests_share_a_connection() {
    let test = TestName::TcpStream.request().unwrap();
    let mut client = ClientSession::new(None);
    let mut server = ServerSession::new(Nanos::ZERO, Terms::default());
    let now = Nanos::ZERO;
    client.ask(now, None, test, 3).unwrap();
    server.receive(now, client.transmit());
    client.consumed(client.transmit().len());
    let Some(ServerAction::Open(job)) = server.poll_action() else {
        panic!("no job");
    };
    assert_eq!(job.tests, 3);
    let port = |port| Opened {
        port,
        ..sample::opened()
    };
    let opened = [port(1), port(2), port(3)];
    server.opened(now, &opened).unwrap();
    let (answers, part) = (server.transmit().to_vec(), Frame::LEN + 7);
    server.consumed(answers.len());
    client.receive(now, &answers[..part]);
    assert_eq!(client.poll_action(), None, "two answers are missing");
    client.receive(now, &answers[part..]);
    let Some(ClientAction::Opened(heard)) = client.poll_action() else {
        panic!("no answers");
    };
    assert_eq!(
        heard.iter().map(|one| one.port).collect::<Vec<_>>(),
        [1, 2, 3]
    );
    client.finished(now).unwrap();
    let tallies = [sample::tally(), sample::tally(), sample::tally()];
    server.results(now, &tallies).unwrap();
    client.receive(now, server.transmit());
    let Some(ClientAction::Results(heard)) = client.poll_action() else {
        panic!("no results");
    };
    assert_eq!(heard.len(), 3);
}
