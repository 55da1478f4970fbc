//! Documents about several runs: repetitions, sweeps, pooled latency.

use std::collections::BTreeMap;

use plan::Kind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Buckets, Latency, Status};

/// Repeated runs, one cell for each combination of swept settings. Schema `netdyno.series/1`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Always `netdyno.series/1`.
    #[schemars(extend("const" = Self::SCHEMA))]
    pub schema: String,
    /// The series' name in the store.
    pub id: String,
    /// Wall time of the start, RFC 3339.
    pub started: String,
    /// The command line.
    pub command: Vec<String>,
    /// How it ended.
    pub status: Status,
    /// The sentence, unless it went as planned.
    pub reason: Option<String>,
    /// Half the interval's width, as a share of the mean, that was to be reached; none when a
    /// number of runs was asked for.
    pub until: Option<f64>,
    /// The metric that `until` is about, and that tables show first.
    pub metric: String,
    /// In the order in which they were run; a single one without a sweep.
    pub cells: Vec<Cell>,
}

impl Series {
    /// The value of `schema`.
    pub const SCHEMA: &'static str = "netdyno.series/1";
}

/// Runs that are alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// The swept settings: `size=64`.
    pub settings: Vec<String>,
    /// Each run.
    pub runs: Vec<SeriesRun>,
    /// Metric by metric, that of the series first.
    pub estimates: Vec<CellEstimate>,
    /// Whether the interval became as narrow as asked; none when nothing was asked.
    pub settled: Option<bool>,
}

/// One run of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeriesRun {
    /// Its name in the store; none when it did not begin.
    pub run: Option<String>,
    /// How it ended; only `ok` counts.
    pub status: Status,
    /// The sentence, unless it went as planned.
    pub reason: Option<String>,
    /// What was measured, by metric.
    pub values: BTreeMap<String, f64>,
}

/// What the runs of a cell say about a metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellEstimate {
    /// Its name.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Runs that have it.
    pub n: u32,
    /// Arithmetic mean.
    pub mean: f64,
    /// 95 % interval of the mean (Student's t); none for a single run.
    pub mean_interval: Option<(f64, f64)>,
    /// Median.
    pub median: f64,
    /// 95 % interval of the median (order statistics); none for fewer than six runs.
    pub median_interval: Option<(f64, f64)>,
    /// Standard deviation over mean.
    pub coefficient_of_variation: Option<f64>,
}

/// Latency of several runs, pooled by adding their histograms. Schema `netdyno.merge/1`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Merged {
    /// Always `netdyno.merge/1`.
    #[schemars(extend("const" = Self::SCHEMA))]
    pub schema: String,
    /// The runs, by name or file.
    pub runs: Vec<String>,
    /// Load by load, by name.
    pub loads: Vec<MergedLoad>,
}

impl Merged {
    /// The value of `schema`.
    pub const SCHEMA: &'static str = "netdyno.merge/1";
}

/// One load of several runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MergedLoad {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// Runs that had samples of it.
    pub runs: u32,
    /// Response time, from the intended start.
    pub response: Latency,
    /// Service time, from the real start.
    pub service: Latency,
    /// Response time before the load (probes).
    pub idle: Latency,
    /// The pooled response times themselves, so that a merge can be merged.
    pub response_buckets: Buckets,
}

/// A metric over the stored runs. Schema `netdyno.trend/1`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trend {
    /// Always `netdyno.trend/1`.
    #[schemars(extend("const" = Self::SCHEMA))]
    pub schema: String,
    /// Which.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Run by run, oldest first.
    pub points: Vec<TrendPoint>,
    /// Where the level changes; none for fewer than 20 points, which say nothing about it.
    pub changes: Option<Vec<LevelChange>>,
    /// How changes are told from noise.
    pub method: String,
}

impl Trend {
    /// The value of `schema`.
    pub const SCHEMA: &'static str = "netdyno.trend/1";
}

/// One run of a trend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrendPoint {
    /// The run's name.
    pub run: String,
    /// Wall time of its start, RFC 3339.
    pub started: String,
    /// The value.
    pub value: f64,
}

/// A change of level in a trend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LevelChange {
    /// The first run after it.
    pub run: String,
    /// Its position among the points, from 0.
    pub at: u32,
    /// Mean from the change before.
    pub before: f64,
    /// Mean until the next change.
    pub after: f64,
    /// Of Welch's test.
    pub p: f64,
}
