//! What qdiscs cost on a veth pair, by the difference between runs with and without them. Each run
//! is a process of its own with a testbed of its own, which is gone with it.
//!
//! The figure is the CPU time of the sending process for a message, so that a busy machine does
//! not distort it. On veth the receiver's softirq runs on the sender's CPU and is part of it.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use report::lab::document::Reading;

use super::reading;
use crate::say;

pub const THINK: &str = "send that the qdisc refuses";
pub const TRANSMIT: &str = "driver and peer";
pub const HALF_FIFO: &str = "enqueue or dequeue, tbf";
pub const HALF_HTB: &str = "enqueue or dequeue, what HTB adds";

/// Name and `tc` words: a rate that never limits, where there is one. The one that refuses lets the
/// words of the two ends through (the burst) and of a second's messages some 500, one in a hundred or
/// fewer.
const QDISCS: [(&str, &str); 5] = [
    ("fifo", "qdisc=pfifo limit 1000"),
    ("HTB", "qdisc=htb default 3"),
    ("tbf", "qdisc=tbf rate 40gbit burst 4mb limit 4mb"),
    ("pfifo_fast", "qdisc=pfifo_fast"),
    ("refusing", "qdisc=tbf rate 256kbit burst 64kb limit 3200"),
];

/// All of them, in turns.
pub fn readings(rounds: usize, cpus: &[u16]) -> Result<Vec<Reading>> {
    let cpu = cpus.first().context("no CPU to send from")?;
    let peer = cpus.last().unwrap_or(cpu);
    let mut bare = Vec::new();
    let mut with: Vec<Vec<f64>> = vec![Vec::new(); QDISCS.len()];
    for round in 0..rounds {
        say!("qdiscs, round {} of {rounds} ...", round + 1);
        bare.push(nanos_a_message(None, *cpu, *peer)?);
        for (values, (name, words)) in with.iter_mut().zip(QDISCS) {
            let nanos = nanos_a_message(Some(words), *cpu, *peer);
            values.push(nanos.with_context(|| format!("with {name}"))?);
        }
    }
    let [_, htb, tbf, _, refusing] = &with[..] else {
        bail!("a qdisc is missing");
    };
    let difference = |a: &[f64], b: &[f64], share: f64| -> Vec<f64> {
        a.iter().zip(b).map(|(a, b)| (a - b) * share).collect()
    };
    let mut readings = vec![reading("send without qdisc", bare.clone())];
    for (values, (name, _)) in with.iter().zip(QDISCS).take(4) {
        let name = format!("{name}, enqueue and dequeue");
        readings.push(reading(&name, difference(values, &bare, 1.0)));
    }
    readings.push(reading(THINK, refusing.clone()));
    readings.push(reading(TRANSMIT, difference(&bare, refusing, 1.0)));
    readings.push(reading(HALF_FIFO, difference(tbf, &bare, 0.5)));
    readings.push(reading(HALF_HTB, difference(htb, tbf, 0.5)));
    Ok(readings.into_iter().flatten().collect())
}

fn nanos_a_message(qdisc: Option<&str>, cpu: u16, peer: u16) -> Result<f64> {
    let program = std::env::current_exe().context("finding this program")?;
    let mut command = Command::new(program);
    let load = format!("udp-stream:size=64,cpu={cpu},peer-cpu={peer}");
    command
        .args([
            "run",
            "-t",
            "1",
            "--no-probe",
            "--no-save",
            "--json",
            "--load",
            &load,
        ])
        .stdin(Stdio::null())
        .stderr(Stdio::piped());
    if let Some(words) = qdisc {
        command.args(["--link", words]);
    }
    sys::child::die_with_parent(&mut command);
    let output = command.output().context("starting a run")?;
    let document: Value = match serde_json::from_slice(&output.stdout) {
        Ok(document) => document,
        Err(_) => bail!("{}", String::from_utf8_lossy(&output.stderr).trim()),
    };
    let messages = document["loads"][0]["sent"]["messages"].as_f64();
    let seconds = document["cost"]["client"]["cpu_seconds"].as_f64();
    match (messages, seconds) {
        (Some(messages), Some(seconds)) if messages > 0.0 => Ok(seconds * 1e9 / messages),
        _ => bail!("the run measured nothing: {}", document["reason"]),
    }
}
