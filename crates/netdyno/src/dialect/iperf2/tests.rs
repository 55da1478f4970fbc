//! Command lines as scripts have them, and what they mean.

use plan::{Arrival, Family, Kind, Path, Stop, Transport};
use report::dialect::iperf2::Unit;
use units::{BitRate, Bytes, Nanos};

use super::option::{OPTIONS, VARIABLES};
use super::*;
use crate::dialect::getopt_long::Takes;

const NOW: f64 = 1_796_069_000.0;

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn parsed(line: &str) -> Result<Request, Refusal> {
    parse(&words(line), |_| None, NOW)
}

fn with_environment(line: &str, variables: &[(&str, &str)]) -> Request {
    let variable = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    parse(&words(line), variable, NOW).unwrap_or_else(|refusal| panic!("{line}: {refusal:?}"))
}

fn client_with_notes(line: &str) -> ClientRequest {
    match parsed(line) {
        Ok(Request::Client(client)) => *client,
        other => panic!("{line}: {other:?}"),
    }
}

fn client(line: &str) -> ClientRequest {
    let client = client_with_notes(line);
    assert_eq!(client.common.notes, [""; 0], "{line}");
    client
}

fn server(line: &str) -> ServerRequest {
    match parsed(line) {
        Ok(Request::Server(server)) => *server,
        other => panic!("{line}: {other:?}"),
    }
}

fn refusal(line: &str) -> Refusal {
    parsed(line).expect_err(line)
}

#[test]
fn a_client_alone() {
    let client = client("iperf -c host");
    assert_eq!(
        (client.host.as_str(), client.device.clone()),
        ("host", None)
    );
    assert_eq!(client.common.ports, 5001..=5001);
    assert_eq!((client.flows, client.mode.clone()), (1, Mode::Forward));
    assert_eq!(client.amount, Amount::Time(Nanos::from_secs(10)));
    assert_eq!(client.length(), Bytes::new(131_072));
    assert_eq!(client.gap_seconds(), None);
    assert_eq!(client.common.rate, None);
    assert!(!client.common.form.enhanced && client.connecting.synchronised);
    assert_eq!(client.connecting.retries, Some(0));
}

#[test]
fn a_server_alone() {
    let server = server("iperf -s");
    assert_eq!(server.common.ports, 5001..=5001);
    assert_eq!((server.time, server.flows), (None, None));
    assert_eq!(server.length(), Bytes::new(131_072));
    assert!(!server.one_at_a_time && !server.daemon && !server.makes_up_key());
    assert_eq!(server.common.key, None);
}

#[test]
fn datagrams() {
    let v4 = client("iperf -u -c host");
    assert_eq!(v4.common.transport, Transport::Udp);
    assert_eq!(v4.length(), Bytes::new(1470));
    assert_eq!(client("iperf -V -u -c ::1").length(), Bytes::new(1450));
    // The rate that is shown as 1.05 Mbits/sec.
    let gap_usecs = v4.gap_seconds().unwrap() * 1e6;
    assert!((gap_usecs - 11_215.21).abs() < 0.01, "{gap_usecs}");
    for (line, gap_usecs) in [
        ("iperf -u -c h -b 10M", 1121.52),
        ("iperf -u -c h -b 10m", 1176.0),
        ("iperf -u -c h -b 100pps", 10_000.0),
        ("iperf -u -c h -b 10kpps", 100.0),
        ("iperf -u -c h --ipg 10", 10_000.0),
        ("iperf -u -c h -l 40 -b 100K", 3125.0),
    ] {
        let gap = client(line).gap_seconds().unwrap() * 1e6;
        assert!((gap - gap_usecs).abs() < 0.01, "{line}: {gap}");
    }
    assert_eq!(client("iperf -uc h --isochronous").gap_seconds(), None);
}

/// What iperf drops or forgets when it stands before `-c`.
#[test]
fn order_does_not_matter() {
    for line in [
        "iperf -P 3 -d -L 6002 -F file -c host",
        "iperf -c host -P 3 -d -L 6002 -F file",
        "iperf -F file -P3 -c host -dL6002",
    ] {
        let client = client(line);
        assert_eq!(
            (client.flows, client.mode.clone()),
            (3, Mode::Dual(6002)),
            "{line}"
        );
        assert_eq!(client.source, Source::File("file".into()));
        // Input ends by itself.
        assert_eq!(client.amount, Amount::ForEver);
    }
    assert_eq!(
        client("iperf -u -l 1000 -c h").length(),
        client("iperf -c h -l 1000 -u").length()
    );
    let both = client_with_notes("iperf -c h -s");
    assert_eq!(
        both.common.notes,
        ["WARNING: option -s is not valid for client mode"]
    );
    assert_eq!(
        server("iperf -s -c h").common.notes,
        ["WARNING: option -c is not valid for server mode"]
    );
}

#[test]
fn how_long() {
    for (line, amount) in [
        ("iperf -c h -t 2.5", Amount::Time(Nanos::from_millis(2500))),
        ("iperf -c h -t 0", Amount::ForEver),
        ("iperf -c h -n 200K", Amount::Bytes(Bytes::new(204_800))),
        ("iperf -c h -t 5 -n 1k", Amount::Bytes(Bytes::new(1000))),
        ("iperf -n 1k -c h -t 5", Amount::Bytes(Bytes::new(1000))),
        ("iperf -c h -I", Amount::ForEver),
        ("iperf -c h -I -t 3", Amount::Time(Nanos::from_secs(3))),
    ] {
        assert_eq!(client(line).amount, amount, "{line}");
    }
}

#[test]
fn modes() {
    for (line, mode) in [
        ("iperf -c h -d", Mode::Dual(5001)),
        ("iperf -c h -r -p 6001", Mode::Tradeoff(6001)),
        ("iperf -c h -R", Mode::Reverse),
        ("iperf -c h --rev", Mode::Reverse),
        ("iperf -c h --full-duplex", Mode::FullDuplex),
        ("iperf -c h --connect-only", Mode::ConnectOnly(Some(10))),
        ("iperf -c h --connect-only=3", Mode::ConnectOnly(Some(3))),
        ("iperf -c h --connect-only=0", Mode::ConnectOnly(None)),
    ] {
        assert_eq!(client(line).mode, mode, "{line}");
    }
}

#[test]
fn bouncebacks() {
    let usual = client("iperf -c h --bounceback");
    let Mode::Bounceback(bounce) = &usual.mode else {
        panic!("{usual:?}");
    };
    assert_eq!((bounce.burst, bounce.period), (10, Nanos::from_secs(1)));
    assert!(bounce.quickack && bounce.load.is_none() && bounce.hold.is_zero());
    assert_eq!(usual.length(), Bytes::new(100));
    // What it brings with it.
    assert!(usual.common.form.enhanced && usual.common.socket.nodelay);
    assert_eq!(usual.common.histogram, Some(HistogramWish::USUAL));
    assert_eq!(
        usual.common.interval,
        Some(Interval::Every(Nanos::from_secs(1)))
    );
    assert!(!usual.write_times);

    let all = client(
        "iperf -c h --bounceback=5 --bounceback-hold 10 --bounceback-period=0.5 -i 2 \
         --bounceback-no-quickack --working-load=up,3 --working-load-cca bbr \
         --bounceback-txdelay 1 --bounceback-request 200 --bounceback-reply 64",
    );
    let Mode::Bounceback(bounce) = &all.mode else {
        panic!("{all:?}");
    };
    let expected = Bounceback {
        burst: 5,
        period: Nanos::from_millis(500),
        hold: Nanos::from_millis(10),
        quickack: false,
        delay: Nanos::from_secs(1),
        reply: Some(Bytes::new(64)),
        load: Some(WorkingLoad {
            up: true,
            down: false,
            flows: 3,
            congestion: Some("bbr".into()),
        }),
    };
    assert_eq!(*bounce, expected);
    assert_eq!(all.length(), Bytes::new(200));
    assert_eq!(
        all.common.interval,
        Some(Interval::Every(Nanos::from_secs(2)))
    );
    let loaded = client("iperf -c h --bounceback --bounceback-congest");
    assert!(matches!(
        loaded.mode,
        Mode::Bounceback(Bounceback {
            load: Some(WorkingLoad {
                up: true,
                down: true,
                flows: 1,
                congestion: None
            }),
            ..
        })
    ));
}

#[test]
fn patterns() {
    let frames = |per_second, mean, deviation| {
        Pattern::Frames(Frames {
            per_second,
            mean,
            deviation,
        })
    };
    let bursts = |millis, size| Pattern::Bursts {
        period: Nanos::from_millis(millis),
        size: Bytes::new(size),
    };
    for (line, pattern) in [
        ("iperf -c h", Pattern::Even),
        ("iperf -c h --isochronous", frames(60.0, 20e6, 0.0)),
        ("iperf -c h --isochronous=50:4m,1m", frames(50.0, 4e6, 1e6)),
        ("iperf -c h --isochronous=50:1M", frames(50.0, 8e6, 0.0)),
        (
            "iperf -uc h --isochronous=50:10p",
            frames(50.0, 5.88e6, 0.0),
        ),
        ("iperf -c h --burst-period 0.5", bursts(500, 1 << 20)),
        (
            "iperf -c h --burst-period 1 --burst-size 200K",
            bursts(1000, 204_800),
        ),
        ("iperf -c h --near-congestion", Pattern::NearCongestion(0.5)),
        (
            "iperf -c h --near-congestion=0.3",
            Pattern::NearCongestion(0.3),
        ),
    ] {
        assert_eq!(client(line).pattern, pattern, "{line}");
    }
    assert!(client("iperf -c h --isochronous").common.form.enhanced);
    assert!(client("iperf -c h --burst-period 1").common.form.enhanced);
    let sized = client_with_notes("iperf -c h --burst-size 2M");
    assert_eq!(sized.pattern, bursts(1000, 2 << 20));
    assert_eq!(sized.common.notes.len(), 1);
}

#[test]
fn sockets() {
    let client = client(
        "iperf -c h -w 64K -M 1000 -N -S ef -T 5 -Z cubic --fq-rate 10m --fq-rate-step 1M \
         --fq-rate-step-interval 2 --tcp-quickack --local-only --tcp-write-prefetch 64K \
         --tcp-tx-delay 20 -B 10.0.0.1:6001%eth0",
    );
    let expected = Socket {
        window: Some(Bytes::new(65_536)),
        mss: Some(1000),
        nodelay: true,
        tos: Some(0xb8),
        tos_override: None,
        ttl: Some(5),
        congestion: Some("cubic".into()),
        pace: Some(Pace {
            bits_per_second: 10_000_000,
            step: Some((8_000_000, Nanos::from_secs(2))),
        }),
        quickack: true,
        local_only: true,
        clamp: None,
        prefetch: Some(Bytes::new(65_536)),
        tx_delay: Some(Nanos::from_millis(20)),
    };
    assert_eq!(client.common.socket, expected);
    let bind = |line| client_with_notes(line).common.bind.unwrap();
    let of = |host: &str, port, device: Option<&str>| Bind {
        host: host.into(),
        port,
        device: device.map(str::to_owned),
    };
    for (line, expected) in [
        ("iperf -c h -B 10.0.0.1", of("10.0.0.1", None, None)),
        (
            "iperf -c h -B 10.0.0.1:6001%eth0",
            of("10.0.0.1", Some(6001), Some("eth0")),
        ),
        (
            "iperf -c h -B 10.0.0.1%eth0:6001",
            of("10.0.0.1", Some(6001), Some("eth0")),
        ),
        (
            "iperf -c h -B [fe80::1]:6001",
            of("fe80::1", Some(6001), None),
        ),
        (
            "iperf -c h -B fe80::1%eth0",
            of("fe80::1", None, Some("eth0")),
        ),
        ("iperf -c h -B name:1", of("name", Some(1), None)),
    ] {
        assert_eq!(bind(line), expected, "{line}");
    }
    let everywhere = client_with_notes("iperf -c h --local-only=0");
    assert!(!everywhere.common.socket.local_only);
    assert_eq!(
        client_with_notes("iperf -c h --dscp 46").common.socket.tos,
        Some(0xb8)
    );
    assert_eq!(
        client_with_notes("iperf -c h --dscp ef").common.socket.tos,
        Some(0xb8)
    );
    let server = server("iperf -s --tcp-rx-window-clamp 64K --tos-override af11");
    assert_eq!(server.common.socket.clamp, Some(Bytes::new(65_536)));
    assert_eq!(server.common.socket.tos_override, Some(0x28));
}

#[test]
fn what_servers_are_asked() {
    let server = server(
        "iperf -s -1 -D -U -u -t 3 -P 2 -H 10.0.0.9 --sum-dstip --l2checks -i 0.5 \
         --jitter-histograms=10u,50 -p 6001-6002 -B 239.1.1.1%eth1 --histograms=1m,100,10,90",
    );
    assert!(server.one_at_a_time && server.daemon && server.sums_by_destination);
    assert_eq!(
        (server.time, server.flows),
        (Some(Nanos::from_secs(3)), Some(2))
    );
    assert_eq!(server.source, Some("10.0.0.9".parse().unwrap()));
    assert_eq!(server.common.ports, 6001..=6002);
    assert_eq!(
        server.common.interval,
        Some(Interval::Every(Nanos::from_millis(500)))
    );
    let jitter = server.jitter_histogram.unwrap();
    assert_eq!((jitter.width, jitter.bins), (Nanos::new(10_000), 50));
    let histogram = server.common.histogram.unwrap();
    assert_eq!(
        (histogram.width, histogram.bins),
        (Nanos::from_millis(1), 100)
    );
    assert_eq!(
        (histogram.low_percent, histogram.high_percent),
        (10.0, 90.0)
    );
    // -U is accepted.
    assert_eq!(server.common.notes.len(), 1);
    assert!(server.common.checks_packets);
    assert_eq!(server.length(), Bytes::new(1470));
}

#[test]
fn keys() {
    let key = |text: &str| Some(Key::Given(text.into()));
    let made_up = server("iperf -s --permit-key");
    assert!(made_up.makes_up_key());
    assert_eq!(made_up.key_timeout, Some(Nanos::from_secs(20)));
    let given = server("iperf -s --permit-key=abcdef --permit-key-timeout 0");
    assert_eq!(
        (given.common.key.clone(), given.key_timeout),
        (key("abcdef"), None)
    );
    assert_eq!(
        client("iperf -c h --permit-key=abcdef").common.key,
        key("abcdef")
    );
    assert_eq!(server("iperf -s").key_timeout, None);
}

#[test]
fn how_it_is_shown() {
    let form = |line| client_with_notes(line).common.form;
    assert_eq!(form("iperf -c h -f M").unit, Unit::Bytes(2));
    // As iperf has it.
    assert_eq!(form("iperf -c h -f x").unit, Unit::AdaptiveBits);
    assert!(form("iperf -c h -y C").csv && form("iperf -c h -yc").csv);
    let excluded = form("iperf -c h -x CDM -x sv").excluded;
    assert!(excluded.connections && excluded.data && excluded.multicast);
    assert!(excluded.settings && excluded.server);
    let all = form("iperf -c h -e --sum-only --hide-ips");
    assert!(all.enhanced && all.sum_only && all.hides_addresses);
    for line in ["iperf -c h -y X", "iperf -c h -x Q"] {
        assert_eq!(client_with_notes(line).common.notes.len(), 1, "{line}");
    }
    let frames = client_with_notes("iperf -c h -i f --isochronous");
    assert_eq!(frames.common.notes.len(), 1);
    assert_eq!(frames.common.interval, Some(Interval::Frames));
    assert!(frames.common.form.enhanced);
    for line in ["iperf -c h --histograms", "iperf -s --histograms"] {
        let enhanced = match line.contains("-c") {
            true => client(line).common.form.enhanced,
            false => server(line).common.form.enhanced,
        };
        assert!(enhanced, "{line}");
    }
    let low = client_with_notes("iperf -c h -u --udp-l4s -S 0x28 --l2checks");
    assert_eq!(
        (low.common.socket.tos, low.common.notes.len()),
        (Some(0x29), 1)
    );
    assert!(low.common.checks_packets);
    let streams = client_with_notes("iperf -c h --udp-l4s-video");
    assert_eq!(
        (streams.common.socket.tos, streams.common.notes.len()),
        (None, 1)
    );
    let fast = client_with_notes("iperf -c h -i 0.0001");
    assert_eq!(
        fast.common.interval,
        Some(Interval::Every(Nanos::from_millis(5)))
    );
    assert_eq!(fast.common.notes.len(), 1);
    assert_eq!(client("iperf -c h -i 0").common.interval, None);
}

#[test]
fn other_wishes_of_clients() {
    let client = client(
        "iperf -c h%eth0 -p 6001-6003 -P 3 -X --trip-times --no-connect-sync --incr-srcport \
         -B 10.0.0.1:7000 --connect-retries 4 --txdelay-time 0.5 --ignore-shutdown \
         --sync-transfer-id --send-delay 0.1 --test-exchange-timeout 3 --omit 1 --skip-rx-copy \
         -m -z -o out.txt --utc -e",
    );
    assert_eq!(
        (client.host.as_str(), client.device.as_deref()),
        ("h", Some("eth0"))
    );
    assert_eq!(
        (client.common.ports.clone(), client.flows),
        (6001..=6003, 3)
    );
    assert!(client.detects_peer && client.trip_times && client.ignores_shutdown);
    assert!(client.syncs_transfer_id && client.steps.source_port);
    assert!(client.common.prints_mss && client.common.realtime && client.common.utc);
    assert!(client.common.skips_copy && !client.connecting.synchronised);
    assert_eq!(client.connecting.retries, Some(4));
    assert_eq!(client.connecting.spacing, Nanos::from_millis(200));
    assert_eq!(
        client.connecting.exchange_timeout,
        Some(Nanos::from_secs(3))
    );
    assert_eq!(client.start.delay, Nanos::from_millis(500));
    assert_eq!(client.start.spacing, Nanos::from_millis(100));
    assert_eq!(client.common.omit, Nanos::from_secs(1));
    assert_eq!(client.common.output, Some("out.txt".into()));

    let patient = client_with_notes("iperf -c h --connect-retry-time 5 --connect-retry-timer 0.5");
    assert_eq!(patient.connecting.retries, None);
    assert_eq!(patient.connecting.spacing, Nanos::from_millis(500));
    let ports = client_with_notes("iperf -c h -p 6001-6002 -P 5");
    assert_eq!((ports.flows, ports.common.notes.len()), (2, 1));
    assert_eq!(client_with_notes("iperf -c h -p 6001-6002").flows, 2);
    assert_eq!(
        client_with_notes("iperf -c h --txstart-time 1")
            .start
            .at_unix_seconds,
        None
    );
    let later = client_with_notes("iperf -c h --txstart-time 1796069003.5").start;
    assert_eq!(later.at_unix_seconds, Some(1_796_069_003.5));
    assert!(client_with_notes("iperf -c h --histograms").write_times);
    assert!(client_with_notes("iperf -c h --tcp-write-times").write_times);
    let words = client_with_notes("iperf -c h x y").common.notes;
    assert_eq!(
        words,
        [
            "ignoring extra argument -- x",
            "ignoring extra argument -- y"
        ]
    );
}

/// Every option by its letter, its names, its shortest prefix that is clear, and with `=`.
#[test]
fn every_option_is_found() {
    for known in OPTIONS {
        let value = match known.takes {
            Takes::Nothing => "",
            Takes::Value | Takes::Perhaps => "7",
        };
        let mut lines = Vec::new();
        if let Some(letter) = known.letter {
            lines.push(format!("-{letter} {value}"));
            lines.push(format!("-{letter}{value}"));
        }
        for name in known.names {
            let clear = (1..=name.len()).find(|length| {
                let begun = |other: &&str| other.starts_with(&name[..*length]);
                let others = OPTIONS.iter().filter(|other| other.id != known.id);
                others
                    .flat_map(|other| other.names)
                    .filter(|other| begun(other))
                    .count()
                    == 0
            });
            let shortest = &name[..clear.unwrap_or(name.len())];
            for name in [*name, shortest] {
                if known.takes == Takes::Nothing {
                    lines.push(format!("--{name}"));
                } else {
                    lines.push(format!("--{name}={value}"));
                }
                if known.takes == Takes::Value {
                    lines.push(format!("--{name} {value}"));
                }
            }
        }
        assert!(!lines.is_empty(), "{:?}", known.id);
        for line in lines {
            let typed = Typed::new(&words(&line), &|_| None);
            let typed = typed.unwrap_or_else(|refusal| panic!("{line}: {refusal:?}"));
            assert!(typed.has(known.id), "{line}");
            // A letter whose value is its own word takes none of the next one.
            let optional = known.takes == Takes::Perhaps && !line.contains('=');
            if !value.is_empty() && !optional {
                assert_eq!(typed.text(known.id), Some(value), "{line}");
            }
            assert_eq!(typed.notes.len(), usize::from(optional), "{line}");
        }
    }
}

#[test]
fn the_environment_comes_first() {
    for (variable, opt) in VARIABLES {
        let one = |name: &str| (name == *variable).then(|| "3".to_owned());
        assert!(Typed::new(&[], &one).unwrap().has(*opt), "{variable}");
    }
    let of = |line, variables: &[(&str, &str)]| match with_environment(line, variables) {
        Request::Client(client) => *client,
        other => panic!("{other:?}"),
    };
    let environment = [
        ("IPERF_PORT", "6001"),
        ("IPERF_UDP", "0"),
        ("TCP_WINDOW_SIZE", "64K"),
    ];
    let request = of("iperf -c h", &environment);
    assert_eq!(request.common.ports, 6001..=6001);
    // The mere presence of a switch counts.
    assert_eq!(request.common.transport, Transport::Udp);
    assert_eq!(request.common.socket.window, Some(Bytes::new(65_536)));
    assert_eq!(
        of("iperf -c h -p 7001", &environment).common.ports,
        7001..=7001
    );
    let host = of("iperf", &[("IPERF_CLIENT", "10.0.0.1")]);
    assert_eq!(host.host, "10.0.0.1");
}

#[test]
fn help_and_version_are_no_failures() {
    for line in ["iperf -h", "iperf --help", "iperf -c h -h"] {
        let help = refusal(line);
        assert_eq!((help.code, help.sentence.as_str()), (0, ""), "{line}");
        assert!(help.output.starts_with("Usage: iperf"), "{line}");
        assert!(help.output.lines().all(|line| line.len() <= 100));
    }
    let version = refusal("iperf -v");
    assert_eq!(version.code, 0);
    assert!(version.output.starts_with("iperf version 2.1.8 "));
    // Nothing is offered that is not explained.
    let help = refusal("iperf -h").output;
    for known in OPTIONS {
        let name = option::written(known.id);
        let older = [Opt::Awdl, Opt::TapDev, Opt::TunDev];
        let silent = [
            Opt::NumReportStructs,
            Opt::SuggestWinSize,
            Opt::SetRandSeed,
            Opt::UdpL4s,
            Opt::UdpL4sVideo,
        ];
        let known = older.contains(&known.id) || silent.contains(&known.id);
        assert!(known || help.contains(&name), "{name}");
    }
}

#[test]
fn slips() {
    for (line, sentence) in [
        (
            "iperf",
            "either -s (a server) or -c and a host (a client) is needed",
        ),
        ("iperf -b 1M", "either -s (a server) or -c"),
        ("iperf -q", "-q is not an option"),
        (
            "iperf -c h --incr-dst",
            "--incr-dst may be --incr-dstip or --incr-dstport",
        ),
        ("iperf -c", "-c needs a value"),
        (
            "iperf -c h -t abc",
            "-t 'abc': a number of seconds is accepted",
        ),
        ("iperf -c h -p 70000", "-p '70000': a port"),
        ("iperf -c h -S foo", "-S 'foo': a byte"),
        ("iperf -c h -T 300", "-T '300': a number from 0 to 255"),
        ("iperf -c h -b 1T", "-b '1T': a number"),
        ("iperf -c h -b 0", "-b '0': a rate above 0"),
        ("iperf -c h -n 0", "-n '0': "),
        ("iperf -c h -P x", "-P 'x': a whole number"),
        (
            "iperf -u -c h -l 8",
            "-l: 8 bytes are not between 12 and 65507",
        ),
        ("iperf -c h -R -d", "-d and -R exclude each other"),
        (
            "iperf -c h -r --full-duplex",
            "-r and --full-duplex exclude each other",
        ),
        ("iperf -c h -d -r", "-d and -r exclude each other"),
        (
            "iperf -c h --bounceback -R",
            "--bounceback and -R exclude each other",
        ),
        (
            "iperf -c h -b 1M --isochronous",
            "-b and --isochronous exclude each other",
        ),
        (
            "iperf -u -c h -b 1M --ipg 1",
            "-b and --ipg exclude each other",
        ),
        (
            "iperf -c h -b 10M --near-congestion",
            "-b and --near-congestion exclude each other",
        ),
        (
            "iperf -c h -b 1K",
            "-b and -l of 131072 are incompatible, consider setting -l to 128 or lower",
        ),
        (
            "iperf -c h --burst-period 1 --isochronous",
            "--burst-period and --isochronous",
        ),
        (
            "iperf -c h --burst-size 100K",
            "--burst-size 102400 must be equal or larger to write length (-l) 131072",
        ),
        ("iperf -c h -C -R", "-C and -R exclude each other"),
        ("iperf -c h -C -e", "-C and -e exclude each other"),
        (
            "iperf -c h -C -b 10M,1M",
            "-C and a deviation of -b exclude each other",
        ),
        ("iperf -u -c h -X", "-X is not for UDP (-u)"),
        (
            "iperf -u -c h --bounceback",
            "--bounceback is not for UDP (-u)",
        ),
        (
            "iperf -u -c h --permit-key=abcdef",
            "--permit-key is not for UDP (-u)",
        ),
        (
            "iperf -c h -b 100pps",
            "-b: packets per second are for UDP (-u) only",
        ),
        (
            "iperf -c h --no-udp-fin",
            "--no-udp-fin is for UDP (-u) only",
        ),
        (
            "iperf -u -c h -b 100",
            "IPG delay target of 117.6 secs too large (max value is 60 secs)",
        ),
        (
            "iperf -u -c h --trip-times -R -l 100",
            "--trip-times both ways needs -l of 128",
        ),
        ("iperf -c h -Z cubic -R", "-Z and -R exclude each other"),
        (
            "iperf -c h --tcp-quickack --bounceback --bounceback-no-quickack",
            "--tcp-quickack and --bounceback-no-quickack exclude each other",
        ),
        (
            "iperf -c h --txdelay-time 1 --connect-only",
            "--txdelay-time and --connect-only",
        ),
        (
            "iperf -c h --txdelay-time 1 --txstart-time 9",
            "--txdelay-time and --txstart-time",
        ),
        (
            "iperf -c h --txstart-time 1796073000",
            "--txstart-time '1796073000': a time since 1970",
        ),
        ("iperf -c h --incr-srcip", "--incr-srcip needs -B"),
        (
            "iperf -c h --permit-key",
            "--permit-key requires a value on the client",
        ),
        ("iperf -c h --permit-key=abc", "--permit-key: 3 characters"),
        ("iperf -s -p 9-8", "-p '9-8': a range"),
        ("iperf -s --bounceback", "--bounceback is a client's"),
        ("iperf -s --tap-dev tap0", "--tap-dev: only sockets"),
        ("iperf -c 239.1.1.1", "multicast to 239.1.1.1 needs UDP"),
        (
            "iperf -u -c 239.1.1.1 -P 2",
            "multicast to 239.1.1.1 with -P needs --incr-dstip",
        ),
        (
            "iperf -u -c ff02::1 -R",
            "multicast to ff02::1 has no way back",
        ),
        (
            "iperf -c h -R -n 3G",
            "-n: a server can be asked for 2147483647 bytes at most",
        ),
        (
            "iperf -c h --bounceback -l 60",
            "--bounceback: 60 B are too few",
        ),
        ("iperf -c h -4 -V", "-4 and -6 (or -V) exclude each other"),
        ("iperf -c h --histograms=0", "--histograms '0': "),
        ("iperf -c h --isochronous=0:1m", "--isochronous '0:1m': "),
        (
            "iperf -c h --bounceback --working-load=left",
            "--bounceback-congest 'left': ",
        ),
    ] {
        let refusal = refusal(line);
        assert_eq!((refusal.code, refusal.output.as_str()), (1, ""), "{line}");
        assert!(
            refusal.sentence.starts_with(sentence),
            "{line}: {}",
            refusal.sentence
        );
    }
    // What is allowed.
    client("iperf -u -c h --txdelay-time 1 --isochronous --ipg 1");
    client("iperf -u -c 239.1.1.1 -P 2 --incr-dstip -T 3");
}

#[test]
fn options_of_the_other_role() {
    let client = client_with_notes("iperf -c h -1 -D -H 1.2.3.4");
    assert_eq!(client.common.notes.len(), 3);
    let server = server("iperf -s -d -R -n 5 --trip-times");
    let notes = server.common.notes.join("\n");
    for option in ["-d", "-R", "-n", "--trip-times"] {
        let note = format!("WARNING: option {option} is not valid for server mode");
        assert!(notes.contains(&note), "{notes}");
    }
}

// Plans.

fn only_load(line: &str) -> plan::Load {
    let plan = client_with_notes(line).plan().unwrap();
    let [load] = plan.loads.as_slice() else {
        panic!("{plan:?}");
    };
    load.clone()
}

#[test]
fn plans() {
    for (line, kind) in [
        ("iperf -c h", Kind::Stream),
        ("iperf -c h -R", Kind::Maerts),
        ("iperf -c h --full-duplex", Kind::Bidir),
        ("iperf -u -c h", Kind::UdpStream),
        ("iperf -u -c h -R", Kind::UdpMaerts),
        ("iperf -u -c h --full-duplex", Kind::UdpBidir),
        ("iperf -c h --bounceback", Kind::Rr),
        ("iperf -c h --connect-only", Kind::Crr),
    ] {
        assert_eq!(only_load(line).kind, kind, "{line}");
    }
    let plan = client("iperf -c 10.0.0.1 -p 6001 -d -t 3 -i 1 -P 4 -b 80M -6")
        .plan()
        .unwrap();
    let kinds: Vec<_> = plan.loads.iter().map(|load| load.kind).collect();
    assert_eq!(kinds, [Kind::Stream, Kind::Maerts]);
    assert!(plan.loads.iter().all(|load| load.flows.get() == 4));
    assert_eq!(plan.loads[0].rate, Some(BitRate::new(80 << 20)));
    let path = Path::Host {
        host: "10.0.0.1".into(),
        port: 6001,
        family: Family::V6,
    };
    assert_eq!(plan.path, path);
    assert_eq!(plan.timing.duration, Some(Nanos::from_secs(3)));
    assert_eq!(plan.timing.interval, Some(Nanos::from_secs(1)));

    let udp = only_load("iperf -u -c h -l 12 -b 100pps -n 1M");
    assert_eq!(udp.size, plan::Load::DATAGRAM_HEADER);
    assert_eq!(udp.rate, Some(BitRate::new(9600)));
    assert_eq!(
        udp.stop,
        Stop::Bytes {
            bytes: Bytes::new(1 << 20)
        }
    );
    let bounce = only_load("iperf -c h --bounceback=5 --bounceback-period 0.5 -l 200");
    assert_eq!(
        (bounce.request, bounce.reply),
        (Bytes::new(200), Bytes::new(200))
    );
    let arrival = Arrival::Paced {
        requests_per_second: 10.0,
    };
    assert_eq!(bounce.arrival, arrival);
    let loaded = client("iperf -c h --bounceback --working-load=down")
        .plan()
        .unwrap();
    assert_eq!(loaded.loads[1].kind, Kind::Maerts);
    let socket = only_load("iperf -c h -S 0x28 -w 64K -M 1000 -N -B 127.0.0.1:6001 --fq-rate 10m");
    assert_eq!(socket.pace, Some(BitRate::new(10_000_000)));
    assert_eq!(socket.socket.dscp.unwrap().get(), 10);
    assert_eq!(socket.socket.source_port, Some(6001));
    assert!(client("iperf -c h -t 0").plan().is_ok());
    assert_eq!(client("iperf -c h -r").beyond_plan(), ["-r"]);
    assert_eq!(client("iperf -c h -T 3 -S 1").beyond_plan(), ["-S", "-T"]);
}
