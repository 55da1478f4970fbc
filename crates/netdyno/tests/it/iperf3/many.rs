//! Many clients at once, and only one.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::time::Duration;

use plan::Family;
use record::End;

use super::{Said, Served, Whose, number};
use crate::hosts::hosts;
use crate::process::{eventually, netdyno};

#[test]
fn clients_of_all_kinds_are_served_at_once() {
    not_run::needs_namespaces!();
    not_run::needs_program!("iperf3");
    hosts("", Family::V4, |hosts| {
        let served = Served::start(hosts, Whose::Ours, 6400, "");
        let at = served.at;
        let cells = [
            "-t 2 -b 10M",
            "-t 2 -b 10M -R",
            "-u -b 2M -l 1200 -t 2",
            "-u -b 2M -l 1200 -t 2 -R",
            "-u -b 2M -l 1200 -t 2 --bidir -P 2",
            "-u -b 2M -l 900 -t 2 -P 3",
        ];
        std::thread::scope(|scope| {
            for words in cells {
                for whose in [Whose::Ours, Whose::Theirs] {
                    scope.spawn(move || {
                        let document = Said::asking(whose, at, words).well(words);
                        let received = number(&document, &["end", "sum_received", "bytes"]);
                        let sent = number(&document, &["end", "sum_sent", "bytes"]);
                        assert!(
                            received > 0.9 * sent,
                            "{whose:?} {words}: {received} of {sent}"
                        );
                    });
                }
            }
        });
    });
}

#[test]
fn a_server_of_one_test_is_busy() {
    not_run::needs_namespaces!();
    not_run::needs_program!("iperf3");
    hosts("", Family::V4, |hosts| {
        let served = Served::start(hosts, Whose::Ours, 6401, "--max-tests 1");
        let mut first = Whose::Ours.command();
        let state = tempfile::tempdir().unwrap();
        first.env("XDG_STATE_HOME", state.path());
        first.args(["-c", &served.at.ip().to_string(), "-p", "6401", "-t", "20"]);
        let mut first = first.stdout(std::process::Stdio::piped()).spawn().unwrap();
        // Before it says so, somebody else may have the place, and it is the one that is refused.
        let mut said = BufReader::new(first.stdout.as_mut().unwrap());
        said.read_line(&mut String::new()).unwrap();
        for whose in [Whose::Theirs, Whose::Ours] {
            let said = eventually("it is busy", || {
                let said = Said::asking(whose, served.at, "-n 1K");
                (said.code != Some(0) || said.output.contains("error")).then_some(said)
            });
            let error = said.error("busy");
            assert!(error.contains("busy"), "{whose:?}: {error}");
        }
        // It vanishes, and its place is free.
        first.kill().unwrap();
        first.wait().unwrap();
        eventually("the place is free", || {
            (Said::asking(Whose::Theirs, served.at, "-n 1K").code == Some(0)).then_some(())
        });
    });
}

#[test]
fn idle_connections_disturb_nobody() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let served = Served::start(hosts, Whose::Ours, 6402, "");
        let idle: Vec<TcpStream> = (0..200)
            .map(|_| TcpStream::connect_timeout(&served.at, Duration::from_secs(10)).unwrap())
            .collect();
        let document = Said::asking(Whose::Ours, served.at, "-t 1 -b 20M").well("a test");
        let received = number(&document, &["end", "sum_received", "bytes"]);
        assert!(received > 1e6, "{received}");
        drop(idle);
    });
}

#[test]
fn serve_answers_them_on_their_port() {
    not_run::needs_namespaces!();
    not_run::needs_program!("iperf3");
    hosts("", Family::V4, |hosts| {
        let _server = hosts.serve("");
        let at = (hosts.address(End::Server), proto::iperf3::PORT).into();
        for words in ["-n 1M", "-u -R -n 100K -b 5M -l 1000"] {
            Said::asking(Whose::Theirs, at, words).well(words);
        }
    });
}

/// What a run leaves in the store is netdyno's own document.
#[test]
fn a_run_is_kept() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let served = Served::start(hosts, Whose::Ours, 6403, "");
        for (words, kinds) in [
            ("-t 1 -O 1 -b 10M", &["stream"][..]),
            (
                "-u -b 2M -l 1000 -t 1 --bidir",
                &["udp-stream", "udp-maerts"],
            ),
        ] {
            let state = tempfile::tempdir().unwrap();
            let mut command = Whose::Ours.command();
            command.env("XDG_STATE_HOME", state.path());
            command.args(["-c", &served.at.ip().to_string(), "-p", "6403"]);
            command.args(words.split_whitespace());
            assert!(command.output().unwrap().status.success());
            let mut show = netdyno();
            show.args(["show", "--json"]);
            show.env("XDG_STATE_HOME", state.path());
            let shown = show.output().unwrap();
            let text = String::from_utf8(shown.stdout).unwrap();
            let document: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(document["status"], "ok", "{words}: {document}");
            let loads = document["loads"].as_array().unwrap();
            assert_eq!(loads.len(), kinds.len(), "{words}");
            for (load, kind) in loads.iter().zip(kinds) {
                assert_eq!(load["kind"], *kind, "{words}");
                for way in ["received", "sent"] {
                    let bytes = number(load, &[way, "bytes"]);
                    assert!(bytes > 100_000.0, "{words}: {way} {bytes}");
                }
            }
        }
    });
}

/// A server's own half of it is a run of the server's store.
#[test]
fn a_servers_run_is_kept() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        // A store each: which of two runs of one second is the latest is not said by their names.
        for (port, words, kind) in [
            (6404, "-n 2M", "stream"),
            (6406, "-u -R -k 50 -l 1000", "udp-maerts"),
        ] {
            let served = Served::start(hosts, Whose::Ours, port, "");
            let client = Said::asking(Whose::Ours, served.at, words).well(words);
            let document = eventually("the run is kept", || {
                let mut show = netdyno();
                show.args(["show", "--json"]);
                show.env("XDG_STATE_HOME", served.folder.path());
                let shown = show.output().unwrap();
                let document: serde_json::Value = serde_json::from_slice(&shown.stdout).ok()?;
                let is_it = document["loads"][0]["kind"] == kind && document["status"] == "ok";
                is_it.then_some(document)
            });
            let load = &document["loads"][0];
            let told = [("sent", "sum_sent"), ("received", "sum_received")];
            for (ours, theirs) in told {
                assert_eq!(
                    number(load, &[ours, "bytes"]),
                    number(&client, &["end", theirs, "bytes"]),
                    "{words} {ours}"
                );
            }
        }
    });
}

/// Whose line it is stands there while there is more than one test, and only then.
#[test]
fn lines_of_several_tests_are_told_apart() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let mut served = Served::start(hosts, Whose::Ours, 6405, "--logfile log");
        let at = served.at;
        Said::asking(Whose::Ours, at, "-n 1K").well("alone");
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| Said::asking(Whose::Ours, at, "-t 2 -b 1M -i 0.5").well("two"));
            }
        });
        let log = served.folder.path().join("log");
        let text = eventually("both tests are over", || {
            let text = std::fs::read_to_string(&log).unwrap();
            text.contains("listening on 6405 (test #4)").then_some(text)
        });
        served.child.kill().unwrap();
        let of = |mark: &str| {
            let lines = text.lines().filter(|line| line.starts_with(mark));
            lines.filter(|line| line.contains("sec")).count()
        };
        assert_eq!(of("test #1:  "), 0, "{text}");
        assert!(of("test #2:  ") > 1 && of("test #3:  ") > 1, "{text}");
        // Nobody is told to come while a test goes on.
        let banners = text
            .lines()
            .filter(|line| line.starts_with("Server listening"));
        assert!(banners.count() <= 4, "{text}");
    });
}

/// Each line of a stream says whose it is while there is more than one test.
#[test]
fn objects_of_several_tests_are_told_apart() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let mut served = Served::start(hosts, Whose::Ours, 6407, "--json-stream --logfile log");
        let at = served.at;
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| Said::asking(Whose::Ours, at, "-t 2 -b 1M -i 0.5").well("two"));
            }
        });
        Said::asking(Whose::Ours, at, "-n 1K").well("alone");
        let log = served.folder.path().join("log");
        let events = eventually("three tests are over", || {
            let text = std::fs::read_to_string(&log).unwrap();
            let lines = text.lines().map(serde_json::from_str);
            let events: Result<Vec<serde_json::Value>, _> = lines.collect();
            let events = events.ok()?;
            let ends = events.iter().filter(|event| event["event"] == "end");
            (ends.count() == 3).then_some(events)
        });
        served.child.kill().unwrap();
        for number in [1, 2] {
            let of: Vec<_> = events.iter().filter(|e| e["test"] == number).collect();
            assert!(of.len() > 2, "test {number}: {events:?}");
            // The one that was alone at first has no number in its start, and the same cookie.
            let cookie = &of[0]["cookie"];
            assert!(of.iter().all(|event| event["cookie"] == *cookie));
            let starts = events.iter().filter(|e| e["data"]["cookie"] == *cookie);
            assert_eq!(starts.count(), 1, "{events:?}");
        }
        let alone = events.last().unwrap();
        assert_eq!(alone.as_object().unwrap().len(), 2, "{alone}");
    });
}
