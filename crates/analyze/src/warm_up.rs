//! How long trials warm up and last, from pilots.

use record::{Interval, Phase, Run};
use units::Nanos;

/// Times of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Steady {
    /// From the loads' start until counting begins.
    pub warm_up: Nanos,
    /// How long it counts.
    pub trial: Nanos,
}

/// The rule, for the document.
pub const RULE: &str = "from a pilot of each side in steps of 100 ms: warm-up ends where the \
    standard error of the mean of the rest is smallest (MSER), at least 200 ms; a trial is long \
    enough for its mean to be known to a quarter of the smallest effect, 1 s to 10 s";

/// How long a pilot counts, and the distance of its steps.
pub const PILOT: Nanos = Nanos::from_secs(3);
/// See [`PILOT`].
pub const STEP: Nanos = Nanos::from_millis(100);

const LEAST_WARM_UP: Nanos = Nanos::from_millis(200);
const TRIAL: (f64, f64) = (1.0, 10.0);

/// By [`RULE`]: what suits both pilots.
pub fn steady(pilots: &[&Run], smallest_effect: f64) -> Steady {
    let series: Vec<Vec<f64>> = pilots.iter().map(|run| rates(run)).collect();
    let starts = series.iter().map(|rates| steady_from(rates));
    let steps = starts.max().unwrap_or(0) as u64;
    let lengths = series.iter().map(|rates| length(rates, smallest_effect));
    let seconds = lengths.fold(TRIAL.0, f64::max).min(TRIAL.1);
    Steady {
        warm_up: Nanos::new(steps * STEP.get()).max(LEAST_WARM_UP),
        // Whole tenths of a second read better.
        trial: Nanos::from_millis(100 * (10.0 * seconds).ceil() as u64),
    }
}

/// Progress per second in each interval, at the end that counts it.
fn rates(run: &Run) -> Vec<f64> {
    let probes: Vec<&str> = run
        .loads
        .iter()
        .filter(|load| load.kind == plan::Kind::Probe)
        .map(|load| load.name.as_str())
        .collect();
    let rate = |interval: &Interval| {
        let loads = interval
            .loads
            .iter()
            .filter(|load| !probes.contains(&load.name.as_str()));
        let seconds = interval.to_ns.saturating_sub(interval.from_ns) as f64 / 1e9;
        let of = |load: &record::IntervalLoad| {
            let requests = load.counters.transactions as f64 / seconds;
            load.received_bits_per_second
                .or((requests > 0.0).then_some(requests))
        };
        loads
            .filter_map(of)
            .reduce(|a, b| a + b)
            .filter(|rate| rate.is_finite())
    };
    let of_end = |end| {
        let own = run
            .intervals
            .iter()
            .filter(move |interval| interval.end == end && interval.phase == Phase::Measure);
        own.filter_map(rate).collect::<Vec<f64>>()
    };
    let [client, server] = record::End::BOTH.map(of_end);
    if server.len() > client.len() {
        server
    } else {
        client
    }
}

/// The step after which the rest's mean has the smallest standard error; at most halfway
/// (marginal standard error rule, K. P. White, Simulation 69, 1997).
fn steady_from(rates: &[f64]) -> usize {
    let error = |from: &usize| {
        let rest = &rates[*from..];
        stats::standard_deviation(rest).map_or(f64::INFINITY, |sd| sd * sd / rest.len() as f64)
    };
    let starts = 0..=rates.len() / 2;
    starts
        .min_by(|a, b| error(a).total_cmp(&error(b)))
        .unwrap_or(0)
}

/// Seconds after which the mean of such steps is known well enough, allowing for their memory.
fn length(rates: &[f64], smallest_effect: f64) -> f64 {
    let rest = &rates[steady_from(rates)..];
    let spread = stats::coefficient_of_variation(rest).unwrap_or(0.0);
    let memory = stats::lag_one(rest).unwrap_or(0.0).clamp(0.0, 0.9);
    let steps = (spread / (smallest_effect / 4.0)).powi(2) * (1.0 + memory) / (1.0 - memory);
    steps * STEP.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_start_is_left_out() {
        let rates: Vec<f64> = (0..30)
            .map(|i| match i {
                0..5 => 20.0 * f64::from(i),
                i => 100.0 + f64::from(i % 3),
            })
            .collect();
        assert_eq!(steady_from(&rates), 5);
    }

    #[test]
    fn steady_from_the_start_and_nothing_at_all() {
        assert_eq!(steady_from(&[5.0; 20]), 0);
        assert_eq!(steady_from(&[]), 0);
        let none = steady(&[], 0.03);
        assert_eq!(none.warm_up, LEAST_WARM_UP);
        assert_eq!(none.trial, Nanos::from_secs(1));
    }

    #[test]
    fn scatter_asks_for_time() {
        let quiet: Vec<f64> = (0..20).map(|i| 100.0 + 0.1 * f64::from(i % 2)).collect();
        assert!(length(&quiet, 0.03) < 0.1);
        let mut random = stats::Random::seeded(1);
        let noisy: Vec<f64> = (0..30)
            .map(|_| 100.0 * (1.0 + 0.1 * random.normal()))
            .collect();
        let seconds = length(&noisy, 0.03);
        assert!((10.0..60.0).contains(&seconds), "{seconds}");
    }
}
