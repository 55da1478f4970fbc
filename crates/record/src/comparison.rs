//! The document that every comparison ends in.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Doubt, Finding, Status};

/// Schema `netdyno.comparison/1`. Every key holds its unit; an unknown figure is null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// Always `netdyno.comparison/1`.
    #[schemars(extend("const" = Self::SCHEMA))]
    pub schema: String,
    /// The comparison's name in the store.
    pub id: String,
    /// How it ended.
    pub status: Status,
    /// The sentence, unless it went as planned.
    pub reason: Option<String>,
    /// Wall time of the start, RFC 3339.
    pub started: String,
    /// The command line.
    pub command: Vec<String>,
    /// How it was done.
    pub design: Design,
    /// What was asked of each side.
    pub sides: Sides<SideAsked>,
    /// Everything that was run, in the order in which it was run.
    pub trials: Vec<Trial>,
    /// The answer; none when no pair was completed.
    pub verdict: Option<Verdict>,
    /// Metric by metric, the primary ones first.
    pub metrics: Vec<MetricResult>,
    /// Limits that had to be kept.
    pub gates: Vec<GateResult>,
    /// What limited the runs of each side, by how many of its runs said so.
    pub findings: Sides<Vec<CountedFinding>>,
    /// What differs between the hosts as the sides found them, apart from what was asked.
    pub environment: Vec<EnvironmentDifference>,
    /// Reasons to distrust the answer.
    pub doubts: Vec<Doubt>,
}

impl Comparison {
    /// The value of `schema`.
    pub const SCHEMA: &'static str = "netdyno.comparison/1";
}

/// Which of the two.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// What it is compared with.
    A,
    /// What is compared.
    B,
}

impl Side {
    /// Both, A first.
    pub const BOTH: [Self; 2] = [Self::A, Self::B];

    /// The opposite side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }

    /// As people write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
        }
    }
}

/// One of a kind for each side.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sides<T> {
    /// Side A's.
    pub a: T,
    /// Side B's.
    pub b: T,
}

impl<T> Sides<T> {
    /// By `make`, for each side.
    pub fn by(mut make: impl FnMut(Side) -> T) -> Self {
        Self {
            a: make(Side::A),
            b: make(Side::B),
        }
    }

    /// That side's.
    pub const fn of(&self, side: Side) -> &T {
        match side {
            Side::A => &self.a,
            Side::B => &self.b,
        }
    }

    /// That side's, to be changed.
    pub const fn of_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::A => &mut self.a,
            Side::B => &mut self.b,
        }
    }
}

/// How a comparison is done. Fixed before the first trial but for what the pilot and the first
/// look decide, which is marked so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Design {
    /// Both sides are the same, to learn how much the machine scatters.
    pub aa: bool,
    /// Decides the order within each pair.
    pub seed: u64,
    /// Chance that a side is called better or worse where there is no difference.
    pub alpha: f64,
    /// A difference below this share does not matter.
    pub smallest_effect: f64,
    /// The metrics that the verdict rests on.
    pub primary: Vec<String>,
    /// Most pairs; where it was not asked for, decided at the first look from the scatter seen.
    pub pairs: Option<u32>,
    /// Pairs after which the data are looked at.
    pub looks: Vec<u32>,
    /// Longest time for all, ns.
    pub max_time_ns: Option<u64>,
    /// Length of a trial, ns; decided by the pilot where it was not asked for; none for external
    /// commands.
    pub trial_ns: Option<u64>,
    /// Warm-up of a trial that is not counted, ns; likewise.
    pub warm_up_ns: Option<u64>,
    /// The rule behind them.
    pub warm_up_rule: String,
}

/// What was asked of a side, as typed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SideAsked {
    /// Options of this side with their values, in the order of the help.
    pub options: Vec<String>,
}

/// One run of one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// Which pair it belongs to, from 0; none for a pilot.
    pub block: Option<u32>,
    /// Which side.
    pub side: Side,
    /// Wall time of its start.
    pub started: String,
    /// Since the comparison began, ns.
    pub at_ns: u64,
    /// How long it took with all preparations, ns.
    pub took_ns: u64,
    /// The run's name in the store; none for an external command or a run that did not begin.
    pub run: Option<String>,
    /// How it ended; only `ok` counts.
    pub status: Status,
    /// The sentence, unless it went as planned.
    pub reason: Option<String>,
    /// What was measured, by metric.
    pub values: BTreeMap<String, f64>,
    /// The run's doubts: their names.
    pub doubts: Vec<String>,
    /// What limited the run.
    pub findings: Vec<Finding>,
    /// Share of the client's CPU time that went to neither netdyno nor idling, and to the
    /// hypervisor.
    pub foreign_cpu: Option<f64>,
}

impl Trial {
    /// Whether its values count.
    pub fn counts(&self) -> bool {
        self.status == Status::Ok && self.block.is_some()
    }
}

/// The answer about B.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// B is better than A.
    Better,
    /// B is worse than A.
    Worse,
    /// The difference is smaller than the smallest that matters.
    Equivalent,
    /// The data do not say.
    CannotTell,
}

impl Verdict {
    /// As people write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Equivalent => "equivalent",
            Self::CannotTell => "cannot tell",
        }
    }
}

/// Which way is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

/// How the sides are set against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Contrast {
    /// B over A.
    Ratio,
    /// B less A, in the metric's unit: for what may be zero.
    Difference,
}

/// One metric of both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MetricResult {
    /// Its name.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Which way is up.
    pub better: Better,
    /// Whether the verdict rests on it.
    pub primary: bool,
    /// What the estimate is.
    pub contrast: Contrast,
    /// The estimate; none without a complete pair.
    pub estimate: Option<Estimate>,
    /// The answer; for a metric that is not primary after allowing for all of them together.
    pub verdict: Verdict,
    /// Chance to see so much when there is no difference, allowing for all metrics that are not
    /// primary together; none for primary ones, whose interval says it.
    pub adjusted_p: Option<f64>,
    /// Pairs beyond those done that would probably settle it; none when settled, or when no
    /// affordable number would.
    pub further_pairs: Option<u32>,
    /// The values of each side.
    pub spread: Sides<Spread>,
    /// Pair by pair: B/A, or B less A.
    pub pairs: Vec<f64>,
    /// Change of the pairs' contrast from pair to pair, where it is significant.
    pub drift_per_pair: Option<f64>,
    /// Correlation of each pair's contrast with the one before.
    pub lag_one: Option<f64>,
    /// What the same trials would have said had they not been paired: interval for the ratio of
    /// means (Fieller).
    pub unpaired: Option<(f64, f64)>,
}

/// A value that knows how sure it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// Hodges and Lehmann's.
    pub value: f64,
    /// The mean over the pairs (geometric for ratios).
    pub mean: f64,
    /// Lower end of the interval; none where the pairs do not bound it.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Pairs.
    pub n: u32,
    /// The interval misses with this chance, at this look.
    pub level: f64,
    /// How the interval was found.
    pub method: String,
}

/// The values of one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spread {
    /// How many.
    pub n: u32,
    /// Smallest.
    pub min: Option<f64>,
    /// Median.
    pub median: Option<f64>,
    /// Arithmetic mean.
    pub mean: Option<f64>,
    /// Largest.
    pub max: Option<f64>,
    /// Standard deviation over mean.
    pub coefficient_of_variation: Option<f64>,
    /// Two centres with their counts, where the values sit in two places.
    pub modes: Option<Vec<Mode>>,
    /// Values that do not belong.
    pub outliers: Vec<Outlier>,
    /// Change per trial in time, as a share of the mean, where it is significant.
    pub drift_per_trial: Option<f64>,
}

/// One of two places in which values sit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mode {
    /// Mean of its values.
    pub center: f64,
    /// How many they are.
    pub count: u32,
}

/// A value that does not belong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outlier {
    /// Which pair.
    pub block: u32,
    /// The value.
    pub value: f64,
    /// What probably made it so; none when nothing is known.
    pub likely_reason: Option<String>,
}

/// A limit and whether it was kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GateResult {
    /// The metric.
    pub metric: String,
    /// The limit, in words.
    pub limit: String,
    /// `better` when it is certainly kept, `worse` when it is certainly broken.
    pub verdict: Verdict,
    /// Why.
    pub reason: String,
}

/// A finding, and how many runs of the side had it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CountedFinding {
    /// The most certain one of its cause.
    pub finding: Finding,
    /// Runs that had it.
    pub runs: u32,
    /// Runs of the side.
    pub of: u32,
}

/// A fact of a host that differs between the sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnvironmentDifference {
    /// Which fact.
    pub what: String,
    /// As side A found it.
    pub a: Option<String>,
    /// As side B found it.
    pub b: Option<String>,
}
