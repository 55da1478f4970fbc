//! How many flows each load has: what every list from the peer is held against.

use plan::Plan;
use record::{Edge, End, EndReport};
use units::{Bytes, Nanos};

use super::{Cap, FrameReader, SentTotals};

/// Flows of each load, in the plan's order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Roster(Vec<u32>);

/// A broken rule as a sentence.
pub(super) type Broken = String;

impl Roster {
    pub(super) fn of(plan: &Plan) -> Self {
        Self(plan.loads.iter().map(|load| load.flows.get()).collect())
    }

    /// How long all flows may take to connect, and all figures of all flows to travel.
    pub(super) fn patience(&self) -> Nanos {
        Nanos::from_secs(10 + self.total() / 2000)
    }

    /// The longest message that a server accepts once it accepted the plan: the totals name every
    /// flow with a number of up to 20 digits and a comma.
    pub(super) fn server_limit(&self) -> Bytes {
        Bytes::new(FrameReader::SERVER_LIMIT.get() + 21 * self.total())
    }

    pub(super) fn check_caps(&self, caps: &[Cap]) -> Result<(), Broken> {
        caps.iter()
            .try_for_each(|cap| self.check_load("a cap", cap.load).map(drop))
    }

    pub(super) fn check_count(&self, what: &str, count: usize) -> Result<(), Broken> {
        let loads = self.0.len();
        (count == loads)
            .then_some(())
            .ok_or_else(|| format!("{what} for {count} loads, the plan has {loads}"))
    }

    pub(super) fn check_totals(&self, totals: &[SentTotals]) -> Result<(), Broken> {
        if !totals.is_sorted_by(|a, b| a.load < b.load) {
            return Err("totals name a load twice, or not in the plan's order".into());
        }
        for SentTotals { load, flows } in totals {
            self.check_flows("totals", *load, flows.len())?;
        }
        Ok(())
    }

    pub(super) fn check_edge(&self, edge: &Edge) -> Result<(), Broken> {
        if edge.end != End::Server {
            return Err("the server sent an edge of the client".into());
        }
        self.check_count("an edge", edge.loads.len())?;
        let counted = edge.loads.iter().enumerate();
        counted
            .filter(|(_, load)| !load.flows.is_empty())
            .try_for_each(|(index, load)| self.check_flows("an edge", index, load.flows.len()))
    }

    pub(super) fn check_report(&self, report: &EndReport) -> Result<(), Broken> {
        if report.end != End::Server {
            return Err("the server sent a report of the client".into());
        }
        self.check_count("a report", report.loads.len())?;
        match report.loads.iter().all(|load| load.flows.is_empty()) {
            true => Ok(()),
            false => Err("a report with flows in it, they come apart".into()),
        }
    }

    /// The flows of load `index`, which must exist.
    pub(super) fn check_load(&self, what: &str, index: usize) -> Result<u32, Broken> {
        self.0.get(index).copied().ok_or_else(|| {
            let loads = self.0.len();
            format!("{what} for load {index}, the plan has {loads} loads")
        })
    }

    fn check_flows(&self, what: &str, index: usize, count: usize) -> Result<(), Broken> {
        let flows = self.check_load(what, index)?;
        match u32::try_from(count) == Ok(flows) {
            true => Ok(()),
            false => Err(format!(
                "{what} with {count} flows of load {index}, it has {flows}"
            )),
        }
    }

    fn total(&self) -> u64 {
        self.0.iter().copied().map(u64::from).sum()
    }
}
