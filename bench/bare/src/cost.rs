//! What a child process cost: its CPU time and its memory, by the kernel's books.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use serde_json::json;

/// Runs the program with our input and output, and writes its cost. This process has no other
/// child, so the children's usage is that of this one (and of its own children).
pub fn run(file: &Path, program: &str, arguments: &[&str]) -> Result<ExitCode> {
    let mut child = Command::new(program)
        .args(arguments)
        .spawn()
        .with_context(|| format!("cannot start {program}"))?;
    let (over, is_over) = mpsc::channel::<()>();
    let process = child.id();
    let watch = thread::spawn(move || {
        let mut peak = 0;
        while is_over.recv_timeout(LOOK_AGAIN) == Err(RecvTimeoutError::Timeout) {
            peak = peak.max(share(process));
        }
        peak
    });
    let status = child.wait().context("cannot wait for it")?;
    drop(over);
    let peak_share = watch.join().unwrap_or_default();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("cannot read the usage")?;
    let cost = json!({
        "user_seconds": seconds(usage.user_time()),
        "system_seconds": seconds(usage.system_time()),
        // The kernel counts in KiB (getrusage(2)).
        "peak_resident_bytes": usage.max_rss() * 1024,
        "peak_share_bytes": peak_share,
        "voluntary_switches": usage.voluntary_context_switches(),
        "involuntary_switches": usage.involuntary_context_switches(),
    });
    fs::write(file, cost.to_string())
        .with_context(|| format!("cannot write {}", file.display()))?;
    // A child ended by a signal has no code.
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// How often memory is looked at. The looking costs time, which is nobody's who is measured.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// Memory of a process and all that it started: each has its share of what they have in common
/// (proc_pid_smaps(5), Pss).
fn share(process: u32) -> u64 {
    let own = fs::read_to_string(format!("/proc/{process}/smaps_rollup"))
        .ok()
        .and_then(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        });
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    let children: u64 = children
        .unwrap_or_default()
        .split_whitespace()
        .filter_map(|child| child.parse().ok())
        .map(share)
        .sum();
    own.unwrap_or(0) * 1024 + children
}

fn seconds(time: TimeVal) -> f64 {
    time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6
}
