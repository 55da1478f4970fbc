//! What it means. [`assemble`] folds the stream of facts into the document that every run ends
//! in; live, on a broken event file and in replay it is the same fold. Nothing is invented: a
//! figure whose facts never came is none.

mod assemble;
pub mod comparison;
mod cost;
mod counted;
mod doubt;
mod environment;
mod fairness;
mod finding;
mod interval;
mod latency;
mod ledger;
mod load;
mod loss;
pub mod metric;
mod observed;
mod row;
#[cfg(any(test, feature = "samples"))]
pub mod samples;
pub mod schedule;
pub mod series;
mod stream;
mod summary;
mod tcp;
#[cfg(test)]
mod tests;
mod trend;
pub mod warm_up;
mod wire;

pub use assemble::assemble;
pub use comparison::comparison;
pub use doubt::invalidity;
pub use environment::{Difference, differences};
pub use finding::{findings, findings_of_rows};
pub use interval::Intervals;
pub use summary::summary;
pub use trend::trend;
