//! What both hosts count while a load runs, and without one.

use std::io::{BufRead, BufReader};
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

/// One window, begun at the same moment: what vmstat(8) prints of it, and what we do.
#[test]
fn a_line_says_what_vmstat_says() {
    not_run::needs_program!("vmstat");
    crate::machine::holds(|| {
        let mut vmstat = Command::new("vmstat");
        // The first of its lines is since the machine was started.
        vmstat.args(["-n", "3", "2"]).stdout(Stdio::piped());
        let vmstat = vmstat.spawn().unwrap();
        let ours = observe("-i 3 -t 3").output().unwrap();
        let theirs = vmstat.wait_with_output().unwrap();
        let figures = |text: Vec<u8>| {
            let text = String::from_utf8(text).unwrap();
            let last = text.lines().last().unwrap_or_default().to_owned();
            let words = last.split_ascii_whitespace().map(str::to_owned);
            words.collect::<Vec<String>>()
        };
        let (ours, theirs) = (figures(ours.stdout), figures(theirs.stdout));
        let number = |words: &[String], at: usize| words[at].parse::<f64>().unwrap();
        let of_us = |at| number(&ours, at);
        // r b swpd free buff cache si so bi bo in cs us sy id wa st
        let of_vmstat = |at| number(&theirs, at);
        let shares = [
            ("us", of_us(0), of_vmstat(12)),
            // It adds interrupts of both kinds to the system's time.
            ("sy", of_us(1) + of_us(2) + of_us(3), of_vmstat(13)),
            ("st", of_us(4), of_vmstat(16)),
            // It has time of waiting for the disk apart.
            ("id", of_us(5), of_vmstat(14) + of_vmstat(15)),
        ];
        // Both begin and end some ms apart, while other tests may come and go.
        let far = |(_, ours, theirs): &&(&str, f64, f64)| (ours - theirs).abs() > 8.0;
        let rates = [
            ("in", of_us(7), of_vmstat(10)),
            ("cs", of_us(8), of_vmstat(11)),
        ];
        let other = |(_, ours, theirs): &&(&str, f64, f64)| {
            (ours - theirs).abs() > 0.2 * theirs.max(1000.0)
        };
        let found = shares.iter().find(far).or(rates.iter().find(other));
        match found {
            Some((name, ours, theirs)) => Err(format!("{name}: {ours}, vmstat {theirs}")),
            None => Ok(()),
        }
    });
}

/// All packets and drops of a link between two readings of other programs, and in our lines.
#[test]
fn lines_count_the_packets_and_drops_that_others_count() {
    not_run::needs_root!();
    not_run::needs_program!("tc");
    hosts("rate=5M,qdisc=pfifo limit 20", Family::V4, |hosts| {
        let server = hosts.serve("--no-netperf --no-iperf2 --no-iperf3");
        let device = hosts.testbed.device(End::Client);
        let dropped = || {
            let output = Command::new("tc")
                .args(["-s", "qdisc", "show", "dev", device])
                .output()
                .unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let words: Vec<&str> = text.split(['(', ')', ' ', ',']).collect();
            let after = words.windows(2).filter(|pair| pair[0] == "dropped");
            after
                .map(|pair| pair[1].parse::<u64>().unwrap())
                .sum::<u64>()
        };
        let (before, dropped_before) = (hosts.interface(End::Client), dropped());
        let words = format!("-i 200ms -t 60 --json-lines -d {device}");
        let mut child = observe(&words).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut next = || {
            let line = lines.next().unwrap().unwrap();
            serde_json::from_str::<Watched>(&line).unwrap()
        };
        let mut all = vec![next()];
        let words = format!("{} -t 1 --no-probe -u -b 20M", server.address());
        Client::new(&words).end();
        let (after, dropped_after) = (hosts.interface(End::Client), dropped());
        let sent = after.tx_packets - before.tx_packets;
        let sum = |all: &[Watched], source: &str, name: &str| {
            let of = |line: &Watched| line.counted.sum(source, name).unwrap_or(0);
            all.iter().map(of).sum::<u64>()
        };
        // What was not read before the first of our readings was nothing: nobody sent.
        for _ in 0..50 {
            if sum(&all, "interface", "tx_packets") >= sent {
                break;
            }
            all.push(next());
        }
        all.push(next());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(sum(&all, "interface", "tx_packets"), sent);
        let received = after.rx_packets - before.rx_packets;
        assert_eq!(sum(&all, "interface", "rx_packets"), received);
        let lost = dropped_after - dropped_before;
        assert!(lost > 100, "{lost}");
        assert_eq!(sum(&all, "qdisc", "drops"), lost);
    });
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

/// Other tools' command lines have the rows of their threads, by the names of their loads, which
/// is how findings tell of them.
#[test]
fn threads_of_other_tools_command_lines_are_watched() {
    let server = Server::start("--netperf-port 0 --iperf2-port 0 --iperf3-port 0");
    let port = |tool: &str| {
        let log = server.log();
        let line = log.lines().find(|line| line.contains(tool));
        let (_, port) = line.unwrap().rsplit_once("port=").unwrap();
        port.trim().to_owned()
    };
    let (netperf, iperf, iperf3) = (port("of netperf"), port("of iperf 2"), port("of iperf3"));
    for (words, load) in [
        (format!("iperf3 -c 127.0.0.1 -p {iperf3} -t 1"), "stream"),
        (format!("iperf3 -c 127.0.0.1 -p {iperf3} -t 1 -R"), "maerts"),
        (format!("iperf3 -c 127.0.0.1 -p {iperf3} -n 10M"), "stream"),
        (
            format!("iperf3 -c 127.0.0.1 -p {iperf3} -t 1 -u"),
            "udp-stream",
        ),
        (format!("iperf -c 127.0.0.1 -p {iperf} -t 1"), "stream"),
        (format!("iperf -c 127.0.0.1 -p {iperf} -t 1 -R"), "maerts"),
        (
            format!("iperf -c 127.0.0.1 -p {iperf} -t 1 -u"),
            "udp-stream",
        ),
        (format!("netperf -H 127.0.0.1 -p {netperf} -l 1"), "netperf"),
    ] {
        let store = crate::store::Store::new();
        let mut command = netdyno();
        command.args(words.split(' '));
        command.env("XDG_STATE_HOME", store.state_home());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{words}: {output:?}");
        let mut show = netdyno();
        show.args(["show", "--json"]);
        let shown = show.env("XDG_STATE_HOME", store.state_home()).output();
        let run: Run = serde_json::from_slice(&shown.unwrap().stdout).unwrap();
        assert_eq!(run.loads[0].name, load, "{words}");
        let client = of(&run, End::Client);
        let mut threads = client.counted.labels("thread");
        let thread = threads.find(|label| label.starts_with(&format!("{load}-")));
        let thread = thread.unwrap_or_else(|| panic!("{words}: {client:?}"));
        assert!(
            client.counted("thread", thread, "run_ns") > Some(0),
            "{words}"
        );
        assert!(
            client.counted("thread", thread, "migrations").is_some(),
            "{words}"
        );
        assert!(!run.findings.is_empty(), "{words}");
    }
}

/// A thread that is gone has no file in /proc: what the sender's had cost was not told.
#[test]
fn a_worker_that_was_through_before_the_last_reading_has_its_rows() {
    not_run::needs_namespaces!();
    let run = Client::new("--no-probe --load stream:bytes=200M").document();
    for end in End::BOTH {
        let host = of(&run, end);
        let mut threads = host.counted.labels("thread");
        let worker = threads.find(|label| label.starts_with("stream-0/"));
        let worker = worker.unwrap_or_else(|| panic!("no worker at the {}", end.name()));
        assert!(host.counted("thread", worker, "run_ns") > Some(0));
    }
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

/// A link that was down for a second was an interruption without its reason.
#[test]
fn a_carrier_that_goes_and_comes_is_told() {
    not_run::needs_root!();
    not_run::needs_program!("ip");
    hosts("", Family::V4, |hosts| {
        let ip = |state: &str| {
            let mut ip = Command::new("ip");
            let status = ip.args(["link", "set", "client0", state]).status().unwrap();
            assert!(status.success(), "ip link set client0 {state}");
        };
        let server = hosts.serve("");
        let words = format!("{} -t 4 -i 100ms --no-probe", server.address());
        let running = Client::new(&words).word("--json").start();
        running.measures(End::Client, 3);
        ip("down");
        std::thread::sleep(std::time::Duration::from_secs(1));
        ip("up");
        let ended = running.end();
        ended.went_to_its_end();
        let run = ended.document();
        let client = of(&run, End::Client);
        assert!(client.counted("carrier", "client0", "changes") >= Some(2));
        let found = &run.findings[0];
        assert_eq!(found.cause, record::Cause::Interruption, "{found:#?}");
        let carrier = |evidence: &record::Evidence| evidence.row == "carrier.changes";
        assert!(found.evidence.iter().any(carrier), "{found:#?}");
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
