//! One run of one contender: server, meter, client, and what they said.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::resource::{UsageWho, getrusage};
use serde_json::Value;

use super::command::{Blanks, Programs};
use super::contest::{Contender, Meter, Metric, Sample};
use super::place::Place;

/// Under which conditions.
pub struct Setting<'a> {
    /// Where.
    pub place: &'a Place,
    /// With what.
    pub programs: &'a Programs,
    /// How long.
    pub seconds: u32,
    /// Whether the ends stay on CPUs of their own.
    pub pinned: bool,
    /// Whether gaps are recorded.
    pub meter: Option<Meter>,
    /// Whether the time is taken until so many connections are made.
    pub connections: Option<u64>,
    /// Whether system calls are counted.
    pub traced: bool,
}

/// What a client may take beside its measured time.
const GRACE_SECONDS: u32 = 15;
/// What a server may take to listen, and to end after its client has.
const PATIENCE: Duration = Duration::from_secs(5);
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// Runs it once.
pub fn run(contender: &Contender, setting: &Setting<'_>) -> Result<Sample> {
    let Setting {
        place, programs, ..
    } = setting;
    let port = free_port()?;
    let blanks = Blanks {
        address: place.address(),
        port,
        seconds: setting.seconds,
    };
    let cost = programs.scratch.join("cost.json");
    let _ = std::fs::remove_file(&cost);

    let calls = ["server", "client"].map(|end| programs.scratch.join(format!("{end}-calls.txt")));
    for file in &calls {
        let _ = std::fs::remove_file(file);
    }
    let [server_calls, client_calls] = calls
        .each_ref()
        .map(|file| setting.traced.then_some(file.as_path()));

    let mut server = Process::start(
        programs.server(
            contender.server,
            &blanks,
            &place.server(setting.pinned),
            server_calls,
        ),
        programs.scratch.join("server.txt"),
    )
    .context("cannot start the server")?;
    server.await_port(port)?;

    let meter = setting
        .meter
        .map(|meter| start_meter(meter, setting, port))
        .transpose()?;

    let limit = setting.seconds + GRACE_SECONDS;
    let before = server.connections();
    let began = Instant::now();
    let mut client = Process::start(
        programs.client(
            contender.client,
            &blanks,
            &place.client(setting.pinned),
            limit,
            &cost,
            client_calls,
        ),
        programs.scratch.join("client.txt"),
    )
    .context("cannot start the client")?;
    let start = setting
        .connections
        .map(|wanted| client.await_connections(&server, before + wanted, began))
        .transpose()?;
    let said = client.end().context("client")?;
    let server_cpu = server.cpu_seconds();

    let (server_said, server_waits) = server.finish()?;
    let mut sample = contender.reading.read(&said, &server_said)?;
    let cost: Value = serde_json::from_slice(
        &std::fs::read(&cost).with_context(|| format!("cannot read {}", cost.display()))?,
    )?;
    let figure = |key: &str| cost[key].as_f64().unwrap_or_default();
    sample.insert(
        Metric::ClientCpuSeconds,
        figure("user_seconds") + figure("system_seconds"),
    );
    sample.insert(Metric::ClientWaits, figure("voluntary_switches"));
    sample.insert(Metric::ServerWaits, server_waits as f64);
    if setting.traced {
        let yields: u64 = calls
            .iter()
            .map(|file| calls_of("sched_yield", file))
            .sum::<Result<u64>>()?;
        sample.insert(Metric::Yields, yields as f64);
    }
    if let Some(seconds) = server_cpu {
        sample.insert(Metric::ServerCpuSeconds, seconds);
    }
    sample.insert(Metric::ClientPeakBytes, figure("peak_resident_bytes"));
    sample.insert(Metric::ClientPeakShare, figure("peak_share_bytes"));
    if let Some(bits) = sample.get(&Metric::BitsPerSecond) {
        let moved = bits * f64::from(setting.seconds);
        let cpu = figure("user_seconds") + figure("system_seconds");
        sample.insert(Metric::ClientCpuPerBit, cpu / moved);
    }
    if let Some(start) = start {
        sample.insert(Metric::StartSeconds, start.as_secs_f64());
    }
    if let Some(meter) = meter {
        let said: Value = serde_json::from_str(&meter.end().context("gap meter")?)?;
        let error = said["gap_error"]["p99_ns"].as_f64();
        sample.insert(
            Metric::GapErrorP99Ns,
            error.context("the gap meter saw no datagrams")?,
        );
    }
    Ok(sample)
}

/// The meter listens a little shorter than the client sends, so that it ends by itself.
fn start_meter(meter: Meter, setting: &Setting<'_>, port: u16) -> Result<Process> {
    let blanks = Blanks {
        address: setting.place.address(),
        port,
        seconds: setting.seconds,
    };
    // It is left to the scheduler: either end's CPU would disturb that end.
    let process = Process::start(
        setting
            .programs
            .meter(meter, &blanks, &setting.place.server(false)),
        setting.programs.scratch.join("meter.txt"),
    )
    .context("cannot start the gap meter")?;
    process.await_file("net/packet", |table| table.lines().count() > 1)?;
    Ok(process)
}

/// A child whose output is read to its end, and which does not outlive its value.
struct Process {
    child: Child,
    errors: PathBuf,
}

impl Process {
    fn start(mut command: std::process::Command, errors: PathBuf) -> Result<Self> {
        let file =
            File::create(&errors).with_context(|| format!("cannot write {}", errors.display()))?;
        let child = command
            .stdout(Stdio::piped())
            .stderr(file)
            .spawn()
            .with_context(|| format!("cannot start {}", command.get_program().display()))?;
        Ok(Self { child, errors })
    }

    /// Waits until something listens or is bound at the port in the process's network namespace.
    fn await_port(&mut self, port: u16) -> Result<()> {
        let began = Instant::now();
        loop {
            let bound = ["tcp", "tcp6", "udp", "udp6"].iter().any(|table| {
                std::fs::read_to_string(format!("/proc/{}/net/{table}", self.child.id()))
                    .is_ok_and(|table| is_bound(&table, port))
            });
            if bound {
                return Ok(());
            }
            if let Some(status) = self.child.try_wait()? {
                bail!("the server ended at once ({status}): {}", self.last_error());
            }
            if began.elapsed() > PATIENCE {
                bail!(
                    "the server does not listen at port {port}: {}",
                    self.last_error()
                );
            }
            thread::sleep(LOOK_AGAIN);
        }
    }

    /// Connections that were ever accepted in the process's network namespace.
    fn connections(&self) -> u64 {
        std::fs::read_to_string(format!("/proc/{}/net/snmp", self.child.id()))
            .ok()
            .and_then(|table| passive_opens(&table))
            .unwrap_or(0)
    }

    /// How long this client takes until the server has accepted so many.
    fn await_connections(
        &mut self,
        server: &Self,
        wanted: u64,
        began: Instant,
    ) -> Result<Duration> {
        loop {
            if server.connections() >= wanted {
                return Ok(began.elapsed());
            }
            if self.child.try_wait()?.is_some() {
                let made = server.connections();
                bail!("the client ended after {made} of {wanted} connections");
            }
            thread::sleep(LOOK_AGAIN);
        }
    }

    /// Waits until a file of /proc/PID says what it should.
    fn await_file(&self, name: &str, is_ready: impl Fn(&str) -> bool) -> Result<()> {
        let file = format!("/proc/{}/{name}", self.child.id());
        let began = Instant::now();
        while !std::fs::read_to_string(&file).is_ok_and(|text| is_ready(&text)) {
            if began.elapsed() > PATIENCE {
                bail!("it is not ready: {}", self.last_error());
            }
            thread::sleep(LOOK_AGAIN);
        }
        Ok(())
    }

    /// What it printed, once it has ended well by itself.
    fn end(mut self) -> Result<String> {
        let said = self.output()?;
        let status = self.child.wait()?;
        if !status.success() {
            let why = reason(&said).unwrap_or_else(|| self.last_error());
            bail!("ended with {status}: {why}");
        }
        Ok(said)
    }

    /// User and system time so far; none of one that has ended.
    fn cpu_seconds(&self) -> Option<f64> {
        /// USER_HZ, the same on all of Linux' machines that this runs on.
        const TICKS_PER_SECOND: f64 = 100.0;
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // The name may hold anything; utime and stime are fields 14 and 15 (proc_pid_stat(5)).
        let (_, fields) = stat.rsplit_once(") ")?;
        let mut times = fields.split(' ').skip(11);
        let mut next = || times.next()?.parse::<f64>().ok();
        let ticks = next()? + next()?;
        (ticks > 0.0).then_some(ticks / TICKS_PER_SECOND)
    }

    /// What a server printed, and how often it waited: it is waited for, since one that serves one
    /// client ends by itself, and ended when it does not.
    fn finish(&mut self) -> Result<(String, i64)> {
        // Nobody else is waited for meanwhile.
        let waits = || -> Result<i64> {
            let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("cannot read the usage")?;
            Ok(usage.voluntary_context_switches())
        };
        let before = waits()?;
        let began = Instant::now();
        while self.child.try_wait()?.is_none() && began.elapsed() < Duration::from_millis(500) {
            thread::sleep(LOOK_AGAIN);
        }
        let _ = self.child.kill();
        let said = self.output()?;
        self.child.wait()?;
        Ok((said, waits()? - before))
    }

    fn output(&mut self) -> Result<String> {
        let mut said = String::new();
        if let Some(mut output) = self.child.stdout.take() {
            output.read_to_string(&mut said)?;
        }
        Ok(said)
    }

    fn last_error(&self) -> String {
        last_line(&self.errors).unwrap_or_else(|| "it gave no reason".to_owned())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The reason that netdyno's document gives for a run that failed.
fn reason(said: &str) -> Option<String> {
    let document: Value = serde_json::from_str(said).ok()?;
    Some(document["reason"].as_str()?.to_owned())
}

/// How often a system call stands in strace's table (strace(1), -c): its columns are share, seconds,
/// microseconds a call, calls, errors if there were any, name.
fn calls_of(name: &str, table: &Path) -> Result<u64> {
    let text = std::fs::read_to_string(table)
        .with_context(|| format!("strace left no {}", table.display()))?;
    anyhow::ensure!(text.contains("total"), "strace counted nothing: {text}");
    Ok(calls_in(name, &text))
}

fn calls_in(name: &str, table: &str) -> u64 {
    let row = table
        .lines()
        .find(|line| line.split_whitespace().last() == Some(name));
    let calls = row.and_then(|row| row.split_whitespace().nth(3)?.parse().ok());
    calls.unwrap_or(0)
}

fn last_line(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
    Some(line.trim().to_owned())
}

/// Whether a table of /proc/net has a socket at the local port that has no peer: listening, or an
/// unconnected UDP socket (proc_pid_net(5)).
fn is_bound(table: &str, port: u16) -> bool {
    let local = format!(":{port:04X}");
    table.lines().skip(1).any(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let here = fields.next().is_some_and(|field| field.ends_with(&local));
        here && fields.next().is_some_and(|peer| peer.ends_with(":0000"))
    })
}

/// Tcp.PassiveOpens of /proc/net/snmp: a line of names, then one of figures.
fn passive_opens(table: &str) -> Option<u64> {
    let mut rows = table.lines().filter(|line| line.starts_with("Tcp:"));
    let mut names = rows.next()?.split_whitespace();
    let at = names.position(|name| name == "PassiveOpens")?;
    rows.next()?.split_whitespace().nth(at)?.parse().ok()
}

/// A port that nothing uses now: the kernel's choice, given back.
fn free_port() -> Result<u16> {
    let socket = std::net::TcpListener::bind("127.0.0.1:0").context("cannot find a free port")?;
    Ok(socket.local_addr()?.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bound_ports_are_found_in_the_kernels_tables() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue\n\
            \x20  0: 0100007F:1B59 00000000:0000 0A 00000000:00000000\n\
            \x20  1: 0100007F:1B5A 0100007F:C001 01 00000000:00000000\n";
        assert!(is_bound(table, 7001));
        assert!(!is_bound(table, 7002));
        assert!(!is_bound(table, 7003));
        assert!(!is_bound("", 7001));
    }

    #[test]
    fn calls_are_read_from_straces_table() {
        let table = "% time     seconds  usecs/call     calls    errors syscall\n\
            ------ ----------- ----------- --------- --------- ----------------\n\
            \x2098.45    0.114142         114       998         3 futex\n\
            \x20 1.55    0.001800           9       200           sched_yield\n\
            ------ ----------- ----------- --------- --------- ----------------\n\
            100.00    0.115942                  1198         3 total\n";
        assert_eq!(calls_in("futex", table), 998);
        assert_eq!(calls_in("sched_yield", table), 200);
        assert_eq!(calls_in("read", table), 0);
    }
}
