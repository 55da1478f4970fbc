//! Iterations until the mean is known well enough (`-i`, `-I`).

use report::dialect::netperf::Confidence;

/// How often a test is repeated, and what for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Repeat {
    /// Iterations at least.
    pub least: u32,
    /// Iterations at most.
    pub most: u32,
    /// Level and full width in percent of the mean, if confidence is asked.
    pub wanted: Option<(Level, f64)>,
    /// Only the result has to be known so well, not the CPU utilisation (`-r`).
    pub result_only: bool,
}

/// A level of confidence that netperf has a table for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// 95 %.
    P95,
    /// 99 %.
    P99,
}

/// The figures of one iteration that have a mean.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Iteration {
    /// Seconds.
    pub elapsed_seconds: f64,
    /// Bytes per second.
    pub bytes_per_second: f64,
    /// Transactions per second; 0 in streams.
    pub transactions_per_second: f64,
    /// The client's CPU utilisation in percent, if measured.
    pub local_cpu_percent: Option<f64>,
    /// The server's.
    pub remote_cpu_percent: Option<f64>,
    /// The client's microseconds for each unit of work.
    pub local_service_demand: Option<f64>,
    /// The server's.
    pub remote_service_demand: Option<f64>,
}

/// Means over iterations; what was not measured has none.
pub type Means = Iteration;

/// The iterations so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeated {
    repeat: Repeat,
    iterations: Vec<Iteration>,
}

impl Default for Repeat {
    /// Once.
    fn default() -> Self {
        Self {
            least: 1,
            most: 1,
            wanted: None,
            result_only: false,
        }
    }
}

impl Level {
    /// The number.
    pub const fn percent(self) -> u32 {
        match self {
            Self::P95 => 95,
            Self::P99 => 99,
        }
    }

    /// Student's t, two-sided, for 1 to 30 degrees of freedom, as rounded as netperf's.
    fn t(self, degrees: usize) -> f64 {
        #[rustfmt::skip]
        const P95: [f64; 30] = [
            12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
            2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
            2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
        ];
        #[rustfmt::skip]
        const P99: [f64; 30] = [
            63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169,
            3.106, 3.055, 3.012, 2.977, 2.947, 2.921, 2.898, 2.878, 2.861, 2.845,
            2.831, 2.819, 2.807, 2.797, 2.787, 2.779, 2.771, 2.763, 2.756, 2.750,
        ];
        let table = match self {
            Self::P95 => P95,
            Self::P99 => P99,
        };
        table[degrees.clamp(1, 30) - 1]
    }
}

impl Repeated {
    /// None yet.
    pub fn new(repeat: Repeat) -> Self {
        Self {
            repeat,
            iterations: Vec::new(),
        }
    }

    /// Takes the figures of one more.
    pub fn push(&mut self, iteration: Iteration) {
        self.iterations.push(iteration);
    }

    /// Whether another one is to run.
    pub fn goes_on(&self) -> bool {
        let done = u32::try_from(self.iterations.len()).unwrap_or(u32::MAX);
        let enough = self
            .confidence()
            .is_none_or(|confidence| confidence.reached);
        done < self.repeat.least || (!enough && done < self.repeat.most)
    }

    /// How many there were.
    pub fn len(&self) -> usize {
        self.iterations.len()
    }

    /// Whether none has run yet.
    pub fn is_empty(&self) -> bool {
        self.iterations.is_empty()
    }

    /// The means.
    pub fn means(&self) -> Means {
        let of = |figure: fn(&Iteration) -> f64| {
            self.mean_of(|iteration| Some(figure(iteration)))
                .unwrap_or(0.0)
        };
        Means {
            elapsed_seconds: of(|i| i.elapsed_seconds),
            bytes_per_second: of(|i| i.bytes_per_second),
            transactions_per_second: of(|i| i.transactions_per_second),
            local_cpu_percent: self.mean_of(|i| i.local_cpu_percent),
            remote_cpu_percent: self.mean_of(|i| i.remote_cpu_percent),
            local_service_demand: self.mean_of(|i| i.local_service_demand),
            remote_service_demand: self.mean_of(|i| i.remote_service_demand),
        }
    }

    /// What was reached of what was asked; none if nothing was asked. One iteration tells nothing
    /// of the spread: its widths are 100 %.
    pub fn confidence(&self) -> Option<Confidence> {
        let (level, wanted) = self.repeat.wanted?;
        let width = |figure: fn(&Iteration) -> Option<f64>| self.width_of(level, figure);
        let throughput = width(|i| {
            Some(i.transactions_per_second)
                .filter(|rate| *rate > 0.0)
                .or(Some(i.bytes_per_second))
        });
        let local_cpu = width(|i| i.local_cpu_percent);
        let remote_cpu = width(|i| i.remote_cpu_percent);
        let widest = match self.repeat.result_only {
            true => throughput,
            false => throughput.max(local_cpu).max(remote_cpu),
        };
        Some(Confidence {
            level_percent: level.percent(),
            width_percent: wanted,
            throughput_percent: throughput,
            local_cpu_percent: local_cpu,
            remote_cpu_percent: remote_cpu,
            reached: widest <= wanted,
        })
    }

    fn mean_of(&self, figure: impl Fn(&Iteration) -> Option<f64>) -> Option<f64> {
        let values: Option<Vec<f64>> = self.iterations.iter().map(figure).collect();
        mean(&values?)
    }

    /// Full width in percent of the mean. What is not measured is known exactly.
    fn width_of(&self, level: Level, figure: fn(&Iteration) -> Option<f64>) -> f64 {
        let values: Option<Vec<f64>> = self.iterations.iter().map(figure).collect();
        let Some(values) = values else {
            return 0.0;
        };
        let Some(mean) = mean(&values).filter(|_| values.len() > 1) else {
            return 100.0;
        };
        let squares = values.iter().map(|value| (value - mean).powi(2));
        let degrees = values.len() - 1;
        let variance = squares.sum::<f64>() / values.len() as f64;
        let half = level.t(degrees) * (variance / degrees as f64).sqrt();
        match mean > 0.0 {
            true => 200.0 * half / mean,
            false => 0.0,
        }
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeated(repeat: Repeat, rates: &[f64]) -> Repeated {
        let mut repeated = Repeated::new(repeat);
        for rate in rates {
            repeated.push(Iteration {
                bytes_per_second: *rate,
                ..Iteration::default()
            });
        }
        repeated
    }

    const WANTED: Repeat = Repeat {
        least: 3,
        most: 10,
        wanted: Some((Level::P99, 5.0)),
        result_only: false,
    };

    #[test]
    fn once_when_nothing_is_asked() {
        assert!(repeated(Repeat::default(), &[]).goes_on());
        assert!(!repeated(Repeat::default(), &[1.0]).goes_on());
        assert_eq!(repeated(Repeat::default(), &[1.0]).confidence(), None);
    }

    #[test]
    fn at_least_and_at_most() {
        assert!(repeated(WANTED, &[7.0, 7.0]).goes_on());
        assert!(!repeated(WANTED, &[7.0, 7.0, 7.0]).goes_on());
        assert!(repeated(WANTED, &[1.0, 2.0, 3.0]).goes_on());
        let ten: Vec<f64> = (1..=10).map(f64::from).collect();
        assert!(repeated(WANTED, &ten[..9]).goes_on());
        assert!(!repeated(WANTED, &ten).goes_on());
    }

    /// Rates 90, 100, 110: variance 66.667 of the population; 2 * 9.925 * sqrt(66.667 / 2) / 100.
    #[test]
    fn the_width_is_netperfs() {
        let confidence = repeated(WANTED, &[90.0, 100.0, 110.0])
            .confidence()
            .unwrap();
        let expected = 2.0 * 9.925 * (200.0_f64 / 3.0 / 2.0).sqrt();
        assert!((confidence.throughput_percent - expected).abs() < 1e-9);
        assert_eq!(confidence.local_cpu_percent, 0.0);
        assert!(!confidence.reached);
    }

    #[test]
    fn an_unsteady_cpu_counts_unless_only_the_result_does() {
        for (result_only, reached) in [(false, false), (true, true)] {
            let mut repeated = Repeated::new(Repeat {
                result_only,
                ..WANTED
            });
            for cpu in [10.0, 50.0, 90.0] {
                repeated.push(Iteration {
                    bytes_per_second: 5.0,
                    local_cpu_percent: Some(cpu),
                    ..Iteration::default()
                });
            }
            assert_eq!(repeated.confidence().unwrap().reached, reached);
            assert_eq!(repeated.means().local_cpu_percent, Some(50.0));
            assert_eq!(repeated.means().remote_cpu_percent, None);
        }
    }
}
