//! A host, as it is at the run's start.

use std::collections::BTreeMap;

use record::{Facts, Locality};

use crate::tree::{Tree, field, kilobytes};
use crate::{cpu, interface};

/// This host, and `interface` if the run's traffic has one.
pub fn facts(interface: Option<&str>) -> Facts {
    let link = interface.and_then(interface::link);
    Facts {
        interface: interface.map(str::to_owned),
        driver: interface.and_then(|name| sys::ethtool::driver(name).ok()),
        mtu_bytes: link.as_ref().and_then(|link| link.mtu),
        qdisc: link.and_then(|link| link.qdisc),
        ..host(&Tree::here())
    }
}

fn host(tree: &Tree) -> Facts {
    let cpuinfo = tree.text("proc/cpuinfo").unwrap_or_default();
    Facts {
        netdyno: env!("CARGO_PKG_VERSION").into(),
        hostname: tree.text("proc/sys/kernel/hostname"),
        kernel: tree.text("proc/sys/kernel/osrelease"),
        // Since Linux 6.1; before, what we were built for is what runs here.
        machine: tree
            .text("proc/sys/kernel/arch")
            .or_else(|| Some(std::env::consts::ARCH.into())),
        cpu_model: cpu_model(&cpuinfo),
        cpus: cpu::host_in(tree).map(|host| host.cpus),
        memory_bytes: tree
            .text("proc/meminfo")
            .and_then(|text| field(&text, "MemTotal").and_then(kilobytes)),
        clocksource: tree.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
        virtualization: virtualization(tree, &cpuinfo),
        locality: Locality {
            boot_id: tree.text("proc/sys/kernel/random/boot_id"),
            netns: tree
                .link("proc/thread-self/ns/net")
                .and_then(|name| namespace(&name)),
        },
        sysctls: sysctls(tree),
        ..Facts::default()
    }
}

/// x86 and most others say "model name", POWER "cpu", MIPS "cpu model", a few Arm boards "Model".
fn cpu_model(cpuinfo: &str) -> Option<String> {
    ["model name", "cpu model", "cpu", "Model"]
        .iter()
        .find_map(|key| field(cpuinfo, key))
        .map(str::to_owned)
}

/// The maker's name of the machine, if the CPU says that a hypervisor is there.
fn virtualization(tree: &Tree, cpuinfo: &str) -> Option<String> {
    let flags = field(cpuinfo, "flags")?;
    flags.split(' ').find(|flag| *flag == "hypervisor")?;
    tree.text("sys/hypervisor/type")
        .or_else(|| tree.text("sys/class/dmi/id/sys_vendor"))
        .or_else(|| Some("unknown hypervisor".into()))
}

/// `net:[4026531840]`
fn namespace(name: &str) -> Option<u64> {
    name.strip_prefix("net:[")?.strip_suffix(']')?.parse().ok()
}

/// Those that change what a run measures. A network namespace shows only its own part of net.core.
const SYSCTLS: &[&str] = &[
    "kernel.sched_rt_runtime_us",
    "kernel.timer_migration",
    "net.core.busy_poll",
    "net.core.busy_read",
    "net.core.default_qdisc",
    "net.core.dev_weight",
    "net.core.netdev_budget",
    "net.core.netdev_budget_usecs",
    "net.core.netdev_max_backlog",
    "net.core.optmem_max",
    "net.core.rmem_default",
    "net.core.rmem_max",
    "net.core.rps_sock_flow_entries",
    "net.core.somaxconn",
    "net.core.wmem_default",
    "net.core.wmem_max",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_autocorking",
    "net.ipv4.tcp_available_congestion_control",
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_ecn",
    "net.ipv4.tcp_limit_output_bytes",
    "net.ipv4.tcp_mem",
    "net.ipv4.tcp_min_tso_segs",
    "net.ipv4.tcp_moderate_rcvbuf",
    "net.ipv4.tcp_mtu_probing",
    "net.ipv4.tcp_no_metrics_save",
    "net.ipv4.tcp_notsent_lowat",
    "net.ipv4.tcp_pacing_ca_ratio",
    "net.ipv4.tcp_pacing_ss_ratio",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_sack",
    "net.ipv4.tcp_slow_start_after_idle",
    "net.ipv4.tcp_timestamps",
    "net.ipv4.tcp_window_scaling",
    "net.ipv4.tcp_wmem",
    "net.ipv4.udp_mem",
    "net.ipv4.udp_rmem_min",
];

fn sysctls(tree: &Tree) -> BTreeMap<String, String> {
    SYSCTLS
        .iter()
        .filter_map(|name| {
            let value = tree.text(format!("proc/sys/{}", name.replace('.', "/")))?;
            // Lists of numbers are separated by tabs.
            Some(((*name).to_owned(), value.replace('\t', " ")))
        })
        .collect()
}

#[cfg(test)]
mod tests;
