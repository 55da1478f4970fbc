//! Two hosts were named and are one: then nothing was measured of any path.

use plan::Family;
use record::{End, Status};

use crate::client::Client;
use crate::hosts::hosts;
use crate::server::Server;

#[test]
fn a_server_on_this_host_makes_the_run_invalid_unless_that_was_asked_for() {
    not_run::needs_root!();
    for family in [Family::V4, Family::V6] {
        hosts("", family, |hosts| {
            // Both on the client's host, by the address of its link.
            let address = hosts.address(End::Client);
            let server = Server::at(address, "");
            let words = format!("{} -t 0.3 --no-probe --json", server.address());
            let refused = Client::new(&words).end();
            assert_eq!(refused.code, 6, "{}", refused.stderr);
            let run = refused.document();
            assert_eq!(run.status, Status::Invalid);
            assert!(run.reason.unwrap().contains("--allow-local"));
            assert!(run.intervals.is_empty());

            let allowed = Client::new(&words).word("--allow-local").end();
            assert_eq!(allowed.code, 0, "{}", allowed.stderr);
            let run = allowed.document();
            assert!(run.loads[0].received.unwrap().bytes > 0);
            assert!(
                run.doubts
                    .iter()
                    .any(|doubt| doubt.doubt == "never-left-host"),
                "{:?}",
                run.doubts
            );
        });
    }
}

#[test]
fn another_namespace_of_this_machine_is_another_host() {
    not_run::needs_root!();
    hosts("", Family::V4, |hosts| {
        let server = hosts.serve("");
        let run = Client::new(&format!("{} -t 0.3 --no-probe", server.address())).document();
        assert!(
            !run.doubts
                .iter()
                .any(|doubt| doubt.doubt == "never-left-host"),
            "{:?}",
            run.doubts
        );
    });
}

#[test]
fn who_names_loopback_wants_this_host() {
    let server = Server::start("");
    Client::new(&format!("{} -t 0.3 --no-probe", server.address())).document();
}
