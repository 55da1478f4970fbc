//! What a loop moved.

use std::time::Duration;

use serde_json::{Value, json};

/// An amount over a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tally {
    /// Payload.
    pub bytes: u64,
    /// Calls that moved it.
    pub messages: u64,
    /// From the first message to the last, or to the alarm.
    pub time: Duration,
}

impl Tally {
    /// One object, keys with their unit.
    pub fn to_json(self) -> Value {
        json!({
            "bytes": self.bytes,
            "messages": self.messages,
            "seconds": self.time.as_secs_f64(),
        })
    }
}
