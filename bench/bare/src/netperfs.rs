//! Many netperf processes at once, each of a rate of its own. Debian's netperf 2.7.0 cannot pace, so
//! its data sockets get SO_MAX_PACING_RATE from here, by copies of their descriptors, while each
//! process waits for its start (`-s`).

use std::io::Read;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use sys::Options;
use units::BitRate;

/// The descriptor of the data socket: the control connection is the third.
const DATA_SOCKET: i32 = 4;
/// Seconds from a process's connection to its first byte. With more than about four a netserver
/// gives up.
const WAIT: &str = "3";
const PATIENCE: Duration = Duration::from_secs(30);

/// The sum of what `number` processes with netperf's `options` got, in their own unit.
///
/// # Errors
/// When a process cannot be started or paced, or says no figure.
pub fn run(number: usize, rate: BitRate, options: &[&str]) -> Result<f64> {
    let mut all = Vec::with_capacity(number);
    let mut unpaced = Vec::new();
    for _ in 0..number {
        let child = start(options)?;
        unpaced.push(child.id());
        all.push(child);
        unpaced.retain(|pid| !pace(*pid, rate));
    }
    let began = Instant::now();
    while !unpaced.is_empty() {
        if began.elapsed() > PATIENCE {
            bail!("{} netperf processes opened no data socket", unpaced.len());
        }
        sleep(Duration::from_millis(5));
        unpaced.retain(|pid| !pace(*pid, rate));
    }
    all.into_iter().map(figure).sum()
}

fn start(options: &[&str]) -> Result<Child> {
    Command::new("netperf")
        .args(["-P", "0", "-s", WAIT])
        .args(options)
        .args(["--", "-k", "THROUGHPUT"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .context("starting netperf")
}

/// Whether the process's data socket is there, and has its rate now.
fn pace(pid: u32, rate: BitRate) -> bool {
    sys::pidfd::descriptor_of(pid, DATA_SOCKET)
        .map(TcpListener::from)
        .and_then(|socket| {
            // While it looks for addresses, a socket of netlink's or UDP's has that number.
            Options::of(&socket).mss()?;
            Options::of(&socket).set_pacing(rate)
        })
        .is_ok()
}

/// What a process printed, when it has ended.
fn figure(mut child: Child) -> Result<f64> {
    let mut said = String::new();
    if let Some(output) = &mut child.stdout {
        output.read_to_string(&mut said)?;
    }
    child.wait()?;
    let figure = said.trim().strip_prefix("THROUGHPUT=");
    figure
        .and_then(|figure| figure.parse().ok())
        .with_context(|| format!("netperf printed '{}' and no throughput", said.trim()))
}
