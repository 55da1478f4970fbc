//! The figures that `-o`, `-k` and `-O` choose from.

mod figure;
mod row;
mod table;

use row::{Row, Value};
use table::TABLE;

use super::{Form, NetperfResult};

/// One of netperf's output selectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Selector(usize);

impl Selector {
    /// Every selector, in netperf's order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..TABLE.len()).map(Self)
    }

    /// The selector of that name, in upper or lower case.
    pub fn of(name: &str) -> Option<Self> {
        Self::all().find(|selector| selector.name().eq_ignore_ascii_case(name))
    }

    /// The selector whose head is this text.
    pub(super) fn headed(head: &str) -> Option<Self> {
        Self::all().find(|selector| selector.heads().join(" ").eq_ignore_ascii_case(head))
    }

    /// The name in capitals.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The words of its head.
    pub(super) fn heads(self) -> &'static [&'static str] {
        self.row().heads
    }

    /// Whether it shows times of single operations.
    pub fn is_latency(self) -> bool {
        let name = self.name();
        name.ends_with("_LATENCY") && name != "RT_LATENCY"
    }

    /// What it shows; none if there is nothing.
    pub(super) fn value(self, result: &NetperfResult, form: &Form) -> Option<String> {
        match self.row().value {
            Value::Same(text) => Some(text.to_owned()),
            Value::Local(of) => Some(of(&result.local)),
            Value::Remote(of) => Some(of(&result.remote)),
            Value::Whole(of) => of(result, form),
        }
    }

    /// Those from `first` to `last`.
    pub(super) fn between(first: &str, last: &str) -> impl Iterator<Item = Self> {
        let (first, last) = (Self::of(first), Self::of(last));
        Self::all()
            .skip_while(move |selector| Some(*selector) != first)
            .take_while(move |selector| Some(*selector) <= last)
    }

    fn row(self) -> &'static Row {
        const ROWS: &[Row] = &TABLE;
        &ROWS[self.0]
    }
}
