//! Results that stay: raw figures with the machine, the versions and the commands.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::Entry;
use super::command::Programs;
use super::options::Options;
use crate::cargo;

/// Writes a held contest to `bench/results/<date>-<name>.json`.
pub fn keep(entry: &Entry, options: &Options, programs: &Programs) -> Result<PathBuf> {
    let folder = cargo::root().join("bench/results");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let now = Timestamp::now();
    let file = folder.join(format!(
        "{}-{}.json",
        now.strftime("%Y%m%dT%H%M%SZ"),
        entry.contest.name
    ));
    let mut text = serde_json::to_string_pretty(&document(entry, options, programs, now))?;
    text.push('\n');
    fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    let shown = file.strip_prefix(cargo::root()).unwrap_or(&file);
    Ok(shown.to_owned())
}

/// The machine in a few words.
pub fn machine_line() -> String {
    format!(
        "Linux {}, {} CPUs, {}",
        kernel().unwrap_or_else(|| "?".to_owned()),
        cpus(),
        cpu_model().unwrap_or_else(|| "unknown CPU".to_owned())
    )
}

fn document(entry: &Entry, options: &Options, programs: &Programs, now: Timestamp) -> Value {
    let contest = entry.contest;
    let commands: BTreeMap<_, _> = contest
        .contenders
        .iter()
        .map(|contender| {
            let lines = json!({ "server": contender.server, "client": contender.client });
            (contender.name, lines)
        })
        .collect();
    let verdicts: Vec<_> = entry
        .verdicts
        .iter()
        .map(|verdict| {
            json!({
                "metric": verdict.bar.metric,
                "against": verdict.bar.rival,
                "relation": verdict.bar.relation,
                "figures": verdict.figures,
                "spread": verdict.spread,
                "bar": verdict.bar.bound,
                "met": verdict.spread.map(|_| verdict.met()),
            })
        })
        .collect();
    let reasons = |list: &[(&str, String)]| -> BTreeMap<String, String> {
        list.iter()
            .map(|(name, why)| ((*name).to_owned(), why.clone()))
            .collect()
    };
    json!({
        "schema": "netdyno.bench/1",
        "contest": contest.name,
        "title": contest.title,
        "finished": now.to_string(),
        "seed": options.seed,
        "pinned": options.pinned,
        "seconds": entry.seconds,
        "ground": contest.ground,
        "meter": contest.meter,
        "connections": contest.connections,
        "machine": machine(),
        "versions": versions(programs),
        "commands": commands,
        "rounds": entry.rounds,
        "verdicts": verdicts,
        "not_run": reasons(&entry.absent),
        "failed": reasons(&entry.failures),
    })
}

fn machine() -> Value {
    json!({
        "kernel": kernel(),
        "cpu_model": cpu_model(),
        "cpus": cpus(),
        "memory_kib": field("/proc/meminfo", "MemTotal:").and_then(|text| {
            text.split_whitespace().next()?.parse::<u64>().ok()
        }),
        "clocksource": read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "load_average": read("/proc/loadavg"),
        "congestion_control": read("/proc/sys/net/ipv4/tcp_congestion_control"),
        "rmem_max": read("/proc/sys/net/core/rmem_max"),
        "wmem_max": read("/proc/sys/net/core/wmem_max"),
    })
}

/// What each program says of itself; programs that are not there say nothing.
fn versions(programs: &Programs) -> BTreeMap<&'static str, String> {
    let mut versions: BTreeMap<_, _> = [
        ("netdyno", "--version"),
        ("iperf3", "--version"),
        ("iperf", "--version"),
        ("netperf", "-V"),
    ]
    .into_iter()
    .filter_map(|(program, flag)| {
        let file = programs.find(program)?;
        let mut command = Command::new(file);
        Some((program, first_line(command.arg(flag))?))
    })
    .collect();
    let mut git = Command::new("git");
    git.current_dir(cargo::root())
        .args(["describe", "--always", "--dirty", "--abbrev=12"]);
    if let Some(commit) = first_line(&mut git) {
        versions.insert("commit", commit);
    }
    versions
}

/// iperf 2 says its version on standard error in some releases.
fn first_line(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    [output.stdout, output.stderr].iter().find_map(|said| {
        let text = String::from_utf8_lossy(said);
        let line = text.lines().next()?.trim();
        (!line.is_empty()).then(|| line.to_owned())
    })
}

fn kernel() -> Option<String> {
    read("/proc/sys/kernel/osrelease")
}

fn cpu_model() -> Option<String> {
    field("/proc/cpuinfo", "model name")
        .map(|text| text.trim_start_matches([' ', '\t', ':']).to_owned())
}

fn cpus() -> usize {
    std::thread::available_parallelism().map_or(0, usize::from)
}

fn field(file: &str, key: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let rest = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(rest.trim().to_owned())
}

fn read(file: &str) -> Option<String> {
    fs::read_to_string(file)
        .ok()
        .map(|text| text.trim().to_owned())
}
