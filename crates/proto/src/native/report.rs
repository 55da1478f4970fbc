//! The closing report on the wire: first everything but the flows, then the flows in pieces that
//! stay far below the longest message, then an end mark.

use std::mem::take;

use record::{EndReport, FlowReport};

use super::ServerMessage;
use super::roster::{Broken, Roster};

#[cfg(test)]
mod tests;

/// Flows in one message.
const CHUNK: usize = 256;

/// The sender's side: the messages of a report, made one at a time as the last one is sent.
#[derive(Debug)]
pub(super) struct Pieces {
    report: Option<Box<EndReport>>,
    /// Flows that remain of each load, by its index, in reverse order.
    flows: Vec<(usize, Vec<FlowReport>)>,
    /// Index of the first flow that remains of the load that is being sent.
    first: u32,
    ended: bool,
}

impl Pieces {
    pub(super) fn of(mut report: Box<EndReport>) -> Self {
        let loads = report.loads.iter_mut().enumerate().rev();
        Self {
            flows: loads.map(|(load, r)| (load, take(&mut r.flows))).collect(),
            report: Some(report),
            first: 0,
            ended: false,
        }
    }
}

impl Iterator for Pieces {
    type Item = ServerMessage;

    fn next(&mut self) -> Option<ServerMessage> {
        if let Some(report) = self.report.take() {
            return Some(ServerMessage::Report { report });
        }
        while let Some((load, rows)) = self.flows.last_mut() {
            if rows.is_empty() {
                self.flows.pop();
                self.first = 0;
                continue;
            }
            let rest = rows.split_off(rows.len().min(CHUNK));
            let flows = std::mem::replace(rows, rest);
            let (load, first) = (*load, self.first);
            self.first += flows.len() as u32;
            return Some(ServerMessage::Flows { load, first, flows });
        }
        (!std::mem::replace(&mut self.ended, true)).then_some(ServerMessage::ReportEnd {})
    }
}

/// The receiver's side: a report that grows with the pieces that come.
#[derive(Debug)]
pub(super) struct Assembly(Box<EndReport>);

impl Assembly {
    pub(super) fn begin(roster: &Roster, report: Box<EndReport>) -> Result<Self, Broken> {
        roster.check_report(&report)?;
        Ok(Self(report))
    }

    /// Takes the next piece: each load's flows in order, without a hole.
    pub(super) fn add(
        &mut self,
        roster: &Roster,
        load: usize,
        first: u32,
        mut flows: Vec<FlowReport>,
    ) -> Result<(), Broken> {
        let expected = roster.check_load("flows", load)? as usize;
        let rows = &mut self.0.loads[load].flows;
        let (got, count) = (rows.len(), flows.len());
        if !(1..=CHUNK).contains(&count) {
            return Err(format!(
                "{count} flows in one message, 1 to {CHUNK} have a place"
            ));
        }
        if first as usize != got {
            return Err(format!(
                "flows of load {load} from {first} on, {got} is next"
            ));
        }
        if count > expected - got {
            return Err(format!(
                "flows of load {load} up to {}, it has {expected}",
                got + count
            ));
        }
        rows.append(&mut flows);
        Ok(())
    }

    /// The whole report. Each load's flows are all there, or none are (the sender has none).
    pub(super) fn finish(self, roster: &Roster) -> Result<Box<EndReport>, Broken> {
        for (index, load) in self.0.loads.iter().enumerate() {
            let expected = roster.check_load("a report", index)? as usize;
            let got = load.flows.len();
            if got != 0 && got != expected {
                return Err(format!("{got} flows of load {index}, it has {expected}"));
            }
        }
        Ok(self.0)
    }
}
