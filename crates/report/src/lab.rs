//! Results of the lab for eyes. Every one says whether it was simulated or measured.

mod contest;
pub mod document;
mod measured;
mod model;
mod path;
pub mod plot;
mod reproduce;

use serde::Serialize;

pub use contest::contest;
pub use measured::{Threads, readings, threads};
pub use model::model;
pub use path::{hol, qdisc, reporters, timers};
pub use reproduce::{experiments, hypotheses, sensitivity};

/// A result as one JSON document, with a newline at its end.
pub fn json(result: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(result).expect("lab results serialise in memory");
    text.push('\n');
    text
}

/// A bar of a histogram in so many columns.
fn bar(count: u64, most: u64, columns: u64) -> String {
    let length = (count * columns).div_ceil(most.max(1));
    "#".repeat(length as usize)
}
