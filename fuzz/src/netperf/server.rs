//! The server's session under fuzz.

use proto::netperf::{Job, Request, ServerAction, ServerSession, Terms, WrongTurn};
use units::Nanos;

use super::{frames, scene};
use crate::session::{NOW, Session, same_methods};

impl Session for ServerSession {
    type Action = ServerAction;

    const STAGES: u8 = 7;

    fn at(stage: u8) -> Self {
        let passphrase = Some(scene::PASSPHRASE.to_owned());
        let mut server = Self::new(
            NOW,
            Terms {
                passphrase,
                ..Terms::default()
            },
        );
        let say = |server: &mut Self, request: Request| {
            server.receive(NOW, request.encode().as_bytes());
        };
        let [test, ..] = scene::tests();
        let steps: [&dyn Fn(&mut Self); 6] = [
            &|s| say(s, Request::Passphrase(scene::PASSPHRASE.into())),
            &|s| say(s, Request::Calibrate),
            &|s| {
                turn(s.calibrated(NOW, 100.0, 2));
                say(
                    s,
                    Request::Test {
                        cpu: Some(1),
                        test: test.clone(),
                    },
                );
            },
            &|s| turn(s.opened(NOW, &[scene::opened()])),
            &|s| turn(s.began(NOW)),
            &|s| turn(s.results(NOW, &[scene::tally()])),
        ];
        for step in &steps[..usize::from(stage)] {
            step(&mut server);
            server.consumed(server.transmit().len());
        }
        while server.poll_action().is_some() {}
        server
    }

    fn react(&mut self, action: &ServerAction) {
        match action {
            ServerAction::Open(_) => {
                turn(self.opened(NOW, &[scene::opened()]));
                turn(self.began(NOW));
                turn(self.results(NOW, &[scene::tally()]));
            }
            ServerAction::Calibrate => turn(self.calibrated(NOW, 100.0, 2)),
            ServerAction::Stop { .. } => turn(self.results(NOW, &[scene::tally()])),
            ServerAction::Refused(_) | ServerAction::Closed | ServerAction::Failed(_) => {}
        }
    }

    fn is_last(action: &ServerAction) -> bool {
        matches!(action, ServerAction::Closed | ServerAction::Failed(_))
    }

    fn is_stop(action: &ServerAction) -> bool {
        matches!(action, ServerAction::Stop { .. })
    }

    fn texts(action: &ServerAction) -> Vec<String> {
        match action {
            ServerAction::Open(job) => job.options.congestion.iter().cloned().collect(),
            ServerAction::Refused(refusal) => vec![refusal.to_string()],
            ServerAction::Failed(error) => vec![error.to_string()],
            _ => vec![],
        }
    }

    fn round_trip(stream: &[u8]) {
        for frame in frames(stream) {
            if let Ok(request) = Request::decode(&frame) {
                assert_eq!(
                    Request::decode(&request.encode()).as_ref(),
                    Ok(&request),
                    "not the same again"
                );
                if let Request::Test { cpu, test } = request {
                    drop(Job::of(&test, cpu));
                }
            }
        }
    }

    same_methods!();
}

/// A command whose turn it is, or comes too late.
fn turn(outcome: Result<(), WrongTurn>) {
    outcome.expect("a command in its turn");
}
