//! The client's session under fuzz.

use proto::iperf3::{ClientAction, ClientSession, Results, WrongTurn};
use units::Nanos;

use super::scene;
use crate::session::{NOW, Session, same_methods};

impl Session for ClientSession {
    type Action = ClientAction;

    /// Cookie sent, parameters sent, streams open, started, running, ended, told, shown.
    const STAGES: u8 = 8;

    fn at(stage: u8) -> Self {
        let mut client = Self::new(NOW, &scene::cookie(), scene::parameters());
        let results = scene::message(&scene::results().encode());
        let says: [&[u8]; 7] = [&[9], &[10], &[1], &[2], &[], &[13], &results];
        for says in &says[..usize::from(stage)] {
            client.receive(NOW, says);
            while let Some(action) = client.poll_action() {
                // The end of the test has a stage of its own.
                if action != ClientAction::Run {
                    client.react(&action);
                }
            }
            if says.is_empty() {
                turn(client.ended(NOW));
            }
            client.consumed(client.transmit().len());
        }
        client
    }

    fn react(&mut self, action: &ClientAction) {
        match action {
            ClientAction::OpenStreams => turn(self.opened(NOW)),
            ClientAction::Run => turn(self.ended(NOW)),
            ClientAction::GiveResults => turn(self.results(NOW, &scene::results())),
            ClientAction::Prepare
            | ClientAction::Results(_)
            | ClientAction::Finished
            | ClientAction::Failed(_) => {}
        }
    }

    fn is_last(action: &ClientAction) -> bool {
        matches!(action, ClientAction::Finished | ClientAction::Failed(_))
    }

    fn texts(action: &ClientAction) -> Vec<String> {
        match action {
            ClientAction::Results(results) => {
                let name = results.congestion.iter();
                name.map(|name| name.chars().take(512).collect()).collect()
            }
            ClientAction::Failed(error) => vec![error.to_string()],
            _ => vec![],
        }
    }

    fn round_trip(stream: &[u8]) {
        if let Ok(results) = Results::decode(stream) {
            let again = Results::decode(results.encode().as_bytes());
            assert_eq!(again, Ok(results), "not the same again");
        }
    }

    same_methods!();
}

/// A command whose turn it is, or comes too late.
fn turn(outcome: Result<(), WrongTurn>) {
    outcome.expect("a command in its turn");
}
