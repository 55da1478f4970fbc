//! How many flows each load has: what every list from the peer is held against.

use plan::Plan;
use record::{Edge, End, EndReport, Observation};
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

    pub(super) fn check_observation(&self, observation: &Observation) -> Result<(), Broken> {
        match observation.end {
            End::Server => Ok(()),
            End::Client => Err("the server sent an observation of the client".into()),
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::sample;

    fn roster() -> Roster {
        Roster::of(&sample::plan())
    }

    #[test]
    fn flows_give_patience_and_room() {
        for (flows, seconds) in [
            (&[1][..], 10),
            (&[1999], 10),
            (&[2000], 11),
            (&[50_000, 50_000], 60),
        ] {
            let roster = Roster::of(&sample::plan_of(flows));
            assert_eq!(roster.patience(), Nanos::from_secs(seconds), "{flows:?}");
        }
        assert_eq!(roster().server_limit(), Bytes::new((1 << 20) + 4 * 21));
    }

    #[test]
    fn caps_name_loads_of_the_plan() {
        assert_eq!(roster().check_caps(&sample::caps()), Ok(()));
        let mut caps = sample::caps();
        caps[0].load = 2;
        assert_eq!(
            roster().check_caps(&caps),
            Err("a cap for load 2, the plan has 2 loads".into())
        );
    }

    #[test]
    fn an_edge_has_all_loads_and_all_or_no_flows() {
        assert_eq!(roster().check_edge(&sample::edge()), Ok(()));
        let mut edge = sample::edge();
        edge.loads[0].flows.clear();
        assert_eq!(roster().check_edge(&edge), Ok(()));
        edge.loads[0].flows.resize(4, record::Counters::default());
        assert_eq!(
            roster().check_edge(&edge),
            Err("an edge with 4 flows of load 0, it has 3".into())
        );
        edge.loads.pop();
        assert_eq!(
            roster().check_edge(&edge),
            Err("an edge for 1 loads, the plan has 2".into())
        );
        edge.end = End::Client;
        assert_eq!(
            roster().check_edge(&edge),
            Err("the server sent an edge of the client".into())
        );
    }

    #[test]
    fn totals_name_each_load_once_and_all_its_flows() {
        let totals = |load, flows| SentTotals {
            load,
            flows: vec![0; flows],
        };
        let check = |sent: &[SentTotals]| roster().check_totals(sent);
        assert_eq!(check(&[]), Ok(()));
        assert_eq!(check(&[totals(0, 3), totals(1, 1)]), Ok(()));
        assert!(check(&[totals(1, 1), totals(0, 3)]).is_err());
        assert!(check(&[totals(0, 3), totals(0, 3)]).is_err());
        assert!(check(&[totals(0, 4)]).is_err());
        assert!(check(&[totals(2, 1)]).is_err());
    }
}
