//! One selector.

use crate::dialect::netperf::{End, Form, NetperfResult};

/// A name, the words of its head, and its value.
pub(in crate::dialect::netperf) struct Row {
    pub name: &'static str,
    /// One a line in the human form.
    pub heads: &'static [&'static str],
    pub value: Value,
}

/// Where a value comes from.
pub(in crate::dialect::netperf) enum Value {
    /// It is always the same.
    Same(&'static str),
    /// The client.
    Local(fn(&End) -> String),
    /// The server.
    Remote(fn(&End) -> String),
    /// The test as a whole; none is no value.
    Whole(fn(&NetperfResult, &Form) -> Option<String>),
}

pub(super) const fn row(name: &'static str, heads: &'static [&'static str], value: Value) -> Row {
    Row { name, heads, value }
}
