//! A host without a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Rows;

/// What a host counted in one interval: a line of `netdyno observe --json-lines`, schema
/// `netdyno.observe/1`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Watched {
    /// Always `netdyno.observe/1`.
    #[schemars(extend("const" = Self::SCHEMA))]
    pub schema: String,
    /// The host's name.
    pub host: Option<String>,
    /// Wall time of the interval's end, RFC 3339; a label only.
    pub time: String,
    /// Its measured length, s.
    pub seconds: f64,
    /// What the counters gained in it: by source, label and name.
    pub counted: Rows,
    /// What the gauges said at its end.
    pub gauges: Rows,
    /// What could not be read, each told once.
    pub unread: Vec<String>,
}

impl Watched {
    /// The value of `schema`.
    pub const SCHEMA: &'static str = "netdyno.observe/1";
}
