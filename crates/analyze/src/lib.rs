//! What it means. [`assemble`] folds the stream of facts into the document that every run ends
//! in; live, on a broken event file and in replay it is the same fold. Nothing is invented: a
//! figure whose facts never came is none.

mod assemble;
mod cost;
mod counted;
mod doubt;
mod fairness;
mod finding;
mod interval;
mod latency;
mod ledger;
mod load;
mod loss;
mod observed;
mod row;
#[cfg(any(test, feature = "samples"))]
pub mod samples;
pub mod schedule;
mod stream;
mod tcp;
#[cfg(test)]
mod tests;
mod wire;

pub use assemble::assemble;
pub use doubt::invalidity;
pub use finding::findings;
pub use interval::Intervals;
