//! The inputs that iperf3's corpora begin with.

use proto::iperf3::{Counter, Datagram, Hello};
use units::Nanos;

use super::scene::{self, message};
use crate::seeds::{Seed, Streams, controls};

/// All of them.
pub(crate) fn seeds() -> Vec<Seed> {
    let server = controls("iperf3_server", &client_streams());
    let client = controls("iperf3_client", &server_streams());
    [server, client, datagrams()]
        .into_iter()
        .flatten()
        .collect()
}

/// Parameters of real clients.
const OLD: &str = r#"{"tcp":true,"omit":2,"server_affinity":1,"num":307200,"MSS":1000,"nodelay":true,"parallel":2,"reverse":true,"window":204800,"len":10240,"bandwidth":8000000,"burst":5,"TOS":32,"title":"mytitle","congestion":"cubic","get_server_output":1,"client_version":"3.1"}"#;
const NEW: &str = r#"{"udp":true,"omit":0,"time":1,"num":0,"blockcount":0,"parallel":1,"len":1400,"bandwidth":100000000,"pacing_timer":1000,"gso":1,"gso_dg_size":1400,"gso_bf_size":64400,"gro":1,"gro_bf_size":65507,"client_version":"3.21+"}"#;
const MPTCP: &str = r#"{"tcp":true,"omit":0,"time":10,"num":0,"blockcount":0,"parallel":1,"mptcp":true,"len":131072,"pacing_timer":1000,"flowlabel":77,"skip_rx_copy":1,"client_version":"3.21+"}"#;

/// Results of real peers.
const DEBIAN: &str = r#"{"cpu_util_total":1.7277185520244414,"cpu_util_user":0,"cpu_util_system":1.7274187310175826,"sender_has_retransmits":18446744073709551615,"streams":[{"id":1,"bytes":500000,"retransmits":18446744073709551615,"jitter":4.9547211699077774e-05,"errors":0,"packets":500,"start_time":0,"end_time":2.000826}]}"#;
const OLDEST: &str = r#"{"cpu_util_total":nan,"cpu_util_user":0,"cpu_util_system":0,"sender_has_retransmits":1,"streams":[{"id":1,"bytes":1e+15,"retransmits":3,"jitter":0,"errors":0,"packets":0}]}"#;

/// What a server gets.
fn client_streams() -> Streams {
    let results = message(&scene::results().encode());
    let whole = [message(OLD), vec![4], results.clone(), vec![16]].concat();
    let parameters: &[u8] = &[0];
    let told: &[u8] = &[3];
    vec![
        ("whole-run", whole, &[0]),
        ("new", message(NEW), parameters),
        ("mptcp", message(MPTCP), parameters),
        ("empty-object", message("{}"), parameters),
        ("no-object", message("[1]"), parameters),
        ("no-json", message("{\"tcp\":"), parameters),
        ("deep", message(&"[".repeat(4000)), parameters),
        ("long", [0, 0, 0x20, 1].to_vec(), parameters),
        ("negative-length", vec![0xff; 8], parameters),
        ("no-streams", message(r#"{"parallel":0}"#), parameters),
        (
            "control-letters",
            message("{\"congestion\":\"\\u001b[2J\",\"title\":\"\\u0007\"}"),
            parameters,
        ),
        ("terminated", vec![12], &[0, 1, 2, 3, 4]),
        ("end", vec![4], &[2]),
        ("unknown-state", vec![0x55], &[1, 2, 4]),
        ("results", [&results[..], &[16]].concat(), told),
        ("results-of-debian", message(DEBIAN), told),
        ("results-of-the-oldest", message(OLDEST), told),
        ("results-of-nothing", message("{}"), told),
        ("absurd-results", [0x7f; 8].to_vec(), told),
        ("done", vec![16], &[4]),
    ]
}

/// What a client gets.
fn server_streams() -> Streams {
    let results = message(&scene::results().encode());
    let whole = [&[9, 10, 1, 2, 13][..], &results, &[14]].concat();
    let any: &[u8] = &[0, 1, 2, 3, 4, 5, 6, 7];
    let told: &[u8] = &[6];
    vec![
        ("whole-run", whole, &[0]),
        ("busy", vec![0xff], &[0, 4]),
        ("terminated", vec![11], any),
        ("refused", vec![0xfe, 0, 0, 0, 27, 0, 0, 0, 5], any),
        ("refused-in-short", vec![0xfe, 0, 0, 0, 142], any),
        (
            "refused-twice",
            vec![0xfe, 0, 0, 0, 27, 0, 0, 0, 0, 0xfe, 0, 0, 0, 27, 0, 0, 0, 0],
            &[4],
        ),
        ("unknown-error", vec![0xfe, 0x7f, 0xff, 0xff, 0xff], &[1]),
        ("unknown-state", vec![0x55], &[0, 1, 4]),
        ("out-of-turn", vec![14], &[0, 1, 2, 3]),
        ("results", [&results[..], &[14]].concat(), told),
        ("results-of-debian", message(DEBIAN), told),
        ("results-of-the-oldest", message(OLDEST), told),
        ("results-of-nothing", message("{}"), told),
        ("absurd-results", vec![0x7f; 8], told),
        ("silence", vec![], any),
    ]
}

fn datagrams() -> Vec<Seed> {
    let data = |counter: Counter, number| {
        let mut bytes = vec![0x55; 40];
        let sent = Nanos::new(680_601_063_000);
        Datagram { sent, number }.encode_into(counter, &mut bytes);
        bytes
    };
    let inputs = [
        ("hello", b"9876".to_vec()),
        ("hello-reversed", b"6789".to_vec()),
        ("hello-old", vec![0x15, 0xcd, 0x5b, 0x07]),
        ("hello-old-reversed", vec![0x07, 0x5b, 0xcd, 0x15]),
        (
            "hello-with-cookie",
            Hello::encode(&scene::cookie()).to_vec(),
        ),
        ("data", data(Counter::Bits32, 1)),
        ("data-64", data(Counter::Bits64, 1 << 40)),
        ("data-last-number", data(Counter::Bits64, u64::MAX)),
        ("data-first-number", data(Counter::Bits32, 0)),
        ("data-short", data(Counter::Bits32, 1)[..11].to_vec()),
        ("empty", vec![]),
    ];
    let seed = |(name, data): (&str, Vec<u8>)| Seed {
        target: "iperf3_datagram",
        name: name.to_owned(),
        data,
    };
    inputs.into_iter().map(seed).collect()
}
