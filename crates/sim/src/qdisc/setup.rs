//! What is simulated.

use std::str::FromStr;

use thiserror::Error;

use crate::lock::LockKind;
use crate::picos::Picos;
use crate::platform::Platform;

/// Senders on a qdisc.
#[derive(Debug, Clone, PartialEq)]
pub struct Setup {
    /// The machine.
    pub platform: Platform,
    /// CPUs that the senders run on, the machine's first ones.
    pub cpus: usize,
    /// Processes that send.
    pub senders: usize,
    /// Where they run.
    pub placement: Placement,
    /// When they start.
    pub start: Start,
    /// Packets of one sender that may be unfreed before it sleeps: its send buffer over what a
    /// packet counts for.
    pub socket_packets: usize,
    /// Bytes of one packet on the wire.
    pub wire_bytes: u64,
    /// The algorithm of all spinlocks.
    pub lock: LockKind,
    /// How CPUs come to the root lock.
    pub root: RootProtocol,
    /// What queues.
    pub discipline: Discipline,
    /// Packets that it holds; more are dropped.
    pub limit: usize,
    /// Transmit queues.
    pub txqs: usize,
    /// Whether each has a qdisc of its own.
    pub multiqueue: bool,
    /// Which packet goes to which.
    pub mapping: Mapping,
    /// Most packets of one dequeue.
    pub batch: usize,
    /// The device.
    pub nic: Nic,
    /// What can be turned on and off.
    pub switches: Switches,
    /// Measured, after `warm_up`.
    pub duration: Picos,
    /// Not measured.
    pub warm_up: Picos,
    /// The seed.
    pub seed: u64,
}

/// How CPUs come to the root lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RootProtocol {
    /// All take it.
    None,
    /// Who finds the qdisc running takes another lock first (2010).
    Busylock,
    /// A sequence lock by trylock and a ring (2021).
    Lockless,
    /// A list; who finds it empty does the work of all (2025).
    Deferred,
}

/// What queues.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Discipline {
    /// One list.
    Fifo,
    /// HTB without the class that it was told to use: its direct queue.
    HtbDirect,
    /// A token bucket.
    Tbf {
        /// Bits per second.
        rate: u64,
        /// Bytes that may go at once.
        burst: u64,
    },
    /// One ring for each band, here for the one band that is used.
    PfifoFast,
}

/// Which transmit queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mapping {
    /// The first.
    Single,
    /// By a hash of the flow.
    Hash,
    /// By CPU: neighbours share.
    Xps,
}

/// Where senders run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// As many on each CPU, and they stay.
    Pinned,
    /// As many on each CPU at first; each moves to a random CPU now and then.
    Floating,
    /// On random CPUs, and they stay.
    Random,
}

/// When senders start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// All at once.
    Together,
    /// Within the first half of the warm-up.
    Staggered,
}

/// The device.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct Nic {
    /// Bits per second; none: packets are gone as soon as the driver has them.
    pub rate: Option<u64>,
    /// Packets that a transmit queue's ring holds.
    pub ring: usize,
    /// An interrupt after so many packets,
    pub coalesce_frames: usize,
    /// or after so long.
    #[serde(rename = "coalesce_ns")]
    pub coalesce_time: Picos,
    /// Whether the driver counts bytes for byte queue limits.
    pub bql: bool,
}

impl Nic {
    /// No ring ever fills.
    pub const INFINITE: Self = Self {
        rate: None,
        ring: 0,
        coalesce_frames: 0,
        coalesce_time: Picos::ZERO,
        bql: false,
    };
}

/// Causes that can be turned on and off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Switches {
    /// The list head and counters are in the root lock's line.
    pub embedded: bool,
    /// Dropped packets are freed after the root lock is released.
    pub drop_outside: bool,
    /// The softirq only tries the root lock.
    pub softirq_trylock: bool,
    /// An empty qdisc is bypassed.
    pub bypass: bool,
    /// A flow stays on the transmit queue of its first packet, wherever its sender runs, as that of
    /// a connected UDP socket does.
    pub flow_caching: bool,
    /// The stack takes the transmit queue's lock before it calls the driver; drivers of devices
    /// without hardware do without.
    pub txq_lock: bool,
    /// The CPU that dequeues comes first at the root lock.
    pub dequeuer_first: bool,
    /// The deferred list's drainer takes the root lock for each packet.
    pub drain_one: bool,
    /// Packets that one run of the qdisc may send.
    pub quota: usize,
    /// Packets on the deferred list; more are dropped.
    pub burst_max: usize,
}

impl Default for Switches {
    fn default() -> Self {
        Self {
            embedded: true,
            drop_outside: true,
            softirq_trylock: false,
            bypass: true,
            flow_caching: true,
            txq_lock: true,
            dequeuer_first: false,
            drain_one: false,
            quota: 64,
            burst_max: 1000,
        }
    }
}

/// A setup that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SetupError {
    /// None of something.
    #[error("{0}: 0 is none; at least 1 is needed")]
    None(&'static str),
    /// More than the machine has.
    #[error("{cpus} CPUs are asked for, but the machine has {has}")]
    Cpus {
        /// Asked for.
        cpus: usize,
        /// There.
        has: usize,
    },
    /// Queues that no CPU would use.
    #[error("{queues} transmit queues for {cpus} CPUs: there can be no more queues than CPUs")]
    Queues {
        /// Queues.
        queues: usize,
        /// CPUs.
        cpus: usize,
    },
    /// pfifo_fast and only that is lockless.
    #[error("pfifo_fast goes with the lockless root, and only pfifo_fast does")]
    Lockless,
}

impl Setup {
    /// 212992 bytes of send buffer, and 768 that a small packet counts for.
    pub const SOCKET_PACKETS: usize = 277;

    /// Refuses what cannot be.
    pub fn check(&self) -> Result<(), SetupError> {
        let counts = [
            ("CPUs", self.cpus),
            ("senders", self.senders),
            ("transmit queues", self.txqs),
            ("packets of a socket", self.socket_packets),
            ("batch", self.batch),
            ("quota", self.switches.quota),
        ];
        if let Some((name, _)) = counts.iter().find(|(_, count)| *count == 0) {
            return Err(SetupError::None(name));
        }
        let has = self.platform.shape.cpus();
        if self.cpus > has {
            return Err(SetupError::Cpus {
                cpus: self.cpus,
                has,
            });
        }
        if self.txqs > self.cpus {
            return Err(SetupError::Queues {
                queues: self.txqs,
                cpus: self.cpus,
            });
        }
        let ring = self.discipline == Discipline::PfifoFast;
        match ring == (self.root == RootProtocol::Lockless) {
            true => Ok(()),
            false => Err(SetupError::Lockless),
        }
    }
}

/// A word that names nothing here.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{word}' is none of: {known}")]
pub struct UnknownWord {
    word: String,
    known: &'static str,
}

macro_rules! words {
    ($type:ty, $known:literal, $($word:literal => $value:expr),* $(,)?) => {
        impl FromStr for $type {
            type Err = UnknownWord;
            fn from_str(word: &str) -> Result<Self, UnknownWord> {
                match word {
                    $($word => Ok($value),)*
                    _ => Err(UnknownWord { word: word.to_owned(), known: $known }),
                }
            }
        }
    };
}

words!(RootProtocol, "none, busylock, lockless, deferred",
    "none" => Self::None, "busylock" => Self::Busylock,
    "lockless" => Self::Lockless, "deferred" => Self::Deferred);
words!(Mapping, "single, hash, xps",
    "single" => Self::Single, "hash" => Self::Hash, "xps" => Self::Xps);
words!(Placement, "pinned, floating, random",
    "pinned" => Self::Pinned, "floating" => Self::Floating, "random" => Self::Random);
words!(Start, "together, staggered",
    "together" => Self::Together, "staggered" => Self::Staggered);
