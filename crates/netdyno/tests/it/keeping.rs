//! The run store and the outputs: nothing that was measured is lost, and what is shown later is
//! what was shown then.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::signal::Signal;
use plan::Family;
use record::{End, Event, Status};

use crate::client::{Client, measured};
use crate::document;
use crate::hosts::hosts;
use crate::process::{code, end_of, eventually, netdyno, program};
use crate::server::Server;
use crate::store::Store;

#[test]
fn show_prints_what_the_run_printed() {
    let server = Server::start("");
    for output in ["", "--json", "--json-lines", "--csv"] {
        let words = format!("{} -t 0.5 -i 100ms {output}", server.address());
        let ended = Client::new(&words).end();
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let printed = ended.stdout;
        assert!(!printed.is_empty());
        let shown = Client::show(ended.store, output);
        assert_eq!((shown.code, shown.stderr.as_str()), (0, ""));
        assert_eq!(shown.stdout, printed, "{output}");
        // By name, and of a run that is not there.
        let id = shown.store.ids().remove(0);
        let shown = Client::show(shown.store, &format!("{id} {output}"));
        assert_eq!(shown.stdout, printed);
        let absent = Client::show(shown.store, "20000101T000000-0000");
        assert_eq!((absent.code, absent.stdout.as_str()), (2, ""));
        assert!(
            absent
                .stderr
                .contains("there is no run, comparison or series '20000101T000000-0000'"),
            "{}",
            absent.stderr
        );
    }
}

#[test]
fn json_lines_are_the_events_that_are_kept() {
    let server = Server::start("");
    let ended = Client::new(&format!(
        "{} -t 0.5 -i 100ms --json-lines",
        server.address()
    ))
    .end();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let events = document::events(&ended.stdout);
    assert_eq!(events, ended.store.events());
    assert!(matches!(events.first(), Some(Event::Begin { .. })));
    assert!(matches!(
        events.last(),
        Some(Event::Finish {
            status: Status::Ok,
            reason: None
        })
    ));
}

#[test]
fn no_save_leaves_nothing() {
    let server = Server::start("");
    let ended = Client::new(&format!("{} -t 0.2 --no-save --json", server.address())).end();
    assert_eq!(ended.code, 0);
    document::run(&ended.stdout);
    assert_eq!(ended.store.ids(), [""; 0]);
    assert!(!ended.store.state_home().join("netdyno").exists());
    let shown = Client::show(ended.store, "");
    assert_eq!(shown.code, 2);
    assert!(
        shown.stderr.contains("there is no stored run"),
        "{}",
        shown.stderr
    );
}

/// Kills at moments that no one chose: whatever was shown as an event before is in the store.
#[test]
fn a_kill_at_any_moment_loses_at_most_the_line_being_written() {
    let server = Server::start("");
    for millis in [0, 3, 10, 30, 100, 200, 400, 700, 1000] {
        let words = format!(
            "{} -t 5 -i 10ms --no-probe --json-lines --load stream:rate=10M",
            server.address()
        );
        let client = Client::new(&words).start();
        std::thread::sleep(Duration::from_millis(millis));
        client.tell(Signal::SIGKILL);
        let killed = client.end();
        assert_eq!(killed.code, 128 + 9);
        // The file first, the screen after it.
        let whole = killed.stdout.rfind('\n').map_or(0, |end| end + 1);
        let printed = document::events(&killed.stdout[..whole]);
        let kept = killed.store.events();
        assert!(
            kept.starts_with(&printed),
            "after {millis} ms: {} printed, {} kept",
            printed.len(),
            kept.len()
        );
        if kept.is_empty() {
            continue;
        }
        let edges = measured(&kept, End::Server).count();
        let shown = Client::show(killed.store, "--json");
        assert_eq!(shown.code, 0, "{}", shown.stderr);
        let run = document::run(&shown.stdout);
        assert_eq!(run.status, Status::Failed);
        let intervals = run.intervals.iter().filter(|i| i.end == End::Server);
        assert_eq!(
            intervals
                .filter(|i| i.phase == record::Phase::Measure)
                .count(),
            edges
        );
    }
}

#[test]
fn a_store_that_cannot_be_written_costs_a_sentence_and_no_document() {
    let server = Server::start("");
    // Nobody can make a folder in /proc, root neither.
    let words = format!("{} -t 0.3 --json", server.address());
    let ended = Client::new(&words)
        .env("XDG_STATE_HOME", "/proc/no-state")
        .end();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(document::run(&ended.stdout).status, Status::Ok);
    assert!(ended.stderr.contains("/proc/no-state"), "{}", ended.stderr);
    assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
}

#[test]
fn a_full_store_costs_a_sentence_and_no_document() {
    not_run::needs_root!();
    not_run::needs_program!("unshare");
    not_run::needs_program!("mount");
    let server = Server::start("");
    // A file system of the child's own, which goes with its mount namespace.
    let mut command = Command::new("unshare");
    sys::child::die_with_parent(&mut command);
    command.args(["--mount", "sh", "-c"]);
    command
        .arg("mount -t tmpfs -o size=16k none \"$XDG_STATE_HOME\" && exec \"$@\"")
        .arg("sh");
    command.arg(program());
    let words = format!("{} -t 1 -i 10ms --json", server.address());
    let ended = Client::wrapped(command, "run", &words).end();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(document::run(&ended.stdout).status, Status::Ok);
    assert!(ended.stderr.contains("No space left"), "{}", ended.stderr);
    assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
}

/// What a full disk left of another tool's run read as a run that was killed.
#[test]
fn a_full_store_keeps_no_part_of_another_tools_run() {
    not_run::needs_root!();
    not_run::needs_program!("unshare");
    not_run::needs_program!("mount");
    hosts("", Family::V4, |hosts| {
        let _server = hosts.serve("");
        let store = Store::new();
        let mut command = Command::new("unshare");
        sys::child::die_with_parent(&mut command);
        command.args(["--mount", "sh", "-c"]);
        command
            .arg(
                "mount -t tmpfs -o size=16k none \"$XDG_STATE_HOME\" && \"$@\" && \
                 find \"$XDG_STATE_HOME\" -name 'events*'",
            )
            .arg("sh");
        command
            .arg(program())
            .args(["iperf3", "--json", "-t", "1", "-i", "0.1", "-c"]);
        command.arg(hosts.address(End::Server).to_string());
        command.env("XDG_STATE_HOME", store.state_home());
        let ended = command.output().unwrap();
        let (output, errors) = [ended.stdout, ended.stderr]
            .map(|text| String::from_utf8(text).unwrap())
            .into();
        assert!(errors.contains("No space left"), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
        assert!(output.contains("sum_received"), "{output}");
        assert!(!output.contains("events"), "{output}");
    });
}

#[test]
fn a_reader_that_goes_away_does_not_end_the_run() {
    let server = Server::start("");
    for output in ["--json-lines", "--csv", ""] {
        let store = Store::new();
        let mut command = netdyno();
        command.args(["run", &server.address().to_string(), "-t", "1", "-i", "0.1"]);
        if !output.is_empty() {
            command.arg(output);
        }
        command
            .env("XDG_STATE_HOME", store.state_home())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut first)
            .unwrap();
        assert!(!first.is_empty());
        assert_eq!(code(end_of(&mut child)), 0, "{output}");
        assert_eq!(store.document().status, Status::Ok);
    }
}

#[test]
fn two_runs_in_one_store_have_two_names() {
    let server = Server::start("");
    let store = Store::new();
    let start = || {
        let mut command = netdyno();
        command.args([
            "run",
            &server.address().to_string(),
            "-t",
            "0.2",
            "--no-probe",
            "--json",
        ]);
        command
            .env("XDG_STATE_HOME", store.state_home())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().unwrap()
    };
    for mut child in [(); 4].map(|()| start()) {
        assert!(end_of(&mut child).success());
    }
    eventually("four runs", || (store.ids().len() == 4).then_some(()));
}
