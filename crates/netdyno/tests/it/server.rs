//! `netdyno serve` as a process.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::{Child, Command, ExitStatus, Stdio};

use nix::sys::signal::Signal;
use tempfile::TempDir;

use crate::process::{self, end_of, netdyno};

/// A server that takes connections; killed with the test.
pub struct Server {
    child: Child,
    address: SocketAddr,
    log: TempDir,
}

impl Server {
    /// A server on IPv4 loopback.
    pub fn start(words: &str) -> Self {
        Self::at(Ipv4Addr::LOCALHOST.into(), words)
    }

    /// A server on one address of the calling thread's namespace.
    pub fn at(address: IpAddr, words: &str) -> Self {
        Self::launch(netdyno(), address, words)
    }

    /// The same by a command that has something before, or is placed elsewhere.
    pub fn launch(mut command: Command, address: IpAddr, words: &str) -> Self {
        let log = TempDir::with_prefix("netdyno-it-").unwrap();
        command.args(["serve", "--port", "0", "--bind", &address.to_string()]);
        command.args(words.split_whitespace());
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        command.stderr(File::create(log.path().join("stderr")).unwrap());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let mut server = Self {
            child,
            address: SocketAddr::new(address, 0),
            log,
        };
        let port = line.trim_end().strip_prefix("netdyno serves on port ");
        let port = port.unwrap_or_else(|| panic!("'{line}', {}", server.log()));
        server.address.set_port(port.parse().unwrap());
        server
    }

    /// Where it listens, as `netdyno run` takes it.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn tell(&self, signal: Signal) {
        process::tell(self.pid(), signal);
    }

    /// What it wrote to standard error so far.
    pub fn log(&self) -> String {
        fs::read_to_string(self.log.path().join("stderr")).unwrap()
    }

    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits until it ends by itself.
    pub fn end(mut self) -> ExitStatus {
        end_of(&mut self.child)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
