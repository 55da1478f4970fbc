//! What eyes and programs see, from made-up runs. `INSTA_UPDATE=always` writes the files anew.

use analyze::{Intervals, assemble, samples};
use record::{Cause, End, Event, Evidence, Finding, Run};
use report::{IntervalLines, Style};
use units::Nanos;

fn run(events: &[Event]) -> Run {
    assemble(events).expect("the stream begins")
}

/// All interval lines, as they are written while the events come in.
fn lines(events: &[Event]) -> String {
    let plan = run(events).plan;
    let (mut intervals, mut lines) = (
        Intervals::new(&plan),
        IntervalLines::new(&plan, Style::PLAIN),
    );
    let mut text = lines.header();
    for edge in edges(events) {
        if let Some(interval) = intervals.close(edge) {
            text.push_str(&lines.push(&interval));
        }
    }
    text + &lines.flush()
}

/// Edges in the order of time, as a live run brings them.
fn edges(events: &[Event]) -> Vec<&record::Edge> {
    let edges = events.iter().filter_map(|event| match event {
        Event::Edge(edge) => Some(edge),
        _ => None,
    });
    let mut edges: Vec<_> = edges.collect();
    edges.sort_by_key(|edge| edge.at_ns);
    edges
}

#[test]
fn texts() {
    for (name, events) in samples::all() {
        let text = lines(&events) + "\n" + &report::text(&run(&events), Style::PLAIN);
        insta::assert_snapshot!(format!("text-{name}"), text);
    }
}

#[test]
fn a_stored_run_shows_the_lines_that_were_live() {
    for (name, events) in samples::all() {
        let stored = report::interval_lines(&run(&events), Style::PLAIN);
        let live = if stored.is_empty() {
            String::new()
        } else {
            lines(&events)
        };
        assert_eq!(stored, live, "{name}");
    }
}

#[test]
fn texts_fit_in_a_hundred_columns_and_have_no_tails() {
    for (name, events) in samples::all() {
        let text = lines(&events) + &report::text(&run(&events), Style::PLAIN);
        for line in text.lines() {
            assert!(line.chars().count() <= 100, "{name}: {line}");
            assert_eq!(line.trim_end(), line, "{name}");
        }
        assert!(text.is_ascii(), "{name}");
        assert!(
            !text.contains("NaN") && !text.contains("inf"),
            "{name}: {text}"
        );
    }
}

#[test]
fn findings_stand_before_doubts() {
    let mut run = run(&samples::udp_with_loss());
    run.findings.push(Finding {
        cause: Cause::ReceiverSocketDrop,
        load: Some("udp-stream".to_owned()),
        confidence: 0.9,
        explains: 0.75,
        evidence: vec![
            Evidence {
                end: Some(End::Server),
                row: "loss.receiver_socket".to_owned(),
                value: 3.0,
                unit: "datagrams".to_owned(),
                says: "3 of the 4 lost datagrams were dropped on the socket".to_owned(),
            },
            Evidence {
                end: Some(End::Server),
                row: "granted.rcvbuf".to_owned(),
                value: 4096.0,
                unit: "bytes".to_owned(),
                says: "its buffer is 4096 bytes, which holds 2 of the datagrams and no more than \
                       that however much comes"
                    .to_owned(),
            },
        ],
        advice: "give the receiver a larger buffer (rcvbuf=4M; net.core.rmem_max caps it)"
            .to_owned(),
    });
    insta::assert_snapshot!("text-findings", report::text(&run, Style::PLAIN));
}

#[test]
fn comparisons() {
    for (name, comparison) in [
        ("told", samples::compared()),
        ("with-itself", samples::compared_with_itself()),
    ] {
        let text = report::comparison(&comparison, Style::PLAIN);
        for line in text.lines() {
            assert_eq!(line.trim_end(), line, "{name}");
        }
        insta::assert_snapshot!(format!("comparison-{name}"), text);
    }
    let all = [samples::compared(), samples::compared_with_itself()];
    insta::assert_snapshot!("comparisons", report::comparisons(&all, Style::PLAIN));
}

#[test]
fn colours_change_no_letter() {
    for (name, events) in samples::all() {
        let run = run(&events);
        let plain = report::text(&run, Style::PLAIN);
        let mut coloured = report::text(
            &run,
            Style {
                colour: true,
                ..Style::PLAIN
            },
        );
        assert!(coloured.contains("\x1b[1"), "{name}");
        for code in ["\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[33m", "\x1b[1;31m"] {
            coloured = coloured.replace(code, "");
        }
        assert_eq!(coloured, plain, "{name}");
    }
}

#[test]
fn a_narrow_screen_wraps_sentences() {
    let narrow = Style {
        colour: false,
        width: 60,
    };
    let text = report::text(&run(&samples::refused()), narrow);
    assert!(
        text.lines().all(|line| line.chars().count() <= 60),
        "{text}"
    );
}

#[test]
fn documents() {
    for (name, events) in samples::all() {
        if name != "thousand-flows" {
            insta::assert_snapshot!(format!("json-{name}"), report::json(&run(&events)));
        }
    }
}

#[test]
fn event_lines() {
    let text = report::json_lines(&samples::interrupted());
    insta::assert_snapshot!("json-lines-interrupted", text);
    for (line, event) in text.lines().zip(samples::interrupted()) {
        assert_eq!(serde_json::from_str::<Event>(line).unwrap(), event);
    }
}

#[test]
fn tables_for_programs() {
    for (name, events) in samples::all() {
        insta::assert_snapshot!(format!("csv-{name}"), report::csv(&run(&events)));
    }
}

#[test]
fn every_csv_row_has_every_column() {
    for (name, events) in samples::all() {
        let csv = report::csv(&run(&events));
        let commas = |line: &str| line.matches(',').count();
        let head = commas(csv.lines().next().unwrap());
        assert!(
            csv.lines().all(|line| commas(line) == head),
            "{name}: {csv}"
        );
    }
}

#[test]
fn the_live_line() {
    let events = samples::tcp_stream();
    let run = run(&events);
    let at = |end| {
        run.intervals
            .iter()
            .rfind(|i| i.end == end && i.to_ns < 3_500_000_000)
    };
    let (client, server) = (at(End::Client), at(End::Server));
    let now = Nanos::from_millis(3_200);
    let line = report::progress(&run.plan, client, server, now, Style::PLAIN);
    let expected = "  3.2 s measuring  stream 941.48 Mbit/s at the server  probe 1.27 ms  1 s left";
    assert_eq!(line, expected);
    let narrow = Style {
        colour: false,
        width: 20,
    };
    assert_eq!(
        report::progress(&run.plan, client, server, now, narrow).len(),
        20
    );
    let early = report::progress(&run.plan, None, None, Nanos::from_millis(200), Style::PLAIN);
    assert_eq!(early, "  0.2 s idle  4 s left");
}

#[test]
fn an_end_that_fell_silent_does_not_hold_back_the_other() {
    let mut events = samples::tcp_stream();
    let silent = |edge: &record::Edge| edge.end == End::Client && edge.at_ns > 2_500_000_000;
    events.retain(|event| !matches!(event, Event::Edge(edge) if silent(edge)));
    let text = lines(&events);
    let last: Vec<&str> = text.lines().rev().take(2).collect();
    assert!(
        last[0].starts_with("  3.00-  4.00") && last[0].ends_with("941.48 Mbit/s"),
        "{text}"
    );
    assert!(
        last[1].starts_with("  2.00-  3.00") && last[1].ends_with("941.48 Mbit/s"),
        "{text}"
    );
}

#[test]
fn everything_that_limited_a_run() {
    let mut run = run(&samples::udp_with_loss());
    run.findings = analyze::findings(&run);
    insta::assert_snapshot!("explain", report::explain(&run, Style::PLAIN));
    run.findings.clear();
    assert!(report::explain(&run, Style::PLAIN).contains("no findings"));
}

/// Both hosts with large counts of everything that a report shows of them.
fn observed(mut run: Run) -> Run {
    let mut host = record::HostObserved {
        seconds: Some(10.0),
        ..Default::default()
    };
    let rows = &mut host.counted;
    for (source, label, name) in [
        ("host", "all", "interrupts"),
        ("host", "all", "context_switches"),
        ("interrupts", "RES", "cpu0"),
        ("interface", "eth0", "tx_packets"),
        ("interface", "eth0", "tx_dropped"),
        ("softnet", "cpu0", "dropped"),
        ("softnet", "cpu0", "time_squeeze"),
        ("qdisc", "eth0 htb 1: root", "drops"),
        ("qdisc", "eth0 htb 1: root", "requeues"),
        ("thread", "stream-0/7", "migrations"),
        ("netdyno", "observer", "cpu_ns"),
        ("lock", "eth0 root lock 1: txq-0", "waits"),
        ("lock", "eth0 root lock 1: txq-0", "wait_ns"),
        ("lock", "eth0 root lock 1: txq-0", "waits_above_10_us"),
        ("txq", "eth0 tx-0", "packets"),
        ("txq", "eth0 tx-0", "waits"),
        ("txq", "eth0 tx-0", "wait_ns"),
    ] {
        rows.set(source, label, name, 123_456_789);
    }
    run.hosts_observed.client = Some(host.clone());
    run.hosts_observed.server = Some(host);
    run
}

#[test]
fn what_the_hosts_did_fits_in_a_hundred_columns() {
    let text = report::text(&observed(run(&samples::tcp_stream())), Style::PLAIN);
    for head in ["interrupts/s", "softnet drops", "lock"] {
        assert!(text.contains(head), "{text}");
    }
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn hosts_that_dropped_nothing_have_no_table_of_drops() {
    let mut run = observed(run(&samples::tcp_stream()));
    for host in [
        &mut run.hosts_observed.client,
        &mut run.hosts_observed.server,
    ] {
        let host = host.as_mut().unwrap();
        host.counted = record::Rows::default();
        host.counted.set("softnet", "cpu0", "dropped", 0);
    }
    assert!(!report::text(&run, Style::PLAIN).contains("softnet drops"));
}
