//! From facts to the document.

use record::{Edge, End, Event, Hosts, Interval, Run, Status};

use crate::interval::Intervals;
use crate::stream::{Side, Stream};
use crate::{cost, doubt, finding, latency, ledger, load, observed};

/// Folds the stream, however far it came, into the document. None when it does not hold a
/// [`Event::Begin`].
pub fn assemble<'a>(events: impl IntoIterator<Item = &'a Event>) -> Option<Run> {
    let stream = Stream::read(events)?;
    let (status, reason) = stream.finish.unwrap_or((Status::Failed, Some(UNCLOSED)));
    let mut run = Run {
        schema: Run::SCHEMA.to_owned(),
        id: stream.id.to_owned(),
        status,
        reason: reason.map(str::to_owned),
        started: stream.started.to_owned(),
        command: stream.command.to_vec(),
        plan: stream.plan.clone(),
        hosts: Hosts {
            client: stream.side(End::Client).facts.cloned().unwrap_or_default(),
            server: stream.side(End::Server).facts.cloned(),
        },
        loads: stream
            .loads()
            .map(|(index, load)| load::result(&stream, index, load))
            .collect(),
        latency_under_load: latency::under_load(&stream),
        intervals: intervals(&stream),
        hosts_observed: observed::hosts(&stream),
        cost: cost::cost(&stream),
        ledger: ledger::ledger(&stream),
        findings: Vec::new(),
        doubts: Vec::new(),
    };
    run.doubts = doubt::doubts(&stream, &run);
    run.findings = finding::findings(&run);
    Some(run)
}

/// A stream that just stops was not closed by its writer.
const UNCLOSED: &str = "the run ended without a closing record: the process was killed";

/// Both ends' intervals by the time of their end; the client's first where these are equal.
fn intervals(stream: &Stream) -> Vec<Interval> {
    let mut fold = Intervals::new(stream.plan);
    let mut of = |side: &Side| -> Vec<Interval> {
        side.edges
            .iter()
            .filter_map(|edge: &&Edge| fold.close(edge))
            .collect()
    };
    let mut intervals = of(stream.side(End::Client));
    intervals.extend(of(stream.side(End::Server)));
    intervals.sort_by_key(|interval| interval.to_ns);
    intervals
}
