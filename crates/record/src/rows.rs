//! What a host's kernel counted, row by row.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Values by name, of one thing.
type Values = BTreeMap<String, u64>;

/// Rows of a host: source, label, name, value. The source says where it was read (`softnet`), the
/// label of what it is (`cpu0`), the name what was counted, with its unit unless it is a plain
/// number. A row that is not there was not counted: absent is never zero.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Rows(BTreeMap<String, BTreeMap<String, Values>>);

/// One row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row<'a> {
    /// Where it was read.
    pub source: &'a str,
    /// Of what it is.
    pub label: &'a str,
    /// What it counts.
    pub name: &'a str,
    /// Its value.
    pub value: u64,
}

/// Rows whose value may fall: what is there now and not what was counted. None names all rows of
/// the source.
const GAUGES: &[(&str, Option<&str>)] = &[
    ("class", Some("backlog_bytes")),
    ("class", Some("backlog_packets")),
    ("dequeue", Some("largest_packets")),
    ("host", Some("blocked")),
    ("host", Some("runnable")),
    ("lock", Some("longest_ns")),
    ("netstat", Some("MPCurrEstab")),
    ("qdisc", Some("backlog_bytes")),
    ("qdisc", Some("backlog_packets")),
    ("snmp", Some("CurrEstab")),
    ("snmp", Some("DefaultTTL")),
    ("snmp", Some("Forwarding")),
    ("snmp", Some("MaxConn")),
    ("snmp", Some("RtoAlgorithm")),
    ("snmp", Some("RtoMax")),
    ("snmp", Some("RtoMin")),
    ("sockstat", None),
    ("softnet", Some("backlog")),
    ("softnet", Some("input_queue")),
    ("softnet", Some("process_queue")),
    ("thread", Some("cpu")),
    ("txq", Some("longest_ns")),
];

/// Sources whose counters have 32 bits in the kernel and begin anew.
const WRAP_AT_32_BITS: &[&str] = &["class", "interrupts", "qdisc", "softirqs", "softnet"];

impl Rows {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.groups().map(|(_, _, values)| values.len()).sum()
    }

    /// Sets a row.
    pub fn set(&mut self, source: &str, label: &str, name: &str, value: u64) {
        let values = self.values_mut(source, label);
        match values.get_mut(name) {
            Some(place) => *place = value,
            None => {
                values.insert(name.to_owned(), value);
            }
        }
    }

    /// A row's value.
    pub fn get(&self, source: &str, label: &str, name: &str) -> Option<u64> {
        self.0.get(source)?.get(label)?.get(name).copied()
    }

    /// Sum of the rows of this source and name over all labels; none without any.
    pub fn sum(&self, source: &str, name: &str) -> Option<u64> {
        let values = self.0.get(source)?.values();
        values
            .filter_map(|values| values.get(name).copied())
            .reduce(u64::saturating_add)
    }

    /// The labels of a source.
    pub fn labels(&self, source: &str) -> impl Iterator<Item = &str> {
        let labels = self.0.get(source).into_iter().flat_map(BTreeMap::keys);
        labels.map(String::as_str)
    }

    /// All rows, by source, label and name.
    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        self.groups().flat_map(|(source, label, values)| {
            values.iter().map(move |(name, value)| Row {
                source,
                label,
                name,
                value: *value,
            })
        })
    }

    /// Whether such a row tells what is there now, and not what was counted.
    pub fn is_gauge(source: &str, name: &str) -> bool {
        GAUGES
            .iter()
            .any(|(of, named)| *of == source && named.is_none_or(|named| named == name))
    }

    /// What the counters gained since `earlier`, and no gauges. A thing that came in between began
    /// at zero; a source that was not read before, and a counter that fell, give no row.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut gained = Self::default();
        for row in self.iter() {
            if Self::is_gauge(row.source, row.name) || !earlier.0.contains_key(row.source) {
                continue;
            }
            let before = earlier.get(row.source, row.label, row.name).unwrap_or(0);
            if let Some(value) = gain(row.source, before, row.value) {
                gained.set(row.source, row.label, row.name, value);
            }
        }
        gained
    }

    /// The gauges, each with the higher value of both.
    #[must_use]
    pub fn highest(&self, other: &Self) -> Self {
        let mut highest = Self::default();
        let gauges = |row: &Row| Self::is_gauge(row.source, row.name);
        for row in self.iter().chain(other.iter()).filter(gauges) {
            let so_far = highest.get(row.source, row.label, row.name).unwrap_or(0);
            highest.set(row.source, row.label, row.name, row.value.max(so_far));
        }
        highest
    }

    /// The rows that are new or have another value than in `earlier`.
    #[must_use]
    pub fn changed(&self, earlier: &Self) -> Self {
        let mut changed = Self::default();
        for (source, label, values) in self.groups() {
            let before = earlier.0.get(source).and_then(|of| of.get(label));
            if before == Some(values) {
                continue;
            }
            for (name, value) in values {
                if before.and_then(|before| before.get(name)) != Some(value) {
                    changed.set(source, label, name, *value);
                }
            }
        }
        changed
    }

    /// Sources and labels of `earlier` that are not here.
    pub fn gone(&self, earlier: &Self) -> Vec<Gone> {
        let here = |source: &str, label: &str| {
            self.0
                .get(source)
                .is_some_and(|labels| labels.contains_key(label))
        };
        earlier
            .groups()
            .filter(|(source, label, _)| !here(source, label))
            .map(|(source, label, _)| Gone {
                source: source.to_owned(),
                label: label.to_owned(),
            })
            .collect()
    }

    /// Takes what another reading changed.
    pub fn apply(&mut self, changed: &Self, gone: &[Gone]) {
        for Gone { source, label } in gone {
            if let Some(labels) = self.0.get_mut(source) {
                labels.remove(label);
                if labels.is_empty() {
                    self.0.remove(source);
                }
            }
        }
        for row in changed.iter() {
            self.set(row.source, row.label, row.name, row.value);
        }
    }

    /// The same rows with their sources, labels and names put through `change`.
    #[must_use]
    pub fn renamed(self, mut change: impl FnMut(&mut String)) -> Self {
        let mut renamed = Self::default();
        for (mut source, labels) in self.0 {
            change(&mut source);
            for (mut label, values) in labels {
                change(&mut label);
                for (mut name, value) in values {
                    change(&mut name);
                    renamed.set(&source, &label, &name, value);
                }
            }
        }
        renamed
    }

    fn groups(&self) -> impl Iterator<Item = (&str, &str, &Values)> {
        self.0.iter().flat_map(|(source, labels)| {
            labels
                .iter()
                .map(move |(label, values)| (source.as_str(), label.as_str(), values))
        })
    }

    fn values_mut(&mut self, source: &str, label: &str) -> &mut Values {
        // Looked up before a key is made: a sampler sets the same rows over and over.
        if !self.0.contains_key(source) {
            self.0.insert(source.to_owned(), BTreeMap::new());
        }
        let labels = self.0.entry(source.to_owned()).or_default();
        labels.entry(label.to_owned()).or_default()
    }
}

/// A thing that was there at the reading before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gone {
    /// Its source.
    pub source: String,
    /// Its label.
    pub label: String,
}

/// `None` for a counter that fell.
fn gain(source: &str, before: u64, after: u64) -> Option<u64> {
    const WRAP: u64 = 1 << 32;
    let wrapped =
        WRAP_AT_32_BITS.contains(&source) && (WRAP / 2..WRAP).contains(&before) && after < WRAP / 2;
    match after.checked_sub(before) {
        None if wrapped => Some(after + WRAP - before),
        other => other,
    }
}

#[cfg(test)]
mod tests;
