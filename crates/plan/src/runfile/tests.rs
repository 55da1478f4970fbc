use proptest::prelude::*;
use units::Nanos;

use super::{parse, print};
use crate::{Family, Kind, Link, Load, Path, Plan, Timing, strategy};

#[test]
fn an_example_of_everything() {
    let plan = parse(
        r#"
        [path]
        host = "10.0.0.2"
        port = 5000
        family = "v4"

        [timing]
        time = 20
        omit = "500ms"
        interval = 0.1

        [[load]]
        kind = "stream"
        flows = 4
        size = "64K"
        cpu = [0, "2-3"]
        nodelay = true

        [[load]]
        kind = "rr"
        rps = 1000.5
        "#,
    )
    .unwrap();
    let loads = vec![
        Load::parse("stream:flows=4,size=64K,cpu=0,2-3,nodelay").unwrap(),
        Load::parse("rr:rps=1000.5").unwrap(),
        Load::new(Kind::Probe),
    ];
    let path = Path::Host {
        host: "10.0.0.2".to_owned(),
        port: 5000,
        family: Family::V4,
    };
    let timing = Timing {
        idle: Timing::DEFAULT_IDLE,
        omit: Nanos::from_millis(500),
        duration: Some(Nanos::from_secs(20)),
        interval: Some(Nanos::from_millis(100)),
    };
    assert_eq!(Plan::new(path, timing, loads), Ok(plan));
}

#[test]
fn what_is_left_out_is_as_on_the_command_line() {
    let loads = Load::with_probe(vec![Load::new(Kind::Stream)]);
    let path = Path::Testbed {
        family: Family::Any,
        link: Link::default(),
    };
    let expected = Plan::new(path, Timing::for_loads(&loads), loads).unwrap();
    assert_eq!(parse("[[load]]\nkind = 'stream'"), Ok(expected));

    let bare = parse("probe = false\n[[load]]\nkind = 'stream'").unwrap();
    assert_eq!(bare.loads, [Load::new(Kind::Stream)]);
    assert_eq!(bare.timing.idle, Nanos::ZERO);
}

#[test]
fn printed_as_people_would_write_it() {
    let loads = vec![
        Load::parse("stream:flows=4,size=64K,cpu=0,2,nodelay,name=big").unwrap(),
        Load::parse("rr:rps=10.5").unwrap(),
    ];
    let path = Path::Testbed {
        family: Family::Any,
        link: Link::parse("rate=100mbit,offload=off,qdisc=fq").unwrap(),
    };
    let plan = Plan::new(path, Timing::for_loads(&loads), loads).unwrap();
    assert_eq!(
        print(&plan),
        r#"probe = false

[path]
family = "any"

[link]
rate = "100M"
qdisc = "fq"
offload = false

[timing]
time = "10s"
omit = "0s"
interval = "1s"
idle = "0s"

[[load]]
kind = "stream"
name = "big"
flows = 4
size = "64K"
cpu = "0,2"
nodelay = true

[[load]]
kind = "rr"
rps = "10.5"
"#
    );
}

#[test]
fn bad_files_get_one_sentence_with_the_place() {
    for (text, sentence) in [
        (
            "[path]\nhost = ",
            "line 2: string values must be quoted, expected literal string",
        ),
        (
            "lod = 1",
            "top of the file: 'lod' is not a key: the keys are path, link, timing, load, probe, observe",
        ),
        (
            "path = 1",
            "top of the file: path: it begins with a line [path]",
        ),
        (
            "load = 1",
            "top of the file: load: each load begins with a line [[load]]",
        ),
        (
            "load = [1]",
            "top of the file: load: each load begins with a line [[load]]",
        ),
        (
            "[path]\nhots = 'a'",
            "[path]: 'hots' is not a key: the keys are host, port, family",
        ),
        (
            "[path]\nhost='a'\nport = 0\n[[load]]\nkind='stream'",
            "port: 0 is not a port: 1 to 65535",
        ),
        (
            "[path]\nhost='a'\nport = 'x'",
            "[path]: port: 'x' is not a port (1 to 65535)",
        ),
        ("[path]\nport = 1", "[path]: port: only a 'host' has a port"),
        (
            "[path]\nfamily = 4",
            "[path]: family: '4' is not any, v4 or v6",
        ),
        (
            "[path]\nhost='a'\n[link]\nmtu=1500",
            "[link]: only the testbed's link can be made; it has no 'host' in [path]",
        ),
        (
            "[link]\nmtu=1",
            "[link]: mtu: 1 is out of range: 68 to 65535 bytes",
        ),
        (
            "[timing]\nduration=1",
            "[timing]: 'duration' is not a key: the keys are time, omit, interval, idle",
        ),
        (
            "[timing]\ntime=-1",
            "[timing]: time: '-1' is not a time: seconds, or a number with ns, us, ms, s, m or h",
        ),
        (
            "[timing]\ntime=2026-01-01",
            "[timing]: time: '2026-01-01' is not a time: seconds, or a number with ns, us, ms, s, m or h",
        ),
        (
            "[[load]]\nflows=1",
            "load 1: 'kind' is missing: it is one of stream, maerts, bidir, rr, crr, udp-stream, \
             udp-maerts, udp-bidir, udp-rr, probe",
        ),
        (
            "[[load]]\nkind='stream'\n[[load]]\nkind='rr'\nrate='1M'",
            "load 2: 'rate' is not for rr: its rate is 'rps'",
        ),
        (
            "[[load]]\nkind='stream'\nsize={a=1}",
            "load 1: size: '{ a = 1 }' is not a size: a number of \
             bytes, with K, M, G or T for powers of 1024",
        ),
        (
            "probe=false\n[[load]]\nkind='probe'",
            "probe = false, but a load is a probe: drop one of them",
        ),
        (
            "probe=0",
            "top of the file: probe: '0' is neither on nor off",
        ),
        ("", "a run needs at least one load"),
        ("probe=false", "a run needs at least one load"),
    ] {
        match parse(text) {
            Ok(plan) => panic!("{text}: accepted as {plan:?}"),
            Err(error) => assert_eq!(error.to_string(), sentence, "{text}"),
        }
    }
}

proptest! {
    #[test]
    fn any_plan_to_text_and_back(plan in strategy::plan()) {
        let text = print(&plan);
        prop_assert_eq!(parse(&text), Ok(plan), "{}", text);
    }

    #[test]
    fn no_text_breaks_the_parser(
        text in ".{0,80}",
        table in "(path|link|timing|\\[load\\])",
        key in "(kind|host|flows|time|loss|cpu)",
    ) {
        let _ = parse(&text);
        let _ = parse(&format!("[{table}]\n{key} = {text}"));
    }
}

#[test]
fn what_is_watched_is_said_in_a_table_of_its_own() {
    let plan = parse("[observe]\nlocks = true\nrows = false\n[[load]]\nkind = 'stream'").unwrap();
    let observe = crate::Observe {
        rows: false,
        locks: true,
        ..crate::Observe::default()
    };
    assert_eq!(plan.observe, observe);
    assert_eq!(parse(&print(&plan)).as_ref(), Ok(&plan));
    let error = |text| parse(text).unwrap_err().to_string();
    let wrong = error("[observe]\nlocks = 'maybe'\n[[load]]\nkind = 'stream'");
    assert!(
        wrong.contains("[observe]: locks: 'maybe' is neither on nor off"),
        "{wrong}"
    );
    let wrong = error("[observe]\nlock = true\n[[load]]\nkind = 'stream'");
    assert!(
        wrong.contains("the keys are rows, locks, timers"),
        "{wrong}"
    );
}
