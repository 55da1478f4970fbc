//! The client's session under fuzz.

use proto::native::{ClientAction, ClientSession, ServerMessage};
use units::Nanos;

use crate::scene;
use crate::session::{GUARD, NOW, Session, same_methods};

impl Session for ClientSession {
    type Action = ClientAction;

    const STAGES: u8 = 12;

    fn at(stage: u8) -> Self {
        let mut client = Self::new(NOW, "0.1.0");
        client.guard(GUARD);
        let [
            hello,
            accept,
            attached,
            started,
            _,
            _,
            done,
            report,
            _,
            _,
            end,
        ] = scene::server_says().map(|m| m.encode());
        let steps: [&dyn Fn(&mut Self); 11] = [
            &|c| c.receive(NOW, &hello),
            &|c| turn(c.propose(NOW, scene::plan(), scene::sysctls())),
            &|c| c.receive(NOW, &accept),
            &|c| c.receive(NOW, &attached),
            &|c| turn(c.start(NOW)),
            &|c| c.receive(NOW, &started),
            &|c| turn(c.done(scene::totals())),
            &|c| c.receive(NOW, &done),
            &|c| c.receive(NOW, &report),
            &|c| c.receive(NOW, &end),
            &|c| turn(c.bye()),
        ];
        for step in &steps[..usize::from(stage)] {
            step(&mut client);
            client.consumed(client.transmit().len());
        }
        while client.poll_action().is_some() {}
        client
    }

    fn react(&mut self, action: &ClientAction) {
        match action {
            ClientAction::Peer(_) => turn(self.propose(NOW, scene::plan(), scene::sysctls())),
            ClientAction::Attached(_) => turn(self.start(NOW)),
            ClientAction::Started => turn(self.done(scene::totals())),
            // From a stage in which the client has not sent its last byte, it has now.
            ClientAction::PeerDone(_) => drop(self.done(vec![])),
            ClientAction::Report(_) => turn(self.bye()),
            ClientAction::Accepted { .. }
            | ClientAction::Edge(_)
            | ClientAction::Observed(_)
            | ClientAction::Failed(_)
            | ClientAction::Closed => {}
        }
    }

    fn is_last(action: &ClientAction) -> bool {
        matches!(action, ClientAction::Failed(_) | ClientAction::Closed)
    }

    fn texts(action: &ClientAction) -> Vec<String> {
        match action {
            ClientAction::Peer(facts) => {
                let mut texts = vec![facts.netdyno.clone()];
                texts.extend(facts.hostname.clone());
                texts.extend(facts.kernel.clone());
                texts.extend(facts.sysctls.values().cloned());
                texts.extend(facts.environment.values().cloned());
                texts
            }
            ClientAction::Accepted { caps, sysctls, .. } => {
                let sentences = caps.iter().map(|cap| cap.sentence.clone());
                sentences.chain(sysctls.values().cloned()).collect()
            }
            ClientAction::Attached(grants) => grants
                .iter()
                .flat_map(|granted| granted.capped.clone())
                .collect(),
            ClientAction::Report(report) => {
                let reasons = report.loads.iter().map(|load| load.broken_reason.clone());
                reasons.flatten().collect()
            }
            ClientAction::Observed(observation) => {
                let labels = observation.rows.iter().map(|row| row.label.to_owned());
                labels.chain(observation.unread.clone()).collect()
            }
            ClientAction::Failed(error) => vec![error.to_string()],
            _ => vec![],
        }
    }

    fn round_trip(json: &[u8]) {
        if let Ok(message) = ServerMessage::decode(json) {
            let frame = message.encode();
            assert_eq!(
                ServerMessage::decode(&frame[4..]),
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
