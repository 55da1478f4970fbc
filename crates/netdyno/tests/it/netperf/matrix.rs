//! Every client with every server: each test, its counts at both ends.

use record::End;

use super::{Netserver, Said, Whose, addresses, on_both_families};
use crate::hosts::Hosts;

/// The figures of both ends.
const SELECTORS: &str = "THROUGHPUT,LOCAL_BYTES_SENT,LOCAL_BYTES_RECVD,LOCAL_SEND_CALLS,\
                         LOCAL_RECV_CALLS,REMOTE_BYTES_SENT,REMOTE_BYTES_RECVD,\
                         REMOTE_SEND_CALLS,REMOTE_RECV_CALLS";

/// Bytes that fill the buffers of both sockets of a TCP flow (the maxima of tcp_wmem and tcp_rmem)
/// when one end stops counting and the other has not heard of it.
fn on_their_way() -> f64 {
    let most = |name: &str| -> f64 {
        let text = std::fs::read_to_string(format!("/proc/sys/net/ipv4/{name}")).unwrap();
        text.split_whitespace().last().unwrap().parse().unwrap()
    };
    most("tcp_wmem") + most("tcp_rmem")
}

/// `a` and `b` differ by 1 % at most, or by the few that are on their way at the end.
fn agree(what: &str, a: f64, b: f64) {
    agree_within(what, a, b, 4.0);
}

/// The same, with so many that may be on their way.
fn agree_within(what: &str, a: f64, b: f64, on_their_way: f64) {
    let most = (a.max(b) * 0.01).max(on_their_way);
    assert!(
        a > 0.0 && b > 0.0 && (a - b).abs() <= most,
        "{what}: {a} and {b}"
    );
}

/// A test of the client with selectors behind `--`.
fn selected(hosts: &Hosts<'_>, client: Whose, test: &str, words: &str) -> Said {
    let mut command = client.command("netperf");
    command.args([
        "-H",
        &addresses(hosts).to_string(),
        "-t",
        test,
        "-l",
        "1",
        "-P",
        "0",
        "--",
    ]);
    command
        .args(words.split_whitespace())
        .args(["-k", SELECTORS]);
    Said::by(command).well(&format!("{client:?} {test}"))
}

/// A test with the classic table: its figure, the last column of the first row.
fn figure(hosts: &Hosts<'_>, client: Whose, test: &str) -> f64 {
    let mut command = client.command("netperf");
    command.args([
        "-H",
        &addresses(hosts).to_string(),
        "-t",
        test,
        "-l",
        "1",
        "-P",
        "0",
    ]);
    let said = Said::by(command).well(&format!("{client:?} {test}"));
    let row = said.output.lines().find(|line| !line.trim().is_empty());
    row.and_then(|row| row.split_whitespace().last())
        .unwrap()
        .parse()
        .unwrap()
}

fn check(hosts: &Hosts<'_>, client: Whose, server: Whose) {
    let _server = Netserver::start(hosts, server, "");
    let pair = |test: &str| format!("{client:?} to {server:?}, {test}");

    let said = selected(hosts, client, "TCP_STREAM", "");
    let sent = said.value("LOCAL_BYTES_SENT");
    agree_within(
        &pair("TCP_STREAM"),
        sent,
        said.value("REMOTE_BYTES_RECVD"),
        on_their_way(),
    );

    let said = selected(hosts, client, "TCP_MAERTS", "");
    // netserver does not count a send that the end interrupts.
    let received = said.value("LOCAL_BYTES_RECVD");
    agree_within(
        &pair("TCP_MAERTS"),
        received,
        said.value("REMOTE_BYTES_SENT"),
        on_their_way(),
    );

    for test in ["TCP_RR", "UDP_RR"] {
        let said = selected(hosts, client, test, "-r 10,20");
        let calls = said.value("REMOTE_RECV_CALLS");
        agree(&pair(test), said.value("LOCAL_RECV_CALLS"), calls);
        agree(
            &pair(test),
            said.value("LOCAL_BYTES_SENT"),
            said.value("REMOTE_BYTES_RECVD"),
        );
        agree(
            &pair(test),
            said.value("LOCAL_BYTES_RECVD"),
            said.value("REMOTE_BYTES_SENT"),
        );
    }

    let before = hosts.protocols(End::Server);
    let said = selected(hosts, client, "UDP_STREAM", "-m 1000");
    let after = hosts.protocols(End::Server);
    let (sent, received) = (
        said.value("LOCAL_SEND_CALLS"),
        said.value("REMOTE_RECV_CALLS"),
    );
    assert!(
        received > 0.0 && received <= sent,
        "{}: {received} of {sent}",
        pair("UDP_STREAM")
    );
    let name = if addresses(hosts).is_ipv4() {
        "Udp.InDatagrams"
    } else {
        "Udp6InDatagrams"
    };
    if let (Some(before), Some(after)) = (before.get(name), after.get(name)) {
        agree(
            &pair("UDP_STREAM and the kernel"),
            received,
            (after - before) as f64,
        );
    }

    let said = selected(hosts, client, "TCP_CRR", "");
    let calls = said.value("REMOTE_RECV_CALLS");
    agree(&pair("TCP_CRR"), said.value("LOCAL_BYTES_RECVD"), calls);

    for test in ["TCP_SENDFILE", "TCP_CC"] {
        assert!(figure(hosts, client, test) > 0.0, "{}", pair(test));
    }

    let mut command = client.command("netperf");
    command.args(["-H", &addresses(hosts).to_string(), "-t", "REM_CPU"]);
    assert_eq!(Said::by(command).well("REM_CPU").output, "100");
}

#[test]
fn our_client_and_our_server() {
    not_run::needs_namespaces!();
    on_both_families(|hosts| check(hosts, Whose::Ours, Whose::Ours));
}

#[test]
fn our_client_and_netserver() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    on_both_families(|hosts| check(hosts, Whose::Ours, Whose::Theirs));
}

#[test]
fn netperf_and_our_server() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    on_both_families(|hosts| check(hosts, Whose::Theirs, Whose::Ours));
}

#[test]
fn netperf_and_netserver_as_the_measure_of_the_checks() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    on_both_families(|hosts| check(hosts, Whose::Theirs, Whose::Theirs));
}

/// So many transactions, not one more or less, at both ends.
#[test]
fn transactions_are_counted_out() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    on_both_families(|hosts| {
        for server in [Whose::Ours, Whose::Theirs] {
            let _server = Netserver::start(hosts, server, "");
            for client in [Whose::Ours, Whose::Theirs] {
                let mut command = client.command("netperf");
                command.args(["-H", &addresses(hosts).to_string(), "-t", "TCP_RR"]);
                command.args(["-l", "-1000", "--", "-k", SELECTORS]);
                let said = Said::by(command).well("TCP_RR -l -1000");
                for key in ["LOCAL_SEND_CALLS", "LOCAL_RECV_CALLS", "REMOTE_RECV_CALLS"] {
                    assert_eq!(said.value(key), 1000.0, "{client:?} to {server:?}: {key}");
                }
            }
        }
    });
}
