//! What netperf prints. Layouts, widths and trailing blanks are part of it: scripts count lines
//! and columns.
//!
//! A test prints its [`banner`] first, [`interim`] lines while it runs, and at its end what
//! [`render`] gives.

mod banner;
mod classic;
mod confidence;
mod form;
mod general;
mod histogram;
mod interim;
mod omni;
mod result;
mod selection;
mod selector;
mod unit;

#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;

pub use banner::{Banner, Endpoint, banner};
pub use confidence::Confidence;
pub use form::{Form, Layout, Protocol, Test, Way};
pub use general::general;
pub use interim::{Interim, interim};
pub use result::{Buffer, Cpu, End, Latency, NetperfResult};
pub use selection::{SELECTORS_MOST_BLOCKS, Selection, SelectionError};
pub use selector::Selector;
pub use unit::Unit;

/// Everything after the banner and the interim lines.
pub fn render(result: &NetperfResult, form: &Form) -> String {
    let figures = match &form.layout {
        Layout::Classic => classic::classic(result, form),
        Layout::Csv(selection) => omni::csv(selection, result, form),
        Layout::Keyval(selection) => omni::keyval(selection, result, form),
        Layout::Human(selection) => omni::human(selection, result, form),
    };
    figures + &histogram::histogram(result, form)
}

/// What LOC_CPU and REM_CPU print: the rate of the calibration, without an end of line. `end` is
/// `local` or `remote`.
pub fn calibration(rate: f64, cpus: u32, end: &str, verbosity: u32) -> String {
    let rate = general(rate, 6);
    match verbosity {
        0 | 1 => rate,
        _ => format!("{rate}\nThere are {cpus} {end} cpus\n"),
    }
}
