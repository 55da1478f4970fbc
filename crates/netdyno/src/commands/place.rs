//! Where a run takes place: a named host, or two hosts made for it.

use std::io::{BufRead, BufReader, Read};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, anyhow};
use plan::{Family, Link, Path};
use record::{Doubt, End, InterfaceCounters};
use testbed::{Permission, Testbed};

use crate::cli::Sysctl;
use crate::commands::compare::sysctl;
use crate::exit::Exit;

/// The place of a run, for as long as the run lasts.
pub struct Place {
    /// Addresses of the server's port, to be tried in order.
    pub peers: Vec<SocketAddr>,
    /// The server may be on this network stack: it was asked for, or there is no other.
    pub may_be_local: bool,
    /// What the reader must know about the place.
    pub doubt: Option<Doubt>,
    testbed: Option<Testbed>,
    /// How long a frame may be on the testbed's link.
    passage: Duration,
    server: Option<LocalServer>,
}

/// How often the link's counters are looked at until they stand still.
const LOOKS: u32 = 5;
/// Time for the threads that carry a frame, beside the link's own delay.
const MARGIN: Duration = Duration::from_millis(2);

/// Why there is no place, with the code to exit with.
#[derive(Debug)]
pub struct NoPlace {
    /// The sentence.
    pub sentence: String,
    /// The code.
    pub exit: Exit,
}

impl Place {
    /// Makes namespaces where the plan wants a testbed. Call it before the process has a second
    /// thread.
    ///
    /// # Errors
    /// Missing rights or features, or an unknown host.
    pub fn prepare(path: &Path, allow_local: bool) -> Result<Self, NoPlace> {
        match path {
            Path::Host { host, port, family } => Self::host(host, *port, *family, allow_local),
            Path::Testbed { family, link } => match Permission::probe() {
                Permission::Neither(reason) => Self::loopback(*family, link, reason),
                _ => Self::testbed(*family, link),
            },
        }
    }

    fn host(host: &str, port: u16, family: Family, allow_local: bool) -> Result<Self, NoPlace> {
        let unknown = |why: &dyn std::fmt::Display| NoPlace {
            sentence: format!("looking up '{host}': {why}"),
            exit: Exit::Unreachable,
        };
        let all = (host, port)
            .to_socket_addrs()
            .map_err(|error| unknown(&error))?;
        let peers: Vec<SocketAddr> = all
            .filter(|peer| match family {
                Family::Any => true,
                Family::V4 => peer.is_ipv4(),
                Family::V6 => peer.is_ipv6(),
            })
            .collect();
        if peers.is_empty() {
            return Err(unknown(
                &"it has no address of the family that was asked for",
            ));
        }
        // Who names a loopback address wants this host.
        let may_be_local = allow_local || peers.iter().all(|peer| peer.ip().is_loopback());
        Ok(Self {
            peers,
            may_be_local,
            doubt: None,
            testbed: None,
            passage: Duration::ZERO,
            server: None,
        })
    }

    fn testbed(family: Family, link: &Link) -> Result<Self, NoPlace> {
        let testbed = Testbed::create(link, family).map_err(|error| NoPlace {
            exit: if error.is_usage() {
                Exit::Usage
            } else {
                Exit::Missing
            },
            sentence: error.to_string(),
        })?;
        Ok(Self {
            peers: Vec::new(),
            may_be_local: false,
            doubt: None,
            testbed: Some(testbed),
            passage: MARGIN + link.delay.map_or(Duration::ZERO, Duration::from),
            server: None,
        })
    }

    /// Sets sysctls of the testbed's hosts, which go with them. Call it before the process has a
    /// second thread.
    ///
    /// # Errors
    /// Sysctls that a network namespace does not have for itself, or no testbed where one was wanted.
    pub fn set_sysctls(&self, sysctls: &[Sysctl]) -> Result<(), NoPlace> {
        let Some(testbed) = self.testbed.as_ref().filter(|_| !sysctls.is_empty()) else {
            return match self.doubt.is_some() && !sysctls.is_empty() {
                false => Ok(()),
                true => Err(NoPlace {
                    sentence: "--sysctl needs a testbed".to_owned(),
                    exit: Exit::Missing,
                }),
            };
        };
        for end in [End::Server, End::Client] {
            testbed.enter(end).map_err(|error| NoPlace {
                sentence: error.to_string(),
                exit: Exit::Missing,
            })?;
            for sysctl in sysctls
                .iter()
                .filter(|sysctl| sysctl.end.is_none_or(|at| at == end))
            {
                sysctl::write(&sysctl.key, &sysctl.value).map_err(|sentence| NoPlace {
                    sentence,
                    exit: Exit::Missing,
                })?;
            }
        }
        Ok(())
    }

    /// Those that the server of a named host is to set.
    pub fn sysctls_of_server(&self, sysctls: &[Sysctl]) -> proto::native::Sysctls {
        let named = sysctls.iter().filter(|_| self.testbed.is_none());
        named
            .map(|sysctl| (sysctl.key.clone(), sysctl.value.clone()))
            .collect()
    }

    fn loopback(family: Family, link: &Link, reason: String) -> Result<Self, NoPlace> {
        if *link != Link::default() {
            let sentence = format!("--link needs a testbed, and {reason}; run as root");
            return Err(NoPlace {
                sentence,
                exit: Exit::Missing,
            });
        }
        let address = match family {
            Family::V6 => IpAddr::from(Ipv6Addr::LOCALHOST),
            _ => IpAddr::from(Ipv4Addr::LOCALHOST),
        };
        let doubt = Doubt {
            doubt: "loopback".into(),
            about: "plan.path".into(),
            evidence: format!("no testbed but this host's loopback: {reason}"),
        };
        let peers = vec![SocketAddr::new(address, 0)];
        Ok(Self {
            peers,
            may_be_local: true,
            doubt: Some(doubt),
            testbed: None,
            passage: Duration::ZERO,
            server: None,
        })
    }

    /// Starts the server and the relay where the place is made for the run. Call it from the main
    /// thread, once the signal mask is set.
    ///
    /// # Errors
    /// A program that cannot be started.
    pub fn open(&mut self) -> anyhow::Result<()> {
        if let Some(testbed) = &mut self.testbed {
            testbed.start()?;
            let address = testbed.address(End::Server);
            self.peers = vec![SocketAddr::new(address, 0)];
        }
        let ours = self.testbed.is_some() || self.doubt.is_some();
        if let Some(peer) = self.peers.first_mut().filter(|_| ours) {
            let server = LocalServer::start(peer.ip(), self.testbed.as_ref())?;
            peer.set_port(server.port);
            self.server = Some(server);
        }
        Ok(())
    }

    /// What the link's devices have counted, in the testbed: the client's and the server's, once
    /// nothing is on its way any more, so that what one sent is what the other received.
    pub fn counters(&self) -> Option<[(End, InterfaceCounters); 2]> {
        let testbed = self.testbed.as_ref()?;
        let look = || {
            let [client, server] = End::BOTH.map(|end| Some((end, testbed.counters(end).ok()?)));
            client.zip(server).map(|(client, server)| [client, server])
        };
        let mut counters = look()?;
        for _ in 0..LOOKS {
            std::thread::sleep(self.passage);
            let before = std::mem::replace(&mut counters, look()?);
            if counters == before {
                break;
            }
        }
        Some(counters)
    }

    /// The sentence about the place, for standard error.
    pub fn describe(&self) -> Option<&'static str> {
        self.testbed
            .as_ref()
            .map(|_| "testbed: two network namespaces on this machine, joined by a link")
    }

    /// Ends the server; what it complained about, if it did.
    pub fn close(&mut self) -> Option<String> {
        self.server.take().and_then(LocalServer::end)
    }
}

/// A server of our own, in a process of its own so that its CPU time is its own.
struct LocalServer {
    child: Child,
    port: u16,
    complaints: Option<JoinHandle<String>>,
}

impl LocalServer {
    fn start(address: IpAddr, testbed: Option<&Testbed>) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("finding netdyno's own program file")?;
        let mut command = Command::new(program);
        let address = address.to_string();
        command.args([
            "serve",
            "--one-off",
            "--port",
            "0",
            "--bind",
            &address,
            "--quiet",
        ]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        sys::child::die_with_parent(&mut command);
        // A ^C at the terminal is for the client, which then tells the server.
        command.process_group(0);
        if let Some(testbed) = testbed {
            testbed.place_on_server(&mut command)?;
        }
        let mut child = command.spawn().context("starting the testbed's server")?;
        let mut complaints = child
            .stderr
            .take()
            .context("the server has no standard error")?;
        let complaints = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = complaints.read_to_string(&mut text);
            text
        });
        let mut first = String::new();
        let output = child
            .stdout
            .take()
            .context("the server has no standard output")?;
        let _ = BufReader::new(output).read_line(&mut first);
        let port = first
            .trim()
            .rsplit(' ')
            .next()
            .and_then(|word| word.parse().ok());
        let mut server = Self {
            child,
            port: port.unwrap_or(0),
            complaints: Some(complaints),
        };
        if server.port == 0 {
            let said = server
                .complaints
                .take()
                .and_then(|thread| thread.join().ok());
            return Err(anyhow!(
                "the testbed's server did not start: {}",
                said.unwrap_or_default().trim()
            ));
        }
        Ok(server)
    }

    /// It has served its one test, so it ends by itself; a run that failed early ends it.
    fn end(mut self) -> Option<String> {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let said = self.complaints.take()?.join().ok()?;
        (!said.trim().is_empty()).then(|| said.trim().to_owned())
    }
}

impl Drop for LocalServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
