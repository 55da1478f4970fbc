//! The client's session under fuzz.

use proto::netperf::{ClientAction, ClientSession, Opened, Tally, WrongTurn};
use units::Nanos;

use super::{frames, scene};
use crate::session::{NOW, Session, same_methods};

impl Session for ClientSession {
    type Action = ClientAction;

    /// Nothing asked, calibration asked, closed; then three of every layout.
    const STAGES: u8 = 3 + 3 * 5;

    fn at(stage: u8) -> Self {
        let mut client = Self::new(Some(scene::PASSPHRASE));
        match stage {
            0 => {}
            1 => turn(client.calibrate(NOW)),
            2 => client.close(),
            _ => {
                let (layout, step) = ((stage - 3) / 3, (stage - 3) % 3);
                let test = scene::tests()[usize::from(layout)].clone();
                let response = scene::opened().encode(&test);
                turn(client.ask(NOW, None, test, 3));
                if step > 0 {
                    client.receive(NOW, response.as_bytes());
                }
                if step > 1 {
                    turn(client.finished(NOW));
                }
            }
        }
        client.consumed(client.transmit().len());
        while client.poll_action().is_some() {}
        client
    }

    fn react(&mut self, action: &ClientAction) {
        match action {
            ClientAction::Opened(_) => turn(self.finished(NOW)),
            ClientAction::Results(_)
            | ClientAction::Refused(_)
            | ClientAction::Calibrated { .. } => {
                // Where the server was first, the client is through now.
                let _ = self.finished(NOW);
                let [test, ..] = scene::tests();
                turn(self.ask(NOW, None, test, 1));
            }
            ClientAction::Failed(_) | ClientAction::Closed => {}
        }
    }

    fn is_last(action: &ClientAction) -> bool {
        matches!(action, ClientAction::Failed(_) | ClientAction::Closed)
    }

    fn texts(action: &ClientAction) -> Vec<String> {
        match action {
            ClientAction::Results(tallies) => tallies
                .iter()
                .map(|tally| tally.congestion.clone())
                .collect(),
            ClientAction::Failed(error) => vec![error.to_string()],
            _ => vec![],
        }
    }

    fn round_trip(stream: &[u8]) {
        for (frame, test) in frames(stream).flat_map(|frame| {
            let tests = scene::tests().into_iter();
            tests.map(move |test| (frame.clone(), test))
        }) {
            if let Ok(opened) = Opened::decode(&frame, &test) {
                let again = Opened::decode(&opened.encode(&test), &test);
                assert_eq!(again, Ok(opened), "not the same again");
            }
            let Ok(tally) = Tally::decode(&frame, &test) else {
                panic!("results that a server may not have");
            };
            let mut again = Tally::decode(&tally.encode(&test), &test);
            // Times on the wire have 24 bits.
            again
                .iter_mut()
                .for_each(|again| again.elapsed = tally.elapsed);
            assert_eq!(again, Ok(tally), "not the same again");
        }
    }

    same_methods!();
}

/// A command whose turn it is, or comes too late.
fn turn(outcome: Result<(), WrongTurn>) {
    outcome.expect("a command in its turn");
}
