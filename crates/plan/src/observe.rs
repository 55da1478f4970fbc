//! What is watched beside the traffic.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What both ends look at while the load runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Observe {
    /// The host's counters. Cheap.
    pub rows: bool,
    /// Waits for locks. Needs root, and costs something.
    pub locks: bool,
    /// Timers by function and CPU. Needs root, and costs something.
    pub timers: bool,
    /// Transmit queues: who uses them, how long packets wait. Needs root, and costs something.
    pub queues: bool,
}

impl Default for Observe {
    fn default() -> Self {
        Self {
            rows: true,
            locks: false,
            timers: false,
            queues: false,
        }
    }
}

impl Observe {
    /// Whether anything is traced in the kernel.
    pub const fn traces(self) -> bool {
        self.locks || self.timers || self.queues
    }

    /// Names and values, as run files write them.
    pub const fn switches(self) -> [(&'static str, bool); 4] {
        [
            ("rows", self.rows),
            ("locks", self.locks),
            ("timers", self.timers),
            ("queues", self.queues),
        ]
    }

    /// The switch of that name.
    pub(crate) fn switch(&mut self, name: &str) -> Option<&mut bool> {
        match name {
            "rows" => Some(&mut self.rows),
            "locks" => Some(&mut self.locks),
            "timers" => Some(&mut self.timers),
            "queues" => Some(&mut self.queues),
            _ => None,
        }
    }
}
