use std::ffi::OsString;
use std::io;
use std::num::NonZeroU32;

use plan::{Arrival, Cidr, Family, Kind, Link, Load, Path, Stop, Timing};
use units::{BitRate, Bytes, Nanos};

use super::{
    Dialect, Log, Output, Refusal, Request, RunRequest, ServeRequest, ShowRequest, command, parse,
};

/// The program's name and the words of `line`; no word holds a space, except after `'`.
fn argv(line: &str) -> Vec<OsString> {
    let mut words = vec!["netdyno".to_owned()];
    for (i, part) in line.split('\'').enumerate() {
        if i % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words.into_iter().map(OsString::from).collect()
}

pub(super) fn request(line: &str) -> Result<Request, Refusal> {
    parse(argv(line), |file| match file.to_str() {
        Some("good.toml") => Ok("probe = false\n[[load]]\nkind = 'rr'\nflows = 3".to_owned()),
        Some("bad.toml") => Ok("[[load]]\nkind = 'rr'\nrate = '1M'".to_owned()),
        Some("limits.toml") => Ok("[[gate]]\nmetric = 'throughput'\nlimit = '2%'".to_owned()),
        _ => Err(io::Error::other("no such file")),
    })
}

fn run(line: &str) -> RunRequest {
    match request(line) {
        Ok(Request::Run(run)) => *run,
        other => panic!("{line}: {other:?}"),
    }
}

fn help(line: &str) -> String {
    match request(line) {
        Err(Refusal::Help(text)) => text,
        other => panic!("{line}: {other:?}"),
    }
}

fn host(host: &str, port: u16, family: Family) -> Path {
    let host = host.to_owned();
    Path::Host { host, port, family }
}

#[test]
fn the_definitions_are_sound() {
    command().debug_assert();
}

#[test]
fn run_alone_is_a_testbed_with_a_stream_and_a_probe() {
    let run = run("run");
    let loads = vec![Load::new(Kind::Stream), Load::new(Kind::Probe)];
    assert_eq!(
        run.plan.path,
        Path::Testbed {
            family: Family::Any,
            link: Link::default()
        }
    );
    assert_eq!(run.plan.timing, Timing::for_loads(&loads));
    assert_eq!(run.plan.loads, loads);
    assert_eq!(run.output, Output::Text);
    assert!(run.save && !run.dry_run && !run.quiet && !run.allow_local);
}

#[test]
fn where_a_run_goes() {
    for (line, path) in [
        ("run server", host("server", 12866, Family::Any)),
        ("run server:5000", host("server", 5000, Family::Any)),
        ("run server -p 5000", host("server", 5000, Family::Any)),
        ("run ::1 -6", host("::1", 12866, Family::V6)),
        ("run [::1]:5000", host("::1", 5000, Family::Any)),
        ("run 10.0.0.1 -4", host("10.0.0.1", 12866, Family::V4)),
        (
            "run -6 --link 'rate=1G,qdisc=htb r2q 1000 default 3'",
            Path::Testbed {
                family: Family::V6,
                link: Link::parse("rate=1G,qdisc=htb r2q 1000 default 3").unwrap(),
            },
        ),
    ] {
        assert_eq!(run(line).plan.path, path, "{line}");
    }
}

#[test]
fn habits_of_iperf3() {
    for (line, load) in [
        ("run -P 4 -R", "maerts:flows=4"),
        ("run --bidir -l 64K -N", "bidir:size=64K,nodelay"),
        ("run -u -b 1G -l 1400", "udp-stream:rate=1G,size=1400"),
        ("run -u", "udp-stream"),
        ("run -u -b 0", "udp-stream"),
        ("run -uR", "udp-maerts"),
        ("run -u --bidir", "udp-bidir"),
        ("run -b 20M", "stream:rate=20M"),
        (
            "run -w 1M -M 1200 -C bbr",
            "stream:sndbuf=1M,rcvbuf=1M,mss=1200,cc=bbr",
        ),
        ("run -S 0xb8", "stream:dscp=46"),
        ("run -S 0270", "stream:dscp=46"),
        ("run -S 184", "stream:dscp=46"),
        ("run --dscp ef", "stream:dscp=46"),
        ("run -n 1000 -P 3", "stream:flows=3,bytes=334"),
    ] {
        assert_eq!(
            run(line).plan.loads[0],
            Load::parse(load).unwrap(),
            "{line}"
        );
    }
}

#[test]
fn times() {
    let usual = run("run").plan.timing;
    let typed = run("run -t 2m -O 1 -i 0.1").plan.timing;
    assert_eq!(
        typed,
        Timing {
            omit: Nanos::from_secs(1),
            duration: Some(Nanos::from_secs(120)),
            interval: Some(Nanos::from_millis(100)),
            ..usual
        }
    );
    assert_eq!(run("run -i 0").plan.timing.interval, None);
    assert_eq!(run("run --load rr -t 1").plan.timing.idle, usual.idle);
    assert_eq!(run("run --no-probe").plan.timing.idle, Nanos::ZERO);
}

#[test]
fn loads_that_end_by_themselves_have_no_limit_unless_typed() {
    let unlimited = run("run -n 1G").plan;
    assert_eq!(unlimited.timing.duration, None);
    assert_eq!(
        unlimited.loads[0].stop,
        Stop::Bytes {
            bytes: Bytes::new(1 << 30)
        }
    );
    let limited = run("run -n 1G -t 5").plan;
    assert_eq!(limited.timing.duration, Some(Nanos::from_secs(5)));
    let mixed = run("run --load rr:count=5 --load stream").plan;
    assert_eq!(mixed.timing.duration, Some(Timing::DEFAULT_DURATION));
}

#[test]
fn every_run_has_one_probe_unless_told() {
    let kinds = |line| {
        run(line)
            .plan
            .loads
            .iter()
            .map(|l| l.kind)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        kinds("run --load rr --load stream:flows=2"),
        [Kind::Rr, Kind::Stream, Kind::Probe]
    );
    assert_eq!(kinds("run --load rr --no-probe"), [Kind::Rr]);
    assert_eq!(
        kinds("run --load probe:rps=100 --load rr"),
        [Kind::Probe, Kind::Rr]
    );
    let probe = &run("run --load probe:rps=100").plan.loads[0];
    assert_eq!(
        probe.arrival,
        Arrival::Paced {
            requests_per_second: 100.0
        }
    );
}

#[test]
fn forms_of_output_and_switches() {
    for (line, output) in [
        ("run -J", Output::Json),
        ("run --json", Output::Json),
        ("run --json-lines", Output::JsonLines),
        ("run --csv", Output::Csv),
    ] {
        assert_eq!(run(line).output, output, "{line}");
    }
    let run = run("run server --no-save --dry-run -q --allow-local");
    assert!(!run.save && run.dry_run && run.quiet && run.allow_local);
}

#[test]
fn a_run_file_and_other_times() {
    let run = run("run good.toml -t 3");
    assert_eq!(run.plan.loads, [Load::parse("rr:flows=3").unwrap()]);
    assert_eq!(run.plan.timing.duration, Some(Nanos::from_secs(3)));
}

#[test]
fn serve() {
    let usual = ServeRequest {
        netperf: Some(Dialect {
            port: proto::netperf::PORT,
            must: false,
        }),
        iperf2: Some(Dialect {
            port: proto::iperf2::PORT,
            must: false,
        }),
        iperf3: Some(Dialect {
            port: proto::iperf3::PORT,
            must: false,
        }),
        bind: None,
        port: 12866,
        max_tests: NonZeroU32::new(64).unwrap(),
        allow: Vec::new(),
        max_duration: None,
        max_rate: None,
        tracing: true,
        sysctls: false,
        one_off: false,
        log: Log::Text,
        quiet: false,
    };
    assert_eq!(request("serve"), Ok(Request::Serve(usual)));
    let line = "serve --bind ::1 --port 0 --max-tests 1 --allow 10.0.0.0/8 --allow ::1 \
                --max-duration 5m --max-rate 1G --no-tracing --one-off --log json";
    let block = |text: &str| text.parse::<Cidr>().unwrap();
    assert_eq!(
        request(line),
        Ok(Request::Serve(ServeRequest {
            netperf: None,
            iperf2: None,
            iperf3: None,
            bind: Some("::1".parse().unwrap()),
            port: 0,
            max_tests: NonZeroU32::MIN,
            allow: vec![block("10.0.0.0/8"), block("::1")],
            max_duration: Some(Nanos::from_secs(300)),
            max_rate: Some(BitRate::new(1_000_000_000)),
            tracing: false,
            sysctls: false,
            one_off: true,
            log: Log::Json,
            quiet: false,
        }))
    );
}

#[test]
fn show() {
    let show = |id: Option<&str>, output| {
        Ok(Request::Show(ShowRequest {
            id: id.map(str::to_owned),
            output,
        }))
    };
    assert_eq!(request("show"), show(None, Output::Text));
    assert_eq!(
        request("show 20260801-101500-ab12 --csv"),
        show(Some("20260801-101500-ab12"), Output::Csv)
    );
}

#[test]
fn help_has_examples_and_exit_codes() {
    assert!(help("--version").starts_with("netdyno "));
    let codes = help("--help");
    for code in [
        "  0 ", "  1 ", "  2 ", "  3 ", "  4 ", "  5 ", "  6 ", "130 ",
    ] {
        assert!(codes.contains(code), "{code} in {codes}");
    }
    for line in ["-h", "run -h", "run --help", "serve -h", "show -h"] {
        let text = help(line);
        assert!(text.contains("Examples:\n  netdyno "), "{line}: {text}");
        assert!(text.contains("Usage: netdyno"), "{line}: {text}");
    }
}

/// The long help of `--load` is prose; it must not lag behind the grammar.
#[test]
fn help_names_every_kind_and_key() {
    let words = help("run --help").replace([',', '.', '='], " ");
    let words: Vec<_> = words.split_whitespace().collect();
    let kinds = Kind::ALL.map(Kind::name);
    let keys = plan::Key::ALL.map(plan::Key::name);
    for name in kinds.iter().chain(&keys).chain(&Link::KEYS) {
        assert!(words.contains(name), "{name}");
    }
}

/// The examples of the help are command lines that work.
#[test]
fn examples_can_be_typed() {
    for page in [
        "-h",
        "compare -h",
        "diff -h",
        "explain -h",
        "export -h",
        "history -h",
        "merge -h",
        "observe -h",
        "run -h",
        "serve -h",
        "show -h",
    ] {
        let text = help(page);
        let examples = text.split("Examples:\n").nth(1).unwrap();
        let parts: Vec<&str> = examples.split("\\\n").map(str::trim_start).collect();
        let examples = format!("  {}", parts.join(" "));
        for line in examples
            .lines()
            .filter(|line| line.starts_with("  netdyno"))
        {
            let line = line.trim().split("   ").next().unwrap();
            let line = line.split(" > ").next().unwrap();
            let line = line.replace("plan.toml", "good.toml");
            let parsed = request(line.strip_prefix("netdyno ").unwrap());
            assert!(parsed.is_ok(), "{line}: {parsed:?}");
        }
    }
}
