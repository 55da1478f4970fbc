//! From trials to the answer.

mod doubt;
mod environment;
mod gate;
mod judged;
mod spread;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use record::{
    Comparison, CountedFinding, Design, Finding, Hosts, Side, SideAsked, Sides, Status, Trial,
    Verdict,
};
use stats::Interval;

use crate::metric::Metric;
use crate::schedule::Looks;

pub use environment::environment;
pub use gate::{Gate, GateError, gates, share};

/// Everything that is known when a comparison ends.
#[derive(Debug, Clone)]
pub struct Compared<'a> {
    /// Name in the store.
    pub id: &'a str,
    /// Wall time of the start.
    pub started: &'a str,
    /// The command line.
    pub command: &'a [String],
    /// How it was done.
    pub design: &'a Design,
    /// What was asked of each side.
    pub asked: &'a Sides<SideAsked>,
    /// What was run.
    pub trials: &'a [Trial],
    /// The metrics, the primary ones first.
    pub metrics: &'a [Metric],
    /// When the data were looked at.
    pub looks: &'a Looks,
    /// The hosts as each side found them first.
    pub hosts: Sides<Option<&'a Hosts>>,
    /// Limits to be kept.
    pub gates: &'a [Gate],
    /// How it ended.
    pub status: Status,
    /// The sentence, unless it went as planned.
    pub reason: Option<String>,
}

/// The document.
pub fn comparison(of: &Compared) -> Comparison {
    let metrics = judged::metrics(of);
    let primary: Vec<Verdict> = metrics
        .iter()
        .filter(|metric| metric.primary && metric.estimate.is_some())
        .map(|metric| metric.verdict)
        .collect();
    let gates = gate::results(of.gates, &metrics);
    let mut document = Comparison {
        schema: Comparison::SCHEMA.to_owned(),
        id: of.id.to_owned(),
        status: of.status,
        reason: of.reason.clone(),
        started: of.started.to_owned(),
        command: of.command.to_vec(),
        design: of.design.clone(),
        sides: of.asked.clone(),
        trials: of.trials.to_vec(),
        verdict: together(&primary),
        metrics,
        gates,
        findings: Sides::by(|side| findings(of.trials, side)),
        environment: match (of.hosts.a, of.hosts.b) {
            (Some(a), Some(b)) => environment(a, b),
            _ => Vec::new(),
        },
        doubts: Vec::new(),
    };
    document.doubts = doubt::doubts(of, &document);
    document
}

/// The answer to several questions: the worst that is certain.
fn together(verdicts: &[Verdict]) -> Option<Verdict> {
    let any = |verdict| verdicts.contains(&verdict);
    [
        Verdict::Worse,
        Verdict::CannotTell,
        Verdict::Better,
        Verdict::Equivalent,
    ]
    .into_iter()
    .find(|verdict| any(*verdict))
}

/// Complete pairs: block, values of A, values of B.
fn pairs(trials: &[Trial]) -> Vec<(u32, &Trial, &Trial)> {
    let mut by_block: BTreeMap<u32, [Option<&Trial>; 2]> = BTreeMap::new();
    for trial in trials.iter().filter(|trial| trial.counts()) {
        let Some(block) = trial.block else { continue };
        by_block.entry(block).or_default()[usize::from(trial.side == Side::B)] = Some(trial);
    }
    let complete = |(block, [a, b]): (u32, [Option<_>; 2])| Some((block, a?, b?));
    by_block.into_iter().filter_map(complete).collect()
}

/// The margin of what does not matter, on the scale of the metric's contrasts: a share for
/// ratios; for differences that share of A's median, or of one where that is zero.
pub fn margin(metric: &Metric, smallest_effect: f64, usual: Option<f64>) -> Interval {
    match metric.contrast {
        record::Contrast::Ratio => Interval::around(0.0, smallest_effect.ln_1p()),
        record::Contrast::Difference => {
            let usual = usual
                .map(f64::abs)
                .filter(|usual| *usual > 0.0)
                .unwrap_or(1.0);
            Interval::around(0.0, smallest_effect * usual)
        }
    }
}

/// Each cause once, the most frequent first.
fn findings(trials: &[Trial], side: Side) -> Vec<CountedFinding> {
    let counting = |trial: &&Trial| trial.counts() && trial.side == side;
    let of = u32::try_from(trials.iter().filter(counting).count()).unwrap_or(u32::MAX);
    let mut counted: Vec<CountedFinding> = Vec::new();
    for trial in trials.iter().filter(counting) {
        let mut seen = Vec::new();
        for finding in &trial.findings {
            if seen.contains(&finding.cause) {
                continue;
            }
            seen.push(finding.cause);
            count(&mut counted, finding, of);
        }
    }
    counted.sort_by_key(|counted| std::cmp::Reverse(counted.runs));
    counted
}

fn count(counted: &mut Vec<CountedFinding>, finding: &Finding, of: u32) {
    match counted
        .iter_mut()
        .find(|known| known.finding.cause == finding.cause)
    {
        Some(known) => {
            known.runs += 1;
            if finding.confidence > known.finding.confidence {
                known.finding = finding.clone();
            }
        }
        None => counted.push(CountedFinding {
            finding: finding.clone(),
            runs: 1,
            of,
        }),
    }
}
