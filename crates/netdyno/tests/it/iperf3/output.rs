//! What is printed, beside what iperf3 itself prints for the same words.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{IpAddr, TcpListener};
use std::process::{Command, Stdio};
use std::thread::ScopedJoinHandle;

use nix::sys::signal::Signal;
use plan::Family;
use record::End;
use serde_json::Value;

use super::{Said, Whose};
use crate::document::strict;
use crate::hosts::{Hosts, hosts};
use crate::process::{eventually, tell};

/// One test between two programs.
struct Pair {
    client: Said,
    server: Said,
}

/// A server that ends with its test, and its client.
fn pair(hosts: &Hosts<'_>, server: Whose, client: Whose, port: u16, words: &str) -> Pair {
    let json = if words.split_whitespace().any(|word| word == "-J") {
        "-J"
    } else {
        "--forceflush"
    };
    let mut serving = server.command();
    serving.args(["-s", "-1", "-p", &port.to_string(), json]);
    hosts.testbed.place_on_server(&mut serving).unwrap();
    std::thread::scope(|scope| {
        let serving: ScopedJoinHandle<'_, Said> = scope.spawn(|| Said::by(serving));
        eventually("the server listens", || listens(hosts, port).then_some(()));
        let client = Said::by(asking(client, hosts.address(End::Server), port, words));
        let server = serving.join().unwrap();
        Pair { client, server }
    })
}

fn asking(whose: Whose, host: IpAddr, port: u16, words: &str) -> Command {
    let mut command = whose.command();
    command.args(["-c", &host.to_string(), "-p", &port.to_string()]);
    command.args(words.split_whitespace());
    command
}

/// Whether somebody on the server's host listens there. A connection would be a client to iperf3.
fn listens(hosts: &Hosts<'_>, port: u16) -> bool {
    let tables = hosts.on(End::Server, || {
        ["tcp", "tcp6"].map(|table| fs::read_to_string(format!("/proc/thread-self/net/{table}")))
    });
    // Local address, remote address, state; 0A is TCP_LISTEN.
    let tables = tables.into_iter().flatten().collect::<String>();
    tables.lines().any(|line| {
        let fields: Vec<&str> = line.split_whitespace().take(4).collect();
        matches!(fields[..], [_, local, _, "0A"] if local.ends_with(&format!(":{port:04X}")))
    })
}

/// A line without its numbers: what is left is the words and their order. How wide the columns are
/// is held against iperf3's own lines where the lines are made.
fn words_of(line: &str) -> String {
    let mut shape = String::new();
    for c in line.replace("[  ", "[").replace("[ ", "[").chars() {
        let number = c.is_ascii_digit() || c == '.';
        match (number, shape.ends_with('#')) {
            (true, true) => {}
            (true, false) => shape.push('#'),
            (false, _) => shape.push(c),
        }
    }
    let words = shape.split_whitespace().map(|word| {
        let unit = word.trim_start_matches(['K', 'M', 'G', 'T']);
        match unit {
            "Bytes" | "bits/sec" | "Bytes/sec" => unit,
            _ => word,
        }
    });
    let words = words.collect::<Vec<_>>().join(" ");
    match words.split_once("Cookie: ") {
        Some((before, _)) => format!("{before}Cookie: "),
        None => words,
    }
}

/// The lines' shapes in the order in which they come first.
fn shapes(text: &str) -> Vec<String> {
    let mut shapes = Vec::new();
    for shape in text.lines().map(words_of) {
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    shapes
}

fn well(pair: &Pair, what: &str) {
    for said in [&pair.client, &pair.server] {
        assert_eq!(said.code, Some(0), "{what}: {said:?}");
    }
}

/// A link that loses some of what is sent, and a server that does not tell what was omitted.
#[test]
fn losses_at_a_stock_server_are_told() {
    not_run::needs_namespaces!();
    not_run::needs_program!("iperf3");
    hosts("loss=0.05", Family::V4, |hosts| {
        let words = "-J -u -t 1 -b 10M -l 1000";
        let pair = pair(hosts, Whose::Theirs, Whose::Ours, 5290, words);
        well(&pair, words);
        strict::check(&pair.client.output).unwrap();
        let document: Value = serde_json::from_str(&pair.client.output).unwrap();
        let sum = &document["end"]["sum"];
        assert!(sum["lost_packets"].as_u64().unwrap() > 0, "{sum}");
        assert!(sum["lost_percent"].as_f64().unwrap() > 0.0, "{sum}");
    });
}

#[test]
fn texts_have_the_lines_of_iperf3s() {
    not_run::needs_namespaces!();
    not_run::needs_program!("iperf3");
    // In half-second intervals iperf3 has printed a head before the other end's results change it.
    let cases = [
        "-t 1 -i 0.5 -b 4M -l 16K",
        "-t 1 -i 0.5 -b 4M -l 16K -P 2",
        "-t 1 -i 0.5 -b 4M -l 16K -R",
        "-t 1 -i 0.5 -b 4M -l 16K --bidir",
        "-t 1 -i 0.5 -b 4M -l 16K -O 1 -T title",
        "-t 1 -i 0.5 -b 4M -l 16K --get-server-output -f K",
        "-u -t 1 -i 0.5 -b 1M -l 500",
        "-u -t 1 -i 0.5 -b 1M -l 500 -P 2 -R",
        "-u -t 1 -i 0.5 -b 1M -l 500 --bidir",
    ];
    hosts("", Family::V4, move |hosts| {
        for (at, words) in (0_u16..).zip(cases) {
            let port = 5300 + 10 * at;
            let whose = [
                (Whose::Theirs, Whose::Theirs),
                (Whose::Theirs, Whose::Ours),
                (Whose::Ours, Whose::Theirs),
            ];
            let pairs = together(&whose, |index, (server, client)| {
                pair(hosts, server, client, port + index, words)
            });
            let [theirs, our_client, our_server] = pairs.as_slice() else {
                panic!("{words}");
            };
            pairs.iter().for_each(|pair| well(pair, words));
            let client = shapes(&our_client.client.output);
            assert_eq!(client, shapes(&theirs.client.output), "client {words}");
            let server = shapes(&our_server.server.output);
            assert_eq!(server, shapes(&theirs.server.output), "server {words}");
        }
    });
}

/// Does it for all at once, each in a thread of the same host.
fn together<T: Copy + Sync, R: Send>(cases: &[T], run: impl Fn(u16, T) -> R + Sync) -> Vec<R> {
    let run = &run;
    std::thread::scope(|scope| {
        let cases = (0..).zip(cases);
        let threads: Vec<_> = cases
            .map(|(index, case)| scope.spawn(move || run(index, *case)))
            .collect();
        let results = threads.into_iter().map(|thread| thread.join().unwrap());
        results.collect()
    })
}

#[test]
fn a_verbose_client_says_what_iperf3s_says() {
    not_run::needs_namespaces!();
    not_run::needs_program!("iperf3");
    hosts("", Family::V4, |hosts| {
        let whose = [Whose::Theirs, Whose::Ours];
        for (port, words) in [
            (5400, "-V -t 1 -b 4M -l 16K -M 1000"),
            (5410, "-V -u -n 50K"),
        ] {
            let pairs = together(&whose, |index, client| {
                pair(hosts, Whose::Theirs, client, port + index, words)
            });
            pairs.iter().for_each(|pair| well(pair, words));
            let said = |at: usize| {
                let shapes = shapes(&pairs[at].client.output);
                let same = |line: &str| line.split(" (netdyno").next().unwrap().to_owned();
                shapes.iter().map(|line| same(line)).collect::<Vec<_>>()
            };
            assert_eq!(said(1), said(0), "{words}");
        }
    });
}

#[test]
fn documents_are_strict_at_both_ends_and_in_every_case() {
    not_run::needs_namespaces!();
    let cases = [
        "-J -t 1 -b 4M",
        "-J -t 1 -b 4M -P 2 --bidir -O 1",
        "-J -u -t 1 -b 1M -l 500 -R --get-server-output",
        "-J -n 1M -T title --extra-data more",
        "-J -u -k 10 -i 0",
    ];
    hosts("", Family::V4, move |hosts| {
        let pairs = together(&cases, |index, words| {
            pair(hosts, Whose::Ours, Whose::Ours, 5500 + index, words)
        });
        for (pair, words) in pairs.iter().zip(cases) {
            well(pair, words);
            for said in [&pair.client, &pair.server] {
                strict::check(&said.output).unwrap_or_else(|error| panic!("{words}: {error}"));
            }
            for said in [&pair.client, &pair.server] {
                let document: Value = serde_json::from_str(&said.output).unwrap();
                let hosts = &document["end"]["whole_host_cpu_utilization_percent"];
                for end in ["local", "remote"] {
                    let busy = hosts[end].as_f64();
                    assert!(busy.is_some_and(|busy| busy >= 0.0), "{words}: {hosts}");
                }
            }
            let document: Value = serde_json::from_str(&pair.client.output).unwrap();
            let sums = &document["end"];
            let bytes = |key: &str| sums[key]["bytes"].as_u64().unwrap();
            assert!(bytes("sum_received") > 0, "{words}");
            // Each end begins to count at its own end of the omitted time.
            let omits = words.contains("-O");
            assert!(
                omits || bytes("sum_received") <= bytes("sum_sent"),
                "{words}"
            );
        }
        let reverse: Value = serde_json::from_str(&pairs[2].client.output).unwrap();
        assert!(reverse["server_output_json"]["end"]["sum"].is_object());
    });
}

#[test]
fn a_stream_of_lines_is_one_strict_object_a_line() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let words = "--json-stream -t 1 -i 0.25 -b 4M --get-server-output";
        let pair = pair(hosts, Whose::Ours, Whose::Ours, 5600, words);
        well(&pair, words);
        let mut events = Vec::new();
        for line in pair.client.output.lines() {
            strict::check(line).unwrap();
            let value: Value = serde_json::from_str(line).unwrap();
            events.push(value["event"].as_str().unwrap().to_owned());
        }
        assert!(
            events.iter().filter(|event| *event == "interval").count() >= 3,
            "{events:?}"
        );
        events.dedup();
        assert_eq!(events, ["start", "interval", "server_output_text", "end"]);
    });
}

#[test]
fn a_failure_has_a_document_too() {
    // Nobody listens where somebody did and was not found.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    drop(listener);
    let run = |words: &str| Said::by(asking(Whose::Ours, at.ip(), at.port(), words));
    let said = run("-J");
    assert_eq!(said.code, Some(1), "{said:?}");
    strict::check(&said.output).unwrap();
    let document: Value = serde_json::from_str(&said.output).unwrap();
    assert!(document["error"].is_string() && document["start"]["version"].is_string());
    assert_eq!(document["intervals"], serde_json::json!([]));
    assert_eq!(document["end"], serde_json::json!({}));
    assert_eq!(said.errors, "");
    let said = run("--json-stream");
    let events: Vec<Value> = said
        .output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(events.len(), 2, "{said:?}");
    assert_eq!(
        (&events[0]["event"], &events[1]["event"]),
        (&"error".into(), &"end".into())
    );
    let said = run("");
    assert_eq!((said.code, said.output.as_str()), (Some(1), ""));
    assert!(said.errors.starts_with("iperf3: error - "), "{said:?}");
}

#[test]
fn logs_stamps_and_pid_files() {
    not_run::needs_namespaces!();
    let folder = tempfile::tempdir().unwrap();
    hosts("", Family::V4, move |hosts| {
        let (log, pid) = (folder.path().join("log"), folder.path().join("pid"));
        let words = format!(
            "-t 1 -b 1M --timestamps=%Y: --logfile {} -I {}",
            log.display(),
            pid.display()
        );
        let pair = pair(hosts, Whose::Ours, Whose::Ours, 5700, &words);
        well(&pair, &words);
        assert_eq!(pair.client.output, "");
        let log = fs::read_to_string(log).unwrap();
        assert!(log.ends_with("iperf Done.\n"), "{log}");
        assert!(
            log.lines()
                .all(|line| line.starts_with("20") && line[4..].starts_with(':'))
        );
        assert!(!pid.exists());
    });
}

#[test]
fn the_python_module_reads_our_documents() {
    not_run::needs_namespaces!();
    let mut python = Command::new("python3");
    python.args(["-c", "import iperf3"]).stderr(Stdio::null());
    let has_module = python.status().is_ok_and(|status| status.success());
    not_run::unless!(
        has_module,
        "python3 has no module iperf3 (pip install iperf3)"
    );
    let folder = tempfile::tempdir().unwrap();
    hosts("", Family::V4, move |hosts| {
        for (port, words, figures) in [
            (5800, "-J -t 1 -b 4M", "r.sent_Mbps, r.received_Mbps"),
            (
                5801,
                "-J -t 1 -b 4M -R -P 2",
                "r.sent_Mbps, r.received_Mbps",
            ),
            (5802, "-J -t 1 -b 4M -u", "r.Mbps, r.packets"),
        ] {
            let pair = pair(hosts, Whose::Ours, Whose::Ours, port, words);
            well(&pair, words);
            let document = folder.path().join("document");
            fs::write(&document, &pair.client.output).unwrap();
            let script = format!(
                "import iperf3, sys; r = iperf3.TestResult(open(sys.argv[1]).read()); \
                 assert r.error is None and r.version.startswith('iperf 3.') \
                 and min({figures}) > 0 and r.remote_cpu_total >= 0"
            );
            let mut python = Command::new("python3");
            python.args(["-c", &script]).arg(&document);
            let said = Said::by(python);
            assert_eq!(said.code, Some(0), "{words}: {said:?}");
        }
    });
}

#[test]
fn words_that_scripts_look_for_stand_in_every_way_to_have_no_server() {
    for words in [
        "-c no-such-host.invalid",
        "-c ::1 -4",
        "-c 127.0.0.1 -B no-such-host.invalid",
        "-c 127.0.0.1 -p 1",
    ] {
        let mut command = Whose::Ours.command();
        command.args(words.split_whitespace());
        let said = Said::by(command);
        let begins = "iperf3: error - unable to connect to server: ";
        assert!(said.errors.starts_with(begins), "{words}: {said:?}");
        assert_eq!(said.code, Some(1), "{words}");
    }
    let mut command = Whose::Ours.command();
    command.args(["-s", "-B", "192.0.2.1"]);
    let said = Said::by(command);
    let begins = "iperf3: error - unable to start listener for connections: ";
    assert!(said.errors.starts_with(begins), "{said:?}");
}

/// It is no error there, and scripts know the words.
#[test]
fn a_server_says_of_an_interrupted_client_what_iperf3s_says() {
    not_run::needs_namespaces!();
    not_run::needs_program!("iperf3");
    hosts("", Family::V4, |hosts| {
        let said = together(&[Whose::Theirs, Whose::Ours], |index, server| {
            let port = 5900 + index;
            let mut serving = server.command();
            serving.args(["-s", "-1", "-p", &port.to_string()]);
            hosts.testbed.place_on_server(&mut serving).unwrap();
            std::thread::scope(|scope| {
                let serving = scope.spawn(|| Said::by(serving));
                eventually("the server listens", || listens(hosts, port).then_some(()));
                let at = hosts.address(End::Server);
                let mut client = asking(Whose::Ours, at, port, "-t 20 -b 1M -i 0.1");
                let state = tempfile::tempdir().unwrap();
                client.env("XDG_STATE_HOME", state.path());
                client.stdout(Stdio::piped()).stderr(Stdio::null());
                let mut client = client.spawn().unwrap();
                let mut lines = BufReader::new(client.stdout.take().unwrap()).lines();
                // Data moves.
                lines.find(|line| line.as_ref().is_ok_and(|line| line.contains("sec ")));
                tell(client.id(), Signal::SIGINT);
                lines.for_each(drop);
                client.wait().unwrap();
                serving.join().unwrap().errors
            })
        });
        assert_eq!(said[1], said[0]);
        assert_eq!(said[1], "iperf3: the client has terminated\n");
    });
}
