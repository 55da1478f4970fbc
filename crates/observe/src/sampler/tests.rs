use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use record::Row;

use super::*;

mod tools;

fn fixture(kernel: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(kernel)
}

/// A copy of a fixture that may be changed.
fn copy(kernel: &str) -> tempfile::TempDir {
    let to = tempfile::tempdir().unwrap();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        fs::create_dir_all(to.path().join(&folder)).unwrap();
        for entry in fs::read_dir(fixture(kernel).join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = folder.join(entry.file_name());
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(path),
                false => drop(fs::copy(entry.path(), to.path().join(path)).unwrap()),
            }
        }
    }
    to
}

fn lines(rows: &Rows) -> String {
    let mut text = String::new();
    for Row {
        source,
        label,
        name,
        value,
    } in rows.iter().filter(|row| row.source != "netdyno")
    {
        writeln!(text, "{source} [{label}] {name} {value}").unwrap();
    }
    text
}

fn observe(sampler: &mut Sampler) -> Observation {
    sampler.observe(End::Client, 0, Effort::Whole)
}

/// All rows of this machine's kernel, and of one that lacks files and columns.
#[test]
fn golden_rows_of_two_kernels() {
    for kernel in ["linux-6.18", "linux-4.19"] {
        let observation = observe(&mut Sampler::of(&Tree::at(fixture(kernel))));
        assert_eq!(observation.unread, [""; 0], "{kernel}");
        insta::assert_snapshot!(kernel, lines(&observation.rows));
    }
}

#[test]
fn only_what_changed_is_told_again() {
    let root = copy("linux-6.18");
    let mut sampler = Sampler::of(&Tree::at(root.path()));
    let first = observe(&mut sampler);
    assert!(first.rows.len() > 500, "{}", first.rows.len());
    let second = observe(&mut sampler);
    assert_eq!(lines(&second.rows), "");
    // In place, as /proc changes: the file stays open.
    let path = root.path().join("proc/thread-self/net/dev");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("eth0:", "eth9:")).unwrap();
    let third = observe(&mut sampler);
    assert_eq!(Vec::from_iter(third.rows.labels("interface")), ["eth9"]);
    assert_eq!(third.gone.len(), 1);
    assert_eq!(third.gone[0].label, "eth0");
}

#[test]
fn what_cannot_be_read_is_told_once_and_gives_no_row() {
    let root = copy("linux-4.19");
    let softnet = root.path().join("proc/thread-self/net/softnet_stat");
    fs::write(&softnet, "not hexadecimal\n").unwrap();
    // A folder opens and does not read.
    let snmp = root.path().join("proc/thread-self/net/snmp");
    fs::remove_file(&snmp).unwrap();
    fs::create_dir(&snmp).unwrap();
    let mut sampler = Sampler::of(&Tree::at(root.path()));
    let first = observe(&mut sampler);
    assert_eq!(first.unread.len(), 2, "{:?}", first.unread);
    assert!(
        first.unread.iter().any(|s| s.contains("line 1")),
        "{first:?}"
    );
    for source in ["softnet", "snmp"] {
        assert_eq!(first.rows.labels(source).count(), 0, "{source}");
    }
    assert!(first.rows.get("host", "all", "context_switches").is_some());
    assert_eq!(observe(&mut sampler).unread, [""; 0]);
}

#[test]
fn a_file_that_becomes_unreadable_takes_its_rows_along() {
    let root = copy("linux-4.19");
    let mut sampler = Sampler::of(&Tree::at(root.path()));
    let first = observe(&mut sampler);
    let path = root.path().join("proc/softirqs");
    fs::write(&path, "nonsense\n").unwrap();
    let second = observe(&mut sampler);
    assert_eq!(second.gone.len(), first.rows.labels("softirqs").count());
    assert_eq!(second.unread.len(), 1);
}

#[test]
fn an_empty_tree_gives_nothing_and_no_complaint() {
    let root = tempfile::tempdir().unwrap();
    let observation = observe(&mut Sampler::of(&Tree::at(root.path())));
    assert_eq!(observation.unread, [""; 0]);
    assert_eq!(lines(&observation.rows), "");
}

#[test]
fn this_host_is_observed() {
    let mut sampler = Sampler::new(Some("lo"));
    let first = observe(&mut sampler);
    assert!(first.rows.get("host", "all", "context_switches").is_some());
    assert!(first.rows.get("interface", "lo", "rx_bytes").is_some());
    assert!(
        first
            .rows
            .get("qdisc", "lo noqueue 0: root", "bytes")
            .is_some()
    );
    assert!(first.rows.sum("softnet", "processed").is_some());
    assert!(first.rows.sum("thread", "run_ns").is_some());
    let second = observe(&mut sampler);
    assert!(second.rows.len() < first.rows.len() / 2, "{second:?}");
    assert!(second.rows.get("netdyno", "observer", "cpu_ns") > Some(0));
}
