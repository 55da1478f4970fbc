//! A load's figures: who counted them.

use record::{End, Event};

use super::{changed, first_load, run, silenced};
use crate::samples;

const RATE: u64 = 117_685_000;

#[test]
fn the_headline_is_what_the_receiver_counted_in_its_window() {
    let run = run(&samples::tcp_stream());
    let received = run.loads[0].received.unwrap();
    assert_eq!((received.bytes, received.seconds), (3 * RATE, 3.0));
    assert_eq!(received.bits_per_second, Some(8.0 * RATE as f64));
    assert_eq!(run.loads[0].directions[0].received, Some(received));
}

#[test]
fn sent_is_what_was_acknowledged_never_what_was_written() {
    let events = samples::tcp_stream();
    let sent = run(&events).loads[0].sent.unwrap();
    assert_eq!(sent.bytes, 3 * RATE);
    let events = first_load(events, End::Client, |load| load.counted_acked_bytes = None);
    assert_eq!(run(&events).loads[0].sent, None);
}

#[test]
fn without_the_receivers_closing_figures_its_edges_count() {
    let events = silenced(samples::tcp_stream(), End::Server);
    let received = run(&events).loads[0].received.unwrap();
    // From the edge that closes the idle phase to the last one.
    assert_eq!((received.bytes, received.seconds), (3 * RATE, 3.0));
    let partial = run(&samples::interrupted()).loads[0].received.unwrap();
    assert_eq!((partial.bytes, partial.seconds), (2 * RATE, 2.0));
}

#[test]
fn without_edges_either_nothing_is_known() {
    let mut events = silenced(samples::tcp_stream(), End::Server);
    events.retain(|event| !matches!(event, Event::Edge(edge) if edge.end == End::Server));
    let run = run(&events);
    assert_eq!(run.loads[0].received, None);
    assert_eq!(run.loads[0].sent.unwrap().bytes, 3 * RATE);
}

#[test]
fn both_directions_add_up_and_stand_apart() {
    let events = samples::bidir();
    let run = run(&events);
    let load = &run.loads[0];
    let [to_server, to_client] = &load.directions[..] else {
        panic!("two directions")
    };
    assert_eq!(
        (to_server.sender, to_client.sender),
        (End::Client, End::Server)
    );
    let (up, down) = (
        to_server.received.unwrap().bytes,
        to_client.received.unwrap().bytes,
    );
    assert!(up > down);
    let both = load.received.unwrap();
    assert_eq!((both.bytes, both.seconds), (up + down, 3.0));
    assert_eq!(
        (to_server.retransmits, to_client.retransmits),
        (Some(0), Some(17))
    );
}

#[test]
fn half_of_a_sum_is_no_sum() {
    let mut events = silenced(samples::bidir(), End::Server);
    events.retain(|event| !matches!(event, Event::Edge(_)));
    let run = run(&events);
    assert_eq!(run.loads[0].received, None);
    assert!(run.loads[0].directions[1].received.is_some());
}

#[test]
fn loss_adds_up_over_the_whole_life() {
    let run = run(&samples::udp_with_loss());
    let loss = &run.loads[0].loss[0];
    assert_eq!(
        (loss.receiver, loss.sent, loss.lost),
        (End::Server, 6_000, 34)
    );
    assert_eq!(loss.received + loss.lost, loss.sent);
    assert_eq!(loss.address.receiver_socket, Some(3));
    assert_eq!(loss.lost_share, Some(34.0 / 6_000.0));
    let lengths: Vec<u64> = loss.outages.iter().map(|outage| outage.length_ns).collect();
    assert_eq!(lengths, [15_000_000, 500_000]);
}

#[test]
fn a_lost_tail_is_lost_although_no_number_tells_of_it() {
    let sent = |load: &mut record::LoadReport| load.total.written_messages = 6_100;
    let events = first_load(samples::udp_with_loss(), End::Client, sent);
    assert_eq!(run(&events).loads[0].loss[0].lost, 134);
}

#[test]
fn without_the_senders_total_numbers_tell_of_the_loss() {
    let loss = &run(&silenced(samples::udp_with_loss(), End::Client)).loads[0].loss[0];
    assert_eq!((loss.sent, loss.lost), (6_000, 34));
    // Nor does the sender's total say anything about a receiver that stopped reporting.
    let loss = &run(&silenced(samples::udp_with_loss(), End::Server)).loads[0].loss[0];
    assert_eq!((loss.sent, loss.lost), (6_000, 34));
}

#[test]
fn loss_is_never_negative_nor_more_on_the_socket_than_in_all() {
    let events = first_load(samples::udp_with_loss(), End::Server, |load| {
        let udp = load.total_udp.as_mut().unwrap();
        (udp.received, udp.socket_drops) = (6_001, Some(9));
    });
    let loss = &run(&events).loads[0].loss[0];
    assert_eq!(
        (loss.sent, loss.lost, loss.address.receiver_socket),
        (6_001, 0, Some(0))
    );
}

#[test]
fn exchanges_are_counted_where_they_were_asked() {
    let run = run(&samples::open_loop());
    let load = &run.loads[0];
    assert_eq!(
        (load.transactions, load.transactions_per_second),
        (Some(10_000), Some(1000.0))
    );
    assert_eq!(
        (load.received.unwrap().bytes, load.sent.unwrap().messages),
        (10_000, 10_000)
    );
    assert!(load.directions.is_empty() && load.loss.is_empty());
}

#[test]
fn response_time_counts_from_the_intended_start_and_service_time_from_the_real_one() {
    let run = run(&samples::open_loop());
    let (response, service) = (
        run.loads[0].latency.unwrap(),
        run.loads[0].service_time.unwrap(),
    );
    let near = |value: Option<u64>, ms: f64| (value.unwrap() as f64 / 1e6 - ms).abs() < ms / 100.0;
    // A tenth of the requests waited, evenly up to one second: p95 is half of it.
    assert!(near(response.p95_ns, 500.0), "{response:?}");
    assert!(near(response.max_ns, 1000.0) && near(service.max_ns, 1000.0));
    assert!(
        service.p999_ns.unwrap() < 100_000,
        "one outlier only: {service:?}"
    );
    assert_eq!((response.samples, service.samples), (10_000, 10_000));
}

#[test]
fn no_samples_are_no_figures() {
    let empty = |load: &mut record::LoadReport| load.response = Some(record::Buckets::default());
    let events = first_load(samples::open_loop(), End::Client, empty);
    assert_eq!(
        run(&events).loads[0].latency,
        Some(record::Latency::default())
    );
}

#[test]
fn the_probe_tells_latency_idle_and_under_load() {
    let seen = run(&samples::tcp_stream()).latency_under_load.unwrap();
    assert_eq!((seen.idle.samples, seen.loaded.samples), (10, 30));
    let (idle, loaded) = (
        seen.idle.p50_ns.unwrap() as f64,
        seen.loaded.p50_ns.unwrap() as f64,
    );
    assert_eq!(seen.added_ms, Some((loaded - idle) / 1e6));
    assert_eq!(seen.rpm, Some(60e9 / seen.loaded.mean_ns.unwrap() as f64));
}

#[test]
fn a_load_may_make_latency_shorter() {
    let events = changed(samples::tcp_stream(), End::Client, |report| {
        let probe = &mut report.loads[1];
        std::mem::swap(&mut probe.idle, &mut probe.response);
    });
    assert!(run(&events).latency_under_load.unwrap().added_ms.unwrap() < 0.0);
}

#[test]
fn nothing_is_under_load_when_only_probes_run() {
    let mut events = samples::tcp_stream();
    if let Event::Begin { plan, .. } = &mut events[0] {
        plan.loads.remove(0);
    }
    let events = changed(events, End::Client, |report| drop(report.loads.remove(0)));
    assert!(run(&events).loads[0].latency.is_some());
    assert_eq!(run(&events).latency_under_load, None);
}

#[test]
fn flows_are_joined_from_both_ends() {
    let run = run(&samples::bidir());
    let rows = &run.loads[0].per_flow;
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[1].client_port, Some(40_001));
    assert_eq!(
        rows[1].received_bytes,
        Some(3 * (27_000_000 + 21_000_000) + 2_000_000)
    );
    assert!(rows[1].client_tcp_info.is_some() && rows[1].server_tcp_info.is_some());
    let sum: u64 = rows.iter().filter_map(|row| row.received_bytes).sum();
    assert_eq!(Some(sum), run.loads[0].received.map(|tally| tally.bytes));
    let rates: f64 = rows.iter().filter_map(|row| row.bits_per_second).sum();
    assert!((rates - run.loads[0].received.unwrap().bits_per_second.unwrap()).abs() < 1.0);
}

#[test]
fn fairness_is_of_several_flows_only() {
    let thousand = run(&samples::thousand_flows());
    let fairness = thousand.loads[0].fairness.unwrap();
    // Three quarters get 2, one gets 1: (7/4)^2 / (13/4).
    assert!((fairness.jain - 49.0 / 52.0).abs() < 1e-9);
    assert!((fairness.min_share - 4.0 / 7.0).abs() < 1e-9);
    assert!((fairness.max_share - 8.0 / 7.0).abs() < 1e-9);
    assert_eq!(run(&samples::tcp_stream()).loads[0].fairness, None);
    // A flow whose receiver said nothing could have got anything.
    let events = first_load(samples::thousand_flows(), End::Client, |load| {
        load.flows.pop();
    });
    assert_eq!(run(&events).loads[0].fairness, None);
}

#[test]
fn tcp_readings_are_summed_or_averaged_over_the_flows() {
    let run = run(&samples::bidir());
    let tcp = run.loads[0].tcp.as_ref().unwrap();
    let client = tcp.client.as_ref().unwrap();
    assert_eq!(
        (client.flows, client.rtt_us, client.min_rtt_us),
        (4, Some(1_180), Some(190))
    );
    assert_eq!(client.busy_us, Some(4 * 2_990_000));
    assert_eq!(
        run.loads[0]
            .tcp
            .as_ref()
            .unwrap()
            .server
            .as_ref()
            .unwrap()
            .flows,
        4
    );
}

#[test]
fn a_field_that_no_kernel_gave_is_none() {
    let events = first_load(samples::tcp_stream(), End::Client, |load| {
        load.flows[0].tcp_info.as_mut().unwrap().tcpi_busy_time = None;
    });
    let run = run(&events);
    assert_eq!(
        run.loads[0]
            .tcp
            .as_ref()
            .unwrap()
            .client
            .as_ref()
            .unwrap()
            .busy_us,
        None
    );
}
