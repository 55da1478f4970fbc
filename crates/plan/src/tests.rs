use std::num::NonZeroU32;

use proptest::prelude::*;
use serde_json::{Value, json};
use units::{Bytes, Nanos};

use crate::{Arrival, Family, Kind, Link, Load, Path, Plan, PlanError, Stop, Timing, strategy};

fn testbed() -> Path {
    Path::Testbed {
        family: Family::Any,
        link: Link::default(),
    }
}

fn plan(loads: Vec<Load>) -> Result<Plan, PlanError> {
    Plan::new(testbed(), Timing::for_loads(&loads), loads)
}

fn sentence(loads: Vec<Load>) -> String {
    plan(loads).unwrap_err().to_string()
}

#[test]
fn a_load_of_each_kind_with_nothing_else_asked_is_a_plan() {
    for kind in Kind::ALL {
        let plan = plan(Load::with_probe(vec![Load::new(kind)])).unwrap();
        assert_eq!(plan.loads[0].name, kind.name());
        assert_eq!(plan.timing.duration, Some(Timing::DEFAULT_DURATION));
        assert_eq!(plan.timing.idle, Timing::DEFAULT_IDLE);
    }
}

#[test]
fn one_probe_is_added_to_loads_without_one() {
    let kinds = |loads: Vec<Load>| loads.iter().map(|load| load.kind).collect::<Vec<_>>();
    let stream = Load::new(Kind::Stream);
    let probe = Load::new(Kind::Probe);
    assert_eq!(
        kinds(Load::with_probe(vec![stream.clone()])),
        [Kind::Stream, Kind::Probe]
    );
    assert_eq!(
        kinds(Load::with_probe(vec![probe, stream])),
        [Kind::Probe, Kind::Stream]
    );
}

#[test]
fn unnamed_repeats_of_a_kind_are_numbered_around_chosen_names() {
    let stream = Load::new(Kind::Stream);
    let named = |name: &str| Load {
        name: name.to_owned(),
        ..stream.clone()
    };
    let loads = vec![
        stream.clone(),
        stream.clone(),
        named("stream-2"),
        stream.clone(),
        Load::new(Kind::Maerts),
    ];
    let names: Vec<_> = plan(loads)
        .unwrap()
        .loads
        .into_iter()
        .map(|l| l.name)
        .collect();
    assert_eq!(
        names,
        ["stream", "stream-3", "stream-2", "stream-4", "maerts"]
    );

    assert_eq!(
        sentence(vec![named("a"), named("a")]),
        "two loads are named 'a': each needs its own name"
    );
}

#[test]
fn a_run_without_a_limit_needs_loads_that_end() {
    let counted = Load {
        stop: Stop::Bytes {
            bytes: Bytes::new(1),
        },
        ..Load::new(Kind::Stream)
    };
    let loads = Load::with_probe(vec![counted]);
    assert_eq!(Timing::for_loads(&loads).duration, None);
    assert!(plan(loads.clone()).is_ok());

    let loads = [loads, vec![Load::new(Kind::Maerts)]].concat();
    let timing = Timing {
        duration: None,
        ..Timing::for_loads(&loads)
    };
    assert_eq!(
        Plan::new(testbed(), timing, loads).unwrap_err().to_string(),
        "time: load 3 (maerts) ends by time, so the run needs a duration"
    );
    assert_eq!(
        Timing::for_loads(&[Load::new(Kind::Probe)]).duration,
        Some(Timing::DEFAULT_DURATION)
    );
}

#[test]
fn the_whole_is_refused_with_one_sentence() {
    let stream = Load::new(Kind::Stream);
    let many = Load {
        flows: NonZeroU32::new(60_000).unwrap(),
        ..stream.clone()
    };
    let late = Load {
        delay: Nanos::from_secs(10),
        ..stream.clone()
    };
    assert_eq!(sentence(vec![]), "a run needs at least one load");
    assert_eq!(
        sentence(vec![stream.clone(); 257]),
        "257 loads are too many: at most 256"
    );
    assert_eq!(
        sentence(vec![many.clone(), many]),
        "120000 flows in all are too many: at most 100000"
    );
    assert_eq!(
        sentence(vec![stream, late]),
        "delay: load 2 (stream) would start 10.00 s after the others, when the run is over"
    );
}

#[test]
fn times_are_refused_with_one_sentence() {
    let usual = Timing::for_loads(&[Load::new(Kind::Stream)]);
    for (timing, sentence) in [
        (
            Timing {
                duration: Some(Nanos::ZERO),
                ..usual
            },
            "time: a run takes more than 0 s; leave it out for 10.00 s",
        ),
        (
            Timing {
                interval: Some(Nanos::from_millis(9)),
                ..usual
            },
            "interval: 9.00 ms is too short: at least 10.00 ms, or 0 for none",
        ),
        (
            Timing {
                idle: Nanos::from_secs(1),
                ..usual
            },
            "idle: only a probe has an idle phase, and the run has none",
        ),
        (
            Timing {
                omit: Nanos::new(u64::MAX),
                ..usual
            },
            "omit: 18446744073.71 s is too long: at most 30 days",
        ),
    ] {
        let error = Plan::new(testbed(), timing, vec![Load::new(Kind::Stream)]).unwrap_err();
        assert_eq!(error.to_string(), sentence);
    }
}

#[test]
fn paths_are_refused_with_one_sentence() {
    let host = |host: &str, port| Path::Host {
        host: host.to_owned(),
        port,
        family: Family::Any,
    };
    let loads = vec![Load::new(Kind::Stream)];
    for (path, sentence) in [
        (
            host("", 1),
            "host: a host is a name or an address of at most 255 characters, no space",
        ),
        (
            host("a b", 1),
            "host: a host is a name or an address of at most 255 characters, no space",
        ),
        (host("a", 0), "port: 0 is not a port: 1 to 65535"),
        (
            Path::Testbed {
                family: Family::V6,
                link: Link {
                    mtu: Some(1279),
                    ..Link::default()
                },
            },
            "link: mtu: IPv6 needs an MTU of at least 1280 bytes, not 1279",
        ),
    ] {
        let error = Plan::new(path, Timing::for_loads(&loads), loads.clone()).unwrap_err();
        assert_eq!(error.to_string(), sentence);
    }
}

/// A hostile peer's changes to an ordinary plan: none may become a `Plan`.
#[test]
fn json_goes_through_the_same_checks() {
    let loads = Load::with_probe(vec![Load::new(Kind::UdpStream), Load::new(Kind::Rr)]);
    let good = serde_json::to_value(plan(loads).unwrap()).unwrap();
    assert!(serde_json::from_value::<Plan>(good.clone()).is_ok());
    for (pointer, value) in [
        ("/loads", json!([])),
        ("/loads/0/flows", json!(0)),
        ("/loads/0/flows", json!(100_001)),
        ("/loads/0/flows", json!(99_999)),
        ("/loads/0/size_bytes", json!(23)),
        ("/loads/0/size_bytes", json!(65_508)),
        ("/loads/0/request_bytes", json!(1)),
        ("/loads/0/name", json!("a\u{1b}[2Jb")),
        ("/loads/0/name", json!("n".repeat(65))),
        ("/loads/0/name", json!("rr,")),
        ("/loads/0/rate_bits_per_second", json!(0)),
        ("/loads/0/delay_ns", json!(u64::MAX)),
        ("/loads/0/cpu", json!([8192])),
        ("/loads/0/cpu", json!(vec![0; 8193])),
        ("/loads/0/socket/mss_bytes", json!(1000)),
        ("/loads/0/socket/source_port", json!(0)),
        ("/loads/0/socket/device", json!("../../x")),
        ("/loads/1/reply_bytes", json!((64 << 20) + 1)),
        ("/loads/1/request_bytes", json!(0)),
        ("/loads/1/depth", json!(4097)),
        (
            "/loads/1/arrival",
            json!({"process": "paced", "requests_per_second": -1.0}),
        ),
        (
            "/loads/1/arrival",
            json!({"process": "poisson", "requests_per_second": 1e300}),
        ),
        ("/loads/1/stop", json!({"at": "bytes", "bytes": 1})),
        ("/loads/1/stop", json!({"at": "count", "count": 0})),
        ("/loads/2/arrival", json!({"process": "closed"})),
        ("/timing/interval_ns", json!(1)),
        ("/timing/duration_ns", json!(null)),
        ("/path/link/qdisc", json!("fq; reboot\n")),
        ("/path/link/loss", json!(1.0)),
        ("/path/link/queues", json!(0)),
        ("/path/link/mtu", json!(67)),
        ("/path/link/rate_bits_per_second", json!(7)),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value.clone();
        assert!(
            serde_json::from_value::<Plan>(bad).is_err(),
            "{pointer} = {value}"
        );
    }
    let mut unknown = good;
    unknown["extra"] = json!(1);
    assert!(serde_json::from_value::<Plan>(unknown).is_err());
}

#[test]
fn a_load_by_itself_is_checked_too() {
    let mut load = serde_json::to_value(Load::new(Kind::Rr)).unwrap();
    assert_eq!(
        serde_json::from_value::<Load>(load.clone()).unwrap(),
        Load::new(Kind::Rr)
    );
    load["size_bytes"] = json!(1);
    assert_eq!(
        serde_json::from_value::<Load>(load)
            .unwrap_err()
            .to_string(),
        "'size' is not for rr: its sizes are 'request' and 'reply'"
    );
}

#[test]
fn the_schema_names_what_the_json_holds() {
    let schema = serde_json::to_value(schemars::schema_for!(Plan)).unwrap();
    let load = serde_json::to_value(Load::new(Kind::Stream)).unwrap();
    let Value::Object(load) = load else {
        panic!("{load}")
    };
    for key in load.keys() {
        let pointer = format!("/$defs/Load/properties/{key}");
        assert!(schema.pointer(&pointer).is_some(), "{pointer} in {schema}");
    }
}

#[test]
fn a_probe_is_paced_and_small() {
    let probe = Load::new(Kind::Probe);
    assert_eq!(
        probe.arrival,
        Arrival::Paced {
            requests_per_second: 10.0
        }
    );
    assert_eq!((probe.request, probe.reply), (Bytes::new(1), Bytes::new(1)));
}

proptest! {
    #[test]
    fn json_and_back(plan in strategy::plan()) {
        let text = serde_json::to_string(&plan).unwrap();
        prop_assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
    }
}
