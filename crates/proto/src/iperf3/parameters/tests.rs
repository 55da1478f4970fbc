use super::*;

/// Texts of real clients.
const TEXTS: [(&str, &str); 13] = [
    (
        "3.1",
        r#"{"tcp":true,"omit":0,"time":10,"parallel":1,"len":131072,"client_version":"3.1"}"#,
    ),
    (
        "3.1",
        r#"{"tcp":true,"omit":2,"server_affinity":1,"num":307200,"MSS":1000,"nodelay":true,"parallel":2,"reverse":true,"window":204800,"len":10240,"bandwidth":8000000,"burst":5,"TOS":32,"title":"mytitle","congestion":"cubic","get_server_output":1,"client_version":"3.1"}"#,
    ),
    (
        "3.1",
        r#"{"udp":true,"omit":0,"time":10,"parallel":1,"len":8192,"bandwidth":1048576,"client_version":"3.1"}"#,
    ),
    (
        "3.7",
        r#"{"udp":true,"omit":0,"time":10,"parallel":1,"len":32768,"bandwidth":1048576,"pacing_timer":1000,"client_version":"3.7"}"#,
    ),
    (
        "3.9",
        r#"{"tcp":true,"omit":0,"time":10,"parallel":1,"len":131072,"pacing_timer":1000,"client_version":"3.9"}"#,
    ),
    (
        "3.12",
        r#"{"tcp":true,"omit":2,"server_affinity":1,"time":0,"num":307200,"blockcount":0,"MSS":1000,"nodelay":true,"parallel":2,"reverse":true,"window":204800,"len":10240,"bandwidth":8000000,"pacing_timer":1000,"burst":5,"TOS":32,"title":"mytitle","congestion":"cubic","get_server_output":1,"zerocopy":1,"client_version":"3.12"}"#,
    ),
    (
        "3.12",
        r#"{"tcp":true,"omit":0,"time":0,"num":0,"blockcount":10,"parallel":1,"len":131072,"fqrate":100000000,"pacing_timer":500,"TOS":184,"extra_data":"mydata","repeating_payload":1,"client_version":"3.12"}"#,
    ),
    (
        "3.12",
        r#"{"udp":true,"omit":0,"time":0,"num":0,"blockcount":0,"parallel":1,"len":1000,"pacing_timer":1000,"udp_counters_64bit":1,"dont_fragment":1,"client_version":"3.12"}"#,
    ),
    (
        "3.16",
        r#"{"udp":true,"omit":0,"time":10,"num":0,"blockcount":0,"parallel":1,"len":32768,"bandwidth":1048576,"pacing_timer":1000,"client_version":"3.16"}"#,
    ),
    (
        "3.21+",
        r#"{"tcp":true,"omit":0,"time":10,"num":0,"blockcount":0,"parallel":1,"bidirectional":true,"len":131072,"bandwidth":1000000000,"pacing_timer":1000,"authtoken":"abc=","client_version":"3.21+"}"#,
    ),
    (
        "3.21+",
        r#"{"tcp":true,"omit":0,"time":10,"num":0,"blockcount":0,"parallel":1,"mptcp":true,"len":131072,"pacing_timer":1000,"flowlabel":77,"skip_rx_copy":1,"client_version":"3.21+"}"#,
    ),
    (
        "3.21+",
        r#"{"udp":true,"omit":0,"time":1,"num":0,"blockcount":0,"parallel":1,"len":1400,"bandwidth":100000000,"pacing_timer":1000,"gso":1,"gso_dg_size":1400,"gso_bf_size":64400,"gro":1,"gro_bf_size":65507,"client_version":"3.21+"}"#,
    ),
    (
        "3.21+",
        r#"{"udp":true,"omit":0,"time":2,"num":0,"blockcount":0,"parallel":2,"reverse":true,"len":1000,"bandwidth":2000000,"pacing_timer":1000,"gso":0,"gso_dg_size":0,"gso_bf_size":65507,"gro":0,"gro_bf_size":65507,"client_version":"3.21+"}"#,
    ),
];

fn decoded(text: &str) -> Parameters {
    Parameters::decode(text.as_bytes()).unwrap()
}

#[test]
fn texts_of_all_versions_say_what_they_mean() {
    insta::assert_debug_snapshot!(TEXTS.map(|(_, text)| decoded(text)));
}

#[test]
fn what_is_written_reads_back_as_the_same() {
    for (version, text) in TEXTS {
        let parameters = decoded(text);
        assert_eq!(parameters.client_version.as_deref(), Some(version));
        assert_eq!(decoded(&parameters.encode()), parameters, "{text}");
    }
}

#[test]
fn a_texts_keys_are_those_of_a_stock_client_in_its_order() {
    let (_, newest) = TEXTS[12];
    assert_eq!(decoded(newest).encode(), newest);
    let (_, tcp) = TEXTS[5];
    assert_eq!(decoded(tcp).encode(), tcp);
}

#[test]
fn a_flag_is_on_by_its_presence_and_off_by_a_wrong_type() {
    let odd = decoded(r#"{"udp":false,"reverse":false,"nodelay":1,"get_server_output":0}"#);
    assert_eq!(
        (odd.protocol, odd.direction, odd.nodelay),
        (Protocol::Udp, Direction::Reverse, false)
    );
    assert!(odd.get_server_output);
    let odd = decoded(r#"{"zerocopy":0,"parallel":"4","title":7,"tos":null,"unknown":{}}"#);
    assert_eq!(odd, Parameters::new(Protocol::Tcp));
}

#[test]
fn without_a_time_bytes_or_blocks_are_the_only_end() {
    assert_eq!(decoded(r#"{"num":100}"#).time, None);
    assert_eq!(decoded(r#"{"time":0}"#).time, None);
    assert_eq!(decoded("{}").time, Some(Nanos::from_secs(10)));
}

#[test]
fn what_is_out_of_range_is_refused_by_its_number() {
    for (text, number) in [
        (r#"{"time":90000}"#, 5),
        (r#"{"time":-1}"#, 5),
        (r#"{"omit":601}"#, 12),
        (r#"{"parallel":0}"#, 6),
        (r#"{"parallel":1000000}"#, 6),
        (r#"{"len":0}"#, 7),
        (r#"{"len":1048577}"#, 7),
        (r#"{"udp":true,"len":15}"#, 20),
        (r#"{"udp":true,"len":65508}"#, 20),
        (r#"{"window":18446744073709551615}"#, 8),
        (r#"{"TOS":256}"#, 21),
        (r#"{"burst":1001}"#, 15),
        ("[]", 114),
        ("{", 114),
    ] {
        let rejected = Parameters::decode(text.as_bytes()).unwrap_err();
        assert_eq!(rejected.number.get(), number, "{text}: {rejected}");
    }
}
