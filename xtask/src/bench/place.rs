//! Where a contest is held. Namespaces have no name: each is held by a child that reads from a
//! pipe of ours, so that they and the link are gone when this process is, however it ended.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use super::contest::Ground;

/// The ground, made ready.
pub enum Place {
    /// One network stack.
    Loopback,
    /// Two, joined by a veth pair.
    Namespaces {
        /// The client's.
        client: Holder,
        /// The server's.
        server: Holder,
    },
}

/// How a command gets to its end.
pub struct End {
    /// A file that stands for the network namespace to enter.
    pub namespace: Option<PathBuf>,
    /// The CPU to stay on.
    pub cpu: Option<u32>,
}

/// A process that does nothing but hold its network namespace.
pub struct Holder(Child);

const SERVER: &str = "10.73.9.2";
const CLIENT: &str = "10.73.9.1";
/// A bottleneck whose queue holds four packets: what comes in longer bursts is lost.
const SMALL_QUEUE: &str = "tc qdisc add dev client root tbf rate 600mbit burst 3kb limit 6000";

impl Place {
    /// Makes the ground.
    pub fn make(ground: Ground) -> Result<Self> {
        match ground {
            Ground::Loopback => Ok(Self::Loopback),
            Ground::Namespaces => namespaces(),
            Ground::SmallQueue => {
                let place = namespaces()?;
                if let Self::Namespaces { client, .. } = &place {
                    client.run(SMALL_QUEUE)?;
                }
                Ok(place)
            }
        }
    }

    /// Where clients find servers.
    pub fn address(&self) -> &'static str {
        match self {
            Self::Loopback => "127.0.0.1",
            Self::Namespaces { .. } => SERVER,
        }
    }

    /// How to get to the client's end. It has the first CPU where the two ends are to be apart.
    pub fn client(&self, pinned: bool) -> End {
        self.end(pinned, 0)
    }

    /// How to get to the server's end.
    pub fn server(&self, pinned: bool) -> End {
        self.end(pinned, 1)
    }

    fn end(&self, pinned: bool, number: u32) -> End {
        let namespace = match (self, number) {
            (Self::Loopback, _) => None,
            (Self::Namespaces { client, .. }, 0) => Some(client.file()),
            (Self::Namespaces { server, .. }, _) => Some(server.file()),
        };
        // With one CPU there is nothing to choose.
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        End {
            namespace,
            cpu: (pinned && cpus > 1).then_some(number),
        }
    }
}

impl Holder {
    fn start() -> Result<Self> {
        let mut child = Command::new("unshare")
            .args(["--net", "sh", "-c", "echo made && exec cat"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start unshare")?;
        let mut line = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        let holder = Self(child);
        if line.trim() != "made" {
            bail!("no right to make network namespaces: run it as root");
        }
        Ok(holder)
    }

    fn file(&self) -> PathBuf {
        format!("/proc/{}/ns/net", self.0.id()).into()
    }

    fn ip(&self, words: &str) -> Result<()> {
        self.run(&format!("ip {words}"))
    }

    fn run(&self, words: &str) -> Result<()> {
        let output = Command::new("nsenter")
            .arg(format!("--net={}", self.file().display()))
            .arg("--")
            .args(words.split_whitespace())
            .output()
            .context("cannot start nsenter")?;
        if !output.status.success() {
            let answer = String::from_utf8_lossy(&output.stderr);
            bail!("{words}: {}", answer.trim());
        }
        Ok(())
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        // Without its holder the kernel removes the namespace, and with it the link.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn namespaces() -> Result<Place> {
    let client = Holder::start()?;
    let server = Holder::start()?;
    let peer = server.0.id();
    client.ip(&format!(
        "link add client type veth peer name server netns {peer}"
    ))?;
    for (end, device, address) in [(&client, "client", CLIENT), (&server, "server", SERVER)] {
        end.ip("link set lo up")?;
        end.ip(&format!("address add {address}/24 dev {device}"))?;
        end.ip(&format!("link set {device} up"))?;
    }
    Ok(Place::Namespaces { client, server })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_are_joined_and_go_with_their_holders() {
        not_run::needs_root!();
        not_run::needs_namespaces!();
        not_run::needs_program!("ip");
        let place = Place::make(Ground::Namespaces).unwrap();
        let Place::Namespaces { client, server } = &place else {
            panic!("no namespaces");
        };
        // A connection is refused by the other end: so it is there, and nothing listens.
        let script = format!("exec 3<>/dev/tcp/{SERVER}/9");
        let output = Command::new("nsenter")
            .arg(format!("--net={}", client.file().display()))
            .args(["--", "bash", "-c", &script])
            .output()
            .unwrap();
        let answer = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(answer.contains("refused"), "{answer}");
        let file = server.file();
        drop(place);
        assert!(!file.exists());
    }
}
