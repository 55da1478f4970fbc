//! What limited a run, and the rows that prove it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::End;

/// A cause by its fixed name. `docs/findings.md` says how each is told from the others.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The sending end's CPU.
    SenderCpu,
    /// The receiving end's CPU: the application, or all CPUs of the host.
    ReceiverCpu,
    /// One CPU did all of a host's network soft interrupts.
    SoftirqOneCpu,
    /// The window that the receiver advertised.
    ReceiveWindow,
    /// The sender's socket buffer.
    SendBuffer,
    /// The congestion window.
    CongestionWindow,
    /// Packets lost on the path.
    PathLoss,
    /// Packets that overtook each other.
    Reordering,
    /// The pacing that was asked for.
    Pacing,
    /// The application offered no more.
    Application,
    /// The rate of the link or of a shaper.
    LinkRate,
    /// Drops in a qdisc.
    QdiscDrop,
    /// The driver gave packets back to the qdisc.
    Requeue,
    /// The lock of the root qdisc.
    RootLock,
    /// Several flows on one transmit queue while others were idle.
    QueueCollision,
    /// Waiting behind others' packets in one queue.
    HeadOfLine,
    /// Drops on the receiving socket.
    ReceiverSocketDrop,
    /// Drops or squeezes between driver and protocol (softnet).
    SoftnetDrop,
    /// Drops on an interface.
    InterfaceDrop,
    /// CPU time taken by the hypervisor.
    CpuSteal,
    /// A cgroup's CPU quota.
    CgroupThrottle,
    /// Workers that moved, or shared a CPU with other work.
    Scheduler,
    /// Timers or interrupts.
    TimerOverhead,
    /// A path that never left the host.
    LocalPath,
    /// A clock that cannot be trusted.
    Clock,
    /// Nothing came at all for a while.
    Interruption,
    /// The round trip: each request waits for the reply before it.
    RoundTrip,
    /// Lost datagrams that no counter of either end owns up to.
    Unaccounted,
    /// Nothing limited the run: it got what was asked, or what the link carries.
    Unlimited,
    /// The rows do not tell.
    CannotTell,
}

/// What limited the run, or took part in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// Which cause.
    pub cause: Cause,
    /// The load it is about; none for all.
    pub load: Option<String>,
    /// How sure, 0 to 1.
    pub confidence: f64,
    /// Share of the time or of the loss that it explains, 0 to 1. Findings are in falling order of it,
    /// but for those that say why another one is so: they stand before it.
    pub explains: f64,
    /// Rows that prove it, the strongest first.
    pub evidence: Vec<Evidence>,
    /// What to do, in one line.
    pub advice: String,
}

/// A row with its value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// Which end it is from; none for what both ends' rows say together.
    pub end: Option<End>,
    /// The row's name, such as `tcp.rwnd_limited`.
    pub row: String,
    /// Its value.
    pub value: f64,
    /// The value's unit; empty for a bare count.
    pub unit: String,
    /// What it says, in words.
    pub says: String,
}

impl Cause {
    /// As documents write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::SenderCpu => "sender-cpu",
            Self::ReceiverCpu => "receiver-cpu",
            Self::SoftirqOneCpu => "softirq-one-cpu",
            Self::ReceiveWindow => "receive-window",
            Self::SendBuffer => "send-buffer",
            Self::CongestionWindow => "congestion-window",
            Self::PathLoss => "path-loss",
            Self::Reordering => "reordering",
            Self::Pacing => "pacing",
            Self::Application => "application",
            Self::LinkRate => "link-rate",
            Self::QdiscDrop => "qdisc-drop",
            Self::Requeue => "requeue",
            Self::RootLock => "root-lock",
            Self::QueueCollision => "queue-collision",
            Self::HeadOfLine => "head-of-line",
            Self::ReceiverSocketDrop => "receiver-socket-drop",
            Self::SoftnetDrop => "softnet-drop",
            Self::InterfaceDrop => "interface-drop",
            Self::CpuSteal => "cpu-steal",
            Self::CgroupThrottle => "cgroup-throttle",
            Self::Scheduler => "scheduler",
            Self::TimerOverhead => "timer-overhead",
            Self::LocalPath => "local-path",
            Self::Clock => "clock",
            Self::Interruption => "interruption",
            Self::RoundTrip => "round-trip",
            Self::Unaccounted => "unaccounted",
            Self::Unlimited => "unlimited",
            Self::CannotTell => "cannot-tell",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_has_one_name() {
        for cause in [Cause::SoftirqOneCpu, Cause::PathLoss, Cause::CannotTell] {
            let written = serde_json::to_string(&cause).unwrap();
            assert_eq!(written, format!("\"{}\"", cause.name()));
        }
    }
}
