//! iperf3's protocol against iperf3 3.12 itself, in both roles, and against ourselves.

mod document;
mod gate;
mod hostile;
mod many;
mod matrix;
mod options;
mod output;

use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use plan::Family;
use record::End;
use serde_json::Value;
use tempfile::TempDir;

use crate::hosts::{Hosts, hosts};
use crate::process::{eventually, netdyno};

/// Whose program it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Ours,
    Theirs,
}

impl Whose {
    fn command(self) -> Command {
        match self {
            Self::Ours => {
                let mut command = netdyno();
                command.arg("iperf3");
                command
            }
            Self::Theirs => {
                let mut command = Command::new("iperf3");
                sys::child::die_with_parent(&mut command);
                command
            }
        }
    }
}

/// A server on the server's host; killed with the test.
struct Served {
    child: Child,
    at: SocketAddr,
    /// Its run store, and whatever else it leaves.
    folder: TempDir,
}

impl Served {
    fn start(hosts: &Hosts<'_>, whose: Whose, port: u16, words: &str) -> Self {
        let mut command = whose.command();
        command.args(["-s", "-p", &port.to_string()]);
        command.args(words.split_whitespace());
        Self::run(hosts, command, port)
    }

    fn run(hosts: &Hosts<'_>, mut command: Command, port: u16) -> Self {
        let folder = TempDir::with_prefix("netdyno-it-").unwrap();
        command.env("XDG_STATE_HOME", folder.path());
        command.current_dir(folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::null());
        hosts.testbed.place_on_server(&mut command).unwrap();
        let child = command.spawn().unwrap();
        let at = SocketAddr::new(hosts.address(End::Server), port);
        let served = Self { child, at, folder };
        // A connection to try it would be a test to a server of 3.12.
        eventually("the server listens", || listens(hosts, port).then_some(()));
        served
    }
}

/// Whether a socket of the server's host listens there: state 0A of /proc/net/tcp.
fn listens(hosts: &Hosts<'_>, port: u16) -> bool {
    let tables = hosts.on(End::Server, || {
        ["tcp", "tcp6"].map(|name| {
            std::fs::read_to_string(format!("/proc/thread-self/net/{name}")).unwrap_or_default()
        })
    });
    let ending = format!(":{port:04X}");
    let mut lines = tables.iter().flat_map(|table| table.lines());
    lines.any(|line| {
        let mut words = line.split_ascii_whitespace().skip(1);
        let local = words.next().is_some_and(|local| local.ends_with(&ending));
        local && words.nth(1) == Some("0A")
    })
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a client said.
#[derive(Debug)]
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

    /// Of a client with `-J`.
    fn asking(whose: Whose, server: SocketAddr, words: &str) -> Self {
        let mut command = whose.command();
        command.args(["-c", &server.ip().to_string()]);
        command.args(["-p", &server.port().to_string(), "-J"]);
        command.args(words.split_whitespace());
        Self::by(command)
    }

    /// The document of a test that went well.
    fn well(&self, what: &str) -> Value {
        let document = serde_json::from_str::<Value>(&self.output);
        let document = document.unwrap_or_else(|error| panic!("{what}: {error}: {self:?}"));
        assert_eq!(self.code, Some(0), "{what}: {self:?}");
        assert_eq!(document.get("error"), None, "{what}");
        document
    }

    /// The sentence of one that did not.
    fn error(&self, what: &str) -> String {
        let document = serde_json::from_str::<Value>(&self.output);
        let document = document.unwrap_or_else(|error| panic!("{what}: {error}: {self:?}"));
        let error = document["error"].as_str();
        error
            .unwrap_or_else(|| panic!("{what}: {self:?}"))
            .to_owned()
    }
}

fn number(value: &Value, path: &[&str]) -> f64 {
    let at = path.iter().fold(value, |value, key| &value[*key]);
    at.as_f64().unwrap_or_else(|| panic!("{path:?} in {value}"))
}

fn both_families(test: fn(&Hosts<'_>)) {
    for family in [Family::V4, Family::V6] {
        hosts("", family, test);
    }
}
