//! Doubts: each where it belongs, and not elsewhere.

use plan::{Arrival, Kind, Load};
use record::{Doubt, End, Event, Phase, Run, Status};
use units::BitRate;

use super::{changed, doubts, first_load, run, silenced};
use crate::{invalidity, samples};

/// The one doubt of that name.
fn doubt<'a>(run: &'a Run, name: &str) -> &'a Doubt {
    let [doubt] = doubts(run, name)[..] else {
        panic!("not one {name} in {:?}", run.doubts)
    };
    doubt
}

fn with_load(mut events: Vec<Event>, change: impl Fn(&mut Load)) -> Vec<Event> {
    if let Event::Begin { plan, .. } = &mut events[0] {
        change(&mut plan.loads[0]);
    }
    events
}

fn with_facts(mut events: Vec<Event>, change: impl Fn(&mut record::Facts)) -> Vec<Event> {
    for event in &mut events {
        if let Event::Begin { facts, .. } | Event::Peer { facts } = event {
            change(facts);
        }
    }
    events
}

#[test]
fn a_clean_run_has_none() {
    assert_eq!(run(&samples::tcp_stream()).doubts, []);
    assert_eq!(run(&samples::open_loop()).doubts, []);
    assert_eq!(run(&samples::bidir()).doubts, []);
}

#[test]
fn what_was_noticed_while_it_ran_comes_first_and_once() {
    let mut events = samples::udp_with_loss();
    let noticed = Doubt {
        doubt: "clock-stepped".to_owned(),
        about: "started".to_owned(),
        evidence: "by 3.00 s".to_owned(),
    };
    events.insert(3, Event::Doubt(noticed.clone()));
    events.insert(4, Event::Doubt(noticed.clone()));
    let run = run(&events);
    assert_eq!(run.doubts[0], noticed);
    assert_eq!(doubts(&run, "clock-stepped").len(), 1);
    assert!(run.doubts.len() > 1);
}

#[test]
fn a_receiver_without_closing_figures() {
    let run = run(&samples::interrupted());
    let doubt = doubt(&run, "no-receiver-figures");
    assert_eq!(doubt.about, "loads[stream].received");
    assert!(
        doubt.evidence.ends_with("its last word is of 3.00 s"),
        "{}",
        doubt.evidence
    );
    let killed = super::run(&samples::killed());
    // The stream's server and the probe's client.
    assert_eq!(doubts(&killed, "no-receiver-figures").len(), 2);
}

#[test]
fn a_paced_sender_that_fell_short() {
    let short = |share: u64| {
        first_load(samples::udp_with_loss(), End::Client, move |load| {
            load.counted.written_bytes = load.counted.written_bytes / 100 * share;
        })
    };
    assert!(doubts(&run(&short(100)), "sender-short-of-load").is_empty());
    assert!(doubts(&run(&short(99)), "sender-short-of-load").is_empty());
    let run = run(&short(80));
    let doubt = doubt(&run, "sender-short-of-load");
    assert_eq!(doubt.about, "loads[udp-stream].sent");
    let expected = "the client sent 16.00 Mbit/s of the 20.00 Mbit/s asked for (80.0 %)";
    assert_eq!(doubt.evidence, expected);
    assert_eq!(
        invalidity(&run),
        Some(format!(
            "the load 'udp-stream' was not offered as asked: {expected}"
        ))
    );
}

#[test]
fn a_cap_that_was_granted_is_the_load() {
    let mut events = samples::udp_with_loss();
    events = with_load(events, |load| load.rate = Some(BitRate::new(100_000_000)));
    assert!(doubts(&run(&events), "sender-short-of-load").is_empty());
    events.retain(|event| !matches!(event, Event::Granted { .. }));
    assert_eq!(doubts(&run(&events), "sender-short-of-load").len(), 1);
}

#[test]
fn a_tcp_sender_that_fell_short_met_the_path_and_stays_valid() {
    let events = with_load(samples::tcp_stream(), |load| {
        load.rate = Some(BitRate::new(2_000_000_000))
    });
    let run = run(&events);
    assert_eq!(doubts(&run, "sender-short-of-load").len(), 1);
    assert_eq!(invalidity(&run), None);
}

#[test]
fn open_loop_requests_that_were_not_sent() {
    let sent = |requests| {
        first_load(samples::open_loop(), End::Client, move |load| {
            load.counted.written_messages = requests
        })
    };
    let poisson = |load: &mut Load| {
        load.arrival = Arrival::Poisson {
            requests_per_second: 1000.0,
        }
    };
    assert!(doubts(&run(&sent(9_900)), "sender-short-of-load").is_empty());
    assert_eq!(doubts(&run(&sent(9_700)), "sender-short-of-load").len(), 1);
    // Within three standard deviations (of 100 requests) less one per cent.
    assert!(
        doubts(
            &run(&with_load(sent(9_700), poisson)),
            "sender-short-of-load"
        )
        .is_empty()
    );
    let short = run(&with_load(sent(9_500), poisson));
    let expected = "the client sent 9500 of the 10000 requests that were due (95.0 %)";
    assert_eq!(doubt(&short, "sender-short-of-load").evidence, expected);
    assert!(invalidity(&short).is_some());
}

/// A probe that a standing queue made late threw away the runs with the worst latency.
#[test]
fn a_late_probe_is_a_doubt_and_the_run_stays_valid() {
    let mut events = first_load(samples::open_loop(), End::Client, |load| {
        load.counted.written_messages = 6_000;
    });
    events = with_load(events, |load| load.kind = Kind::Probe);
    let run = run(&events);
    assert_eq!(doubts(&run, "sender-short-of-load").len(), 1);
    assert_eq!(invalidity(&run), None);
}

#[test]
fn a_run_that_failed_anyway_is_not_invalid() {
    let mut events = first_load(samples::udp_with_loss(), End::Client, |load| {
        load.counted.written_bytes /= 2;
    });
    events.pop();
    events.push(Event::Finish {
        status: Status::Failed,
        reason: None,
    });
    assert_eq!(invalidity(&run(&events)), None);
}

#[test]
fn intervals_of_another_length_than_asked() {
    let stretched = |to: u64| {
        let mut events = samples::tcp_stream();
        for event in &mut events {
            if let Event::Edge(edge) = event
                && edge.end == End::Client
                && edge.at_ns == 2_000_000_000
            {
                edge.at_ns = to;
            }
        }
        events
    };
    assert!(doubts(&run(&stretched(2_040_000_000)), "interval-late").is_empty());
    let run = run(&stretched(2_100_000_000));
    let doubt = doubt(&run, "interval-late");
    let expected = "2 of the client's 3 intervals were not 1.00 s long; the worst took 1.10 s";
    assert_eq!(doubt.evidence, expected);
}

#[test]
fn the_last_interval_of_a_phase_may_be_short() {
    let mut events = samples::tcp_stream();
    for event in &mut events {
        if let Event::Edge(edge) = event {
            // Idle for 0.3 s, and the run ends after 2.5 s of its 3.
            edge.at_ns = match edge.at_ns / 1_000_000_000 {
                1 => 300_000_000,
                4 => 2_800_000_000,
                second => second * 1_000_000_000 - 700_000_000,
            };
        }
    }
    let run = run(&events);
    assert_eq!(
        run.intervals
            .iter()
            .filter(|i| i.phase == Phase::Idle)
            .count(),
        2
    );
    assert!(doubts(&run, "interval-late").is_empty(), "{:?}", run.doubts);
}

#[test]
fn gaps_that_were_not_kept() {
    let uneven = run(&samples::udp_with_loss());
    let doubt = doubt(&uneven, "timer-error");
    assert_eq!(doubt.about, "loads[udp-stream].pacing");
    let even = first_load(samples::udp_with_loss(), End::Client, |load| {
        load.gap.as_mut().unwrap().errors = record::Buckets(vec![(1_000, 6_000)]);
    });
    assert!(doubts(&run(&even), "timer-error").is_empty());
}

#[test]
fn too_few_samples_for_a_percentile() {
    let with = |samples: u64| {
        let few = move |load: &mut record::LoadReport| {
            load.response = Some(record::Buckets(vec![(70_000, samples)]));
        };
        run(&first_load(samples::open_loop(), End::Client, few))
    };
    assert!(doubts(&with(0), "few-samples").is_empty());
    assert!(
        doubt(&with(99), "few-samples")
            .evidence
            .contains("99 samples: p99 and p99.9")
    );
    assert!(
        doubt(&with(999), "few-samples")
            .evidence
            .contains("999 samples: p99.9")
    );
    assert!(doubts(&with(1_000), "few-samples").is_empty());
    let idle = changed(samples::tcp_stream(), End::Client, |report| {
        report.loads[1].idle = Some(record::Buckets(vec![(70_000, 2)]));
    });
    let run = run(&idle);
    assert_eq!(doubt(&run, "few-samples").about, "latency_under_load.idle");
}

#[test]
fn flows_that_broke_and_sends_that_were_refused() {
    let events = first_load(samples::tcp_stream(), End::Server, |load| {
        load.broken = 1;
        load.broken_reason = Some("read: connection reset by peer".to_owned());
    });
    let broken = run(&events);
    let expected = "1 of 1 flows broke at the server; the first: read: connection reset by peer";
    assert_eq!(doubt(&broken, "flows-broken").evidence, expected);
    let events = first_load(samples::udp_with_loss(), End::Client, |load| {
        load.total.send_failures = 7
    });
    assert!(
        doubt(&run(&events), "send-refused")
            .evidence
            .contains("refused 7 sends")
    );
}

#[test]
fn what_was_capped() {
    let run = run(&samples::udp_with_loss());
    let doubt = doubt(&run, "capped");
    assert_eq!(doubt.about, "loads[udp-stream].granted");
    assert!(
        doubt.evidence.starts_with("the server: SO_RCVBUF"),
        "{}",
        doubt.evidence
    );
}

#[test]
fn one_machine_or_even_one_stack() {
    let machine = with_facts(samples::tcp_stream(), |facts| {
        facts.locality.boot_id = Some("one".to_owned());
        facts.locality.netns = facts.hostname.as_ref().map(|name| name.len() as u64);
    });
    let machine = run(&machine);
    assert_eq!(doubts(&machine, "same-machine").len(), 1);
    assert!(doubts(&machine, "never-left-host").is_empty());
    let stack = with_facts(samples::tcp_stream(), |facts| {
        facts.locality.boot_id = Some("one".to_owned());
    });
    let stack = run(&stack);
    assert_eq!(doubts(&stack, "never-left-host").len(), 1);
    assert!(doubts(&stack, "same-machine").is_empty());
    let unknown = run(&with_facts(samples::tcp_stream(), |facts| {
        facts.locality.boot_id = None
    }));
    assert_eq!(unknown.doubts, []);
}

#[test]
fn no_cpu_to_spare() {
    let busy = |workers, system_ns| {
        run(&changed(
            samples::tcp_stream(),
            End::Client,
            move |report| {
                report.workers = Some(workers);
                report.cpu.as_mut().unwrap().1.process.system_ns = system_ns;
            },
        ))
    };
    let one = busy(1, 3_150_000_000);
    assert!(
        doubt(&one, "cpu-saturated")
            .evidence
            .contains("the client's 1 worker thread used")
    );
    assert!(doubts(&busy(2, 3_150_000_000), "cpu-saturated").is_empty());
    let events = changed(samples::tcp_stream(), End::Server, |report| {
        let (before, after) = report.cpu.as_mut().unwrap();
        let (before, after) = (before.host.as_mut().unwrap(), after.host.as_mut().unwrap());
        after.idle_ns = before.idle_ns;
        after.steal_ns = 2_000_000_000;
    });
    let full = run(&events);
    assert!(
        doubt(&full, "cpu-saturated")
            .evidence
            .contains("the server's host were busy")
    );
    assert!(
        doubt(&full, "cpu-stolen")
            .evidence
            .contains("of the server's CPU time")
    );
    // Where both ends are one machine, the client's row speaks for it.
    let one = with_facts(events, |facts| {
        facts.locality.boot_id = Some("one".to_owned())
    });
    assert!(doubts(&run(&one), "cpu-saturated").is_empty());
}

#[test]
fn an_exchange_is_received_by_who_asks() {
    let events = silenced(samples::open_loop(), End::Server);
    let run = run(&events);
    assert_eq!(run.loads[0].kind, Kind::Rr);
    assert!(doubts(&run, "no-receiver-figures").is_empty());
}
