//! Intervals.

use record::{Edge, End, Event, Phase};

use super::run;
use crate::{Intervals, samples};

fn edges(events: &[Event]) -> Vec<&Edge> {
    events
        .iter()
        .filter_map(|event| match event {
            Event::Edge(edge) => Some(edge),
            _ => None,
        })
        .collect()
}

#[test]
fn each_end_gives_its_own_in_the_order_of_time() {
    let run = run(&samples::tcp_stream());
    assert_eq!(run.intervals.len(), 8);
    assert!(run.intervals.is_sorted_by_key(|interval| interval.to_ns));
    let server: Vec<_> = run
        .intervals
        .iter()
        .filter(|i| i.end == End::Server)
        .collect();
    assert_eq!(server[0].phase, Phase::Idle);
    assert_eq!(
        (server[1].from_ns, server[1].to_ns),
        (1_000_040_000, 2_000_040_000)
    );
    let stream = &server[1].loads[0];
    assert_eq!(stream.counters.received_bytes, 117_685_000);
    assert_eq!(stream.received_bits_per_second, Some(941_480_000.0));
}

#[test]
fn a_rate_stands_only_where_something_is_received() {
    let run = run(&samples::tcp_stream());
    for interval in &run.intervals {
        let [stream, probe] = &interval.loads[..] else {
            panic!("two loads")
        };
        assert_eq!(
            stream.received_bits_per_second.is_some(),
            interval.end == End::Server
        );
        assert_eq!(
            probe.received_bits_per_second.is_some(),
            interval.end == End::Client
        );
    }
}

#[test]
fn what_the_senders_sockets_say_is_what_was_added() {
    let run = run(&samples::tcp_stream());
    let client = run.intervals.iter().filter(|i| i.end == End::Client);
    let streams: Vec<_> = client.map(|interval| &interval.loads[0]).collect();
    let retransmits: Vec<_> = streams.iter().map(|load| load.retransmits).collect();
    assert_eq!(retransmits, [Some(0), Some(2), Some(2), Some(0)]);
    assert_eq!(streams[2].acked_bytes, Some(117_685_000));
    assert_eq!(streams[2].cwnd_segments, Some(111));
}

#[test]
fn live_and_document_agree() {
    for (name, events) in samples::all() {
        let run = run(&events);
        let mut live = Intervals::new(&run.plan);
        let mut shown: Vec<_> = edges(&events)
            .into_iter()
            .filter_map(|e| live.close(e))
            .collect();
        shown.sort_by_key(|interval| interval.to_ns);
        assert_eq!(shown, run.intervals, "{name}");
    }
}

#[test]
fn a_missed_edge_makes_a_longer_interval_not_a_wrong_one() {
    let events = samples::tcp_stream();
    let missed = |e: &&Edge| e.end == End::Server && e.at_ns != 2_000_040_000;
    let mut live = Intervals::new(&run(&events).plan);
    let edges = edges(&events).into_iter().filter(missed);
    let intervals: Vec<_> = edges.filter_map(|edge| live.close(edge)).collect();
    assert_eq!(
        (intervals[1].from_ns, intervals[1].to_ns),
        (1_000_040_000, 3_000_040_000)
    );
    assert_eq!(
        intervals[1].loads[0].received_bits_per_second,
        Some(941_480_000.0)
    );
}

#[test]
fn no_time_is_no_interval() {
    let events = samples::tcp_stream();
    let mut live = Intervals::new(&run(&events).plan);
    let edge = edges(&events)[0];
    assert!(live.close(edge).is_some());
    assert_eq!(live.close(edge), None);
    let at_start = Edge {
        at_ns: 0,
        ..edge.clone()
    };
    assert_eq!(Intervals::new(&run(&events).plan).close(&at_start), None);
}

#[test]
fn lost_is_by_sequence_numbers_so_far() {
    let run = run(&samples::udp_with_loss());
    let server = run.intervals.iter().filter(|i| i.end == End::Server);
    let lost: Vec<_> = server.map(|interval| interval.loads[0].lost).collect();
    assert_eq!(lost, [Some(0), Some(30), Some(34)]);
}
