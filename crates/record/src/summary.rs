//! A run in one line.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Status;

/// What a list of runs shows of each: enough to find it, to plot it and to export it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// The run's name in the store.
    pub id: String,
    /// Wall time of the start, RFC 3339.
    pub started: String,
    /// How it ended.
    pub status: Status,
    /// The server as it was named; `testbed` for one that the run made.
    pub host: String,
    /// Its loads without the probe: kind and flows, `stream x4`.
    pub loads: Vec<String>,
    /// What the user called it.
    #[serde(default)]
    pub label: Option<String>,
    /// What the user had to say about it.
    #[serde(default)]
    pub note: Option<String>,
    /// Every figure that sides are compared by.
    pub values: BTreeMap<String, f64>,
}
