//! What both hosts did while the load ran.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{End, Gone, HostCpu, Rows};

/// One reading of one end's host, as what changed since that end's reading before; the first one
/// has everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// Which end.
    pub end: End,
    /// When the reading began, ns since the run's common start.
    pub at_ns: u64,
    /// Rows that are new or changed, cumulative.
    pub rows: Rows,
    /// Things that are not there any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<Gone>,
    /// What could not be read although this kernel has it, one sentence each, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
}

/// Both hosts in the measured time; none where nothing was read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostsObserved {
    /// The client's.
    pub client: Option<HostObserved>,
    /// The server's.
    pub server: Option<HostObserved>,
}

/// One host in the measured time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostObserved {
    /// CPU time of all its CPUs.
    pub cpu: Option<HostCpu>,
    /// Time between the two readings that the rows come from, s.
    pub seconds: Option<f64>,
    /// What the host's counters gained between them: by source, label and name.
    pub counted: Rows,
    /// The highest value that each gauge had at a reading.
    pub highest: Rows,
}

impl HostsObserved {
    /// One end's.
    pub const fn of(&self, end: End) -> Option<&HostObserved> {
        match end {
            End::Client => self.client.as_ref(),
            End::Server => self.server.as_ref(),
        }
    }

    /// CPU time of one end's host.
    pub fn cpu(&self, end: End) -> Option<HostCpu> {
        self.of(end)?.cpu
    }
}

impl HostObserved {
    /// What this counter gained.
    pub fn counted(&self, source: &str, label: &str, name: &str) -> Option<u64> {
        self.counted.get(source, label, name)
    }

    /// What the counters of this source and name gained over all labels.
    pub fn sum(&self, source: &str, name: &str) -> Option<u64> {
        self.counted.sum(source, name)
    }
}
