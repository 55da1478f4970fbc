//! The machine: boot line, mitigations, power, memory nodes, limits.

use super::{Environment, gathered};
use crate::source::cgroup::Place;
use crate::tree::Tree;

/// Files with one text each.
const FILES: &[(&str, &str)] = &[
    (
        "clocksource.available",
        "sys/devices/system/clocksource/clocksource0/available_clocksource",
    ),
    ("cpu.boost", "sys/devices/system/cpu/cpufreq/boost"),
    (
        "cpu.idle_driver",
        "sys/devices/system/cpu/cpuidle/current_driver",
    ),
    (
        "cpu.idle_governor",
        "sys/devices/system/cpu/cpuidle/current_governor_ro",
    ),
    ("cpu.isolated", "sys/devices/system/cpu/isolated"),
    (
        "cpu.no_turbo",
        "sys/devices/system/cpu/intel_pstate/no_turbo",
    ),
    ("cpu.nohz_full", "sys/devices/system/cpu/nohz_full"),
    ("cpu.online", "sys/devices/system/cpu/online"),
    ("cpu.smt", "sys/devices/system/cpu/smt/active"),
    ("kernel.build", "proc/sys/kernel/version"),
    ("kernel.preempt", "sys/kernel/debug/sched/preempt"),
    (
        "memory.huge_pages",
        "sys/kernel/mm/transparent_hugepage/enabled",
    ),
];

pub(super) fn describe(tree: &Tree, environment: &mut Environment) {
    for (name, path) in FILES {
        note(environment, name, tree.text(path));
    }
    boot_line(&tree.text("proc/cmdline").unwrap_or_default(), environment);
    let mitigations = "sys/devices/system/cpu/vulnerabilities";
    for name in tree.names(mitigations) {
        let text = tree.text(format!("{mitigations}/{name}"));
        note(environment, &format!("mitigation.{name}"), text);
    }
    let cpus = numbered(tree, "sys/devices/system/cpu", "cpu");
    for (name, file) in [
        ("cpu.governor", "cpufreq/scaling_governor"),
        ("cpu.frequency_driver", "cpufreq/scaling_driver"),
        ("cpu.frequency_max_khz", "cpufreq/scaling_max_freq"),
    ] {
        let of = |cpu: &u32| {
            let text = tree.text(format!("sys/devices/system/cpu/cpu{cpu}/{file}"));
            Some((*cpu, text?))
        };
        let values: Vec<_> = cpus.iter().filter_map(of).collect();
        note(environment, name, gathered(&values));
    }
    for node in numbered(tree, "sys/devices/system/node", "node") {
        let cpus = tree.text(format!("sys/devices/system/node/node{node}/cpulist"));
        note(environment, &format!("numa.node{node}.cpus"), cpus);
    }
    control_group(tree, environment);
}

pub(super) fn note(environment: &mut Environment, name: &str, value: Option<String>) {
    if let Some(value) = value {
        environment.insert(name.to_owned(), value);
    }
}

/// Each parameter by itself, so that a comparison names the one that differs.
fn boot_line(line: &str, environment: &mut Environment) {
    // What follows a double dash is for the first process, not for the kernel.
    let words = line
        .split_ascii_whitespace()
        .take_while(|word| *word != "--");
    for word in words {
        let (name, value) = word.split_once('=').unwrap_or((word, "on"));
        let known = environment.entry(format!("boot.{name}")).or_default();
        if !known.is_empty() {
            known.push(' ');
        }
        known.push_str(value);
    }
}

/// Numbers of a folder's entries of this name.
fn numbered(tree: &Tree, folder: &str, name: &str) -> Vec<u32> {
    let entries = tree.names(folder);
    let numbers = entries
        .iter()
        .filter_map(|entry| entry.strip_prefix(name)?.parse().ok());
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    numbers
}

/// Limits of the process's control group and of those above it.
fn control_group(tree: &Tree, environment: &mut Environment) {
    const LIMITS: [&str; 6] = [
        "cpu.cfs_period_us",
        "cpu.cfs_quota_us",
        "cpu.max",
        "cpu.shares",
        "cpu.weight",
        "cpuset.cpus.effective",
    ];
    let text = |path| tree.text(path).unwrap_or_default();
    let place = Place::find(&text("proc/self/cgroup"), &text("proc/self/mountinfo"));
    for (group, folder) in place.iter().flat_map(Place::levels) {
        for limit in LIMITS {
            let value = tree.text(format!("{}/{limit}", folder.trim_start_matches('/')));
            note(environment, &format!("cgroup.{group}.{limit}"), value);
        }
    }
}
