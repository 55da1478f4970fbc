//! Sysctls of a named host: as a run wants them while it lasts, and as they were after it.

use std::path::Path;

use plan::Family;
use record::End;

use super::*;
use crate::hosts::{Hosts, hosts};
use crate::process::end_of;
use crate::server::Server;

const SACK: &str = "/proc/sys/net/ipv4/tcp_sack";

/// The server's sysctl, seen there.
fn sack(hosts: &Hosts<'_>) -> String {
    let text = hosts.on(End::Server, || fs::read_to_string(SACK).unwrap());
    text.trim().to_owned()
}

/// A server on the server's host that keeps its notes in `state`.
fn serve(hosts: &Hosts<'_>, state: &Path, words: &str) -> Server {
    let mut command = netdyno();
    command.env("XDG_STATE_HOME", state);
    hosts.testbed.place_on_server(&mut command).unwrap();
    let words = format!("--no-netperf --no-iperf2 --no-iperf3 {words}");
    Server::launch(command, hosts.address(End::Server), &words)
}

#[test]
fn a_sysctl_of_a_server_is_set_for_a_run() {
    not_run::needs_root!();
    hosts("", Family::V4, |hosts| {
        let state = tempfile::tempdir().unwrap();
        let server = serve(hosts, state.path(), "--allow-sysctl");
        let run = |words: &str| Client::new(&format!("{} -t 200ms {words}", server.address()));
        let of_server = |words: &str| {
            let run = run(words).document();
            run.hosts.server.unwrap().sysctls["net.ipv4.tcp_sack"].clone()
        };
        assert_eq!(of_server("--sysctl server:net.ipv4.tcp_sack=0"), "0");
        assert_eq!(sack(hosts), "1");
        assert_eq!(of_server(""), "1");

        let told = |words: &str| {
            let ended = run(words).word("--json").end();
            assert_eq!(ended.code, 4, "{}", ended.stdout);
            ended.document().reason.unwrap()
        };
        let other = told("--sysctl server:net.ipv4.ip_forward=1");
        assert!(
            other.contains("does not set the sysctl net.ipv4.ip_forward"),
            "{other}"
        );
        let absent = told("--sysctl server:net.ipv4.tcp_no_such=1");
        assert!(
            absent.contains("the server, reading the sysctl"),
            "{absent}"
        );
        let wrong = told("--sysctl server:net.ipv4.tcp_sack=no");
        assert!(wrong.contains("the server, setting the sysctl"), "{wrong}");
        assert_eq!(sack(hosts), "1");
    });
}

#[test]
fn a_server_sets_nothing_unless_it_may() {
    let server = Server::start("--no-netperf --no-iperf2 --no-iperf3");
    let words = format!("{} --sysctl server:net.ipv4.tcp_sack=0", server.address());
    let ended = Client::new(&words).word("--json").end();
    assert_eq!(ended.code, 4);
    let reason = ended.document().reason.unwrap();
    let sentence = "the server sets no sysctls: start it with --allow-sysctl";
    assert!(reason.contains(sentence), "{reason}");
}

#[test]
fn whatever_ends_a_run_a_servers_sysctls_are_put_back() {
    not_run::needs_root!();
    hosts("", Family::V4, |hosts| {
        let state = tempfile::tempdir().unwrap();
        let begin = || {
            let server = serve(hosts, state.path(), "--allow-sysctl");
            let words = format!(
                "{} -t 30 -i 100ms --no-probe --sysctl server:net.ipv4.tcp_sack=0",
                server.address()
            );
            let running = Client::new(&words).word("--json").start();
            running.measures(End::Client, 2);
            assert_eq!(sack(hosts), "0");
            (server, running)
        };
        let is_back = || eventually("the old value", || (sack(hosts) == "1").then_some(()));

        let (server, running) = begin();
        let words = format!(
            "{} -t 200ms --sysctl server:net.ipv4.tcp_sack=0",
            server.address()
        );
        let second = Client::new(&words).word("--json").end();
        let second = second.document().reason.unwrap();
        assert!(second.contains("set for another test"), "{second}");
        running.tell(Signal::SIGKILL);
        is_back();
        running.end();
        drop(server);

        let (mut server, running) = begin();
        server.tell(Signal::SIGINT);
        end_of(server.child());
        assert_eq!(sack(hosts), "1");
        running.end();

        let (server, running) = begin();
        server.tell(Signal::SIGKILL);
        running.end();
        assert_eq!(server.end().code(), None);
        assert_eq!(sack(hosts), "0");
        let server = serve(hosts, state.path(), "");
        assert_eq!(sack(hosts), "1");
        assert!(
            server
                .log()
                .contains("killed before it put back net.ipv4.tcp_sack")
        );
    });
}

#[test]
fn sysctls_of_a_server_are_compared() {
    not_run::needs_root!();
    hosts("", Family::V4, |hosts| {
        let state = tempfile::tempdir().unwrap();
        let server = serve(hosts, state.path(), "--allow-sysctl");
        let words = format!(
            "{} -t 100ms -O 20ms --pairs 6 --no-probe --quiet --json --load rr \
             --b-sysctl server:net.ipv4.tcp_sack=0",
            server.address()
        );
        let ended = Client::wrapped(netdyno(), "compare", &words).end();
        let found = document(&ended);
        assert!(
            found.trials.iter().all(|trial| trial.run.is_some()),
            "{}",
            ended.stdout
        );
        let mut differs = found.environment.iter();
        let differs = differs.find(|found| found.what == "server: sysctl.net.ipv4.tcp_sack");
        let (a, b) = differs.map(|found| (&found.a, &found.b)).unwrap();
        assert_eq!((a.as_deref(), b.as_deref()), (Some("1"), Some("0")));
        assert_eq!(sack(hosts), "1");
    });
}
