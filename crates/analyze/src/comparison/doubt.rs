//! Reasons to distrust the answer.

use record::{Comparison, Doubt, MetricResult, Side, Status, Verdict};

use super::Compared;
use super::judged::values;

pub(super) fn doubts(of: &Compared, document: &Comparison) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    doubts.extend(failures(of));
    for metric in document.metrics.iter().filter(|metric| metric.primary) {
        doubts.extend(two_places(metric, of.design.smallest_effect));
        doubts.extend(drift(metric));
        doubts.extend(memory(metric));
        doubts.extend(itself(of, metric));
        if of.design.aa {
            doubts.extend(alarm(metric));
        }
    }
    doubts.extend(busy(of));
    doubts.extend(shared(of));
    doubts
}

fn doubt(name: &str, about: &str, evidence: String) -> Doubt {
    Doubt {
        doubt: name.to_owned(),
        about: about.to_owned(),
        evidence,
    }
}

fn failures(of: &Compared) -> Option<Doubt> {
    let failed = |side| {
        let failed = of.trials.iter().filter(|trial| {
            trial.side == side && !matches!(trial.status, Status::Ok | Status::Interrupted)
        });
        failed.count()
    };
    let (a, b) = (failed(Side::A), failed(Side::B));
    let first = of.trials.iter().find_map(|trial| {
        trial
            .reason
            .as_ref()
            .filter(|_| trial.status != Status::Interrupted)
    });
    let evidence = || {
        let first = first.map_or(String::new(), |reason| format!("; the first: {reason}"));
        format!("{a} trials of A and {b} of B failed and do not count{first}")
    };
    (a + b > 0).then(|| doubt("failed-trials", "trials", evidence()))
}

/// Places that are nearer to each other than what matters are one.
fn two_places(metric: &MetricResult, smallest_effect: f64) -> Vec<Doubt> {
    let of = |side: Side| {
        let modes = metric.spread.of(side).modes.as_ref()?;
        let (low, high) = (modes.first()?.center, modes.last()?.center);
        if high - low < smallest_effect * low.abs() {
            return None;
        }
        let places: Vec<String> = modes
            .iter()
            .map(|mode| format!("{} at {:.4e}", mode.count, mode.center))
            .collect();
        Some(doubt(
            "possibly-bimodal",
            &metric.metric,
            format!(
                "the values of {} sit in two places: {}",
                side.name(),
                places.join(", ")
            ),
        ))
    };
    let mut doubts: Vec<Doubt> = Side::BOTH.into_iter().filter_map(of).collect();
    doubts.extend(mode_shares(metric));
    doubts
}

/// Both sides have the same two states, but are in them for different shares of the time.
fn mode_shares(metric: &MetricResult) -> Option<Doubt> {
    let counts = |side: Side| {
        let modes = metric.spread.of(side).modes.as_ref()?;
        let [low, high] = modes.as_slice() else {
            return None;
        };
        Some((u64::from(low.count), u64::from(low.count + high.count)))
    };
    let ((a, a_all), (b, b_all)) = (counts(Side::A)?, counts(Side::B)?);
    let p = stats::fisher([a, b], [a_all, b_all]);
    (p < 0.05).then(|| {
        let evidence = format!(
            "A was in the lower place {a} of {a_all} times, B {b} of {b_all} (Fisher's exact test: \
             p = {p:.3}): the sides may differ in how often, not in how much"
        );
        doubt("mode-shares-differ", &metric.metric, evidence)
    })
}

fn drift(metric: &MetricResult) -> Option<Doubt> {
    let by_pair = metric.drift_per_pair?;
    let evidence =
        format!("B against A changes by {by_pair:+.4} with each pair: the answer depends on when");
    Some(doubt("drift", &metric.metric, evidence))
}

/// Correlation beyond which few pairs would say it by chance: two standard errors, and a half.
fn memory(metric: &MetricResult) -> Option<Doubt> {
    let lag = metric.lag_one?;
    let n = metric.pairs.len();
    let chance = 2.0 / (n as f64).sqrt();
    (lag > chance.max(0.3)).then(|| {
        let evidence = format!(
            "pairs remember the one before (correlation {lag:.2}): {n} pairs are worth {:.0}",
            stats::effective_size(n, lag)
        );
        doubt("pairs-not-independent", &metric.metric, evidence)
    })
}

/// Each side against itself: its trials of odd pairs against those of the even pairs beside them
/// differ for no reason but the machine.
fn itself(of: &Compared, metric: &MetricResult) -> Vec<Doubt> {
    let Some(known) = of.metrics.iter().find(|known| known.name == metric.metric) else {
        return Vec::new();
    };
    let alarm = |side: Side| {
        let placed: Vec<f64> = values(of.trials, side, known)
            .into_iter()
            .filter_map(|value| known.placed(value))
            .collect();
        let differences: Vec<f64> = placed.chunks_exact(2).map(|two| two[1] - two[0]).collect();
        let found = stats::paired(&differences, 0.01)?;
        let contains = found.interval.contains(0.0);
        (!contains).then(|| {
            let evidence = format!(
                "{} differs from itself: neighbouring trials by {:+.2} %, interval {:+.2} to {:+.2} %",
                side.name(),
                100.0 * found.value,
                100.0 * found.interval.low,
                100.0 * found.interval.high,
            );
            doubt("a-against-a", &metric.metric, evidence)
        })
    };
    Side::BOTH.into_iter().filter_map(alarm).collect()
}

fn alarm(metric: &MetricResult) -> Option<Doubt> {
    let verdict = match metric.verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::Equivalent | Verdict::CannotTell => return None,
    };
    let evidence = format!("A came out {verdict} than itself: do not trust small differences here");
    Some(doubt("a-against-a", &metric.metric, evidence))
}

/// Work of others that fell on one side more than on the other.
fn busy(of: &Compared) -> Option<Doubt> {
    let foreign = |side: Side| {
        let counting = of
            .trials
            .iter()
            .filter(|trial| trial.counts() && trial.side == side);
        stats::mean(
            &counting
                .filter_map(|trial| trial.foreign_cpu)
                .collect::<Vec<_>>(),
        )
    };
    let (a, b) = (foreign(Side::A)?, foreign(Side::B)?);
    (a.max(b) > 0.1).then(|| {
        let evidence = format!(
            "other work took {:.0} % of the client's CPU time in trials of A and {:.0} % in those of B",
            100.0 * a,
            100.0 * b
        );
        doubt("other-work", "metrics", evidence)
    })
}

/// What most trials doubt of themselves.
fn shared(of: &Compared) -> Vec<Doubt> {
    let counting: Vec<_> = of.trials.iter().filter(|trial| trial.counts()).collect();
    let mut names: Vec<&String> = counting.iter().flat_map(|trial| &trial.doubts).collect();
    names.sort();
    names.dedup();
    let often = |name: &&String| {
        let having = counting
            .iter()
            .filter(|trial| trial.doubts.contains(name))
            .count();
        2 * having > counting.len()
    };
    let said = |name: &String| {
        let having = counting
            .iter()
            .filter(|trial| trial.doubts.contains(name))
            .count();
        let evidence = format!(
            "{having} of {} trials have it; see their documents",
            counting.len()
        );
        doubt(name, "trials", evidence)
    };
    names.into_iter().filter(often).map(said).collect()
}
