use record::{Better, Contrast};
use stats::Random;

use super::*;
use crate::schedule::Looks;

fn metric(name: &str, better: Better, contrast: Contrast) -> Metric {
    Metric {
        name: name.to_owned(),
        unit: "bit/s".to_owned(),
        better,
        contrast,
    }
}

fn rate() -> Metric {
    metric("rate", Better::Higher, Contrast::Ratio)
}

fn trial(block: u32, side: Side, values: &[(&str, f64)]) -> Trial {
    let named = values
        .iter()
        .map(|(name, value)| ((*name).to_owned(), *value));
    Trial {
        block: Some(block),
        side,
        started: "2026-11-30T12:00:00.000Z".to_owned(),
        at_ns: 0,
        took_ns: 1,
        run: None,
        status: Status::Ok,
        reason: None,
        values: named.collect(),
        doubts: Vec::new(),
        findings: Vec::new(),
        foreign_cpu: Some(0.01),
    }
}

/// Pairs of one metric, with their A and B.
fn paired(values: impl IntoIterator<Item = (f64, f64)>) -> Vec<Trial> {
    let pair = |(block, (a, b)): (u32, (f64, f64))| {
        [
            trial(block, Side::A, &[("rate", a)]),
            trial(block, Side::B, &[("rate", b)]),
        ]
    };
    (0..).zip(values).flat_map(pair).collect()
}

fn noisy(n: usize, effect: f64, cv: f64, seed: u64) -> Vec<(f64, f64)> {
    let mut random = Random::seeded(seed);
    let mut one = |truth: f64| truth * (1.0 + cv * random.normal());
    (0..n).map(|_| (one(100.0), one(100.0 * effect))).collect()
}

fn document(trials: &[Trial], metrics: &[Metric], gates: &[Gate]) -> Comparison {
    let pairs = pairs(trials).len();
    let design = Design {
        aa: false,
        seed: 1,
        alpha: 0.05,
        smallest_effect: 0.03,
        primary: vec![metrics[0].name.clone()],
        pairs: Some(pairs as u32),
        looks: vec![pairs as u32],
        max_time_ns: None,
        trial_ns: None,
        warm_up_ns: None,
        warm_up_rule: String::new(),
    };
    comparison(&Compared {
        id: "id",
        started: "now",
        command: &[],
        design: &design,
        asked: &Sides::default(),
        trials,
        metrics,
        looks: &Looks::planned(Some(pairs), 0.05),
        hosts: Sides::default(),
        gates,
        status: Status::Ok,
        reason: None,
    })
}

fn of_rate(trials: &[Trial]) -> Comparison {
    document(trials, &[rate()], &[])
}

#[test]
fn verdicts() {
    for (effect, cv, verdict) in [
        (1.1, 0.01, Verdict::Better),
        (0.9, 0.01, Verdict::Worse),
        (1.0, 0.005, Verdict::Equivalent),
        (1.0, 0.2, Verdict::CannotTell),
    ] {
        let document = of_rate(&paired(noisy(10, effect, cv, 1)));
        assert_eq!(document.verdict, Some(verdict), "{effect} {cv}");
        let further = document.metrics[0].further_pairs;
        assert_eq!(
            further.is_some(),
            verdict == Verdict::CannotTell,
            "{further:?}"
        );
    }
}

#[test]
fn less_is_better_turns_the_verdict() {
    let trials = paired(noisy(10, 1.1, 0.01, 1));
    let lower = metric("rate", Better::Lower, Contrast::Ratio);
    assert_eq!(
        document(&trials, &[lower], &[]).verdict,
        Some(Verdict::Worse)
    );
}

#[test]
fn swapping_the_sides_inverts_the_ratio() {
    let pairs = noisy(10, 1.1, 0.03, 2);
    let there = of_rate(&paired(pairs.clone()));
    let back = of_rate(&paired(pairs.into_iter().map(|(a, b)| (b, a))));
    let estimate = |document: &Comparison| document.metrics[0].estimate.clone().unwrap();
    let (there, back) = (estimate(&there), estimate(&back));
    assert!((there.value * back.value - 1.0).abs() < 1e-12);
    assert!((there.low.unwrap() * back.high.unwrap() - 1.0).abs() < 1e-9);
}

#[test]
fn another_unit_changes_nothing() {
    let pairs = noisy(14, 1.02, 0.03, 3);
    let one = of_rate(&paired(pairs.clone()));
    let other = of_rate(&paired(pairs.into_iter().map(|(a, b)| (8.0 * a, 8.0 * b))));
    let estimate = |document: &Comparison| document.metrics[0].estimate.clone().unwrap();
    let (one, other) = (estimate(&one), estimate(&other));
    assert!((one.value - other.value).abs() < 1e-12);
    assert!((one.low.unwrap() - other.low.unwrap()).abs() < 1e-12);
}

#[test]
fn failed_trials_are_shown_and_do_not_count() {
    let mut trials = paired(noisy(8, 1.1, 0.01, 4));
    trials[3].status = Status::Failed;
    trials[3].reason = Some("the peer cannot be reached".to_owned());
    trials[3].values.clear();
    let document = of_rate(&trials);
    assert_eq!(document.trials.len(), 16);
    assert_eq!(document.metrics[0].estimate.as_ref().unwrap().n, 7);
    let doubt = &document.doubts[0];
    assert_eq!(doubt.doubt, "failed-trials");
    assert!(
        doubt.evidence.contains("cannot be reached"),
        "{}",
        doubt.evidence
    );
}

#[test]
fn nothing_measured_has_no_verdict() {
    let document = of_rate(&[]);
    assert_eq!((document.verdict, document.metrics.len()), (None, 0));
}

/// A share of ten tests would find something where there is nothing: together they do not.
#[test]
fn secondary_metrics_answer_together() {
    let mut random = Random::seeded(5);
    let names: Vec<String> = (0..20).map(|i| format!("other-{i}")).collect();
    let mut trials = Vec::new();
    for block in 0..10 {
        for side in Side::BOTH {
            let mut values = vec![("rate", 100.0)];
            values.extend(
                names
                    .iter()
                    .map(|name| (name.as_str(), 100.0 * (0.1 * random.normal()).exp())),
            );
            trials.push(trial(block, side, &values));
        }
    }
    let mut metrics = vec![rate()];
    metrics.extend(
        names
            .iter()
            .map(|name| metric(name, Better::Higher, Contrast::Ratio)),
    );
    let document = document(&trials, &metrics, &[]);
    let claims =
        |metric: &&record::MetricResult| matches!(metric.verdict, Verdict::Better | Verdict::Worse);
    assert_eq!(document.metrics.iter().filter(claims).count(), 0);
    assert!(
        document.metrics[1..]
            .iter()
            .all(|metric| metric.adjusted_p.is_some())
    );
}

#[test]
fn pairing_takes_out_what_both_share() {
    // A spinner that comes and goes halves the rate of neighbouring trials alike.
    let mut random = Random::seeded(6);
    let pairs = (0..20).map(|block| {
        let machine = if (block / 4) % 2 == 0 { 100.0 } else { 50.0 };
        let mut one = || machine * (1.0 + 0.01 * random.normal());
        (one(), one())
    });
    let document = of_rate(&paired(pairs));
    assert_eq!(document.verdict, Some(Verdict::Equivalent));
    let result = &document.metrics[0];
    let estimate = result.estimate.as_ref().unwrap();
    let paired = estimate.high.unwrap() - estimate.low.unwrap();
    let (low, high) = result.unpaired.unwrap();
    assert!(high - low > 2.0 * paired, "{low} {high} {paired}");
    let bimodal = document
        .doubts
        .iter()
        .find(|doubt| doubt.doubt == "possibly-bimodal");
    assert!(bimodal.is_some(), "{:?}", document.doubts);
}

#[test]
fn an_outlier_has_its_likely_reason() {
    let mut pairs = noisy(10, 1.0, 0.01, 7);
    pairs[4].1 = 40.0;
    let mut trials = paired(pairs);
    trials[9].foreign_cpu = Some(0.6);
    let document = of_rate(&trials);
    let outliers = &document.metrics[0].spread.b.outliers;
    assert_eq!((outliers.len(), outliers[0].block), (1, 4));
    let reason = outliers[0].likely_reason.as_deref().unwrap();
    assert!(reason.starts_with("other work took 60 %"), "{reason}");
}

#[test]
fn drift_between_the_sides_is_a_doubt() {
    let pairs = (0..12).map(|block| (100.0, 100.0 * (1.0 + 0.01 * f64::from(block))));
    let document = of_rate(&paired(pairs));
    assert!(
        document.metrics[0]
            .drift_per_pair
            .is_some_and(|drift| drift > 0.005)
    );
    assert!(document.doubts.iter().any(|doubt| doubt.doubt == "drift"));
}

#[test]
fn what_may_be_zero_is_a_difference() {
    let loss = metric("loss", Better::Lower, Contrast::Difference);
    let trials: Vec<Trial> = (0..8)
        .flat_map(|block| {
            let b = 0.01 + 0.0001 * f64::from(block);
            [
                trial(block, Side::A, &[("loss", 0.0)]),
                trial(block, Side::B, &[("loss", b)]),
            ]
        })
        .collect();
    let document = document(&trials, &[loss], &[]);
    let result = &document.metrics[0];
    assert!(result.estimate.as_ref().unwrap().value > 0.0099);
    assert_eq!(result.unpaired, None);
}

#[test]
fn gates_are_kept_broken_or_unknown() {
    let gate = |limit| Gate {
        metric: "rate".to_owned(),
        better: None,
        limit,
    };
    for (effect, cv, limit, verdict) in [
        (0.95, 0.005, 0.10, Verdict::Better),
        (0.95, 0.005, 0.02, Verdict::Worse),
        (0.95, 0.2, 0.05, Verdict::CannotTell),
    ] {
        let trials = paired(noisy(10, effect, cv, 8));
        let document = document(&trials, &[rate()], &[gate(limit)]);
        assert_eq!(document.gates[0].verdict, verdict, "{:?}", document.gates);
    }
    let missing = Gate {
        metric: "other".to_owned(),
        ..gate(0.1)
    };
    let document = document(&paired(noisy(6, 1.0, 0.01, 9)), &[rate()], &[missing]);
    assert_eq!(document.gates[0].verdict, Verdict::CannotTell);
}

#[test]
fn gate_files() {
    let text = "[[gate]]\nmetric = 'throughput'\nlimit = '2%'\n\n[[gate]]\nmetric = 'added-latency'\nlimit = 0.5\ndirection = 'lower'\n";
    let gates = gates(text).unwrap();
    assert_eq!((gates[0].limit, gates[0].better), (0.02, None));
    assert_eq!(
        (gates[1].limit, gates[1].better),
        (0.5, Some(Better::Lower))
    );
    for (text, sentence) in [
        ("", "there is no gate"),
        ("[[gate]]\nlimit = 1", "gate 1: 'metric' is missing"),
        ("[[gate]]\nmetric = 'x'", "gate 1: 'limit' is missing"),
        (
            "[[gate]]\nmetric = 'x'\nlimit = 'much'",
            "gate 1: 'much' is not a share",
        ),
        (
            "[[gate]]\nmetric = 'x'\nlimit = -1",
            "gate 1: 'limit' is a worsening",
        ),
        (
            "[[gate]]\nmetric = 'x'\nlimit = 1\nx = 1",
            "gate 1: 'x' is not a key",
        ),
        (
            "[[gate]]\nmetric = 'x'\nlimit = 1\ndirection = 'up'",
            "gate 1: 'direction' is",
        ),
        ("gate = 3 3", ""),
    ] {
        let error = super::gates(text).unwrap_err().to_string();
        assert!(error.starts_with(sentence), "{error}");
    }
}

#[test]
fn environments_differ_in_what_differs() {
    let mut a = Hosts::default();
    a.client.kernel = Some("6.18.0".to_owned());
    a.client.locality.netns = Some(1);
    let mut b = a.clone();
    assert_eq!(environment(&a, &b), []);
    b.client.kernel = Some("6.19.0".to_owned());
    b.client.locality.netns = Some(2);
    b.client
        .sysctls
        .insert("net.ipv4.tcp_sack".to_owned(), "0".to_owned());
    let found = environment(&a, &b);
    let named: Vec<&str> = found
        .iter()
        .map(|difference| difference.what.as_str())
        .collect();
    assert_eq!(
        named,
        ["client: kernel", "client: sysctl.net.ipv4.tcp_sack"]
    );
    assert_eq!(
        (found[1].a.as_deref(), found[1].b.as_deref()),
        (None, Some("0"))
    );
}
