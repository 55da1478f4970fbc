//! Lines while the test runs (`-D`).

use super::{Form, Layout, Test};

/// What the client did since the line before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interim {
    /// Number of the line, from 0.
    pub index: usize,
    /// Bytes, or transactions if the unit is transactions.
    pub per_second: f64,
    /// Over how long.
    pub seconds: f64,
    /// Until when, in milliseconds since 1970.
    pub ending_unix_ms: u64,
}

/// The line, or lines of keys and values, with the end.
pub fn interim(interim: &Interim, form: &Form) -> String {
    let Interim {
        index,
        per_second,
        seconds,
        ending_unix_ms,
    } = *interim;
    // netperf shows connections under the names of bytes and bits here.
    let unit = match form.test {
        Test::TcpCc => form.unit.of_bytes(),
        _ => form.unit,
    };
    let (figure, unit) = (unit.figure(per_second), unit.name());
    let ending = format!("{}.{:03}", ending_unix_ms / 1000, ending_unix_ms % 1000);
    match form.layout {
        Layout::Classic | Layout::Human(_) => format!(
            "Interim result: {figure:7.2} {unit}/s over {seconds:.3} seconds ending at {ending}\n"
        ),
        Layout::Csv(_) => format!("{figure:7.2},{unit}/s,{seconds:.3},{ending}\n"),
        Layout::Keyval(_) => format!(
            "NETPERF_INTERIM_RESULT[{index}]={figure:.2}\n\
             NETPERF_UNITS[{index}]={unit}/s\n\
             NETPERF_INTERVAL[{index}]={seconds:.3}\n\
             NETPERF_ENDING[{index}]={ending}\n"
        ),
    }
}
