//! What a host is, what a socket got, what an interface counted.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A host as it was at the run's start. Anything unreadable is none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// netdyno's version there.
    pub netdyno: String,
    /// Host name.
    pub hostname: Option<String>,
    /// Kernel release.
    pub kernel: Option<String>,
    /// Machine architecture.
    pub machine: Option<String>,
    /// CPU model.
    pub cpu_model: Option<String>,
    /// CPUs online.
    pub cpus: Option<u32>,
    /// Memory, bytes.
    pub memory_bytes: Option<u64>,
    /// Clock source of the monotonic clock.
    pub clocksource: Option<String>,
    /// Hypervisor, where the CPU says that there is one.
    pub virtualization: Option<String>,
    /// Which machine and network stack this is.
    pub locality: Locality,
    /// The interface that the run used.
    pub interface: Option<String>,
    /// Its driver.
    pub driver: Option<String>,
    /// Its MTU, bytes.
    pub mtu_bytes: Option<u32>,
    /// Its root qdisc.
    pub qdisc: Option<String>,
    /// Sysctls that matter, by name.
    pub sysctls: BTreeMap<String, String>,
    /// Everything else that the host's speed hangs on, by name: boot line, mitigations, governors,
    /// NUMA nodes, the interface's firmware, offloads, rings, coalescing, channels, steering, qdiscs
    /// and interrupt affinities, limits of the control group.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
}

/// Tells whether two ends are one machine, or even one network stack.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Locality {
    /// /proc/sys/kernel/random/boot_id.
    pub boot_id: Option<String>,
    /// Inode of the network namespace.
    pub netns: Option<u64>,
}

/// What a load's sockets got at one end: the first flow's values.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Granted {
    /// SO_SNDBUF as the kernel reports it (twice what it gives to data), bytes.
    pub sndbuf_bytes: Option<u64>,
    /// SO_RCVBUF as the kernel reports it, bytes.
    pub rcvbuf_bytes: Option<u64>,
    /// TCP_MAXSEG, bytes.
    pub mss_bytes: Option<u64>,
    /// TCP_CONGESTION.
    pub congestion_control: Option<String>,
    /// SO_MAX_PACING_RATE, bits/s; none when not limited.
    pub pace_bits_per_second: Option<u64>,
    /// Rate of our own pacing, bits/s, after the server's cap.
    pub rate_bits_per_second: Option<u64>,
    /// CPUs that the workers are pinned to; empty when not pinned.
    pub cpus: Vec<u16>,
    /// What was asked and not granted, one sentence each with the limit that capped it.
    pub capped: Vec<String>,
}

/// An interface's counters (struct rtnl_link_stats64), cumulative.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InterfaceCounters {
    /// Bytes sent.
    pub tx_bytes: u64,
    /// Packets sent.
    pub tx_packets: u64,
    /// Bytes received.
    pub rx_bytes: u64,
    /// Packets received.
    pub rx_packets: u64,
    /// Drops on sending.
    pub tx_dropped: u64,
    /// Drops on receiving.
    pub rx_dropped: u64,
}

/// The network protocol under a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum IpVersion {
    /// RFC 791.
    Ipv4,
    /// RFC 8200.
    Ipv6,
}

impl IpVersion {
    /// Bytes of a header without options or extension headers.
    pub const fn header_bytes(self) -> u64 {
        match self {
            Self::Ipv4 => 20,
            Self::Ipv6 => 40,
        }
    }
}

impl InterfaceCounters {
    /// What was added since `earlier`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            tx_bytes: self.tx_bytes.saturating_sub(earlier.tx_bytes),
            tx_packets: self.tx_packets.saturating_sub(earlier.tx_packets),
            rx_bytes: self.rx_bytes.saturating_sub(earlier.rx_bytes),
            rx_packets: self.rx_packets.saturating_sub(earlier.rx_packets),
            tx_dropped: self.tx_dropped.saturating_sub(earlier.tx_dropped),
            rx_dropped: self.rx_dropped.saturating_sub(earlier.rx_dropped),
        }
    }
}
