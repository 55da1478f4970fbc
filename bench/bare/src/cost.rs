//! What a child process cost: its CPU time and its memory, by the kernel's books.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use serde_json::json;

/// Runs the program with our input and output, and writes its cost. This process has no other
/// child, so the children's usage is that of this one (and of its own children).
pub fn run(file: &Path, program: &str, arguments: &[&str]) -> Result<ExitCode> {
    let status = Command::new(program)
        .args(arguments)
        .status()
        .with_context(|| format!("cannot start {program}"))?;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("cannot read the usage")?;
    let cost = json!({
        "user_seconds": seconds(usage.user_time()),
        "system_seconds": seconds(usage.system_time()),
        // The kernel counts in KiB (getrusage(2)).
        "peak_resident_bytes": usage.max_rss() * 1024,
        "voluntary_switches": usage.voluntary_context_switches(),
        "involuntary_switches": usage.involuntary_context_switches(),
    });
    fs::write(file, cost.to_string())
        .with_context(|| format!("cannot write {}", file.display()))?;
    // A child ended by a signal has no code.
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

fn seconds(time: TimeVal) -> f64 {
    time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6
}
