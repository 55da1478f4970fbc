//! A host, as it is at the run's start.

use std::collections::BTreeMap;

use record::{Facts, Locality};

use crate::environment::environment;
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
        environment: environment(&Tree::here(), interface),
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

/// Those that change what a run measures, beside the families below. A network namespace shows only
/// its own part of net.core.
const SYSCTLS: &[&str] = &[
    "kernel.numa_balancing",
    "kernel.sched_autogroup_enabled",
    "kernel.sched_rt_runtime_us",
    "kernel.timer_migration",
    "kernel.watchdog",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.ip_no_pmtu_disc",
    "net.ipv4.udp_early_demux",
    "net.ipv4.udp_mem",
    "net.ipv4.udp_rmem_min",
    "net.ipv4.udp_wmem_min",
    "net.mptcp.enabled",
    "vm.swappiness",
];

/// All sysctls of a folder whose names begin so.
const FAMILIES: [(&str, &str); 2] = [("net.core", ""), ("net.ipv4", "tcp_")];

/// Secrets and lists that change by themselves.
const LEFT_OUT: &[&str] = &["net.ipv4.tcp_fastopen_key"];

fn sysctls(tree: &Tree) -> BTreeMap<String, String> {
    let path = |name: &str| format!("proc/sys/{}", name.replace('.', "/"));
    let family = |(folder, start): (&str, &str)| {
        let names = tree.names(path(folder)).into_iter();
        let names = names.filter(|name| name.starts_with(start));
        let names: Vec<String> = names.map(|name| format!("{folder}.{name}")).collect();
        names
    };
    let single = SYSCTLS.iter().map(|name| (*name).to_owned());
    single
        .chain(FAMILIES.into_iter().flat_map(family))
        .filter(|name| !LEFT_OUT.contains(&name.as_str()))
        .filter_map(|name| {
            let value = tree.text(path(&name))?;
            // Lists of numbers are separated by tabs.
            Some((name, value.replace(['\t', '\n'], " ")))
        })
        .collect()
}

#[cfg(test)]
mod tests;
