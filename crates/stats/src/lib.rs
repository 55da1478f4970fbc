//! Numbers to numbers. Latency is kept as counts per bucket of one fixed [`Scale`], so that
//! histograms of flows, workers, hosts and runs add up; percentiles are taken from sums only.
//!
//! What compares two sides gives an [`Interval`] that misses with probability `alpha`, and is the
//! same every time: what is drawn at random is drawn from a fixed seed.

mod bootstrap;
mod buckets;
mod change;
mod equivalence;
mod fairness;
mod holm;
mod interval;
mod jitter;
mod looks;
mod modes;
mod order;
mod paired;
mod random;
mod ranks;
mod sample;
mod scale;
mod sequence;
mod sign_flip;
mod student;
mod trend;
mod walsh;

#[cfg(test)]
mod coverage;

pub use bootstrap::{RESAMPLES, bca_interval};
pub use buckets::{Summary, merge, subtract, summary};
pub use change::{Change, ChangeRule, LEAST_HISTORY, changes};
pub use equivalence::{Side, pairs_needed, tost};
pub use fairness::jain;
pub use holm::holm;
pub use interval::Interval;
pub use jitter::Jitter;
pub use looks::nominal_levels;
pub use modes::{Modes, fisher, modes};
pub use order::{quantile, quantile_interval};
pub use paired::{Paired, PairedMethod, paired, paired_p, paired_side};
pub use random::Random;
pub use ranks::{MannWhitney, mann_whitney};
pub use sample::{
    MinMedianMax, coefficient_of_variation, mean, median, min_median_max, standard_deviation,
};
pub use scale::Scale;
pub use sequence::{Arrived, Sequence};
pub use sign_flip::{sign_flip_interval, smallest_p};
pub use student::{
    Welch, fieller, normal_quantile, normal_share, t_interval, t_quantile, t_two_sided, welch,
};
pub use trend::{Drift, drift, effective_size, lag_one, outliers};
pub use walsh::{hodges_lehmann, shift, signed_rank_interval};
