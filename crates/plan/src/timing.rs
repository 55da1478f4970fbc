//! How long a run takes and how often it is looked at.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Nanos;

/// The run's time line: idle (probe only), omit (warm-up, not counted), measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// Probe-only time before the loads start; zero when the run has no probe.
    #[serde(rename = "idle_ns")]
    pub idle: Nanos,
    /// Warm-up after the loads' start that is not counted.
    #[serde(rename = "omit_ns")]
    pub omit: Nanos,
    /// Measured time. For loads that stop by bytes or count: the longest they may take;
    /// none means that they take what they take.
    #[serde(rename = "duration_ns")]
    pub duration: Option<Nanos>,
    /// Distance of the interval lines; none for no intervals.
    #[serde(rename = "interval_ns")]
    pub interval: Option<Nanos>,
}

impl Timing {
    /// Seconds of measuring when nothing else is asked, as the tools before us.
    pub const DEFAULT_DURATION: Nanos = Nanos::from_secs(10);
    /// Distance of interval lines when nothing else is asked.
    pub const DEFAULT_INTERVAL: Nanos = Nanos::from_secs(1);
    /// The shortest interval: below it the reporter's own cost would show.
    pub const SHORTEST_INTERVAL: Nanos = Nanos::from_millis(10);
    /// Probe-only time before the loads: ten samples at the default ten a second.
    pub const DEFAULT_IDLE: Nanos = Nanos::from_secs(1);
}
