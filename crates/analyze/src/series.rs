//! What repeated runs say together.

use record::{Buckets, Cell, CellEstimate, Event, Latency, MergedLoad, SeriesRun, Status};

use crate::metric::Metric;

/// Fewer runs are not asked whether their interval is narrow enough: by chance they agree.
pub const LEAST_RUNS: usize = 5;
const ALPHA: f64 = 0.05;

/// A cell from its runs.
pub fn cell(
    settings: &[String],
    runs: &[SeriesRun],
    metrics: &[Metric],
    until: Option<f64>,
) -> Cell {
    let estimates: Vec<CellEstimate> = metrics
        .iter()
        .filter_map(|metric| estimate(runs, metric))
        .collect();
    Cell {
        settings: settings.to_vec(),
        runs: runs.to_vec(),
        settled: until.map(|until| {
            estimates
                .first()
                .is_some_and(|first| is_settled(first, until))
        }),
        estimates,
    }
}

/// Whether half the interval of the mean is within that share of it.
fn is_settled(estimate: &CellEstimate, until: f64) -> bool {
    let narrow = |(low, high): (f64, f64)| high - low <= 2.0 * until * estimate.mean.abs();
    estimate.n as usize >= LEAST_RUNS && estimate.mean_interval.is_some_and(narrow)
}

fn estimate(runs: &[SeriesRun], metric: &Metric) -> Option<CellEstimate> {
    let counting = runs.iter().filter(|run| run.status == Status::Ok);
    let values: Vec<f64> = counting
        .filter_map(|run| run.values.get(&metric.name).copied())
        .collect();
    let ends = |interval: stats::Interval| {
        (interval.low.is_finite() && interval.high.is_finite())
            .then_some((interval.low, interval.high))
    };
    Some(CellEstimate {
        metric: metric.name.clone(),
        unit: metric.unit.clone(),
        n: u32::try_from(values.len()).unwrap_or(u32::MAX),
        mean: stats::mean(&values)?,
        mean_interval: stats::t_interval(&values, ALPHA).and_then(ends),
        median: stats::median(&values)?,
        median_interval: stats::quantile_interval(&values, 0.5, ALPHA).and_then(ends),
        coefficient_of_variation: stats::coefficient_of_variation(&values),
    })
}

/// Latency of several runs, load by load: histograms are added, so percentiles are those of all
/// samples together. Each item is the whole stream of one run.
pub fn merge<'a>(runs: impl IntoIterator<Item = &'a [Event]>) -> Vec<MergedLoad> {
    let mut pools: Vec<Pool> = Vec::new();
    for events in runs {
        let Some(Event::Begin { plan, .. }) = events.first() else {
            continue;
        };
        for event in events {
            let Event::Report(report) = event else {
                continue;
            };
            for (load, closing) in plan.loads.iter().zip(&report.loads) {
                let sampled = [&closing.response, &closing.service, &closing.idle];
                if sampled.iter().any(|buckets| buckets.is_some()) {
                    pool(&mut pools, load).add(sampled);
                }
            }
        }
    }
    pools.into_iter().map(Pool::merged).collect()
}

struct Pool {
    name: String,
    kind: plan::Kind,
    runs: u32,
    /// Response, service, idle.
    buckets: [Buckets; 3],
}

fn pool<'p>(pools: &'p mut Vec<Pool>, load: &plan::Load) -> &'p mut Pool {
    let known = pools
        .iter()
        .position(|pool| pool.name == load.name && pool.kind == load.kind);
    let at = known.unwrap_or_else(|| {
        pools.push(Pool {
            name: load.name.clone(),
            kind: load.kind,
            runs: 0,
            buckets: Default::default(),
        });
        pools.len() - 1
    });
    &mut pools[at]
}

impl Pool {
    fn add(&mut self, sampled: [&Option<Buckets>; 3]) {
        self.runs += 1;
        for (all, new) in self.buckets.iter_mut().zip(sampled) {
            if let Some(new) = new {
                *all = all.with(new);
            }
        }
    }

    fn merged(self) -> MergedLoad {
        let [response, service, idle]: [Latency; 3] = [0, 1, 2].map(|i| self.buckets[i].latency());
        let [response_buckets, ..] = self.buckets;
        MergedLoad {
            name: self.name,
            kind: self.kind,
            runs: self.runs,
            response,
            service,
            idle,
            response_buckets,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(values: &[f64]) -> Vec<SeriesRun> {
        let run = |value: &f64| SeriesRun {
            run: None,
            status: Status::Ok,
            reason: None,
            values: [("throughput".to_owned(), *value)].into(),
        };
        values.iter().map(run).collect()
    }

    fn one(values: &[f64], until: Option<f64>) -> Cell {
        let metric = Metric::of("throughput").unwrap();
        cell(&[], &runs(values), &[metric], until)
    }

    #[test]
    fn the_six_published_figures() {
        let six = [890.92, 1073.74, 963.13, 1234.41, 754.18, 893.82];
        let cell = one(&six, Some(0.02));
        let estimate = &cell.estimates[0];
        let (low, high) = estimate.mean_interval.unwrap();
        assert!((low - 793.18).abs() < 0.01 && (high - 1143.56).abs() < 0.01);
        assert_eq!(estimate.median_interval, Some((754.18, 1234.41)));
        assert_eq!(cell.settled, Some(false));
    }

    #[test]
    fn settled_when_narrow_and_not_too_few() {
        assert_eq!(
            one(&[100.0, 100.1, 99.9, 100.0], Some(0.02)).settled,
            Some(false)
        );
        assert_eq!(
            one(&[100.0, 100.1, 99.9, 100.0, 100.0], Some(0.02)).settled,
            Some(true)
        );
        assert_eq!(one(&[100.0], None).settled, None);
    }

    #[test]
    fn failed_runs_do_not_count() {
        let mut all = runs(&[1.0, 2.0, 300.0]);
        all[2].status = Status::Failed;
        let metric = Metric::of("throughput").unwrap();
        assert_eq!(cell(&[], &all, &[metric], None).estimates[0].mean, 1.5);
    }

    #[test]
    fn pooled_percentiles_are_those_of_all_samples() {
        let stream = |counts: &[(u64, u64)]| -> Vec<Event> {
            let mut events = crate::samples::open_loop();
            for event in &mut events {
                if let Event::Report(report) = event {
                    for load in &mut report.loads {
                        if load.response.is_some() {
                            load.response = Some(Buckets(counts.to_vec()));
                        }
                    }
                }
            }
            events
        };
        // 99 fast ones, and one run of 100 slow ones: the mean of medians would say something else.
        let (fast, slow) = (stream(&[(100, 99)]), stream(&[(1000, 100)]));
        let loads = merge([fast.as_slice(), slow.as_slice()]);
        let load = loads
            .iter()
            .find(|load| load.response.samples == 199)
            .unwrap();
        assert_eq!(load.runs, 2);
        assert_eq!(load.response.p50_ns, Some(1000));
        assert_eq!(load.response_buckets.0, [(100, 99), (1000, 100)]);
    }
}
