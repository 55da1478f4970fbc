//! Limits that a comparison has to keep, for continuous integration.

use std::str::FromStr;

use record::{Better, Contrast, GateResult, MetricResult, Verdict};
use thiserror::Error;
use toml::{Table, Value};

use crate::metric::Metric;

/// One limit: B may not be worse than A by more.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    /// Which metric.
    pub metric: String,
    /// Which way is up; none for the metric's own.
    pub better: Option<Better>,
    /// Largest worsening, as a share for ratios and in the metric's unit for differences.
    pub limit: f64,
}

/// Why a text is no list of gates. The sentence names the place.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GateError {
    /// Not TOML.
    #[error("{0}")]
    Syntax(String),
    /// Not what is expected there.
    #[error("gate {position}: {reason}")]
    Gate {
        /// From 1.
        position: usize,
        /// What is wrong and what is accepted.
        reason: String,
    },
    /// No gate in it.
    #[error("there is no gate: each begins with a line [[gate]] and has 'metric' and 'limit'")]
    Empty,
}

/// The gates of a file: tables `[[gate]]` with `metric`, `limit` (`"2%"` or a number) and, where
/// the metric's own is not meant, `direction` (`higher` or `lower` is better).
pub fn gates(text: &str) -> Result<Vec<Gate>, GateError> {
    let table: Table = text
        .parse()
        .map_err(|error: toml::de::Error| GateError::Syntax(error.message().replace('\n', ", ")))?;
    let all = match table.get("gate") {
        Some(Value::Array(all)) if !all.is_empty() && table.len() == 1 => all,
        _ => return Err(GateError::Empty),
    };
    (1..)
        .zip(all)
        .map(|(position, gate)| read(gate).map_err(|reason| GateError::Gate { position, reason }))
        .collect()
}

fn read(gate: &Value) -> Result<Gate, String> {
    let table = gate.as_table().ok_or("it is no table")?;
    if let Some(key) = table
        .keys()
        .find(|key| !["metric", "limit", "direction"].contains(&key.as_str()))
    {
        return Err(format!(
            "'{key}' is not a key: the keys are metric, limit, direction"
        ));
    }
    let metric = table
        .get("metric")
        .and_then(Value::as_str)
        .ok_or("'metric' is missing")?;
    let better = match table.get("direction").map(Value::as_str) {
        None => None,
        Some(Some("higher")) => Some(Better::Higher),
        Some(Some("lower")) => Some(Better::Lower),
        _ => return Err("'direction' is higher or lower, whichever is better".to_owned()),
    };
    let limit = match table.get("limit") {
        Some(Value::String(text)) => share(text)?,
        Some(Value::Float(limit)) => *limit,
        Some(Value::Integer(limit)) => *limit as f64,
        _ => return Err("'limit' is missing: the largest worsening, such as \"2%\"".to_owned()),
    };
    if !(limit.is_finite() && limit >= 0.0) {
        return Err("'limit' is a worsening of zero or more".to_owned());
    }
    Ok(Gate {
        metric: metric.to_owned(),
        better,
        limit,
    })
}

/// `2%` or `0.02`.
pub fn share(text: &str) -> Result<f64, String> {
    let number = |text: &str| f64::from_str(text.trim()).ok().filter(|n| n.is_finite());
    match text.strip_suffix('%') {
        Some(percent) => number(percent).map(|percent| percent / 100.0),
        None => number(text),
    }
    .ok_or_else(|| format!("'{text}' is not a share such as 2% or 0.02"))
}

/// How each gate fares.
pub(super) fn results(gates: &[Gate], metrics: &[MetricResult]) -> Vec<GateResult> {
    gates.iter().map(|gate| result(gate, metrics)).collect()
}

fn result(gate: &Gate, metrics: &[MetricResult]) -> GateResult {
    let found = metrics.iter().find(|metric| metric.metric == gate.metric);
    let estimate = found.and_then(|metric| Some((metric, metric.estimate.as_ref()?)));
    let (limit, verdict, reason) = match estimate {
        None => (
            limit(gate, Metric::of(&gate.metric).map(|metric| metric.contrast)),
            Verdict::CannotTell,
            "it was not measured".to_owned(),
        ),
        Some((metric, estimate)) => {
            let (verdict, reason) = held(gate, metric, estimate);
            (limit(gate, Some(metric.contrast)), verdict, reason)
        }
    };
    GateResult {
        metric: gate.metric.clone(),
        limit,
        verdict,
        reason,
    }
}

fn limit(gate: &Gate, contrast: Option<Contrast>) -> String {
    match contrast {
        Some(Contrast::Difference) => format!("worse by at most {}", gate.limit),
        _ => format!("worse by at most {:.2} %", 100.0 * gate.limit),
    }
}

/// Whether the limit is kept, broken, or not known to be either: by the interval's ends.
fn held(gate: &Gate, metric: &MetricResult, estimate: &record::Estimate) -> (Verdict, String) {
    let better = gate.better.unwrap_or(metric.better);
    let none = match metric.contrast {
        Contrast::Ratio => 1.0,
        Contrast::Difference => 0.0,
    };
    let (bound, outer, inner) = match better {
        Better::Higher => (none - gate.limit, estimate.low, estimate.high),
        Better::Lower => (none + gate.limit, estimate.high, estimate.low),
    };
    let beyond = |value: f64| match better {
        Better::Higher => value < bound,
        Better::Lower => value > bound,
    };
    let interval = match (estimate.low, estimate.high) {
        (Some(low), Some(high)) => {
            format!("the interval is {low:.4} to {high:.4}, the limit {bound:.4}")
        }
        _ => "there are too few pairs".to_owned(),
    };
    let verdict = match (outer, inner) {
        (_, Some(inner)) if beyond(inner) => Verdict::Worse,
        (Some(outer), _) if !beyond(outer) => Verdict::Better,
        _ => Verdict::CannotTell,
    };
    (verdict, interval)
}
