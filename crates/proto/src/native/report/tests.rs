use proptest::prelude::*;

use super::*;
use crate::native::sample;

fn roster(flows: &[u32]) -> Roster {
    Roster::of(&sample::plan_of(flows))
}

/// The messages of a report, and the report that they make.
fn there_and_back(flows: &[u32]) -> (Vec<ServerMessage>, Result<Box<EndReport>, Broken>) {
    let pieces: Vec<_> = Pieces::of(Box::new(sample::report_of(flows))).collect();
    (pieces.clone(), assemble(&roster(flows), pieces))
}

fn assemble(roster: &Roster, pieces: Vec<ServerMessage>) -> Result<Box<EndReport>, Broken> {
    let mut pieces = pieces.into_iter();
    let Some(ServerMessage::Report { report }) = pieces.next() else {
        panic!("a report begins with a report");
    };
    let mut assembly = Assembly::begin(roster, report)?;
    for piece in pieces {
        match piece {
            ServerMessage::Flows { load, first, flows } => {
                assembly.add(roster, load, first, flows)?;
            }
            ServerMessage::ReportEnd {} => return assembly.finish(roster),
            other => panic!("'{}' in a report", other.name()),
        }
    }
    panic!("a report without an end");
}

#[test]
fn pieces_hold_256_flows() {
    let (pieces, report) = there_and_back(&[256, 1, 600]);
    let shapes: Vec<_> = pieces
        .iter()
        .map(|piece| match piece {
            ServerMessage::Flows { load, first, flows } => (*load, *first, flows.len()),
            _ => (usize::MAX, 0, 0),
        })
        .collect();
    let mark = (usize::MAX, 0, 0);
    assert_eq!(
        shapes,
        [
            mark,
            (0, 0, 256),
            (1, 0, 1),
            (2, 0, 256),
            (2, 256, 256),
            (2, 512, 88),
            mark
        ]
    );
    assert_eq!(*report.unwrap(), sample::report_of(&[256, 1, 600]));
}

#[test]
fn a_report_without_flows_is_a_report() {
    let mut report = Box::new(sample::report());
    report.loads[0].flows.clear();
    report.loads[1].flows.clear();
    let pieces: Vec<_> = Pieces::of(report.clone()).collect();
    assert_eq!(pieces.len(), 2);
    assert_eq!(assemble(&roster(&sample::FLOWS), pieces), Ok(report));
}

#[test]
fn every_broken_rule_has_its_sentence() {
    let roster = roster(&[300, 2]);
    let pieces: Vec<_> = Pieces::of(Box::new(sample::report_of(&[300, 2]))).collect();
    let broken = |change: &dyn Fn(&mut Vec<ServerMessage>)| {
        let mut pieces = pieces.clone();
        change(&mut pieces);
        assemble(&roster, pieces).unwrap_err()
    };
    let renumbered = |at: usize, new_load: usize, new_first: u32| {
        broken(&|pieces| {
            let ServerMessage::Flows { load, first, .. } = &mut pieces[at] else {
                panic!("no flows");
            };
            (*load, *first) = (new_load, new_first);
        })
    };
    assert_eq!(
        renumbered(1, 2, 0),
        "flows for load 2, the plan has 2 loads"
    );
    assert_eq!(renumbered(1, 0, 1), "flows of load 0 from 1 on, 0 is next");
    assert_eq!(renumbered(1, 1, 0), "flows of load 1 up to 256, it has 2");
    assert_eq!(
        renumbered(2, 0, 0),
        "flows of load 0 from 0 on, 256 is next"
    );
    assert_eq!(
        broken(&|pieces| {
            pieces.remove(1);
        }),
        "flows of load 0 from 256 on, 0 is next"
    );
    assert_eq!(
        broken(&|pieces| {
            pieces.remove(2);
        }),
        "256 flows of load 0, it has 300"
    );
    let sized = |count: usize| {
        broken(&|pieces| {
            let ServerMessage::Flows { flows, .. } = &mut pieces[1] else {
                panic!("no flows");
            };
            flows.resize(count, FlowReport::default());
        })
    };
    assert_eq!(sized(0), "0 flows in one message, 1 to 256 have a place");
    assert_eq!(
        sized(257),
        "257 flows in one message, 1 to 256 have a place"
    );
}

#[test]
fn the_head_must_be_the_servers_bare_and_of_the_plan() {
    let roster = roster(&sample::FLOWS);
    let begin = |report| Assembly::begin(&roster, Box::new(report)).unwrap_err();
    assert_eq!(
        begin(sample::report()),
        "a report with flows in it, they come apart"
    );
    assert_eq!(
        begin(sample::report_of(&[0])),
        "a report for 1 loads, the plan has 2"
    );
    let mut report = sample::report_of(&[0, 0]);
    report.end = record::End::Client;
    assert_eq!(begin(report), "the server sent a report of the client");
}

proptest! {
    #[test]
    fn any_report_comes_together_again(flows in prop::collection::vec(1..800u32, 1..4)) {
        let (pieces, report) = there_and_back(&flows);
        prop_assert_eq!(&*report.unwrap(), &sample::report_of(&flows));
        let messages: u32 = flows.iter().map(|flows| flows.div_ceil(256)).sum();
        prop_assert_eq!(pieces.len(), messages as usize + 2);
    }
}
