//! iperf3's output against what iperf3 3.12 itself printed: recorded documents are read back into
//! the values that ours are made of, and ours are held against the records.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

#[path = "iperf3/read.rs"]
mod read;
mod strict;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use read::{Record, record};
use report::dialect::iperf3::{
    Contact, Counts, Cpu, End, Event, Form, Interval, Notation, Role, ServerOutput, Started,
    StreamEnd, StreamInterval, Transcript, Unit, Way,
};
use serde_json::Value;

const TESTS: [&str; 15] = [
    "tcp",
    "tcp-reverse",
    "tcp-bidir-2",
    "tcp-omit-2",
    "tcp-units",
    "udp",
    "udp-reverse",
    "udp-bidir-2",
    "udp-omit-2",
    "verbose",
    "verbose-reverse",
    "verbose-bidir",
    "verbose-udp",
    "blocks",
    "server-output",
];

const ENDS: [(Role, &str); 2] = [(Role::Client, "client"), (Role::Server, "server")];

fn recorded(test: &str, end: &str, form: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/iperf3");
    let text = fs::read_to_string(folder.join(format!("{test}.{end}.{form}"))).unwrap();
    // With -V and -J iperf3 prints lines before its document.
    match form {
        "json" => text[text.find('{').unwrap()..].to_owned(),
        _ => text,
    }
}

fn form(test: &str, role: Role, record: &Record, notation: Notation) -> Form {
    let client = role == Role::Client;
    Form {
        role,
        notation,
        unit: Unit::of('K').filter(|_| test == "tcp-units" && client),
        verbose: test.starts_with("verbose"),
        title: record.contact.title.clone().filter(|_| client),
        interval_seconds: if test == "tcp-units" && client {
            0.5
        } else {
            1.0
        },
        version: record.version.clone(),
        system_info: record.system_info.clone(),
    }
}

/// All that a test prints, a print an event.
fn prints(record: &Record, form: Form) -> Vec<String> {
    let mut transcript = Transcript::new(form.clone());
    let client = form.role == Role::Client;
    let mut events = vec![Event::Opened {
        control_mss: client.then_some(32_768),
        udp_block: None,
    }];
    if !client {
        let port = 15_401;
        events.push(Event::Listening { port, number: 1 });
    }
    events.push(Event::Contact(&record.contact));
    events.extend(record.connected.iter().map(Event::Connected));
    events.push(Event::Started(&record.started));
    events.extend(record.intervals.iter().map(Event::Interval));
    events.push(Event::Ended(&record.end));
    events.push(Event::Closed { error: None });
    events
        .iter()
        .map(|event| transcript.show(event, ""))
        .collect()
}

#[test]
fn documents_have_what_theirs_have() {
    for test in TESTS {
        for (role, end) in ENDS {
            let theirs: Value = serde_json::from_str(&recorded(test, end, "json")).unwrap();
            let record = record(&theirs, role);
            let prints = prints(&record, form(test, role, &record, Notation::Json));
            let (document, before) = prints.split_last().unwrap();
            assert!(before.iter().all(String::is_empty), "{before:?}");
            strict::check(document).unwrap();
            let ours: Value = serde_json::from_str(document).unwrap();
            let (ours, theirs) = (leaves(&ours), leaves(&theirs));
            for (path, value) in &theirs {
                let own = ours.get(path);
                let own = own.unwrap_or_else(|| panic!("{test}.{end}: no {path}"));
                assert!(
                    equal(path, own, value),
                    "{test}.{end} {path}: {own} for {value}"
                );
            }
            let more: Vec<_> = ours
                .keys()
                .filter(|path| !theirs.contains_key(*path))
                .collect();
            assert!(
                more.iter().all(|path| is_later(path)),
                "{test}.{end}: {more:?}"
            );
        }
    }
}

/// What later versions have besides.
fn is_later(path: &str) -> bool {
    [
        "reorder",
        "fq_rate",
        "fqrate",
        "timemillisecs",
        "test_start.bidir",
        "test_start.interval",
        "test_start.gso",
        "test_start.gro",
        "receiver_tcp_congestion",
    ]
    .iter()
    .any(|name| path.ends_with(name))
}

fn equal(path: &str, ours: &Value, theirs: &Value) -> bool {
    match (ours.as_f64(), theirs.as_f64()) {
        // Theirs is the other end's time, and of streams after an omitted time it is rounded.
        (Some(_), Some(_)) if path.ends_with("receiver.seconds") => true,
        // Less than nothing, written as 2^64 less that.
        (Some(_), Some(theirs)) if theirs > 9e18 => true,
        (Some(ours), Some(theirs)) => (ours - theirs).abs() <= 1e-3 * theirs.abs() + 1e-4,
        _ => ours == theirs,
    }
}

fn leaves(value: &Value) -> BTreeMap<String, Value> {
    fn walk(value: &Value, path: String, leaves: &mut BTreeMap<String, Value>) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    walk(value, format!("{path}.{key}"), leaves);
                }
            }
            Value::Array(items) => {
                for (at, value) in items.iter().enumerate() {
                    walk(value, format!("{path}[{at}]"), leaves);
                }
            }
            _ => {
                leaves.insert(path, value.clone());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(value, String::new(), &mut found);
    found
}

#[test]
fn texts_have_the_layout_of_theirs() {
    // How fast 20 blocks are is another thing each time.
    for test in TESTS.iter().filter(|test| **test != "blocks") {
        for (role, end) in ENDS {
            let document: Value = serde_json::from_str(&recorded(test, end, "json")).unwrap();
            let mut record = record(&document, role);
            if record.end.server_output.is_some() {
                let shown = recorded(test, "server", "txt");
                let shown = shown[shown.find("Accepted").unwrap()..].to_owned();
                record.end.server_output = Some(ServerOutput::Text(shown));
            }
            let ours = prints(&record, form(test, role, &record, Notation::Text)).concat();
            let theirs = recorded(test, end, "txt");
            let (ours, theirs) = (shape(&ours), shape(&theirs));
            assert_eq!(ours, theirs, "{test}.{end}");
        }
    }
}

/// A text whose digits are all alike, and numbers too where nothing follows in a column.
fn shape(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| match line {
        line if line.contains("Cookie: ") => "      Cookie: ".to_owned(),
        line if line.starts_with("CPU") => line.chars().filter(|c| !c.is_ascii_digit()).collect(),
        line if line.starts_with("Time: ") => "Time: ".to_owned(),
        line => line
            .chars()
            .map(|c| if c.is_ascii_digit() { '9' } else { c })
            .collect(),
    });
    lines.collect()
}

fn transcript(role: Role, notation: Notation) -> Transcript {
    Transcript::new(Form {
        role,
        notation,
        interval_seconds: 1.0,
        version: "iperf 3.21".into(),
        system_info: "Linux".into(),
        ..Form::default()
    })
}

fn contact() -> Contact {
    Contact {
        host: "::1".into(),
        port: 5201,
        cookie: "c".repeat(36),
        ..Contact::default()
    }
}

fn moved(bytes: u64, start_seconds: f64, end_seconds: f64) -> Interval {
    Interval {
        last: true,
        streams: vec![StreamInterval {
            socket: 5,
            start_seconds,
            end_seconds,
            bytes,
            ..StreamInterval::default()
        }],
        ..Interval::default()
    }
}

fn end(received: Option<Counts>) -> End {
    End {
        streams: vec![StreamEnd {
            socket: 5,
            sends: true,
            sent: Some(Counts {
                seconds: 1.0,
                bytes: 1000,
                retransmits: Some(3),
                ..Counts::default()
            }),
            received,
            ..StreamEnd::default()
        }],
        ..End::default()
    }
}

fn lines(prints: &[String]) -> Vec<Value> {
    let text = prints.concat();
    text.lines().for_each(|line| strict::check(line).unwrap());
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_refused_client_has_a_document_all_the_same() {
    let error = Some("no way");
    let document = transcript(Role::Client, Notation::Json).show(&Event::Closed { error }, "");
    strict::check(&document).unwrap();
    let document: Value = serde_json::from_str(&document).unwrap();
    let expected = serde_json::json!({
        "start": {"connected": [], "version": "iperf 3.21", "system_info": "Linux"},
        "intervals": [],
        "end": {},
        "error": "no way",
    });
    assert_eq!(document, expected);
    let stream = Notation::JsonStream { document: false };
    let printed = transcript(Role::Client, stream).show(&Event::Closed { error }, "");
    assert_eq!(
        printed,
        "{\"event\":\"error\",\"data\":\"no way\"}\n{\"event\":\"end\",\"data\":{}}\n"
    );
    let text = transcript(Role::Client, Notation::Text).show(&Event::Closed { error }, "");
    assert_eq!(text, "");
}

#[test]
fn a_stream_names_its_test_where_there_are_several() {
    let mut transcript = transcript(Role::Server, Notation::JsonStream { document: false });
    let (contact, started, one) = (contact(), Started::default(), moved(1000, 0.0, 1.0));
    let mut prints = vec![transcript.show(&Event::Contact(&contact), "")];
    prints.push(transcript.show(&Event::Started(&started), ""));
    transcript.name(Some(7));
    prints.push(transcript.show(&Event::Interval(&one), ""));
    transcript.name(None);
    prints.push(transcript.show(&Event::Interval(&one), ""));
    let lines = lines(&prints);
    let keys: Vec<Vec<&String>> = lines
        .iter()
        .map(|line| line.as_object().unwrap().keys().collect())
        .collect();
    assert_eq!(keys[0], ["data", "event"]);
    assert_eq!(keys[1], ["cookie", "data", "event", "test"]);
    assert_eq!(keys[2], keys[0]);
    // The line of its start, which had no number, says the same word.
    assert_eq!(lines[1]["cookie"], lines[0]["data"]["cookie"]);
    assert_eq!(lines[1]["test"], 7);
}

#[test]
fn a_stream_has_a_line_an_event() {
    for full in [false, true] {
        let mut transcript = transcript(Role::Client, Notation::JsonStream { document: full });
        let (contact, started) = (contact(), Started::default());
        let (one, rest) = (moved(1000, 0.0, 1.0), moved(0, 1.0, 1.01));
        let end = End {
            server_output: Some(ServerOutput::Text("what it showed\n".into())),
            ..end(None)
        };
        let mut prints: Vec<_> = [
            Event::Contact(&contact),
            Event::Started(&started),
            Event::Interval(&one),
            Event::Interval(&rest),
            Event::Ended(&end),
            Event::Closed {
                error: Some("gone"),
            },
        ]
        .iter()
        .map(|event| transcript.show(event, "stamps are not for documents"))
        .collect();
        let last = prints.pop().unwrap();
        let at = last.find("\n{\n").map_or(last.len(), |at| at + 1);
        let (last_lines, document) = last.split_at(at);
        prints.push(last_lines.to_owned());
        let events: Vec<_> = lines(&prints)
            .iter()
            .map(|line| line["event"].as_str().unwrap().to_owned())
            .collect();
        let expected = ["start", "interval", "error", "server_output_text", "end"];
        assert_eq!(events, expected);
        assert_eq!(document.is_empty(), !full);
        if full {
            strict::check(document).unwrap();
            let document: Value = serde_json::from_str(document).unwrap();
            assert_eq!(document["intervals"].as_array().unwrap().len(), 1);
            assert_eq!(document["end"]["sum_sent"]["bytes"], 1000);
        }
    }
}

#[test]
fn what_a_gone_peer_has_not_said_is_not_shown_as_nothing() {
    let mut transcript = transcript(Role::Client, Notation::Text);
    transcript.show(
        &Event::Started(&Started {
            parallel: 1,
            ..Started::default()
        }),
        "",
    );
    let text = transcript.show(&Event::Ended(&end(None)), "");
    let expected = "\
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-1.00   sec  1000 Bytes  8.00 Kbits/sec    3             sender
[  5] (receiver statistics not available)
";
    assert_eq!(text, expected);
    assert_eq!(
        transcript.show(
            &Event::Closed {
                error: Some("gone")
            },
            ""
        ),
        ""
    );
}

#[test]
fn late_datagrams_have_a_line_and_losses_may_be_unknown() {
    let mut transcript = transcript(Role::Client, Notation::Text);
    let udp = Contact {
        protocol: report::dialect::iperf3::Protocol::Udp,
        ..contact()
    };
    transcript.show(&Event::Contact(&udp), "");
    let received = Counts {
        seconds: 0.5,
        bytes: 900,
        packets: 10,
        lost: None,
        out_of_order: 2,
        jitter_seconds: 0.000_017,
        ..Counts::default()
    };
    let text = transcript.show(&Event::Ended(&end(Some(received))), "");
    let lines: Vec<_> = text.lines().skip(3).collect();
    let expected = [
        "[SUM]  0.0- 0.5 sec  2 datagrams received out-of-order",
        "[  5]   0.00-0.50   sec   900 Bytes  14.4 Kbits/sec  0.017 ms  Unknown/10  receiver",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn lines_begin_with_the_time_and_the_title() {
    let title = Some("ti".to_owned());
    let form = Form {
        title: title.clone(),
        ..Form::default()
    };
    let mut transcript = Transcript::new(form);
    let contact = Contact {
        title,
        way: Way::Reverse,
        ..contact()
    };
    let text = transcript.show(&Event::Contact(&contact), "20:14 ");
    let expected = "20:14 ti:  Connecting to host ::1, port 5201\n\
                    20:14 ti:  Reverse mode, remote host ::1 is sending\n";
    assert_eq!(text, expected);
}

#[test]
fn a_server_tells_what_it_shows_to_a_client_that_wants_it() {
    for notation in [Notation::Text, Notation::Json] {
        let mut transcript = transcript(Role::Server, notation);
        let listening = Event::Listening {
            port: 5201,
            number: 1,
        };
        transcript.show(&listening, "");
        assert_eq!(transcript.server_output(), None);
        let contact = Contact {
            wants_server_output: true,
            ..contact()
        };
        transcript.show(&Event::Contact(&contact), "");
        transcript.show(&Event::Ended(&end(None)), "");
        match transcript.server_output() {
            Some(ServerOutput::Text(text)) => {
                assert!(
                    text.starts_with("Accepted connection from ::1, port 5201\n"),
                    "{text}"
                );
                assert!(text.ends_with("sender\n"), "{text}");
            }
            Some(ServerOutput::Json(document)) => {
                assert_eq!(document["start"]["accepted_connection"]["port"], 5201);
                assert_eq!(document["end"]["sum_sent"]["bytes"], 1000);
                assert_eq!(document["end"]["sum_received"]["bytes"], 0);
            }
            None => panic!("{notation:?}"),
        }
    }
}

#[test]
fn hosts_stand_beside_processes() {
    let mut transcript = transcript(Role::Client, Notation::Json);
    let end = End {
        local_cpu: Cpu {
            host_percent: Some(12.5),
            ..Cpu::default()
        },
        ..end(None)
    };
    transcript.show(&Event::Ended(&end), "");
    let document = transcript.show(&Event::Closed { error: None }, "");
    let document: Value = serde_json::from_str(&document).unwrap();
    let host = &document["end"]["whole_host_cpu_utilization_percent"];
    assert_eq!(*host, serde_json::json!({"local": 12.5, "remote": null}));
}

#[test]
fn a_verbose_client_says_how_it_begins() {
    let mut transcript = Transcript::new(Form {
        verbose: true,
        version: "iperf 3.21".into(),
        system_info: "Linux".into(),
        ..Form::default()
    });
    let opened = Event::Opened {
        control_mss: Some(1448),
        udp_block: Some(1448),
    };
    let expected = "iperf 3.21\nLinux\nControl connection MSS 1448\n\
                    Setting UDP block size to 1448\n";
    assert_eq!(transcript.show(&opened, ""), expected);
}
