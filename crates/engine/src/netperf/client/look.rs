//! What the coordinator sees of all flows at one instant.

use proto::netperf::Work;
use record::{Buckets, LoadEdge};

use super::Job;
use super::line::Line;
use crate::flow::Timings;
use crate::mark::{Mark, Sight};

/// Looks at flows, edge after edge.
pub(super) struct Look {
    timings: Vec<Timings>,
    asks: bool,
    /// Response times at the edge before.
    before: Buckets,
}

impl Look {
    pub fn new(job: &Job, timings: Vec<Timings>) -> Self {
        Self {
            timings,
            asks: asks(job),
            before: Buckets::default(),
        }
    }

    /// Everything.
    pub fn whole(&self, lines: &[Line]) -> Mark {
        self.sight(lines).whole()
    }

    /// What an interval needs.
    pub fn light(&self, lines: &[Line]) -> Mark {
        self.sight(lines).light()
    }

    /// What an edge tells of a mark.
    pub fn edge(&mut self, mark: &Mark) -> LoadEdge {
        let edge = mark.edge(&self.before);
        self.before.clone_from(&mark.response);
        edge
    }

    fn sight<'a>(&'a self, lines: &'a [Line]) -> Sight<'a> {
        Sight {
            flows: lines.iter().map(|line| &line.handle).collect(),
            timings: &self.timings,
            asks: self.asks,
            // netperf's datagrams have no sequence numbers.
            sequenced: false,
        }
    }
}

/// Whether what comes are answers.
pub(super) fn asks(job: &Job) -> bool {
    matches!(job.work, Work::Exchange { .. } | Work::Connect)
}
