//! The largest segment: the test TCP_MSS, and the end of a stream's `-v 2`.

use crate::dialect::netperf::{Form, NetperfResult};

const HEADS: &str = "Maximum\nSegment\nSize (bytes)\n";

/// TCP_MSS.
pub(super) fn segment(result: &NetperfResult, form: &Form) -> String {
    let heads = match form.headers && form.verbosity > 0 {
        true => format!("{HEADS}\n"),
        false => String::new(),
    };
    format!("{heads}{} {}\n", number(result), form.tail())
}

/// At the end of a stream's figures.
pub(super) fn lines(result: &NetperfResult) -> String {
    format!("{HEADS}{:6}\n", number(result))
}

fn number(result: &NetperfResult) -> i64 {
    result.mss.map_or(-1, i64::from)
}
