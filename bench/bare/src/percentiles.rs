//! Order statistics of a list of ns.

use serde_json::{Value, json};

/// Percentiles by the nearest rank; null where there is no sample.
pub fn summary(mut samples: Vec<u64>) -> Value {
    samples.sort_unstable();
    json!({
        "samples": samples.len(),
        "p50_ns": rank(&samples, 0.5),
        "p90_ns": rank(&samples, 0.9),
        "p99_ns": rank(&samples, 0.99),
        "max_ns": samples.last(),
    })
}

/// The smallest sample that at least this share of all does not exceed.
fn rank(sorted: &[u64], share: f64) -> Option<u64> {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_rank() {
        let samples: Vec<u64> = (1..=200).rev().collect();
        let summary = summary(samples);
        assert_eq!(summary["samples"], 200);
        assert_eq!(summary["p50_ns"], 100);
        assert_eq!(summary["p99_ns"], 198);
        assert_eq!(summary["max_ns"], 200);
        assert_eq!(rank(&[7], 0.5), Some(7));
    }

    #[test]
    fn nothing_is_null() {
        let summary = summary(Vec::new());
        assert_eq!(summary["p99_ns"], Value::Null);
        assert_eq!(summary["max_ns"], Value::Null);
    }
}
