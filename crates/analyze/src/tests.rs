//! The document from made-up streams.

mod doubt;
mod finding;
mod interval;
mod ledger;
mod load;

use proptest::prelude::*;
use record::{Doubt, End, EndReport, Event, LoadReport, Run, Status};

use crate::{assemble, samples};

fn run(events: &[Event]) -> Run {
    assemble(events).expect("the stream begins")
}

/// `events` with `change` made to the closing figures of `end`.
fn changed(mut events: Vec<Event>, end: End, change: impl Fn(&mut EndReport)) -> Vec<Event> {
    for event in &mut events {
        if let Event::Report(report) = event
            && report.end == end
        {
            change(report);
        }
    }
    events
}

/// `events` with `change` made to the closing figures of `end`'s first load.
fn first_load(events: Vec<Event>, end: End, change: impl Fn(&mut LoadReport)) -> Vec<Event> {
    changed(events, end, |report| change(&mut report.loads[0]))
}

/// `events` without the closing figures of `end`.
fn silenced(mut events: Vec<Event>, end: End) -> Vec<Event> {
    events.retain(|event| !matches!(event, Event::Report(report) if report.end == end));
    events
}

fn doubts<'a>(run: &'a Run, name: &str) -> Vec<&'a Doubt> {
    run.doubts
        .iter()
        .filter(|doubt| doubt.doubt == name)
        .collect()
}

#[test]
fn a_stream_without_a_beginning_is_no_run() {
    assert_eq!(assemble(&[]), None);
    let events = samples::tcp_stream();
    assert_eq!(assemble(&events[1..]), None);
}

#[test]
fn what_was_asked_and_how_it_ended_stand_in_the_document() {
    let events = samples::interrupted();
    let run = run(&events);
    let Event::Begin {
        id,
        started,
        command,
        plan,
        facts,
        ..
    } = &events[0]
    else {
        unreachable!()
    };
    assert_eq!(
        (&run.id, &run.started, &run.command),
        (id, started, command)
    );
    assert_eq!(
        (&run.plan, &run.hosts.client),
        (plan.as_ref(), facts.as_ref())
    );
    assert_eq!(run.schema, "netdyno.run/1");
    assert_eq!(run.status, Status::Interrupted);
    assert!(run.reason.unwrap().contains("SIGINT"));
}

#[test]
fn a_stream_that_just_stops_is_a_failed_run() {
    let run = run(&samples::killed());
    assert_eq!(run.status, Status::Failed);
    assert!(run.reason.unwrap().contains("was killed"));
}

#[test]
fn a_run_that_never_started_has_its_plan_and_no_figures() {
    let run = run(&samples::refused());
    assert_eq!(run.status, Status::Failed);
    assert_eq!(run.hosts.server, None);
    assert_eq!(run.loads.len(), run.plan.loads.len());
    for load in &run.loads {
        assert_eq!(
            (load.received, load.sent, load.transactions),
            (None, None, None)
        );
        assert!(
            load.directions
                .iter()
                .all(|d| d.received.is_none() && d.sent.is_none())
        );
        assert!(load.latency.is_none() && load.tcp.is_none() && load.per_flow.is_empty());
    }
    assert!(run.latency_under_load.is_none() && run.intervals.is_empty());
    assert!(run.cost.client.is_none() && run.ledger.client.is_none());
    assert_eq!(run.doubts, []);
}

#[test]
fn cpu_cost_is_of_the_measured_time() {
    let run = run(&samples::tcp_stream());
    let client = run.cost.client.unwrap();
    assert!(
        (client.user_seconds - 0.15).abs() < 1e-9 && (client.system_seconds - 0.75).abs() < 1e-9
    );
    assert!((client.cpu_share.unwrap() - 0.3).abs() < 1e-9);
    assert!((client.host_softirq_seconds.unwrap() - 0.9).abs() < 1e-9);
    // Acknowledged, not written; a few bytes of the probe beside it.
    let bytes = 3.0 * 117_685_000.0;
    assert!((client.ns_per_byte.unwrap() - 0.9e9 / bytes).abs() < 1e-6);
    assert_eq!(
        run.hosts_observed.cpu(End::Client).unwrap().idle_ns,
        44_400_000_000
    );
}

#[test]
fn cpu_cost_of_a_broken_run_comes_from_its_edges() {
    let run = run(&samples::interrupted());
    let server = run.cost.server.unwrap();
    assert!((server.cpu_seconds - 0.8).abs() < 1e-9);
    assert!((server.cpu_share.unwrap() - 0.4).abs() < 1e-6);
}

/// Largest numbers everywhere: what a hostile server could send.
fn absurd(load: &mut LoadReport) {
    let all = record::Counters {
        received_bytes: u64::MAX,
        received_messages: u64::MAX,
        written_bytes: u64::MAX,
        written_messages: u64::MAX,
        transactions: u64::MAX,
        send_failures: u64::MAX,
    };
    (load.counted, load.total) = (all, all);
    load.counted_acked_bytes = Some(u64::MAX);
    load.window_ns = (u64::MAX, 0);
    load.response = Some(record::Buckets(vec![(u64::MAX, u64::MAX); 3]));
    if let Some(udp) = &mut load.total_udp {
        (udp.received, udp.highest_plus_one) = (u64::MAX, 0);
    }
    for flow in &mut load.flows {
        (flow.counted, flow.total) = (all, all);
        if let Some(info) = &mut flow.tcp_info {
            info.tcpi_bytes_sent = Some(u64::MAX);
            info.tcpi_segs_out = Some(u64::MAX);
            info.tcpi_rtt = Some(u64::MAX);
        }
    }
}

#[test]
fn absurd_figures_of_a_peer_do_no_harm() {
    for (name, events) in samples::all() {
        let events = changed(events, End::Server, |report| {
            report.loads.iter_mut().for_each(absurd)
        });
        assert!(assemble(&events).is_some(), "{name}");
        let events = changed(events, End::Server, |report| report.loads.clear());
        assert!(assemble(&events).is_some(), "{name}");
    }
}

proptest! {
    /// A file may be cut off, and events of both ends may come in any order.
    #[test]
    fn any_part_of_a_stream_gives_a_document(
        sample in 0..samples::all().len(),
        keep in prop::collection::vec(any::<bool>(), 64),
        order in Just((0..64_usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let events = samples::all().swap_remove(sample).1;
        let rest = &events[1..];
        let kept = order.iter().filter(|i| **i < rest.len() && keep[**i]).map(|i| &rest[*i]);
        let run = assemble(events.iter().take(1).chain(kept)).unwrap();
        prop_assert_eq!(run.loads.len(), run.plan.loads.len());
        for interval in &run.intervals {
            prop_assert!(interval.from_ns < interval.to_ns);
        }
    }
}
