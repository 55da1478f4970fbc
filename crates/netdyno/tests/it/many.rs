//! Many flows, many clients.

use record::End;

use crate::client::Client;
use crate::server::Server;

/// Each client's amount is its own, so that a mix-up shows.
#[test]
fn each_client_of_one_server_gets_its_own_figures() {
    let server = Server::start("");
    let amount = |client: u64| 20_000_000 + client * 1_000_003;
    let clients: Vec<_> = (0..8)
        .map(|client| {
            let kind = if client % 2 == 0 { "stream" } else { "maerts" };
            let load = format!("{kind}:rate=200M,flows=2,bytes={}", amount(client));
            Client::new(&format!(
                "{} --no-probe --json --load {load}",
                server.address()
            ))
            .start()
        })
        .collect();
    for (client, running) in (0..).zip(clients) {
        let ended = running.end();
        ended.went_to_its_end();
        let run = ended.document();
        let load = &run.loads[0];
        assert_eq!(
            load.received.unwrap().bytes,
            2 * amount(client),
            "client {client}"
        );
        let [ours, theirs] =
            [run.ledger.client, run.ledger.server].map(|books| books.unwrap().application);
        assert_eq!(ours.written_bytes, theirs.received_bytes, "client {client}");
        assert_eq!(ours.received_bytes, theirs.written_bytes, "client {client}");
        let sent = if End::Client.sends(load.kind) {
            ours
        } else {
            theirs
        };
        assert_eq!(sent.written_bytes, 2 * amount(client));
    }
    let done = server
        .log()
        .lines()
        .filter(|line| line.contains("done"))
        .count();
    assert_eq!(done, 8, "{}", server.log());
}

/// The same for clients that end by the clock.
#[test]
fn clients_that_stop_at_any_byte_agree_with_the_server_too() {
    let server = Server::start("");
    let start = |load: &str| {
        Client::new(&format!(
            "{} -t 1 --no-probe --json --load {load}",
            server.address()
        ))
        .start()
    };
    let clients = ["stream", "bidir", "maerts", "rr"].map(start);
    for ended in clients.map(|client| client.end()) {
        ended.went_to_its_end();
        let run = ended.document();
        let [ours, theirs] =
            [run.ledger.client, run.ledger.server].map(|books| books.unwrap().application);
        assert_eq!(
            ours.written_bytes, theirs.received_bytes,
            "{:?}",
            run.command
        );
        assert_eq!(
            ours.received_bytes, theirs.written_bytes,
            "{:?}",
            run.command
        );
        assert!(ours.written_bytes + ours.received_bytes > 0);
    }
}

/// Tests that need the machine for themselves.
mod alone {
    use super::*;

    #[test]
    fn ten_thousand_flows_on_two_threads_are_all_answered() {
        not_run::needs_root!();
        let server = Server::start("");
        let cpus = if std::thread::available_parallelism().unwrap().get() > 1 {
            "0-1"
        } else {
            "0,0"
        };
        let words = format!(
            "{} -t 3 --no-probe --load rr:flows=10000,cpu={cpus},peer-cpu={cpus}",
            server.address()
        );
        let run = Client::new(&words).document();
        let load = &run.loads[0];
        assert_eq!(load.per_flow.len(), 10_000);
        let silent = load
            .per_flow
            .iter()
            .filter(|row| row.transactions.unwrap() == 0)
            .count();
        assert_eq!(silent, 0, "of {} transactions", load.transactions.unwrap());
        let sum: u64 = load
            .per_flow
            .iter()
            .map(|row| row.transactions.unwrap())
            .sum();
        assert_eq!(load.transactions, Some(sum));
        // Every request was answered, those after the measured time too.
        let [ours, theirs] =
            [run.ledger.client, run.ledger.server].map(|books| books.unwrap().application);
        assert_eq!(ours.written_messages, ours.received_messages);
        assert_eq!(ours.written_messages, theirs.received_messages);
        assert_eq!(ours.received_messages, theirs.written_messages);
    }
}
