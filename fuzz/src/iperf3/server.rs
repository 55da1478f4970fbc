//! The server's session under fuzz.

use proto::iperf3::{Parameters, ServerAction, ServerSession, WrongTurn};
use units::Nanos;

use super::scene;
use crate::session::{NOW, Session, same_methods};

impl Session for ServerSession {
    type Action = ServerAction;

    /// Parameters, streams, running, results, the last word.
    const STAGES: u8 = 5;

    fn at(stage: u8) -> Self {
        let mut server = Self::new(NOW);
        let parameters = scene::message(&scene::parameters().encode());
        let results = scene::message(&scene::results().encode());
        let says: [&[u8]; 4] = [&parameters, &[], &[4], &results];
        for says in &says[..usize::from(stage)] {
            if says.is_empty() {
                turn(server.started(NOW));
            }
            server.receive(NOW, says);
            while let Some(action) = server.poll_action() {
                match action {
                    ServerAction::Open(_) => turn(server.opened(NOW)),
                    other => server.react(&other),
                }
            }
            server.consumed(server.transmit().len());
        }
        server
    }

    fn react(&mut self, action: &ServerAction) {
        match action {
            ServerAction::Open(_) => {
                turn(self.opened(NOW));
                turn(self.started(NOW));
            }
            ServerAction::End => turn(self.ended(NOW)),
            ServerAction::Results(_) => turn(self.results(NOW, &scene::results())),
            ServerAction::Finished | ServerAction::Failed(_) => {}
        }
    }

    fn is_last(action: &ServerAction) -> bool {
        matches!(action, ServerAction::Finished | ServerAction::Failed(_))
    }

    fn texts(action: &ServerAction) -> Vec<String> {
        match action {
            ServerAction::Open(parameters) => parameters.congestion.iter().cloned().collect(),
            ServerAction::Failed(error) => vec![error.to_string()],
            _ => vec![],
        }
    }

    fn round_trip(stream: &[u8]) {
        if let Ok(mut parameters) = Parameters::decode(stream) {
            let again = Parameters::decode(parameters.encode().as_bytes());
            // Ours always says the size of a block.
            parameters.block = Some(parameters.block_size());
            if let Some(gso) = &mut parameters.gso {
                gso.datagram = gso.datagram.or(parameters.block);
            }
            assert_eq!(again, Ok(parameters), "not the same again");
        }
    }

    same_methods!();
}

/// A command whose turn it is, or comes too late.
fn turn(outcome: Result<(), WrongTurn>) {
    outcome.expect("a command in its turn");
}
