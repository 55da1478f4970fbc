//! A metric over the stored runs.

use record::{LevelChange, Status, Summary, Trend, TrendPoint};
use stats::{ChangeRule, LEAST_HISTORY};

use crate::metric::Metric;

/// The trend over runs that went well and have the metric.
pub fn trend(runs: &[Summary], metric: &Metric) -> Trend {
    let points: Vec<TrendPoint> = runs
        .iter()
        .filter(|run| run.status == Status::Ok)
        .filter_map(|run| {
            Some(TrendPoint {
                run: run.id.clone(),
                started: run.started.clone(),
                value: *run.values.get(&metric.name)?,
            })
        })
        .collect();
    let rule = ChangeRule::default();
    let values: Vec<f64> = points.iter().map(|point| point.value).collect();
    let found = stats::changes(&values, rule);
    let change = |change: &stats::Change| LevelChange {
        run: points[change.at].run.clone(),
        at: u32::try_from(change.at).unwrap_or(u32::MAX),
        before: change.before,
        after: change.after,
        p: change.p,
    };
    Trend {
        schema: Trend::SCHEMA.to_owned(),
        metric: metric.name.clone(),
        unit: metric.unit.clone(),
        changes: (points.len() >= LEAST_HISTORY).then(|| found.iter().map(change).collect()),
        method: format!(
            "E-divisive splits in windows of {}, Welch's t test at p = {}, changes of {} % or more",
            rule.window,
            rule.p,
            100.0 * rule.smallest
        ),
        points,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(values: impl IntoIterator<Item = f64>) -> Vec<Summary> {
        let run = |(i, value): (usize, f64)| Summary {
            id: format!("run-{i:03}"),
            started: format!("2026-01-01T00:{:02}:00.000Z", i % 60),
            status: Status::Ok,
            host: "testbed".to_owned(),
            loads: vec!["stream".to_owned()],
            label: None,
            note: None,
            values: [("throughput".to_owned(), value)].into(),
        };
        values.into_iter().enumerate().map(run).collect()
    }

    #[test]
    fn a_change_is_named_by_its_first_run() {
        let metric = Metric::of("throughput").unwrap();
        let wobble = |i: i32| 1.0 + 0.002 * f64::from(i % 3);
        let values = (0..15)
            .map(|i| 100.0 * wobble(i))
            .chain((0..15).map(|i| 80.0 * wobble(i)));
        let found = trend(&runs(values), &metric).changes.unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].run.as_str(), found[0].at), ("run-015", 15));
    }

    #[test]
    fn few_points_and_failed_runs_say_nothing() {
        let metric = Metric::of("throughput").unwrap();
        let mut few = runs((0..19).map(|i| if i < 10 { 100.0 } else { 50.0 }));
        assert_eq!(trend(&few, &metric).changes, None);
        few[0].status = Status::Failed;
        assert_eq!(trend(&few, &metric).points.len(), 18);
    }
}
