//! Metric by metric: estimate, interval, verdict.

use record::{Better, Contrast, Estimate, MetricResult, Side, Sides, Trial, Verdict};
use stats::{Interval, Paired, PairedMethod};

use super::{Compared, margin, pairs, spread};
use crate::metric::Metric;
use crate::schedule::MOST_PAIRS;

/// A metric with what the pairs say on the scale of its contrasts.
struct Judged<'a> {
    metric: &'a Metric,
    primary: bool,
    contrasts: Vec<f64>,
    margin: Interval,
    level: f64,
    found: Option<Paired>,
}

/// All of them, the primary ones first. Metrics that no trial has are left out.
pub(super) fn metrics(of: &Compared) -> Vec<MetricResult> {
    let pairs = pairs(of.trials);
    let all: Vec<Judged> = of
        .metrics
        .iter()
        .filter(|metric| {
            of.trials
                .iter()
                .any(|trial| trial.values.contains_key(&metric.name))
        })
        .map(|metric| judge(of, &pairs, metric))
        .collect();
    let p_values: Vec<f64> = all
        .iter()
        .filter(|judged| !judged.primary)
        .map(|judged| stats::paired_p(&judged.contrasts))
        .collect();
    let mut adjusted = stats::holm(&p_values).into_iter();
    all.iter()
        .map(|judged| {
            let adjusted = if judged.primary {
                None
            } else {
                adjusted.next()
            };
            result(of, &pairs, judged, adjusted)
        })
        .collect()
}

fn judge<'a>(of: &Compared, pairs: &[(u32, &Trial, &Trial)], metric: &'a Metric) -> Judged<'a> {
    let placed = |trial: &Trial| metric.placed(*trial.values.get(&metric.name)?);
    let contrasts: Vec<f64> = pairs
        .iter()
        .filter_map(|(_, a, b)| Some(placed(b)? - placed(a)?))
        .collect();
    let primary = of.design.primary.contains(&metric.name);
    let level = match primary {
        true => of.looks.level_at(pairs.len()) / of.design.primary.len().max(1) as f64,
        false => of.design.alpha,
    };
    let usual: Vec<f64> = values(of.trials, Side::A, metric);
    Judged {
        margin: margin(metric, of.design.smallest_effect, stats::median(&usual)),
        found: stats::paired(&contrasts, level),
        metric,
        primary,
        contrasts,
        level,
    }
}

/// The values of a side that count, in the order of time.
pub(super) fn values(trials: &[Trial], side: Side, metric: &Metric) -> Vec<f64> {
    let counting = trials
        .iter()
        .filter(|trial| trial.counts() && trial.side == side);
    counting
        .filter_map(|trial| trial.values.get(&metric.name).copied())
        .collect()
}

fn result(
    of: &Compared,
    pairs: &[(u32, &Trial, &Trial)],
    judged: &Judged,
    adjusted: Option<f64>,
) -> MetricResult {
    let metric = judged.metric;
    let side = judged.found.map_or(stats::Side::Open, |found| {
        stats::Side::of(&found.interval, &judged.margin)
    });
    let chance = adjusted.is_some_and(|p| p > of.design.alpha);
    let verdict = match (side, metric.better) {
        (stats::Side::Equivalent, _) => Verdict::Equivalent,
        (stats::Side::Open, _) => Verdict::CannotTell,
        // Told from zero by itself, but not among so many questions.
        _ if chance => Verdict::CannotTell,
        (stats::Side::Above, Better::Higher) | (stats::Side::Below, Better::Lower) => {
            Verdict::Better
        }
        (stats::Side::Above, Better::Lower) | (stats::Side::Below, Better::Higher) => {
            Verdict::Worse
        }
    };
    let drift = stats::drift(&judged.contrasts).filter(|drift| drift.p < 0.01);
    let by_side = Sides::by(|side| values(of.trials, side, metric));
    MetricResult {
        metric: metric.name.clone(),
        unit: metric.unit.clone(),
        better: metric.better,
        primary: judged.primary,
        contrast: metric.contrast,
        estimate: judged.found.map(|found| estimate(metric, &found, judged)),
        verdict,
        adjusted_p: adjusted,
        further_pairs: (verdict == Verdict::CannotTell)
            .then(|| further(judged))
            .flatten(),
        spread: Sides::by(|side| spread::of(of.trials, side, metric)),
        pairs: judged.contrasts.iter().map(|x| metric.shown(*x)).collect(),
        drift_per_pair: drift.map(|drift| match metric.contrast {
            Contrast::Ratio => drift.slope.exp_m1(),
            Contrast::Difference => drift.slope,
        }),
        lag_one: stats::lag_one(&judged.contrasts).filter(|_| pairs.len() >= 6),
        unpaired: (metric.contrast == Contrast::Ratio)
            .then(|| stats::fieller(&by_side.a, &by_side.b, judged.level))
            .flatten()
            .map(|interval| (interval.low, interval.high)),
    }
}

fn estimate(metric: &Metric, found: &Paired, judged: &Judged) -> Estimate {
    let shown = |value: f64| value.is_finite().then(|| metric.shown(value));
    Estimate {
        value: metric.shown(found.value),
        mean: metric.shown(found.mean),
        low: shown(found.interval.low),
        high: shown(found.interval.high),
        n: u32::try_from(judged.contrasts.len()).unwrap_or(u32::MAX),
        level: judged.level,
        method: match found.method {
            PairedMethod::SignFlips => "exact sign flips and Student's t, the wider",
            PairedMethod::Bootstrap => "BCa bootstrap and signed ranks, the wider",
        }
        .to_owned(),
    }
}

/// Pairs beyond those done after which the interval would probably be on one side of zero, or
/// within the margin, whichever comes first, if the estimate and the scatter stay.
fn further(judged: &Judged) -> Option<u32> {
    /// Four times what a comparison takes by itself is no advice.
    const AFFORDABLE: usize = 4 * MOST_PAIRS;
    let found = judged.found?;
    let spread = stats::standard_deviation(&judged.contrasts)?;
    let distance = found.value.abs();
    let target = distance.max(judged.margin.high - distance);
    let done = judged.contrasts.len();
    let range = done + 1..=done + AFFORDABLE;
    let needed = stats::pairs_needed(target, spread, judged.level, 0.8, range)?;
    u32::try_from(needed - done).ok()
}
