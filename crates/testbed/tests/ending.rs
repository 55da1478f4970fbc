//! Nothing is left behind, however the process ends.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What `hold-testbed` says of itself.
struct Held {
    process: Child,
    permission: String,
    child: u32,
    namespaces: Vec<PathBuf>,
}

fn hold(command: &mut Command) -> Result<Held, String> {
    let mut process = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let words: Vec<_> = line.split_whitespace().collect();
    let [permission, child, namespaces @ ..] = words.as_slice() else {
        let output = process.wait_with_output().unwrap();
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    };
    Ok(Held {
        process,
        permission: (*permission).to_owned(),
        child: child.parse().unwrap(),
        namespaces: namespaces.iter().map(PathBuf::from).collect(),
    })
}

/// Namespaces that some process is in or holds by a descriptor.
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

/// The kernel ends processes and namespaces in its own time; this waits, at most long.
fn eventually(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn own_interfaces() -> Vec<String> {
    fs::read_to_string("/proc/net/dev")
        .unwrap()
        .lines()
        .filter_map(|line| Some(line.split_once(':')?.0.trim().to_owned()))
        .collect()
}

fn nothing_is_left_of(held: &Held) {
    eventually("the child on the server's host is gone", || {
        let status = fs::read_to_string(format!("/proc/{}/stat", held.child));
        // A zombie waits for a parent that does not care; its namespace is gone.
        status.map_or(true, |stat| stat.contains(") Z "))
    });
    for namespace in &held.namespaces {
        eventually("the namespace is gone", || !is_used(namespace));
    }
    assert!(
        !own_interfaces()
            .iter()
            .any(|name| name.ends_with('0') && name.starts_with("client"))
    );
}

#[test]
fn a_killed_process_leaves_nothing() {
    not_run::needs_namespaces!();
    for kind in ["veth", "relay"] {
        let mut held = match hold(Command::new(env!("CARGO_BIN_EXE_hold-testbed")).arg(kind)) {
            Ok(held) => held,
            Err(reason) => {
                not_run::cell(format!("{kind}, killed"), reason);
                continue;
            }
        };
        assert_eq!(held.permission, "Root");
        assert_eq!(held.namespaces.len(), 2);
        assert!(held.namespaces.iter().all(|namespace| is_used(namespace)));
        held.process.kill().unwrap();
        held.process.wait().unwrap();
        nothing_is_left_of(&held);
    }
}

#[test]
fn two_at_once_do_not_meet_and_an_orderly_end_leaves_nothing() {
    not_run::needs_namespaces!();
    let program = env!("CARGO_BIN_EXE_hold-testbed");
    let mut both = [(); 2].map(|()| hold(Command::new(program).arg("veth")).unwrap());
    assert_ne!(both[0].namespaces, both[1].namespaces);
    for held in &mut both {
        drop(held.process.stdin.take());
        assert!(held.process.wait().unwrap().success());
        nothing_is_left_of(held);
    }
}

#[test]
fn an_ordinary_user_gets_one_in_a_user_namespace() {
    not_run::needs_root!();
    const NOBODY: u32 = 65534;
    // The build's folder may be closed to others.
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("hold-testbed");
    fs::copy(env!("CARGO_BIN_EXE_hold-testbed"), &program).unwrap();
    for path in [folder.path(), &program] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let as_nobody = |kind| {
        let mut command = Command::new(&program);
        hold(command.arg(kind).current_dir("/").uid(NOBODY).gid(NOBODY))
    };
    for kind in ["veth", "rate", "relay"] {
        match as_nobody(kind) {
            Ok(mut held) => {
                assert_eq!(held.permission, "UserNamespace");
                held.process.kill().unwrap();
                held.process.wait().unwrap();
                nothing_is_left_of(&held);
            }
            Err(reason) => not_run::cell(format!("{kind} as an ordinary user"), reason),
        }
    }
}
