//! The server's session under fuzz.

use proto::native::{ClientMessage, ServerAction, ServerSession};
use units::Nanos;

use crate::scene;
use crate::session::{GUARD, NOW, Session, same_methods};

impl Session for ServerSession {
    type Action = ServerAction;

    const STAGES: u8 = 11;

    fn at(stage: u8) -> Self {
        let mut server = Self::new(NOW, scene::facts());
        server.guard(GUARD);
        let [hello, propose, start, done, _] = scene::client_says().map(|m| m.encode());
        let steps: [&dyn Fn(&mut Self); 10] = [
            &|s| s.receive(NOW, &hello),
            &|s| s.receive(NOW, &propose),
            &|s| turn(s.accept(NOW, 7, scene::TOKEN, vec![], scene::sysctls())),
            &|s| turn(s.attached(NOW, scene::grants())),
            &|s| s.receive(NOW, &start),
            &|s| turn(s.started()),
            &|s| turn(s.done(scene::totals())),
            &|s| s.receive(NOW, &done),
            &|s| turn(s.report(NOW, scene::report())),
            &|s| {
                // The client takes the report to its last byte.
                while !s.transmit().is_empty() {
                    s.consumed(s.transmit().len());
                }
            },
        ];
        for step in &steps[..usize::from(stage)] {
            if stage < 9 {
                server.consumed(server.transmit().len());
            }
            step(&mut server);
        }
        while server.poll_action().is_some() {}
        server
    }

    fn react(&mut self, action: &ServerAction) {
        match action {
            ServerAction::Proposed(plan, _) => {
                turn(self.accept(NOW, 7, scene::TOKEN, vec![], scene::sysctls()));
                let grants = vec![record::Granted::default(); plan.loads.len()];
                turn(self.attached(NOW, grants));
            }
            ServerAction::Observe(_) => turn(self.observed(Box::new(scene::observation()))),
            ServerAction::Start => {
                turn(self.started());
                turn(self.edge(scene::edge()));
                turn(self.done(vec![]));
            }
            ServerAction::Stop => {
                // It may have sent its last byte long ago.
                let _ = self.done(vec![]);
            }
            ServerAction::PeerDone(_) => {
                // From a stage in which the server has not sent its last byte, it has now.
                let _ = self.done(vec![]);
                turn(self.report(NOW, scene::report()));
            }
            ServerAction::Aborted(_) | ServerAction::Bye | ServerAction::Failed(_) => {}
        }
    }

    fn is_last(action: &ServerAction) -> bool {
        use ServerAction as A;
        matches!(action, A::Aborted(_) | A::Bye | A::Failed(_))
    }

    fn texts(action: &ServerAction) -> Vec<String> {
        match action {
            ServerAction::Proposed(_, sysctls) => sysctls.values().cloned().collect(),
            ServerAction::Aborted(reason) => vec![reason.clone()],
            ServerAction::Failed(error) => vec![error.to_string()],
            _ => vec![],
        }
    }

    fn round_trip(json: &[u8]) {
        if let Ok(message) = ClientMessage::decode(json) {
            let frame = message.encode();
            assert_eq!(
                ClientMessage::decode(&frame[4..]),
                Ok(message),
                "not the same again"
            );
        }
    }

    same_methods!();
}

/// A command whose turn it is, or comes too late.
fn turn(outcome: Result<(), proto::native::WrongTurn>) {
    outcome.expect("a command in its turn");
}
