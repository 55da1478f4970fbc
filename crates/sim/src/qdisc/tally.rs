//! What came of it.

use std::cell::Cell;

use serde::Serialize;

use crate::histogram::{Bar, Histogram};
use crate::lock::LockRow;

/// A qdisc's figures as they are shown.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct QueueRow {
    /// Which qdisc.
    pub qdisc: String,
    /// Packets that went in.
    pub enqueued: u64,
    /// Packets that did not fit.
    pub dropped: u64,
    /// Packets that came out.
    pub dequeued: u64,
    /// Packets that the driver refused and that went back.
    pub requeued: u64,
    /// Packets that found it empty and went straight to the driver.
    pub bypassed: u64,
    /// Packets in it at the end.
    pub backlog: u64,
}

/// What the senders and the device did.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Sent {
    /// Packets that left, per second.
    pub packets_per_second: f64,
    /// Packets offered by each CPU.
    pub offered_per_cpu: Vec<u64>,
    /// Packets of each CPU's senders that left.
    pub sent_per_cpu: Vec<u64>,
    /// Jain's index of what was offered.
    pub fairness: Option<f64>,
    /// Qdiscs.
    pub qdiscs: Vec<QueueRow>,
    /// Locks, those of several queues added up.
    pub locks: Vec<LockRow>,
    /// Share of CPU time by activity: idle, think, wait for root, for busy, for the transmit
    /// queue, hold, transmit, softirq.
    pub activity: [f64; 8],
    /// Packets sent by one owner of a qdisc before it let go.
    pub packets_per_tenure: Vec<Bar>,
    /// Their mean.
    pub tenure_mean: Option<f64>,
    /// Packets of one dequeue.
    pub batch: Vec<Bar>,
    /// Their mean.
    pub batch_mean: Option<f64>,
    /// The most.
    pub batch_max: u64,
    /// How long the transmit function took, from the qdisc's choice to its return, in nanoseconds.
    pub send_ns_log2: Vec<Bar>,
    /// Its mean.
    pub send_mean_ns: Option<f64>,
    /// From the system call to the driver, in nanoseconds.
    pub latency_ns_log2: Vec<Bar>,
    /// Its median.
    pub latency_median_ns: Option<f64>,
    /// Lines moved for each packet that left: core, cluster, socket, machine.
    pub transfers: [f64; 4],
    /// Line operations of the run.
    pub line_operations: u64,
    /// Events of the run.
    pub events: u64,
    /// The same for the same run.
    pub trace: String,
    /// Broken invariants: faults of the lab.
    pub faults: Vec<String>,
}

/// What is counted while it runs.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub tenure: Histogram,
    pub batch: Histogram,
    pub send: Histogram,
    pub latency: Histogram,
    pub sent: Cell<u64>,
}

impl Tally {
    pub fn clear(&self) {
        self.tenure.clear();
        self.batch.clear();
        self.send.clear();
        self.latency.clear();
        self.sent.set(0);
    }
}
