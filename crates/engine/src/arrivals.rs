//! When the requests of an exchange are meant to start.

use plan::Arrival;
use units::Nanos;

use crate::flow::Burst;

/// The intended starts of one flow's requests, in order.
#[derive(Debug, Clone)]
pub(crate) enum Arrivals {
    /// Whenever there is room.
    Closed,
    /// Whenever there is room, but so many in an interval at most.
    Bursts(Burst),
    /// Open loop: instants that do not depend on the answers.
    Open {
        /// The next intended start, ns; a float so that fractions of a ns do not add up.
        next: f64,
        /// Mean distance, ns.
        gap: f64,
        /// The generator of exponential distances; none for even ones.
        random: Option<Random>,
    },
}

impl Arrivals {
    /// Flow `flow` of `flows`: even arrivals of different flows are spread over one gap, so that
    /// they do not all fire together. `seed` sets the Poisson process.
    pub fn new(arrival: Arrival, start: Nanos, flow: u32, flows: u32, seed: u64) -> Self {
        let gap = |rps: f64| 1e9 / rps;
        match arrival {
            Arrival::Closed => Self::Closed,
            Arrival::Paced {
                requests_per_second,
            } => {
                let gap = gap(requests_per_second);
                let offset = gap * f64::from(flow) / f64::from(flows.max(1));
                Self::Open {
                    next: start.get() as f64 + offset,
                    gap,
                    random: None,
                }
            }
            Arrival::Poisson {
                requests_per_second,
            } => {
                let gap = gap(requests_per_second);
                let mut random = Random::new(seed ^ (u64::from(flow) << 32));
                let next = start.get() as f64 + gap * random.exponential();
                Self::Open {
                    next,
                    gap,
                    random: Some(random),
                }
            }
        }
    }

    /// The next intended start; none when requests start as answers come.
    #[inline]
    pub fn next(&self) -> Option<Nanos> {
        match self {
            Self::Closed => None,
            Self::Bursts(burst) => burst.due(),
            Self::Open { next, .. } => Some(Nanos::new(*next as u64)),
        }
    }

    /// The intended start of a request that may start at `now`, if one is due, and moves on.
    #[inline]
    pub fn take(&mut self, now: Nanos) -> Option<Nanos> {
        match self {
            Self::Closed => Some(now),
            Self::Bursts(burst) => burst.opens_at(now).then(|| {
                burst.sent();
                now
            }),
            Self::Open { next, gap, random } => {
                let due = Nanos::new(*next as u64);
                if due > now {
                    return None;
                }
                *next += *gap * random.as_mut().map_or(1.0, Random::exponential);
                Some(due)
            }
        }
    }
}

/// A generator for arrival times only (xorshift64*, Vigna 2016): small, seeded, repeatable.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        // Zero is the one state that the generator never leaves.
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Exponentially distributed with mean 1.
    pub fn exponential(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11;
        // In (0, 1]: the logarithm is finite.
        -((bits + 1) as f64 / (1u64 << 53) as f64).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_arrivals_keep_their_rate_over_a_stall() {
        let arrival = Arrival::Paced {
            requests_per_second: 1000.0,
        };
        let mut arrivals = Arrivals::new(arrival, Nanos::new(5), 0, 1, 0);
        assert_eq!(arrivals.take(Nanos::new(4)), None);
        let after_a_second = Nanos::new(1_000_000_005);
        let mut due = 0;
        while let Some(intended) = arrivals.take(after_a_second) {
            assert_eq!(intended, Nanos::new(5 + due * 1_000_000));
            due += 1;
        }
        assert_eq!(due, 1001);
    }

    #[test]
    fn flows_are_spread_over_a_gap() {
        let arrival = Arrival::Paced {
            requests_per_second: 10.0,
        };
        let next = |flow| Arrivals::new(arrival, Nanos::ZERO, flow, 4, 0).next();
        assert_eq!(next(1), Some(Nanos::from_millis(25)));
        assert_eq!(next(3), Some(Nanos::from_millis(75)));
    }

    #[test]
    fn poisson_distances_have_the_mean_and_the_spread_of_an_exponential() {
        let mut random = Random::new(7);
        let draws: Vec<f64> = (0..100_000).map(|_| random.exponential()).collect();
        let mean = stats::mean(&draws).unwrap();
        let deviation = stats::standard_deviation(&draws).unwrap();
        assert!((mean - 1.0).abs() < 0.02, "{mean}");
        assert!((deviation - 1.0).abs() < 0.02, "{deviation}");
    }
}
