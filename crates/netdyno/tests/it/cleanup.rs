//! A testbed goes with its run, however that ends.

use std::fs;
use std::path::{Path, PathBuf};

use nix::sys::signal::Signal;
use record::End;

use crate::client::{Client, Running};
use crate::process::{children, eventually, is_alive};

/// What a running testbed consists of.
struct Parts {
    processes: Vec<u32>,
    namespaces: Vec<PathBuf>,
}

fn parts(client: &Running) -> Parts {
    client.measures(End::Server, 1);
    let mut processes = vec![client.pid()];
    processes.extend(children(client.pid()));
    assert_eq!(processes.len(), 2, "the client and its server");
    let namespace = |pid: &u32| fs::read_link(format!("/proc/{pid}/ns/net")).unwrap();
    let namespaces: Vec<_> = processes.iter().map(namespace).collect();
    let ours = fs::read_link("/proc/self/ns/net").unwrap();
    assert!(namespaces[0] != namespaces[1] && !namespaces.contains(&ours));
    Parts {
        processes,
        namespaces,
    }
}

/// Whether some process is in the namespace or holds it by a descriptor.
fn is_used(namespace: &Path) -> bool {
    let links = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten();
    links("/proc".into())
        .filter(|entry| entry.file_name().as_encoded_bytes()[0].is_ascii_digit())
        .any(|process| {
            links(process.path().join("ns"))
                .chain(links(process.path().join("fd")))
                .any(|link| fs::read_link(link.path()).is_ok_and(|to| to == namespace))
        })
}

fn interfaces() -> Vec<String> {
    let table = fs::read_to_string("/proc/self/net/dev").unwrap();
    let names = table
        .lines()
        .filter_map(|line| Some(line.split_once(':')?.0.trim().to_owned()));
    names
        .filter(|name| name.starts_with("client") || name.starts_with("server"))
        .collect()
}

fn nothing_is_left_of(parts: Parts) {
    for process in parts.processes {
        eventually("the process is gone", || (!is_alive(process)).then_some(()));
    }
    for namespace in parts.namespaces {
        eventually("the namespace is gone", || {
            (!is_used(&namespace)).then_some(())
        });
    }
    assert_eq!(interfaces(), [""; 0]);
}

#[test]
fn nothing_is_left_of_a_testbed_whatever_ends_it() {
    not_run::needs_namespaces!();
    let links: [&[&str]; 2] = [&[], &["--link", "delay=1ms"]];
    for link in links {
        for signal in [
            Signal::SIGINT,
            Signal::SIGTERM,
            Signal::SIGHUP,
            Signal::SIGABRT,
            Signal::SIGKILL,
        ] {
            let client = Client::new("-t 20 -i 10ms --no-probe --json --load stream:rate=10M");
            let client = link
                .iter()
                .fold(client, |client, word| client.word(word))
                .start();
            let parts = parts(&client);
            client.tell(signal);
            let ended = client.end();
            match signal {
                Signal::SIGINT | Signal::SIGTERM | Signal::SIGHUP => {
                    assert_eq!(ended.code, 130, "{signal}: {}", ended.stderr);
                    ended.document();
                }
                signal => assert_eq!(ended.code, 128 + signal as i32),
            }
            nothing_is_left_of(parts);
        }
    }
}

#[test]
fn two_testbeds_at_once_do_not_meet() {
    not_run::needs_namespaces!();
    let running =
        [(); 2].map(|()| Client::new("-t 1 -i 0.1 --json --load udp-stream:rate=5M").start());
    let parts = running.each_ref().map(parts);
    assert_ne!(parts[0].namespaces, parts[1].namespaces);
    for client in running {
        let ended = client.end();
        ended.went_to_its_end();
        let loss = &ended.document().loads[0].loss[0];
        assert_eq!((loss.malformed, loss.duplicate), (0, 0));
    }
    parts.into_iter().for_each(nothing_is_left_of);
}

#[test]
fn a_testbed_whose_server_is_killed_ends_in_a_document() {
    not_run::needs_namespaces!();
    let client = Client::new("-t 20 -i 10ms --no-probe --json --load stream:rate=10M").start();
    let parts = parts(&client);
    crate::process::tell(parts.processes[1], Signal::SIGKILL);
    let ended = client.end();
    assert_eq!(ended.code, 4, "{}", ended.stderr);
    ended.document();
    nothing_is_left_of(parts);
}
