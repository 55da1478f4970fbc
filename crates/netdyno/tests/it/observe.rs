//! What both hosts count while a load runs, and without one.

use std::process::{Command, Stdio};

use plan::Family;
use record::{End, HostObserved, Run, Watched};

use crate::client::Client;
use crate::hosts::hosts;
use crate::process::{code, end_of, netdyno};
use crate::server::Server;

fn of(run: &Run, end: End) -> &HostObserved {
    let host = run.hosts_observed.of(end);
    host.unwrap_or_else(|| panic!("the {} was not observed", end.name()))
}

#[test]
fn both_hosts_are_read_around_the_measured_time() {
    not_run::needs_namespaces!();
    let run = Client::new("-t 1 --load udp-stream:rate=20M --no-probe").document();
    for (end, counter) in [(End::Client, "tx_packets"), (End::Server, "rx_packets")] {
        let host = of(&run, end);
        let seconds = host.seconds.unwrap();
        assert!((0.5..5.0).contains(&seconds), "{seconds}");
        let device = format!("{}0", end.name());
        let packets = host.counted("interface", &device, counter).unwrap();
        let sent = run.loads[0].sent.unwrap().messages;
        // The readings are a moment apart from the window, on a machine with other work too.
        assert!(packets.abs_diff(sent) * 4 < sent, "{packets} of {sent}");
        for (source, name) in [
            ("cpu", "softirq_ns"),
            ("host", "context_switches"),
            ("qdisc", "bytes"),
            ("softnet", "processed"),
            ("thread", "run_ns"),
        ] {
            assert!(
                host.sum(source, name).is_some(),
                "{source} {name} of the {}",
                end.name()
            );
        }
        assert!(host.counted("snmp", "Udp", "NoPorts").is_some());
    }
    let facts = [&run.hosts.client, run.hosts.server.as_ref().unwrap()];
    for facts in facts {
        assert!(
            facts
                .environment
                .contains_key("offload.tx-udp-segmentation"),
            "{facts:?}"
        );
        assert!(
            facts
                .environment
                .keys()
                .any(|name| name.starts_with("mitigation."))
        );
        assert!(
            facts
                .sysctls
                .contains_key("net.ipv4.tcp_congestion_control")
        );
    }
}

#[test]
fn a_run_that_is_not_to_be_observed_has_no_rows() {
    not_run::needs_namespaces!();
    let run = Client::new("-t 0.3 --no-observe").document();
    for end in End::BOTH {
        assert!(of(&run, end).counted.is_empty());
    }
}

#[test]
fn drops_of_a_qdisc_are_counted_where_they_happen() {
    not_run::needs_root!();
    not_run::needs_program!("tc");
    let load = "udp-stream:rate=50M";
    let run = Client::new(&format!("-t 1 --no-probe --link rate=5mbit --load {load}")).document();
    let client = of(&run, End::Client);
    assert!(client.sum("qdisc", "drops").unwrap() > 100, "{client:?}");
    assert_eq!(of(&run, End::Server).sum("qdisc", "drops"), Some(0));
    let qdisc = run.hosts.client.environment.get("qdisc.root").unwrap();
    assert!(qdisc.starts_with("tbf rate_bytes 625000"), "{qdisc}");
}

/// `netdyno observe` with these words, started.
fn observe(words: &str) -> Command {
    let mut command = netdyno();
    command.arg("observe").args(words.split_whitespace());
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command.stderr(Stdio::piped());
    command
}

#[test]
fn this_host_is_watched_a_line_an_interval() {
    let output = observe("-i 200ms -t 1").output().unwrap();
    assert_eq!(code(output.status), 0, "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].trim_start().starts_with("us  sy"), "{text}");
    assert_eq!(lines.len(), 6, "{text}");
    let shares: f64 = lines[1]
        .split_ascii_whitespace()
        .take(6)
        .map(|word| word.parse::<f64>().unwrap())
        .sum();
    assert!((96.0..104.0).contains(&shares), "{text}");
}

#[test]
fn a_server_tells_of_its_host() {
    let server = Server::start("");
    let words = format!("-i 100ms -t 0.5 --json-lines --on {}", server.address());
    let output = observe(&words).output().unwrap();
    assert_eq!(code(output.status), 0, "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<Watched> = lines.collect();
    assert!((2..=5).contains(&lines.len()), "{text}");
    for line in &lines {
        assert_eq!(line.schema, Watched::SCHEMA);
        assert!(line.counted.get("host", "all", "context_switches") > Some(0));
        assert!(line.seconds > 0.05);
    }
    assert!(lines[0].host.is_some());
    // And it still serves.
    Client::new(&format!("{} -t 0.2", server.address())).document();
}

#[test]
fn nobody_answers_is_told_with_its_code() {
    let output = observe("--on 127.0.0.1:1 -t 1").output().unwrap();
    assert_eq!(code(output.status), 3);
    assert!(!output.stderr.is_empty());
}

/// An interface that goes away takes its rows along, and nothing fails.
#[test]
fn an_interface_that_vanishes_gives_no_row_and_no_failure() {
    not_run::needs_root!();
    not_run::needs_program!("ip");
    hosts("", Family::V4, |hosts| {
        let ip = |words: &str| {
            let status = Command::new("ip").args(words.split(' ')).status().unwrap();
            assert!(status.success(), "ip {words}");
        };
        ip("link add going type veth peer name gone");
        let server = hosts.serve("");
        let running = Client::new(&format!("{} -t 2 -i 100ms --no-probe", server.address()))
            .word("--json")
            .start();
        running.measures(End::Client, 3);
        ip("link del going");
        let ended = running.end();
        ended.went_to_its_end();
        let run = ended.document();
        let client = of(&run, End::Client);
        assert_eq!(client.counted("interface", "going", "rx_bytes"), None);
        assert!(client.counted("interface", "client0", "tx_bytes") > Some(0));
    });
}

#[test]
fn locks_timers_and_queues_are_explained() {
    not_run::needs_root!();
    not_run::unless!(
        std::path::Path::new("/sys/kernel/btf/vmlinux").exists(),
        "the kernel tells no types"
    );
    let ended = Client::new("-t 1 --no-probe --explain locks,timers,queues")
        .word("--link")
        .word("qdisc=htb r2q 1000 default 3")
        .word("--load")
        .word("udp-stream:flows=2,size=128,cpu=0-1")
        .word("--json")
        .end();
    ended.went_to_its_end();
    let run = ended.document();
    let unobserved: Vec<_> = run
        .doubts
        .iter()
        .filter(|d| d.doubt == "unobserved")
        .collect();
    if let Some(doubt) = unobserved.first() {
        return not_run::test(not_run::here!(), &doubt.evidence);
    }
    let client = of(&run, End::Client);
    assert!(
        client.counted("tracing", "locks", "events").is_some(),
        "{client:?}"
    );
    assert!(client.sum("lock", "waits").is_some());
    assert!(
        client.counted("txq", "client0 tx-0", "packets") > Some(100),
        "{client:?}"
    );
    assert_eq!(client.counted("tracing", "queues", "no_room"), Some(0));
    let batches = client.sum("dequeue", "batches").unwrap();
    let packets = client.sum("dequeue", "packets").unwrap();
    assert!(100 < batches && batches <= packets, "{batches} {packets}");
    let rows = client.counted.iter();
    let by_size = rows.filter(|row| row.name.starts_with("batches_from_"));
    let by_size: u64 = by_size.map(|row| row.value).sum();
    // The rows are read one after the other while packets go on.
    assert!(
        by_size.abs_diff(batches) * 50 < batches,
        "{by_size} {batches}"
    );
    assert!(client.counted.labels("hrtimer").count() > 0);
    assert!(client.counted("tracing", "locks", "run_ns").is_some());
}

#[test]
fn a_server_traces_nothing_where_its_operator_forbids_it() {
    let server = Server::start("--no-tracing");
    let words = format!("{} -t 0.3 --no-probe --explain queues", server.address());
    let run = Client::new(&words).document();
    let mut doubts = run.doubts.iter();
    let told = doubts.find(|doubt| doubt.evidence.contains("--no-tracing"));
    assert_eq!(told.unwrap().doubt, "unobserved");
    let observed = of(&run, End::Server);
    assert_eq!(observed.counted.labels("tracing").count(), 0);
    assert!(observed.sum("cpu", "system_ns").is_some());
}

#[test]
fn what_differs_between_two_runs_begins_with_the_hosts() {
    not_run::needs_namespaces!();
    let first = Client::new("-t 0.3 --no-probe --json").end();
    first.went_to_its_end();
    let second = Client::new("-t 0.3 --no-probe --json --link mtu=1400")
        .env(
            "XDG_STATE_HOME",
            &first.store.state_home().display().to_string(),
        )
        .end();
    second.went_to_its_end();
    let ids = first.store.ids();
    let mut command = netdyno();
    command.args(["diff", &ids[0], &ids[1]]);
    command.env("XDG_STATE_HOME", first.store.state_home());
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let status = end_of(&mut child);
    let text = std::io::read_to_string(child.stdout.take().unwrap()).unwrap();
    assert_eq!(code(status), 0, "{text}");
    let environment = text.find("environment").unwrap();
    let figures = text.find("figures").unwrap();
    assert!(environment < figures, "{text}");
    assert!(
        text[environment..figures].contains("interface.mtu_bytes"),
        "{text}"
    );
    assert!(text[figures..].contains("stream received"), "{text}");
}
