//! What the values of one side look like.

use record::{Mode, Outlier, Side, Spread, Trial};

use crate::metric::Metric;

/// Robust standard deviations beyond which a value does not belong (Iglewicz and Hoaglin, 1993).
const OUTLYING: f64 = 3.5;
/// Share of the median below which nobody wants to hear of an outlier.
const NOTABLE: f64 = 0.01;
/// Fewer values have no outliers.
const LEAST: usize = 5;

pub(super) fn of(trials: &[Trial], side: Side, metric: &Metric) -> Spread {
    let counting: Vec<(&Trial, f64)> = trials
        .iter()
        .filter(|trial| trial.counts() && trial.side == side)
        .filter_map(|trial| Some((trial, *trial.values.get(&metric.name)?)))
        .collect();
    let values: Vec<f64> = counting.iter().map(|(_, value)| *value).collect();
    let all = stats::min_median_max(&values);
    let mean = stats::mean(&values);
    let drift = stats::drift(&values).filter(|drift| drift.p < 0.01);
    let outlying = stats::outliers(&values, OUTLYING);
    Spread {
        n: u32::try_from(values.len()).unwrap_or(u32::MAX),
        min: all.map(|all| all.min),
        median: all.map(|all| all.median),
        mean,
        max: all.map(|all| all.max),
        coefficient_of_variation: stats::coefficient_of_variation(&values),
        modes: stats::modes(&values).map(|modes| {
            let mode = |center, count: usize| Mode {
                center,
                count: u32::try_from(count).unwrap_or(u32::MAX),
            };
            vec![
                mode(modes.low, modes.low_count),
                mode(modes.high, modes.high_count),
            ]
        }),
        outliers: outlying
            .into_iter()
            .filter(|i| values.len() >= LEAST && stands_out(&values, *i))
            .map(|i| outlier(&counting, i))
            .collect(),
        drift_per_trial: drift
            .zip(mean.filter(|mean| *mean != 0.0))
            .map(|(drift, mean)| drift.slope / mean),
    }
}

/// Whether it is further from the median than anybody cares to read of.
fn stands_out(values: &[f64], at: usize) -> bool {
    let median = stats::median(values).unwrap_or(0.0);
    (values[at] - median).abs() >= NOTABLE * median.abs()
}

fn outlier(counting: &[(&Trial, f64)], at: usize) -> Outlier {
    let (trial, value) = counting[at];
    let others = counting.iter().enumerate().filter(|(i, _)| *i != at);
    let others: Vec<&Trial> = others.map(|(_, (trial, _))| *trial).collect();
    Outlier {
        block: trial.block.unwrap_or_default(),
        value,
        likely_reason: likely_reason(trial, &others),
    }
}

/// What is so of this trial and not of most others.
fn likely_reason(trial: &Trial, others: &[&Trial]) -> Option<String> {
    let foreign: Vec<f64> = others
        .iter()
        .filter_map(|other| other.foreign_cpu)
        .collect();
    let busier = trial.foreign_cpu.zip(stats::median(&foreign));
    if let Some((here, usual)) = busier.filter(|(here, usual)| *here > usual + 0.05) {
        return Some(format!(
            "other work took {:.0} % of the client's CPUs, {:.0} % in the median of the other trials",
            100.0 * here,
            100.0 * usual
        ));
    }
    let rare = |name: &&String| {
        let having = others
            .iter()
            .filter(|other| other.doubts.contains(name))
            .count();
        2 * having < others.len()
    };
    let own: Vec<&str> = trial
        .doubts
        .iter()
        .filter(rare)
        .map(String::as_str)
        .collect();
    (!own.is_empty()).then(|| format!("the run doubts itself: {}", own.join(", ")))
}
