//! What one end counted for one flow or one load.

use std::ops::{Add, Sub};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Payload counts of one end, cumulative since the flow began unless said otherwise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    /// Payload bytes taken from the socket.
    pub received_bytes: u64,
    /// Messages taken: reads for TCP bulk, datagrams for UDP, requests or replies for exchanges.
    pub received_messages: u64,
    /// Payload bytes that the kernel took from us.
    pub written_bytes: u64,
    /// Messages written: writes for TCP bulk, datagrams for UDP, requests or replies.
    pub written_messages: u64,
    /// Transactions that this end finished as the asking side.
    pub transactions: u64,
    /// Sends that the kernel refused for want of buffer (ENOBUFS) and that were not repeated.
    pub send_failures: u64,
}

impl Add for Counters {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self {
            received_bytes: self.received_bytes.saturating_add(o.received_bytes),
            received_messages: self.received_messages.saturating_add(o.received_messages),
            written_bytes: self.written_bytes.saturating_add(o.written_bytes),
            written_messages: self.written_messages.saturating_add(o.written_messages),
            transactions: self.transactions.saturating_add(o.transactions),
            send_failures: self.send_failures.saturating_add(o.send_failures),
        }
    }
}

impl Sub for Counters {
    type Output = Self;
    /// What was added since `o`, an earlier reading of the same counters.
    fn sub(self, o: Self) -> Self {
        Self {
            received_bytes: self.received_bytes.saturating_sub(o.received_bytes),
            received_messages: self.received_messages.saturating_sub(o.received_messages),
            written_bytes: self.written_bytes.saturating_sub(o.written_bytes),
            written_messages: self.written_messages.saturating_sub(o.written_messages),
            transactions: self.transactions.saturating_sub(o.transactions),
            send_failures: self.send_failures.saturating_sub(o.send_failures),
        }
    }
}
