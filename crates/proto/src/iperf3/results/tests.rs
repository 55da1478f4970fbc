use super::*;

/// A client of 3.12 over UDP, and its server.
const PAIR: [&str; 2] = [
    r#"{"cpu_util_total":8.43885785072038,"cpu_util_user":0.447507268009952,"cpu_util_system":7.9910020568007614,"sender_has_retransmits":0,"streams":[{"id":1,"bytes":500000,"retransmits":18446744073709551615,"jitter":0,"errors":0,"packets":500,"start_time":0,"end_time":2.000261}]}"#,
    r#"{"cpu_util_total":1.7277185520244414,"cpu_util_user":0,"cpu_util_system":1.7274187310175826,"sender_has_retransmits":18446744073709551615,"streams":[{"id":1,"bytes":500000,"retransmits":18446744073709551615,"jitter":4.9547211699077774e-05,"errors":0,"packets":500,"start_time":0,"end_time":2.000826}]}"#,
];

fn decoded(text: &str) -> Results {
    Results::decode(text.as_bytes()).unwrap()
}

#[test]
fn minus_one_is_read_as_it_is_and_as_3_12_writes_it() {
    let [client, server] = PAIR.map(decoded);
    assert_eq!(client.retransmits, Retransmits::Unknown);
    assert_eq!(server.retransmits, Retransmits::Receiver);
    assert_eq!(server.streams[0].retransmits, None);
    assert_eq!(server.streams[0].jitter_s, 4.954_721_169_907_777_4e-5);
    assert_eq!(server.streams[0].omitted, None, "3.12 does not say");
}

#[test]
fn what_is_written_reads_back_as_the_same() {
    for text in PAIR {
        let results = decoded(text);
        assert_eq!(decoded(&results.encode()), results);
    }
    let results = Results {
        output: Some(ServerOutput::Text("a line\n\"quoted\"\n".to_owned())),
        congestion: Some("bbr".to_owned()),
        retransmits: Retransmits::Reported,
        host_cpu_percent: Some(12.5),
        ..decoded(PAIR[0])
    };
    assert_eq!(decoded(&results.encode()), results);
    let mut results = results;
    results.streams[0].path = Some(PathSummary {
        max_cwnd: 1_178_694,
        min_rtt_us: 17,
        ..PathSummary::default()
    });
    assert_eq!(decoded(&results.encode()), results);
    let json = Some(ServerOutput::Json(r#"{"end":{},"start":1}"#.to_owned()));
    let results = Results {
        output: json,
        ..results
    };
    assert_eq!(decoded(&results.encode()), results);
}

#[test]
fn the_newest_and_the_oldest_form_are_read() {
    let newest = r#"{"cpu_util_total":1,"cpu_util_user":1,"cpu_util_system":0,"sender_has_retransmits":1,"streams":[{"id":3,"bytes":500000,"retransmits":-1,"jitter":0.00049368191388107167,"errors":7,"omitted_errors":2,"packets":500,"omitted_packets":100,"start_time":0,"end_time":2.000722}]}"#;
    let stream = decoded(newest).streams.remove(0);
    assert_eq!(
        stream.omitted,
        Some(Omitted {
            lost: 2,
            packets: 100
        })
    );
    let oldest = r#"{"cpu_util_total":nan,"cpu_util_user":0,"cpu_util_system":0,"sender_has_retransmits":-1,"streams":[{"id":1,"bytes":1e+15,"retransmits":-1,"jitter":0,"errors":0,"packets":0}],"unknown":1}"#;
    let results = decoded(oldest);
    assert_eq!(results.streams[0].bytes, 1_000_000_000_000_000);
    assert_eq!(results.streams[0].seconds, None);
    assert!(decoded(r#"{"cpu_util_total":0,"cpu_util_user":0,"cpu_util_system":0,"sender_has_retransmits":-1,"streams":[]}"#).streams.is_empty());
}

#[test]
fn what_every_version_sends_must_be_there() {
    let one = |stream: &str| format!(r#"{{"sender_has_retransmits":0,"streams":[{stream}]}}"#);
    for (text, number) in [
        ("{}".to_owned(), 117),
        ("nonsense".to_owned(), 117),
        (r#"{"sender_has_retransmits":0}"#.to_owned(), 117),
        (one(r#"{"id":1}"#), 117),
        (
            one(r#"{"id":2,"bytes":1,"retransmits":0,"jitter":0,"errors":0,"packets":0}"#),
            208,
        ),
        (
            one(
                r#"{"id":1,"bytes":1,"retransmits":0,"jitter":0,"errors":0,"packets":0,"omitted_errors":1}"#,
            ),
            117,
        ),
    ] {
        let rejected = Results::decode(text.as_bytes()).unwrap_err();
        assert_eq!(rejected.number.get(), number, "{text}");
    }
}
