//! Latency, as counts per bucket (facts) and as a summary (shown).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An HDR histogram in sparse form: (lowest value of the bucket in ns, samples), ascending.
/// Three significant digits; the buckets are those of `stats::Scale`, so two of them add up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Buckets(pub Vec<(u64, u64)>);

/// The summary that documents show; every figure none when there was no sample.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Latency {
    /// How many transactions were timed.
    pub samples: u64,
    /// Shortest.
    pub min_ns: Option<u64>,
    /// Arithmetic mean.
    pub mean_ns: Option<u64>,
    /// Median.
    pub p50_ns: Option<u64>,
    /// 90th percentile.
    pub p90_ns: Option<u64>,
    /// 95th percentile.
    pub p95_ns: Option<u64>,
    /// 99th percentile.
    pub p99_ns: Option<u64>,
    /// 99.9th percentile.
    pub p999_ns: Option<u64>,
    /// Longest.
    pub max_ns: Option<u64>,
}
