//! Command lines as they are in scripts, shortened.

use std::process::Command;

use plan::Family;
use record::End;

use super::{Links, Netserver, Said, Whose, addresses};
use crate::hosts::{Hosts, hosts};

fn run(hosts: &Hosts<'_>, links: &Links, line: &str) -> Said {
    let line = line.replace("HOST", &addresses(hosts).to_string());
    let mut words = line.split_whitespace();
    let mut command: Command = links.command(words.next().unwrap());
    command.args(words);
    Said::by(command).well(&line)
}

/// The one number that super_netperf prints.
fn sum(hosts: &Hosts<'_>, links: &Links, line: &str) -> f64 {
    let said = run(hosts, links, line);
    let sum = said.output.trim_end().parse();
    sum.unwrap_or_else(|_| panic!("{line}: '{}'", said.output))
}

fn against(server: Whose) {
    hosts("", Family::V4, move |hosts| {
        let _server = Netserver::start(hosts, server, "");
        let links = Links::new();
        for (line, lines) in [
            ("netperf -t UDP_STREAM -s 1 -H HOST -l 1 -- -m 128 -R 1", 8),
            (
                "netperf -H HOST -t TCP_RR -l 1 -- -r 1,1 -o min_latency,p50_latency,p99_latency,throughput",
                3,
            ),
            ("netperf -t TCP_CRR -c -C -H HOST -l 1 -- -r 100,200", 8),
            ("netperf -t UDP_RR -H HOST -l 1", 8),
            ("netperf -t TCP_MAERTS -H HOST -P 0 -v 0 -l 1", 1),
            ("netperf -H HOST -D 0.25 -f m -l 1", 10),
        ] {
            let said = run(hosts, &links, line);
            let count = said.output.lines().count();
            assert!(count >= lines, "{line}: '{}'", said.output);
        }
        let said = run(hosts, &links, "netperf -H HOST -i 10,3 -I 99,5 -l 1");
        assert!(
            said.output.contains("+/-2.500% @ 99% conf."),
            "{}",
            said.output
        );
        let said = run(
            hosts,
            &links,
            "netperf -H HOST -j -t OMNI -l 1 -- -d rr -k all",
        );
        assert!(said.value("THROUGHPUT") > 0.0);
        for line in [
            "super_netperf 20 -t UDP_STREAM -H HOST -l1 -- -n -P,1000 -m 120",
            "super_netperf 4 -H HOST -T,1 -l 1",
            "super_netperf 10 -c -C -t TCP_SENDFILE -H HOST -l 1",
            "super_netperf 8 -t TCP_RR -H HOST -l 1",
        ] {
            assert!(sum(hosts, &links, line) > 0.0, "{line}");
        }
    });
}

#[test]
fn lines_of_scripts_against_our_server() {
    not_run::needs_namespaces!();
    against(Whose::Ours);
}

#[test]
fn lines_of_scripts_against_netserver() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    against(Whose::Theirs);
}

/// From their first byte on: over the link, and over lo, whose segments have 64 KiB. A busy machine
/// may send less, and never more.
#[test]
fn flows_are_paced() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let _server = Netserver::start(hosts, Whose::Ours, "");
        let links = Links::new();
        let check = |line: &str, asked: f64, sum: f64| {
            assert!(
                (0.9 * asked..1.04 * asked).contains(&sum),
                "{line}: {sum} of {asked}"
            );
        };
        let line = "super_netperf 50 --google-pacing-rate 300000 -H HOST -l 2";
        check(line, 120.0, sum(hosts, &links, line));
        let line =
            "super_netperf 10 -t UDP_STREAM --google-pacing-rate 300000 -H HOST -l 2 -- -m 1000";
        check(line, 24.0, sum(hosts, &links, line));
        for line in [
            "super_netperf 10 --google-pacing-rate 3000000 -H 127.0.0.1 -l 2",
            "super_netperf 10 -t TCP_SENDFILE --google-pacing-rate 3000000 -H 127.0.0.1 -l 2",
        ] {
            let mut command: Command = links.command("super_netperf");
            hosts.testbed.place_on_server(&mut command).unwrap();
            command.args(line.split_whitespace().skip(1));
            let said = Said::by(command).well(line);
            check(line, 240.0, said.output.trim_end().parse().unwrap());
        }
    });
}

/// One control connection is enough for netdyno's own server; netserver wants one for each.
#[test]
fn many_tests_share_a_control_connection() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let _server = Netserver::start(hosts, Whose::Ours, "");
        let links = Links::new();
        for (line, data) in [
            ("super_netperf 30 -t TCP_RR -H HOST -l 1", 30),
            ("super_netperf 30 -t UDP_RR -H HOST -l 1", 0),
        ] {
            let before = hosts.protocols(End::Server)["Tcp.PassiveOpens"];
            assert!(sum(hosts, &links, line) > 0.0, "{line}");
            let opened = hosts.protocols(End::Server)["Tcp.PassiveOpens"] - before;
            assert_eq!(opened, data + 1, "{line}");
        }
    });
}

/// Rows of the flows, and what the script would have made of them.
#[test]
fn details_name_the_flows_and_their_overlap() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let _server = Netserver::start(hosts, Whose::Ours, "");
        let line = "super_netperf 3 --detail -t TCP_RR -H HOST -l 1";
        let said = run(hosts, &Links::new(), line);
        let lines: Vec<&str> = said.output.lines().collect();
        assert_eq!(lines.len(), 7, "{}", said.output);
        assert!(lines[5].starts_with("all at once for "), "{}", said.output);
        lines[6].parse::<f64>().unwrap();
    });
}

/// The mean of the sums, one number in the end; lines meanwhile do not disturb it.
#[test]
fn sums_are_repeated_as_asked() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let _server = Netserver::start(hosts, Whose::Ours, "");
        let line = "super_netperf 2 -t TCP_RR -H HOST -l 1 -i 3,3 -I 95,50 -D 0.5 -P 0";
        let said = run(hosts, &Links::new(), line);
        assert_eq!(said.output.lines().count(), 1, "{}", said.output);
        assert!(said.errors.contains("Interim result:"), "{}", said.errors);
    });
}

/// 24 senders over a root of htb that gives them its default class.
#[test]
fn many_senders_share_a_qdisc() {
    not_run::needs_namespaces!();
    hosts("qdisc=htb r2q 1000 default 3", Family::V4, |hosts| {
        let _server = Netserver::start(hosts, Whose::Ours, "");
        let (links, to) = (Links::new(), addresses(hosts).to_string());
        let words = ["-t", "UDP_STREAM", "-s", "1", "-l", "2", "-H", &to];
        at_once(&links, 24, |command, _| {
            command.args(words).args(["--", "-m", "128", "-R", "1"]);
        });
    });
}

/// 128 senders without a server, spread over the CPUs.
#[test]
fn very_many_senders_each_on_a_cpu() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let before = hosts.protocols(End::Client)["Udp.OutDatagrams"];
        let (links, to) = (Links::new(), addresses(hosts).to_string());
        let cpus = std::thread::available_parallelism().unwrap().get();
        let words = ["-t", "UDP_STREAM", "-l", "1", "-N", "-H", &to];
        at_once(&links, 128, |command, number| {
            command
                .args(words)
                .args(["-T", &(number % cpus).to_string()]);
            command.args(["--", "-m", "6"]);
        });
        assert!(hosts.protocols(End::Client)["Udp.OutDatagrams"] > before + 128);
    });
}

/// So many clients at the same time, each of which ends well.
fn at_once(links: &Links, number: usize, words: impl Fn(&mut Command, usize)) {
    let state = tempfile::TempDir::with_prefix("netdyno-it-").unwrap();
    let clients: Vec<_> = (0..number)
        .map(|number| {
            let mut command = links.command("netperf");
            words(&mut command, number);
            command
                .env("XDG_STATE_HOME", state.path())
                .stdin(std::process::Stdio::null())
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for client in clients {
        let ended = client.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(ended.status.success(), "{errors}");
        assert!(!errors.contains("not kept"), "{errors}");
    }
    let kept = std::fs::read_dir(state.path().join("netdyno/runs")).unwrap();
    assert_eq!(kept.count(), number);
}

/// What a killed client has seen is kept.
#[test]
fn a_killed_client_leaves_its_intervals() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let _server = Netserver::start(hosts, Whose::Ours, "");
        let state = tempfile::TempDir::with_prefix("netdyno-it-").unwrap();
        let mut command = Whose::Ours.command("netperf");
        command
            .args(["-H", &addresses(hosts).to_string(), "-l", "60"])
            .env("XDG_STATE_HOME", state.path())
            .stdout(std::process::Stdio::null());
        let mut client = command.spawn().unwrap();
        let runs = state.path().join("netdyno/runs");
        crate::process::eventually("two intervals are kept", || {
            let folder = std::fs::read_dir(&runs).ok()?.next()?.ok()?.path();
            let events = std::fs::read_to_string(folder.join("events.jsonl")).ok()?;
            (events.matches("\"event\":\"edge\"").count() >= 3).then_some(())
        });
        client.kill().unwrap();
        client.wait().unwrap();
        let mut show = crate::process::netdyno();
        show.args(["show", "--json"])
            .env("XDG_STATE_HOME", state.path());
        let run: record::Run = serde_json::from_slice(&show.output().unwrap().stdout).unwrap();
        assert_eq!(run.status, record::Status::Failed);
        assert!(run.intervals.len() >= 2 && run.cost.client.is_some());
    });
}

/// Nobody answers, nobody listens, no control connection: all that was sent has left the host.
#[test]
fn without_control_everything_goes_out() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let before = hosts.protocols(End::Client)["Udp.OutDatagrams"];
        let line = "netperf -H HOST -t UDP_STREAM -l 1 -N -T 0 -- -m 6 -k LOCAL_SEND_CALLS";
        let sent = run(hosts, &Links::new(), line).value("LOCAL_SEND_CALLS");
        let left = (hosts.protocols(End::Client)["Udp.OutDatagrams"] - before) as f64;
        // The empty datagrams at the end are no messages.
        assert!(
            sent > 0.0 && left >= sent && left <= sent + 8.0,
            "{sent} sent, {left} left"
        );
    });
}

/// The start may be later than netserver would wait.
#[test]
fn a_late_start_is_no_failure() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    hosts("", Family::V4, |hosts| {
        let _server = Netserver::start(hosts, Whose::Ours, "");
        let mut command = Whose::Theirs.command("netperf");
        command.args([
            "-H",
            &addresses(hosts).to_string(),
            "-l",
            "1",
            "-s",
            "6",
            "-P",
            "0",
        ]);
        Said::by(command).well("-s 6");
    });
    hosts("", Family::V4, |hosts| {
        let _server = Netserver::start(hosts, Whose::Theirs, "");
        run(hosts, &Links::new(), "netperf -H HOST -l 1 -s 6 -P 0");
    });
}

#[test]
fn a_passphrase_opens_and_nothing_else_does() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    hosts("", Family::V4, |hosts| {
        for (server, client) in [(Whose::Ours, Whose::Theirs), (Whose::Theirs, Whose::Ours)] {
            let _server = Netserver::start(hosts, server, "-Z secret");
            let ask = |words: &[&str]| {
                let mut command = client.command("netperf");
                command
                    .args(["-H", &addresses(hosts).to_string(), "-l", "1"])
                    .args(words);
                Said::by(command).code
            };
            assert_eq!(ask(&["-Z", "secret"]), Some(0), "{client:?}");
            assert_ne!(ask(&["-Z", "guess"]), Some(0), "{client:?}");
        }
    });
}

/// Every run of a personality is a run of netdyno's, shown on demand and never by itself.
#[test]
fn a_run_is_kept() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let _server = Netserver::start(hosts, Whose::Ours, "");
        let state = tempfile::TempDir::with_prefix("netdyno-it-").unwrap();
        for test in ["TCP_STREAM", "UDP_STREAM", "TCP_RR", "TCP_MAERTS", "UDP_RR"] {
            let mut command = Whose::Ours.command("netperf");
            command.args(["-H", &addresses(hosts).to_string(), "-t", test, "-l", "1"]);
            let ended = command
                .env("XDG_STATE_HOME", state.path())
                .output()
                .unwrap();
            assert!(ended.status.success(), "{test}");
            let mut show = crate::process::netdyno();
            show.args(["show", "--json"])
                .env("XDG_STATE_HOME", state.path());
            let shown = show.output().unwrap();
            let run: record::Run = serde_json::from_slice(&shown.stdout).unwrap();
            assert_eq!(run.status, record::Status::Ok, "{test}");
            assert!(
                run.loads[0].received.is_some(),
                "{test}: {:?}",
                run.loads[0]
            );
            // What this host counted meanwhile, and what follows from it.
            let host = run.hosts_observed.client.as_ref().unwrap();
            assert!(!host.counted.is_empty(), "{test}");
            let mut threads = host.counted.labels("thread");
            assert!(threads.any(|label| label.starts_with("netperf-")), "{test}");
            assert!(!run.findings.is_empty(), "{test}");
        }
    });
}
