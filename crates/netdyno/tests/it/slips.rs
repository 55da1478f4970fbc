//! What is wrong before anything is sent: one sentence, a code, no waiting.

use std::net::{Ipv4Addr, TcpListener};

use plan::Family;
use record::{End, Status};

use crate::client::{Client, Ended};
use crate::hosts::hosts;

/// One line on standard error, nothing on standard output.
fn one_sentence(ended: &Ended) -> &str {
    assert_eq!(ended.stdout, "");
    let line = ended.stderr.strip_suffix('\n').unwrap();
    assert!(!line.contains('\n'), "{line}");
    line.strip_prefix("netdyno: ").unwrap()
}

#[test]
fn a_slip_gets_one_sentence_and_code_2() {
    for (words, part) in [
        ("--jsn", "'--jsn'"),
        ("--load hop", "'hop' is not a kind of load"),
        ("--load stream:flow=3", "flow"),
        (
            "--load stream:rate=1G,pace=1G",
            "'rate' is paced by us, 'pace' by the kernel",
        ),
        ("--load rr:bytes=10", "it ends by 'count'"),
        ("--load udp-stream:size=70000", "70000 is out of range"),
        ("127.0.0.1 --link rate=1G", "--link does not go with a HOST"),
        ("-t 0", "a run takes more than 0 s"),
        ("-R --bidir", "cannot be used with"),
        ("--link qdisc=tbf", ""),
        ("--link mtu=1000 -6", "1280"),
        ("no-such-file.toml", "cannot read no-such-file.toml"),
    ] {
        let ended = Client::new(words).end();
        if words.contains("qdisc")
            && (!not_run::makes_namespaces() || not_run::program("tc").is_none())
        {
            not_run::cell(
                "words that tc does not understand",
                "needs namespaces and tc",
            );
            continue;
        }
        assert_eq!(ended.code, 2, "{words}: {}", ended.stderr);
        let sentence = one_sentence(&ended);
        assert!(sentence.contains(part), "{words}: {sentence}");
        assert_eq!(ended.store.ids(), [""; 0], "{words} leaves no run");
    }
}

/// A run that never reached its server: what it says, and that there is a document.
fn unreachable(words: &str) -> String {
    let ended = Client::new(words).word("--json").end();
    assert_eq!(ended.code, 3, "{words}: {}", ended.stderr);
    assert!(ended.took.as_secs() < 15, "{words} took {:?}", ended.took);
    let run = ended.document();
    assert_eq!(run.status, Status::Failed);
    assert!(run.intervals.is_empty() && run.hosts.server.is_none());
    run.reason.unwrap()
}

#[test]
fn a_refused_connection_is_code_3() {
    // Just given back, so nobody listens there.
    let port = {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        listener.local_addr().unwrap().port()
    };
    let reason = unreachable(&format!("127.0.0.1:{port} -t 10"));
    assert!(
        reason.contains(&format!("127.0.0.1:{port}")) && reason.contains("refused"),
        "{reason}"
    );
}

#[test]
fn an_unknown_host_and_a_missing_route_are_code_3() {
    not_run::needs_root!();
    // On a host without a way out, so that nothing is asked for on any real network.
    hosts("", Family::V4, |_| {
        let reason = unreachable("no-such-host.invalid -t 10");
        assert!(reason.contains("no-such-host.invalid"), "{reason}");
        let reason = unreachable("192.0.2.1 -t 10");
        assert!(
            reason.contains("192.0.2.1") && reason.contains("unreachable"),
            "{reason}"
        );
    });
}

#[test]
fn an_address_that_never_answers_is_code_3() {
    not_run::needs_root!();
    // A relay that is switched off: packets go out and nothing comes back.
    hosts("delay=1ms", Family::V4, |hosts| {
        hosts.testbed.set_down(true).unwrap();
        let address = hosts.address(End::Server);
        let reason = unreachable(&format!("{address} -t 10"));
        assert!(reason.contains(&address.to_string()), "{reason}");
        assert!(reason.contains("timed out"), "{reason}");
    });
}

/// Scripts look for it, and people have asked another program than the one that speaks.
#[test]
fn another_tools_sentences_begin_with_its_name() {
    for (tool, words) in [
        ("iperf", "-c 127.0.0.1 --nothing"),
        ("iperf3", "-c 127.0.0.1 --nothing"),
        ("netperf", "-t NOTHING"),
        ("netserver", "-p nothing"),
        ("super_netperf", "nothing"),
    ] {
        let mut command = crate::process::netdyno();
        command.arg(tool).args(words.split_whitespace());
        let ended = command.stdin(std::process::Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(
            said.starts_with(&format!("{tool}: ")),
            "{tool} {words}: {said}"
        );
        assert!(!said.contains("netdyno: "), "{tool} {words}: {said}");
        assert!(!ended.status.success(), "{tool} {words}");
    }
}
