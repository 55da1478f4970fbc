//! netperf's protocol against netperf 2.7.0 itself, in both roles, and against ourselves.

mod checks;
mod layout;
mod lines;
mod matrix;
mod raw;

use std::fs;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use plan::Family;
use record::End;
use tempfile::TempDir;

use crate::hosts::{Hosts, hosts};
use crate::process::{eventually, netdyno, program};

/// Whose program it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Ours,
    Theirs,
}

impl Whose {
    /// A command by the name that its users know.
    fn command(self, name: &str) -> Command {
        match self {
            Self::Ours => {
                let mut command = netdyno();
                command.arg(name);
                command
            }
            Self::Theirs => {
                let mut command = Command::new(name);
                sys::child::die_with_parent(&mut command);
                command
            }
        }
    }
}

/// A server on the server's host; killed with the test.
struct Netserver(Child);

impl Netserver {
    fn start(hosts: &Hosts<'_>, whose: Whose, words: &str) -> Self {
        let mut command = whose.command("netserver");
        command.arg("-D").args(words.split_whitespace());
        command.stdin(Stdio::null()).stdout(Stdio::null());
        hosts.testbed.place_on_server(&mut command).unwrap();
        let server = Self(command.spawn().unwrap());
        let at = SocketAddr::new(hosts.address(End::Server), proto::netperf::PORT);
        eventually("the server listens", || TcpStream::connect(at).ok());
        server
    }
}

impl Drop for Netserver {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a client said.
struct Said {
    code: Option<i32>,
    output: String,
    errors: String,
}

impl Said {
    fn by(mut command: Command) -> Self {
        let state = TempDir::with_prefix("netdyno-it-").unwrap();
        command.env("XDG_STATE_HOME", state.path());
        let ended = command.stdin(Stdio::null()).output().unwrap();
        Self {
            code: ended.status.code(),
            output: String::from_utf8(ended.stdout).unwrap(),
            errors: String::from_utf8(ended.stderr).unwrap(),
        }
    }

    /// It went well, and says `key=value` lines: the value.
    fn value(&self, key: &str) -> f64 {
        let prefix = format!("{key}=");
        let line = self
            .output
            .lines()
            .find_map(|line| line.strip_prefix(&prefix));
        let value = line.unwrap_or_else(|| panic!("no {key} in '{}' {}", self.output, self.errors));
        value.parse().unwrap()
    }

    fn well(self, what: &str) -> Self {
        assert_eq!(
            self.code,
            Some(0),
            "{what}: '{}' {}",
            self.output,
            self.errors
        );
        self
    }
}

/// Folders with links by which the program is called as its predecessors are.
struct Links(TempDir);

impl Links {
    fn new() -> Self {
        let folder = TempDir::with_prefix("netdyno-it-").unwrap();
        let target = fs::canonicalize(PathBuf::from(program())).unwrap();
        for name in ["netperf", "super_netperf", "netserver"] {
            std::os::unix::fs::symlink(&target, folder.path().join(name)).unwrap();
        }
        Self(folder)
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.0.path().join(name));
        sys::child::die_with_parent(&mut command);
        command
    }
}

fn addresses(hosts: &Hosts<'_>) -> IpAddr {
    hosts.address(End::Server)
}

/// On two hosts, once for each family.
fn on_both_families(test: fn(&Hosts<'_>)) {
    for family in [Family::V4, Family::V6] {
        hosts("", family, test);
    }
}
