//! A comparison for eyes: the answer first, then the metrics, the sides, doubts.

use record::{Better, Comparison, Contrast, Estimate, MetricResult, Side, Spread, Status, Verdict};
use units::{BitRate, Nanos};

use crate::prose::wrap;
use crate::quantity::{NONE, counted, name, number, or_dash, percent, significant};
use crate::style::{Paint, Style};
use crate::table::{Align, Table};

/// The whole report.
pub fn comparison(comparison: &Comparison, style: Style) -> String {
    let parts = [
        headline(comparison, style),
        metrics(comparison, true, style),
        metrics(comparison, false, style),
        noise_floor(comparison, style),
        gates(comparison, style),
        sides(comparison, style),
        outliers(comparison, style),
        findings(comparison, style),
        environment(comparison, style),
        doubts(comparison, style),
        design(comparison, style),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

fn sentence(text: &str, style: Style) -> String {
    wrap(text, 0, 2, style.prose_width()) + "\n"
}

fn headline(of: &Comparison, style: Style) -> String {
    let mut text = String::new();
    for metric in of.metrics.iter().filter(|metric| metric.primary) {
        let line = answer(of, metric);
        text += &style.paint(Paint::Headline, &wrap(&line, 0, 2, style.prose_width()));
        text.push('\n');
    }
    if text.is_empty() {
        text = style.paint(Paint::Failure, "no pair was completed: nothing to compare") + "\n";
    }
    if let Some(reason) = &of.reason {
        let paint = if of.status == Status::Ok {
            Paint::Doubt
        } else {
            Paint::Failure
        };
        text += &style.paint(paint, &wrap(reason, 0, 2, style.prose_width()));
        text.push('\n');
    }
    text
}

/// One metric in a sentence.
fn answer(of: &Comparison, metric: &MetricResult) -> String {
    let name = &metric.metric;
    let Some(estimate) = &metric.estimate else {
        return format!("{name}: no pair was completed");
    };
    let size = contrast(metric, estimate.value);
    let verdict = match metric.verdict {
        Verdict::Better if of.design.aa => format!("{name}: A came out better than itself, {size}"),
        Verdict::Worse if of.design.aa => format!("{name}: A came out worse than itself, {size}"),
        Verdict::Better => format!("{name}: B is better than A, {size}"),
        Verdict::Worse => format!("{name}: B is worse than A, {size}"),
        Verdict::Equivalent => format!(
            "{name}: B is equivalent to A, {size}: no difference of {} or more",
            percent(Some(of.design.smallest_effect))
        ),
        Verdict::CannotTell => format!("{name}: cannot tell, {size}"),
    };
    let interval = match interval(metric, estimate) {
        Some(interval) => {
            let level = percent(Some(1.0 - estimate.level));
            format!("; {level} interval {interval}")
        }
        None => "; too few pairs for an interval".to_owned(),
    };
    let further = match metric.further_pairs {
        Some(pairs) => format!(
            "; {} more would probably settle it",
            counted(pairs.into(), "pair")
        ),
        None => String::new(),
    };
    format!(
        "{verdict}{interval}, {}{further}",
        counted(estimate.n.into(), "pair")
    )
}

/// `1.052 times (+5.2 %)`, or `+0.3 ms`.
fn contrast(metric: &MetricResult, value: f64) -> String {
    match metric.contrast {
        Contrast::Ratio => format!("{value:.4} times ({:+.2} %)", 100.0 * (value - 1.0)),
        Contrast::Difference => format!("{value:+.4} {}", metric.unit),
    }
}

fn interval(metric: &MetricResult, estimate: &Estimate) -> Option<String> {
    let (low, high) = (estimate.low?, estimate.high?);
    Some(match metric.contrast {
        Contrast::Ratio => format!("{low:.4} to {high:.4}"),
        Contrast::Difference => format!("{low:+.4} to {high:+.4}"),
    })
}

/// A value in its unit.
pub(crate) fn value(unit: &str, value: Option<f64>) -> String {
    or_dash(
        value.filter(|value| value.is_finite()),
        |value| match unit {
            "bit/s" => BitRate::new(value.round().max(0.0) as u64).to_string(),
            "ns" => Nanos::new(value.round().max(0.0) as u64).to_string(),
            "share" => percent(Some(value)),
            "ms" => format!("{value:.3} ms"),
            "" => significant(Some(value), 4),
            "/s" => significant(Some(value), 4) + "/s",
            "s/s" => significant(Some(value), 4) + " CPUs",
            unit => format!("{} {unit}", significant(Some(value), 4)),
        },
    )
}

/// The same beside the metric's name, which says what is counted.
fn short(unit: &str, figure: Option<f64>) -> String {
    match unit {
        "datagrams/s" | "transactions/s" | "interrupts/s" | "switches/s" => value("/s", figure),
        unit => value(unit, figure),
    }
}

fn metrics(of: &Comparison, primary: bool, style: Style) -> String {
    let mut table = Table::new(&[
        (if primary { "primary" } else { "secondary" }, Align::Left),
        ("better", Align::Left),
        ("A median", Align::Right),
        ("B median", Align::Right),
        ("B/A", Align::Right),
        ("interval", Align::Left),
        ("verdict", Align::Left),
    ]);
    for metric in of.metrics.iter().filter(|metric| metric.primary == primary) {
        let estimate = metric.estimate.as_ref();
        table.row([
            metric.metric.clone(),
            match metric.better {
                Better::Higher => "more".to_owned(),
                Better::Lower => "less".to_owned(),
            },
            short(&metric.unit, metric.spread.a.median),
            short(&metric.unit, metric.spread.b.median),
            or_dash(estimate, |estimate| match metric.contrast {
                Contrast::Ratio => format!("{:.4}", estimate.value),
                Contrast::Difference => format!("{:+.4}", estimate.value),
            }),
            estimate
                .and_then(|estimate| interval(metric, estimate))
                .unwrap_or_else(|| NONE.to_owned()),
            metric.verdict.name().to_owned(),
        ]);
    }
    let is_corrected =
        |metric: &&MetricResult| metric.primary == primary && !primary && lies_beyond(of, metric);
    let note = match of.metrics.iter().any(|metric| is_corrected(&metric)) {
        true => sentence(
            "verdicts on secondary metrics allow for all of them at once (Holm): an interval of one, \
             beyond what matters, may not be enough",
            style,
        ),
        false => String::new(),
    };
    table.render(style) + &note
}

/// Whether an interval lies beyond what matters, and the verdict does not say so.
fn lies_beyond(of: &Comparison, metric: &MetricResult) -> bool {
    let ends = metric.estimate.as_ref();
    let ends = ends.and_then(|estimate| Some((estimate.low?, estimate.high?)));
    let most = 1.0 + of.design.smallest_effect;
    metric.verdict == Verdict::CannotTell
        && metric.contrast == Contrast::Ratio
        && ends.is_some_and(|(low, high)| low > most || high < 1.0 / most)
}

/// What so many pairs can resolve here, after A against A.
fn noise_floor(of: &Comparison, style: Style) -> String {
    let primary = of.metrics.iter().find(|metric| metric.primary);
    let Some(metric) = primary.filter(|metric| of.design.aa && metric.contrast == Contrast::Ratio)
    else {
        return String::new();
    };
    let logs: Vec<f64> = metric.pairs.iter().map(|ratio| ratio.ln()).collect();
    let Some(spread) = stats::standard_deviation(&logs) else {
        return String::new();
    };
    let mut table = Table::new(&[("pairs", Align::Right), ("resolve", Align::Right)]);
    for pairs in [6_u32, 8, 12, 20, 30, 40, 60] {
        let n = f64::from(pairs);
        let quantiles = stats::t_quantile(0.975, n - 1.0) + stats::t_quantile(0.8, n - 1.0);
        let effect = (quantiles * spread / n.sqrt()).exp_m1();
        table.row([pairs.to_string(), percent(Some(effect))]);
    }
    let says = format!(
        "noise floor: pairs of {} scatter by {}; a difference is found four times of five from",
        metric.metric,
        percent(Some(spread.exp_m1()))
    );
    sentence(&says, style) + &table.render(style)
}

fn gates(of: &Comparison, style: Style) -> String {
    let gates = of.gates.iter().map(|gate| {
        let kept = match gate.verdict {
            Verdict::Better | Verdict::Equivalent => "kept",
            Verdict::Worse => "broken",
            Verdict::CannotTell => "cannot tell",
        };
        let (metric, limit, reason) = (&gate.metric, &gate.limit, &gate.reason);
        sentence(&format!("gate {metric}, {limit}: {kept}: {reason}"), style)
    });
    gates.collect()
}

/// What each side was, and how its primary values spread.
fn sides(of: &Comparison, style: Style) -> String {
    let mut text = String::new();
    for side in Side::BOTH {
        let options = &of.sides.of(side).options;
        if !options.is_empty() {
            text += &sentence(&format!("{}: {}", side.name(), options.join(" ")), style);
        }
    }
    let mut table = Table::new(&[
        ("side", Align::Left),
        ("metric", Align::Left),
        ("trials", Align::Right),
        ("min", Align::Right),
        ("median", Align::Right),
        ("mean", Align::Right),
        ("max", Align::Right),
        ("CV", Align::Right),
    ])
    .keyed(2);
    for metric in of.metrics.iter().filter(|metric| metric.primary) {
        for side in Side::BOTH {
            let Spread {
                n,
                min,
                median,
                mean,
                max,
                ..
            } = metric.spread.of(side);
            let show = |figure: &Option<f64>| short(&metric.unit, *figure);
            table.row([
                side.name().to_owned(),
                metric.metric.clone(),
                n.to_string(),
                show(min),
                show(median),
                show(mean),
                show(max),
                percent(metric.spread.of(side).coefficient_of_variation),
            ]);
        }
    }
    text += &table.render(style);
    for metric in of.metrics.iter().filter(|metric| metric.primary) {
        text += &pairing(metric, style);
    }
    text
}

/// What pairing was worth.
fn pairing(metric: &MetricResult, style: Style) -> String {
    let paired = metric
        .estimate
        .as_ref()
        .and_then(|estimate| Some(estimate.high? - estimate.low?));
    match (paired, metric.unpaired) {
        (Some(paired), Some((low, high))) if paired > 0.0 && high - low > 1.2 * paired => {
            let says = format!(
                "pairs: the same trials of {} taken as two campaigns would say {low:.4} to \
                 {high:.4}, {} times as wide",
                metric.metric,
                number(Some((high - low) / paired), 1)
            );
            sentence(&says, style)
        }
        _ => String::new(),
    }
}

fn outliers(of: &Comparison, style: Style) -> String {
    let mut text = String::new();
    for metric in of.metrics.iter().filter(|metric| metric.primary) {
        for side in Side::BOTH {
            for outlier in &metric.spread.of(side).outliers {
                let reason = outlier
                    .likely_reason
                    .as_deref()
                    .unwrap_or("for no known reason");
                let says = format!(
                    "outlier: {} of {} in pair {} was {}: {reason}",
                    metric.metric,
                    side.name(),
                    outlier.block + 1,
                    value(&metric.unit, Some(outlier.value))
                );
                text += &sentence(&says, style);
            }
        }
    }
    text
}

fn findings(of: &Comparison, style: Style) -> String {
    let mut text = String::new();
    for side in Side::BOTH {
        for found in of.findings.of(side).iter().take(3) {
            let proof = found.finding.evidence.first();
            let proof = proof.map_or(String::new(), |evidence| format!(": {}", evidence.says));
            let says = format!(
                "{} was limited by {} in {} of {} trials{proof}",
                side.name(),
                found.finding.cause.name(),
                found.runs,
                found.of
            );
            text += &sentence(&says, style);
        }
    }
    text
}

/// Longer values are cut; `netdyno diff` of two of the runs has them.
const LONGEST: usize = 32;

fn environment(of: &Comparison, style: Style) -> String {
    let mut table = Table::new(&[
        ("differs between the sides", Align::Left),
        ("A", Align::Left),
        ("B", Align::Left),
    ])
    .cut();
    let show = |value: &Option<String>| match value {
        Some(value) => name(value, LONGEST),
        None => NONE.to_owned(),
    };
    for difference in &of.environment {
        table.row([
            difference.what.clone(),
            show(&difference.a),
            show(&difference.b),
        ]);
    }
    table.render(style)
}

fn doubts(of: &Comparison, style: Style) -> String {
    let mut text = String::new();
    for doubt in &of.doubts {
        let says = format!(
            "doubt: {} ({}): {}",
            doubt.doubt, doubt.about, doubt.evidence
        );
        text += &style.paint(Paint::Doubt, &wrap(&says, 0, 2, style.prose_width()));
        text.push('\n');
    }
    text
}

fn design(of: &Comparison, style: Style) -> String {
    let design = &of.design;
    let estimate = of
        .metrics
        .iter()
        .find_map(|metric| metric.estimate.as_ref());
    let method = estimate.map_or(String::new(), |estimate| {
        format!(
            "; Hodges and Lehmann's estimate, intervals of {} by {}, which is what this look may claim",
            percent(Some(1.0 - estimate.level)),
            estimate.method,
        )
    });
    let looks: Vec<String> = design.looks.iter().map(u32::to_string).collect();
    let times = match (design.warm_up_ns, design.trial_ns) {
        (Some(warm_up), Some(trial)) => {
            format!(
                "; trials of {} after {} of warm-up",
                Nanos::new(trial),
                Nanos::new(warm_up)
            )
        }
        _ => String::new(),
    };
    let says = format!(
        "comparison {}: pairs in random order, seed {}, looks after {} pairs{method}{times}",
        of.id,
        design.seed,
        looks.join(", ")
    );
    sentence(&says, style)
}
