//! CPU time, and what the scheduler and the memory management count.

use record::Rows;

use super::{Unreadable, number};
use crate::cpu::TICK_NS;

/// proc(5): guest time is contained in user, guest_nice in nice.
const COLUMNS: [&str; 10] = [
    "user_ns",
    "nice_ns",
    "system_ns",
    "idle_ns",
    "iowait_ns",
    "irq_ns",
    "softirq_ns",
    "steal_ns",
    "guest_ns",
    "guest_nice_ns",
];

/// /proc/stat: sources `cpu` and `host`.
pub(crate) fn stat(text: &str, rows: &mut Rows) -> Result<(), Unreadable> {
    let mut any = false;
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        let Some(key) = words.next() else { continue };
        if key.len() > 3 && key.starts_with("cpu") {
            any = true;
            for name in COLUMNS {
                let Some(ticks) = number(&mut words) else {
                    break;
                };
                rows.set("cpu", key, name, ticks.saturating_mul(TICK_NS));
            }
            continue;
        }
        let name = match key {
            "intr" => "interrupts",
            "ctxt" => "context_switches",
            "processes" => "forks",
            "procs_running" => "runnable",
            "procs_blocked" => "blocked",
            "softirq" => "softirqs",
            _ => continue,
        };
        if let Some(value) = number(&mut words) {
            rows.set("host", "all", name, value);
        }
    }
    any.then_some(())
        .ok_or_else(|| "it names no CPU".to_owned())
}

/// What of /proc/vmstat tells of trouble.
const PAGING: &[&str] = &[
    "allocstall_dma32",
    "allocstall_movable",
    "allocstall_normal",
    "compact_stall",
    "numa_foreign",
    "numa_miss",
    "oom_kill",
    "pgfault",
    "pgmajfault",
    "pgmigrate_success",
    "pgscan_direct",
    "pgscan_kswapd",
    "pswpin",
    "pswpout",
];

/// /proc/vmstat: source `memory`.
pub(crate) fn vmstat(text: &str, rows: &mut Rows) -> Result<(), Unreadable> {
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        let known = words.next().filter(|name| PAGING.contains(name));
        if let (Some(name), Some(value)) = (known, number(&mut words)) {
            rows.set("memory", "all", name, value);
        }
    }
    Ok(())
}
