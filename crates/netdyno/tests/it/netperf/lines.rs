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

/// 50 flows of 300 kB/s each.
#[test]
fn flows_are_paced_by_the_kernel() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let _server = Netserver::start(hosts, Whose::Ours, "");
        let line = "super_netperf 50 --google-pacing-rate 300000 -H HOST -l 3";
        let sum = sum(hosts, &Links::new(), line);
        let asked = 50.0 * 300_000.0 * 8.0 / 1e6;
        // A flow begins with ten segments at once, whatever its rate.
        assert!(
            (0.95 * asked..1.25 * asked).contains(&sum),
            "{sum} of {asked}"
        );
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
        }
    });
}
