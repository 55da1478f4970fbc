//! Numbers to numbers. Latency is kept as counts per bucket of one fixed [`Scale`], so that
//! histograms of flows, workers, hosts and runs add up; percentiles are taken from sums only.

mod buckets;
mod fairness;
mod jitter;
mod sample;
mod scale;
mod sequence;

pub use buckets::{Summary, merge, subtract, summary};
pub use fairness::jain;
pub use jitter::Jitter;
pub use sample::{
    MinMedianMax, coefficient_of_variation, mean, median, min_median_max, standard_deviation,
};
pub use scale::Scale;
pub use sequence::{Arrived, Sequence};
