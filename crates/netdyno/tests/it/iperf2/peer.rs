//! iperf at either end, ours and theirs: started, heard and ended.

use std::collections::HashMap;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::Signal;
use record::End;
use tempfile::TempDir;

use crate::hosts::Hosts;
use crate::process::{eventually, netdyno, tell, within};

/// Whose program it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    Ours,
    Theirs,
}

/// What a client said.
pub struct Said {
    pub code: Option<i32>,
    pub output: String,
    pub errors: String,
}

/// A server on the server's host; killed with the test.
pub struct Peer {
    child: Child,
    whose: Whose,
    _state: TempDir,
}

impl Whose {
    pub fn command(self, state: &TempDir) -> Command {
        match self {
            Self::Ours => {
                let mut command = netdyno();
                command.arg("iperf").env("XDG_STATE_HOME", state.path());
                command
            }
            Self::Theirs => {
                let mut command = Command::new("iperf");
                sys::child::die_with_parent(&mut command);
                command
            }
        }
    }

    /// A client's whole life. One that does not end in time is killed: 2.1.8 knows tests that last
    /// for ever.
    pub fn client(self, words: &str) -> Said {
        let state = TempDir::with_prefix("netdyno-it-").unwrap();
        let mut command = self.command(&state);
        command
            .args(words.split_whitespace())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let ended = within(Duration::from_secs(20), || child.try_wait().unwrap());
        if ended.is_none() {
            let _ = child.kill();
        }
        let ended = child.wait_with_output().unwrap();
        Said {
            code: ended.status.code(),
            output: String::from_utf8_lossy(&ended.stdout).into_owned(),
            errors: String::from_utf8_lossy(&ended.stderr).into_owned(),
        }
    }
}

impl Peer {
    pub fn start(hosts: &Hosts<'_>, whose: Whose, port: u16, words: &str) -> Self {
        let state = TempDir::with_prefix("netdyno-it-").unwrap();
        let mut command = whose.command(&state);
        command
            .args(["-s", "-p", &port.to_string()])
            .args(words.split_whitespace())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        hosts.testbed.place_on_server(&mut command).unwrap();
        let child = command.spawn().unwrap();
        let table = if words.contains("-u") { "udp" } else { "tcp" };
        listens(hosts, table, port);
        Self {
            child,
            whose,
            _state: state,
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Whether it is gone before anybody told it to.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Ends it and gives what it printed.
    pub fn end(mut self) -> String {
        // iperf's UDP server is busy with its client's end for 250 ms, and prints late.
        if self.whose == Whose::Theirs {
            std::thread::sleep(Duration::from_millis(400));
        }
        for _ in 0..2 {
            if self.child.try_wait().unwrap().is_none() {
                tell(self.child.id(), Signal::SIGINT);
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        let mut text = String::new();
        let output = self.child.stdout.take();
        let _ = output.unwrap().read_to_string(&mut text);
        text
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until somebody listens.
pub fn listens(hosts: &Hosts<'_>, table: &str, port: u16) {
    let line = format!(":{port:04X} ");
    eventually("the server listens", || {
        hosts.on(End::Server, || {
            let both = [table.to_owned(), format!("{table}6")];
            both.iter()
                .filter_map(|table| {
                    std::fs::read_to_string(format!("/proc/thread-self/net/{table}")).ok()
                })
                .any(|sockets| sockets.contains(&line))
                .then_some(())
        })
    });
}

/// Bytes of each flow's row in CSV, smallest first. Sums are left out.
pub fn flows(csv: &str) -> Vec<u64> {
    let mut bytes: Vec<u64> = rows(csv).map(|(_, bytes)| bytes).collect();
    bytes.sort_unstable();
    bytes
}

/// The same of a test that has rows of intervals: of each flow its last row.
pub fn last_of_flows(csv: &str) -> Vec<u64> {
    let mut bytes: Vec<u64> = rows(csv).collect::<HashMap<_, _>>().into_values().collect();
    bytes.sort_unstable();
    bytes
}

/// Number and bytes.
fn rows(csv: &str) -> impl Iterator<Item = (&str, u64)> {
    csv.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        (fields.len() >= 9 && fields[5] != "-1").then(|| (fields[5], fields[7].parse().unwrap()))
    })
}

/// The same of a client whose server reports: what it sent is what it printed itself.
pub fn flows_of_reporting_client(csv: &str) -> Vec<u64> {
    let sent: Vec<&str> = csv
        .lines()
        .filter(|line| line.split(',').count() == 9)
        .filter_map(|line| line.split(',').nth(5))
        .collect();
    let kept: Vec<&str> = csv
        .lines()
        .filter(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            fields.len() <= 9 || !sent.contains(&fields[5])
        })
        .collect();
    flows(&kept.join("\n"))
}
