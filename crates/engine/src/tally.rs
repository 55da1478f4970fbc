//! What a flow counts while it runs. Each part has one writer: the worker that owns that half of
//! the flow. The coordinator reads at edges.

use std::sync::atomic::{AtomicU64, Ordering};

use record::{Counters, UdpCounters};
use units::Nanos;

use crate::published::Published;

/// A flow's tally, shared between its worker (or workers: one a direction) and the coordinator.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Bytes, messages, failures of the sending half.
    sent: Published<3>,
    /// Bytes, messages of the receiving half.
    received: Published<2>,
    /// What the sequence numbers say; all zero but for UDP receivers.
    sequence: Published<7>,
    /// Sum of response times, ns, and how many (asking half).
    responses: Published<2>,
    /// Requests that will not be answered any more.
    unanswered: AtomicU64,
    /// When the sending half had nothing more to do, and when the receiving half saw the end.
    sent_all: AtomicU64,
    received_all: AtomicU64,
}

/// The worker's own copy of one half's counts; publishing it is a handful of plain stores.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Half {
    pub bytes: u64,
    pub messages: u64,
    pub failures: u64,
}

impl Half {
    /// Adds one message of `bytes`.
    #[inline]
    pub fn add(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        self.messages += 1;
    }
}

impl Tally {
    #[inline]
    pub fn set_sent(&self, half: &Half) {
        self.sent.set([half.bytes, half.messages, half.failures]);
    }

    #[inline]
    pub fn set_received(&self, half: &Half) {
        self.received.set([half.bytes, half.messages]);
    }

    #[inline]
    pub fn set_sequence(&self, sequence: &stats::Sequence, jitter: Option<u64>, malformed: u64) {
        self.sequence.set([
            sequence.received(),
            sequence.duplicate(),
            sequence.reordered(),
            sequence.depth_max(),
            sequence.highest_plus_one(),
            malformed,
            // Zero says "none yet", so the estimate is kept one higher.
            jitter.map_or(0, |j| j + 1),
        ]);
    }

    #[inline]
    pub fn set_responses(&self, sum: u64, count: u64) {
        self.responses.set([sum, count]);
    }

    pub fn set_unanswered(&self, count: u64) {
        self.unanswered.store(count, Ordering::Relaxed);
    }

    pub fn set_sent_all(&self, at: Nanos) {
        self.sent_all.store(at.get(), Ordering::Release);
    }

    pub fn set_received_all(&self, at: Nanos) {
        self.received_all.store(at.get(), Ordering::Release);
    }

    /// When this half was through; none while it runs.
    pub fn sent_all(&self) -> Option<Nanos> {
        Some(self.sent_all.load(Ordering::Acquire))
            .filter(|t| *t > 0)
            .map(Nanos::new)
    }

    /// When this half was through; none while it runs.
    pub fn received_all(&self) -> Option<Nanos> {
        Some(self.received_all.load(Ordering::Acquire))
            .filter(|t| *t > 0)
            .map(Nanos::new)
    }

    /// Everything counted so far. A flow that `asks` finishes a transaction with each reply.
    pub fn counters(&self, asks: bool) -> Counters {
        let [written_bytes, written_messages, send_failures] = self.sent.get();
        let [received_bytes, received_messages] = self.received.get();
        Counters {
            received_bytes,
            received_messages,
            written_bytes,
            written_messages,
            transactions: if asks { received_messages } else { 0 },
            send_failures,
        }
    }

    /// Sequence facts so far; `socket_drops` comes from the socket.
    pub fn udp(&self, socket_drops: Option<u64>) -> UdpCounters {
        let [
            received,
            duplicate,
            reordered,
            reorder_depth_max,
            highest_plus_one,
            malformed,
            jitter,
        ] = self.sequence.get();
        UdpCounters {
            received,
            duplicate,
            reordered,
            reorder_depth_max,
            highest_plus_one,
            malformed,
            socket_drops,
            jitter_ns: jitter.checked_sub(1),
        }
    }

    /// Mean response time so far, ns, with the sums that make means of differences possible.
    pub fn responses(&self) -> (u64, u64) {
        let [sum, count] = self.responses.get();
        (sum, count)
    }

    pub fn unanswered(&self) -> u64 {
        self.unanswered.load(Ordering::Relaxed)
    }
}
