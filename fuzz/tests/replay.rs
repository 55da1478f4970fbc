//! Every file of every corpus, and a bounded number of changes to each, in an ordinary test.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use fuzz::{Mutation, TARGETS};

/// Changed inputs made of each file.
const CHANGES: usize = 50;

/// The files of a target's corpus, in the order of their names.
fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<_> = entries
        .map(|entry| {
            let path = entry.expect("an entry of the folder").path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let data = fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            (name, data)
        })
        .collect();
    files.sort();
    assert!(files.len() >= 10, "{target} has only {} files", files.len());
    files
}

#[test]
fn every_file_of_every_corpus() {
    for (target, run) in TARGETS {
        for (name, data) in corpus(target) {
            println!("{target}/{name}");
            run(&data);
        }
    }
}

#[test]
fn every_file_with_small_changes() {
    for (target, run) in TARGETS {
        let files = corpus(target);
        let mut mutation = Mutation::new(0x6e65_7464_796e_6f31);
        for (at, (name, data)) in files.iter().enumerate() {
            let (_, other) = &files[(at + 7) % files.len()];
            for change in 0..CHANGES {
                println!("{target}/{name}, change {change}");
                run(&mutation.of(data, other));
            }
        }
    }
}

/// The first word of what `Debug` prints: the name of an action or of an error.
fn kinds(told: Vec<String>) -> impl Iterator<Item = String> {
    told.into_iter().map(|told| {
        let words = told
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        let mut kinds = words.take(2);
        let first = kinds.next().unwrap_or_default().to_owned();
        match (first.as_str(), kinds.next()) {
            ("Failed", Some(error)) => format!("Failed {error}"),
            _ => first,
        }
    })
}

/// The corpus is worth something only while it gets everywhere. When a message has changed and
/// this fails, write the seeds anew (see the README).
#[test]
fn the_corpus_reaches_every_action() {
    let mut server = BTreeSet::new();
    for (_, data) in corpus("native_control_server") {
        let told = fuzz::native_control_server(&data);
        server.extend(kinds(
            told.iter().map(|action| format!("{action:?}")).collect(),
        ));
    }
    let expected = [
        "Aborted",
        "Bye",
        "Failed Broke",
        "Failed Closed",
        "Failed Version",
        "Observe",
        "PeerDone",
        "Proposed",
        "Start",
    ];
    assert_eq!(Vec::from_iter(server), expected);

    let mut client = BTreeSet::new();
    for (_, data) in corpus("native_control_client") {
        let told = fuzz::native_control_client(&data);
        client.extend(kinds(
            told.iter().map(|action| format!("{action:?}")).collect(),
        ));
    }
    let expected = [
        "Accepted",
        "Attached",
        "Closed",
        "Edge",
        "Failed Broke",
        "Failed Closed",
        "Failed PeerAborted",
        "Failed Refused",
        "Failed Version",
        "Observed",
        "Peer",
        "PeerDone",
        "Report",
        "Started",
    ];
    assert_eq!(Vec::from_iter(client), expected);
}

#[test]
fn netperfs_corpus_reaches_every_action() {
    let mut server = BTreeSet::new();
    for (_, data) in corpus("netperf_server") {
        let told = fuzz::netperf_server(&data);
        let told = told.iter().map(|action| format!("{action:?}")).collect();
        server.extend(kinds(told));
    }
    let expected = [
        "Calibrate",
        "Closed",
        "Failed Broke",
        "Failed Closed",
        "Failed Passphrase",
        "Open",
        "Refused",
    ];
    assert_eq!(Vec::from_iter(server), expected);

    let mut client = BTreeSet::new();
    for (_, data) in corpus("netperf_client") {
        let told = fuzz::netperf_client(&data);
        let told = told.iter().map(|action| format!("{action:?}")).collect();
        client.extend(kinds(told));
    }
    let expected = [
        "Calibrated",
        "Closed",
        "Failed Broke",
        "Failed Closed",
        "Opened",
        "Refused",
        "Results",
    ];
    assert_eq!(Vec::from_iter(client), expected);
}

#[test]
fn iperf3s_corpus_reaches_every_action() {
    let mut server = BTreeSet::new();
    for (_, data) in corpus("iperf3_server") {
        let told = fuzz::iperf3_server(&data);
        let told = told.iter().map(|action| format!("{action:?}")).collect();
        server.extend(kinds(told));
    }
    let expected = [
        "End",
        "Failed Broke",
        "Failed Closed",
        "Failed Rejected",
        "Failed Terminated",
        "Finished",
        "Open",
        "Results",
    ];
    assert_eq!(Vec::from_iter(server), expected);

    let mut client = BTreeSet::new();
    for (_, data) in corpus("iperf3_client") {
        let told = fuzz::iperf3_client(&data);
        let told = told.iter().map(|action| format!("{action:?}")).collect();
        client.extend(kinds(told));
    }
    let expected = [
        "Failed Broke",
        "Failed Busy",
        "Failed Closed",
        "Failed Refused",
        "Failed Rejected",
        "Failed Terminated",
        "Finished",
        "GiveResults",
        "OpenStreams",
        "Prepare",
        "Results",
        "Run",
    ];
    assert_eq!(Vec::from_iter(client), expected);
}
