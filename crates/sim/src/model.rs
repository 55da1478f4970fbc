//! The closed-form models: n CPUs that alternate between work of their own and one lock.

use serde::Serialize;

use crate::line::Growth;

/// Mean times, in any one unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chain {
    /// CPUs.
    pub cpus: usize,
    /// Work outside of the lock: `a`.
    pub parallel: f64,
    /// Critical section and uncontended handoff: `s`.
    pub serial: f64,
    /// One line transfer: `c`.
    pub transfer: f64,
    /// How handoffs get longer.
    pub growth: Growth,
}

/// What a chain comes to.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Steady {
    /// The probability of each number of CPUs in the lock system, from 0.
    pub probabilities: Vec<f64>,
    /// Acquisitions per unit of time: `X`.
    pub throughput: f64,
    /// `X (a + s)`: how many CPUs' worth of work gets done.
    pub speedup: f64,
    /// `n - w`: CPUs that are not in the lock system, on average.
    pub outside: f64,
}

impl Chain {
    /// Service with `present` CPUs in the system, one of them served: `s + c (present - 1) / 2`
    /// for a ticket lock, `s + c` if others wait for a queue lock.
    pub fn service(&self, present: usize) -> f64 {
        let waiting = present.saturating_sub(1) as f64;
        match self.growth {
            Growth::Waiters => self.serial + self.transfer * waiting / 2.0,
            Growth::Once if waiting > 0.0 => self.serial + self.transfer,
            Growth::Once => self.serial,
        }
    }

    /// Solves the birth-death chain by its balance equations: `P_k (n - k) / a = P_{k+1} / s_{k+1}`,
    /// in logarithms, since a collapsed chain spans more than a double's range.
    pub fn steady(&self) -> Steady {
        let n = self.cpus;
        let mut logs = vec![0.0_f64];
        for k in 0..n {
            let up = (n - k) as f64 / self.parallel;
            logs.push(logs[k] + (up * self.service(k + 1)).ln());
        }
        let greatest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = logs.iter().map(|log| (log - greatest).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let probabilities: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
        let inside: f64 = probabilities
            .iter()
            .enumerate()
            .map(|(k, p)| k as f64 * p)
            .sum();
        let outside = n as f64 - inside;
        let throughput = outside / self.parallel;
        Steady {
            speedup: throughput * (self.parallel + self.serial),
            probabilities,
            throughput,
            outside,
        }
    }
}

/// The published test vectors: growth, `s`, and the speed-up at 1, 2, 8, 16, 24, 28, 32, 36, 40
/// and 48 CPUs with `a = 49 s` and `c = 100`.
pub const VECTORS: [(Growth, f64, [f64; 10]); 8] = [
    (
        Growth::Waiters,
        100.0,
        [
            1.000, 1.998, 7.935, 14.925, 5.142, 4.024, 3.384, 2.939, 2.606, 2.134,
        ],
    ),
    (
        Growth::Waiters,
        400.0,
        [
            1.000, 1.999, 7.966, 15.799, 23.164, 25.907, 24.096, 14.973, 11.313, 8.640,
        ],
    ),
    (
        Growth::Waiters,
        1600.0,
        [
            1.000, 1.999, 7.973, 15.855, 23.560, 27.282, 30.835, 34.071, 36.636, 35.655,
        ],
    ),
    (
        Growth::Waiters,
        6400.0,
        [
            1.000, 1.999, 7.974, 15.867, 23.614, 27.395, 31.076, 34.606, 37.902, 43.164,
        ],
    ),
    (
        Growth::Once,
        100.0,
        [
            1.000, 1.998, 7.911, 15.394, 21.534, 23.513, 24.556, 24.916, 24.990, 25.000,
        ],
    ),
    (
        Growth::Once,
        400.0,
        [
            1.000, 1.999, 7.961, 15.787, 23.341, 26.929, 30.300, 33.344, 35.911, 39.074,
        ],
    ),
    (
        Growth::Once,
        1600.0,
        [
            1.000, 1.999, 7.971, 15.851, 23.567, 27.322, 30.967, 34.453, 37.704, 43.054,
        ],
    ),
    (
        Growth::Once,
        6400.0,
        [
            1.000, 1.999, 7.974, 15.866, 23.615, 27.402, 31.097, 34.662, 38.037, 43.844,
        ],
    ),
];

/// At how many CPUs.
pub const VECTOR_CPUS: [usize; 10] = [1, 2, 8, 16, 24, 28, 32, 36, 40, 48];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors() {
        for (growth, serial, expected) in &VECTORS {
            for (cpus, expected) in VECTOR_CPUS.iter().zip(expected) {
                let chain = Chain {
                    cpus: *cpus,
                    parallel: 49.0 * serial,
                    serial: *serial,
                    transfer: 100.0,
                    growth: *growth,
                };
                let speedup = chain.steady().speedup;
                assert!(
                    (speedup - expected).abs() < 0.000_51,
                    "{chain:?}: {speedup}, not {expected}"
                );
            }
        }
    }

    #[test]
    fn small_vectors() {
        let chain = |cpus| Chain {
            cpus,
            parallel: 1000.0,
            serial: 100.0,
            transfer: 50.0,
            growth: Growth::Waiters,
        };
        let three = chain(3).steady();
        for (p, expected) in three
            .probabilities
            .iter()
            .zip([0.721_371, 0.216_411, 0.054_103, 0.008_115])
        {
            assert!((p - expected).abs() < 1e-6, "{p} {expected}");
        }
        assert!((three.throughput - 2.651_037e-3).abs() < 1e-9);
        let two = chain(2).steady();
        assert!((two.throughput - 1.795_918e-3).abs() < 1e-9);
    }
}
