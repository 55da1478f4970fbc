//! CPU time of a process and of a host.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Both at one instant, cumulative; differences are what counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CpuTimes {
    /// netdyno's own process (getrusage).
    pub process: ProcessCpu,
    /// The whole host (/proc/stat, sum over CPUs); none where it cannot be read.
    pub host: Option<HostCpu>,
}

/// CPU time of the process, from getrusage(2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProcessCpu {
    /// In user mode, ns.
    pub user_ns: u64,
    /// In the kernel for us, ns.
    pub system_ns: u64,
    /// Voluntary context switches.
    pub voluntary_switches: u64,
    /// Involuntary context switches.
    pub involuntary_switches: u64,
}

/// CPU time of a host, from the `cpu` line of /proc/stat, converted from ticks to ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostCpu {
    /// CPUs online.
    pub cpus: u32,
    /// User mode, with nice, ns.
    pub user_ns: u64,
    /// Kernel mode, ns.
    pub system_ns: u64,
    /// Idle, ns.
    pub idle_ns: u64,
    /// Waiting for I/O, ns.
    pub iowait_ns: u64,
    /// Hard interrupts, ns.
    pub irq_ns: u64,
    /// Soft interrupts: most of the network stack, ns.
    pub softirq_ns: u64,
    /// Taken by the hypervisor, ns.
    pub steal_ns: u64,
}

impl ProcessCpu {
    /// What was added since `earlier`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            user_ns: self.user_ns.saturating_sub(earlier.user_ns),
            system_ns: self.system_ns.saturating_sub(earlier.system_ns),
            voluntary_switches: self
                .voluntary_switches
                .saturating_sub(earlier.voluntary_switches),
            involuntary_switches: self
                .involuntary_switches
                .saturating_sub(earlier.involuntary_switches),
        }
    }
}

impl HostCpu {
    /// What was added since `earlier`; `cpus` stays.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            cpus: self.cpus,
            user_ns: self.user_ns.saturating_sub(earlier.user_ns),
            system_ns: self.system_ns.saturating_sub(earlier.system_ns),
            idle_ns: self.idle_ns.saturating_sub(earlier.idle_ns),
            iowait_ns: self.iowait_ns.saturating_sub(earlier.iowait_ns),
            irq_ns: self.irq_ns.saturating_sub(earlier.irq_ns),
            softirq_ns: self.softirq_ns.saturating_sub(earlier.softirq_ns),
            steal_ns: self.steal_ns.saturating_sub(earlier.steal_ns),
        }
    }
}
