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

impl Buckets {
    /// The samples of both.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        Self(stats::merge(&self.0, &other.0))
    }

    /// The samples since `earlier`, a reading of the same histogram.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self(stats::subtract(&self.0, &earlier.0))
    }

    /// What documents show of it.
    pub fn latency(&self) -> Latency {
        let Some(summary) = stats::summary(&self.0) else {
            return Latency::default();
        };
        Latency {
            samples: summary.samples,
            min_ns: Some(summary.min),
            mean_ns: Some(summary.mean.round() as u64),
            p50_ns: Some(summary.p50),
            p90_ns: Some(summary.p90),
            p95_ns: Some(summary.p95),
            p99_ns: Some(summary.p99),
            p999_ns: Some(summary.p999),
            max_ns: Some(summary.max),
        }
    }
}
