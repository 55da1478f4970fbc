use plan::{Family, Kind, Stop};
use proto::iperf3::{Direction, ErrorNumber, Parameters, Protocol};
use report::dialect::iperf3::{Notation, Role, Unit};
use units::{BitRate, Bytes, Nanos};

use super::*;

fn of(line: &str) -> Result<Iperf3Request, Refusal> {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    parse(&[&["iperf3".to_owned()], words.as_slice()].concat())
}

fn client(line: &str) -> Ask {
    match of(&format!("-c host {line}")) {
        Ok(Iperf3Request::Client(ask)) => *ask,
        other => panic!("{line}: {other:?}"),
    }
}

fn server(line: &str) -> Serve {
    match of(&format!("-s {line}")) {
        Ok(Iperf3Request::Server(serve)) => *serve,
        other => panic!("{line}: {other:?}"),
    }
}

/// The plan of a client whose server was told all that there is to be told.
fn plan_of(line: &str) -> Result<plan::Plan, String> {
    let ask = client(line);
    ask.plan(&ask.parameters)
}

/// The number of iperf3's that a command line is refused with; 0 is none of them.
fn number(line: &str) -> i32 {
    match of(line) {
        Err(Refusal::Wrong { number, .. }) => number.map_or(0, ErrorNumber::get),
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn alone_it_is_ten_seconds_of_tcp() {
    let ask = client("");
    let expected = Parameters {
        client_version: Some("3.21".to_owned()),
        ..Parameters::new(Protocol::Tcp)
    };
    assert_eq!(ask.parameters, expected);
    assert_eq!(ask.common, Common::default());
    assert_eq!((ask.host.as_str(), ask.common.port), ("host", 5201));
    assert!(ask.ends_with_file);
    let serve = server("");
    assert_eq!(serve.common, Common::default());
    assert!(!serve.one_off && !serve.daemon && serve.authorization.is_none());
}

#[test]
fn everything_that_goes_to_the_server() {
    let ask = client(
        "-u -b 8M/5 -l 10K -P 2 -R -w 200K -M 1000 -N -O 2 -n 300K -A 0,1 -S 0x20 -L 0x4d -Z -T ti \
         -C cubic --extra-data more --get-server-output --udp-counters-64bit --repeating-payload \
         --dont-fragment --skip-rx-copy --fq-rate 1G --pacing-timer 500 -m --gsro",
    );
    let asked = ask.parameters;
    assert_eq!(asked.protocol, Protocol::Udp);
    assert_eq!(asked.direction, Direction::Reverse);
    assert_eq!(
        (asked.rate, asked.burst),
        (Some(BitRate::new(8_000_000)), Some(5))
    );
    assert_eq!(asked.block, Some(Bytes::new(10_240)));
    assert_eq!(asked.parallel, 2);
    assert_eq!(asked.window, Some(Bytes::new(204_800)));
    assert_eq!(asked.mss, Some(Bytes::new(1000)));
    assert_eq!((asked.omit, asked.time), (Nanos::from_secs(2), None));
    assert_eq!(asked.bytes, Some(Bytes::new(307_200)));
    assert_eq!(asked.server_affinity, Some(1));
    assert_eq!((asked.tos, asked.flow_label), (32, Some(77)));
    assert_eq!(asked.title.as_deref(), Some("ti"));
    assert_eq!(asked.extra_data.as_deref(), Some("more"));
    assert_eq!(asked.congestion.as_deref(), Some("cubic"));
    assert_eq!(asked.fq_rate, Some(BitRate::new(1_000_000_000)));
    assert_eq!(asked.pacing_timer_us, 500);
    assert!(asked.nodelay && asked.zerocopy && asked.get_server_output && asked.mptcp);
    assert!(asked.counters_64bit && asked.repeating_payload && asked.dont_fragment);
    assert!(asked.skip_rx_copy && asked.gro);
    // Six datagrams of 10 KiB fit the largest send.
    let gso = asked.gso.unwrap();
    assert_eq!(gso.datagram, Some(Bytes::new(10_240)));
    assert_eq!(gso.buffer, Bytes::new(61_440));
    assert_eq!(ask.common.affinity, Some(0));
}

#[test]
fn everything_of_either_end() {
    for line in ["-c host", "-s"] {
        let line = format!(
            "{line} -p 5300 -f Mega -i 0.5 -I pid -F file -A 3 -B 10.0.0.1%eth0 -V --logfile log \
             --forceflush --timestamps=%F --snd-timeout 500 --cntl-ka=60/10/3 -d -6 -X 10.0.0.9"
        );
        let common = match of(&line).unwrap() {
            Iperf3Request::Client(ask) => ask.common,
            Iperf3Request::Server(serve) => serve.common,
        };
        assert_eq!(common.port, 5300);
        assert_eq!(common.unit, Some(Unit::MBytes));
        assert_eq!(common.interval, Some(Nanos::from_millis(500)));
        assert_eq!(common.pid_file, Some("pid".into()));
        assert_eq!(common.file, Some("file".into()));
        assert_eq!(common.affinity, Some(3));
        assert_eq!(common.bind.as_deref(), Some("10.0.0.1"));
        assert_eq!(
            common.device.as_ref().map(plan::Device::as_str),
            Some("eth0")
        );
        assert!(common.verbose && common.flush);
        assert_eq!(common.log_file, Some("log".into()));
        assert_eq!(common.timestamps.as_deref(), Some("%F"));
        assert_eq!(common.send_timeout, Some(Nanos::from_millis(500)));
        let keepalive = Keepalive {
            idle_seconds: Some(60),
            interval_seconds: Some(10),
            count: Some(3),
        };
        assert_eq!(common.keepalive, Some(keepalive));
        assert_eq!(common.debug, Some(4));
        assert_eq!(common.family, Family::V6);
        assert_eq!(common.sctp_bind, ["10.0.0.9"]);
        // Only one test of SCTP's many streams and addresses can be made here.
        let [note] = common.notes.as_slice() else {
            panic!("{:?}", common.notes);
        };
        assert!(note.starts_with("-X: "), "{note}");
    }
}

#[test]
fn everything_of_a_server() {
    let serve = server(
        "-D -1 --server-bitrate-limit 10M/2.5 --idle-timeout 30 --server-max-duration 60 \
         --rsa-private-key-path key --authorized-users-path users --time-skew-threshold 5 \
         --use-pkcs1-padding --rcv-timeout 200 -m --max-tests 1",
    );
    assert!(serve.daemon && serve.one_off && serve.mptcp);
    let limit = serve.rate_limit.unwrap();
    assert_eq!(limit.rate, BitRate::new(10_000_000));
    assert_eq!(limit.over, Nanos::from_millis(2500));
    assert_eq!(serve.idle_timeout, Some(Nanos::from_secs(30)));
    assert_eq!(serve.longest_test, Some(Nanos::from_secs(60)));
    let authorization = Authorization {
        private_key: "key".into(),
        users: "users".into(),
        skew: Nanos::from_secs(5),
        pkcs1_padding: true,
    };
    assert_eq!(serve.authorization, Some(authorization));
    assert_eq!(serve.common.receive_timeout, Nanos::from_millis(200));
    assert_eq!(serve.most_tests, Some(1));
    // iperf3's name keeps its short form beside ours.
    assert!(server("--m").mptcp);
    assert_eq!(server("--server-bitrate-limit 0").rate_limit, None);
    let limit = server("--server-bitrate-limit 1G").rate_limit.unwrap();
    assert_eq!(limit.over, Nanos::from_secs(5));
    assert_eq!(server("--server-max-duration 0").longest_test, None);
}

#[test]
fn what_stays_at_a_client() {
    let ask = client(
        "--connect-timeout 2K --cport 34000 --sctp --nstreams 4 --username mario \
         --rsa-public-key-path pub --use-pkcs1-padding --bidir --rcv-timeout 100",
    );
    assert_eq!(ask.connect_timeout, Some(Nanos::from_millis(2048)));
    assert_eq!(ask.first_port, Some(34_000));
    assert_eq!(ask.sctp_streams, Some(4));
    let credentials = ask.credentials.unwrap();
    assert_eq!(credentials.user, "mario");
    assert!(credentials.pkcs1_padding);
    assert_eq!(ask.parameters.protocol, Protocol::Sctp);
    assert_eq!(ask.parameters.direction, Direction::Both);
    // stock's --nstreams is a bit rate as well; it is none here.
    assert_eq!(ask.parameters.rate, None);
}

#[test]
fn hosts_and_their_interfaces() {
    for (typed, host, device) in [
        ("-c 10.0.0.2%eth1", "10.0.0.2", Some("eth1")),
        ("-c fe80::1%eth1", "fe80::1%eth1", None),
        ("-c name --bind-dev lo", "name", Some("lo")),
        ("-c ::1", "::1", None),
    ] {
        let Ok(Iperf3Request::Client(ask)) = of(typed) else {
            panic!("{typed}");
        };
        assert_eq!(ask.host, host);
        assert_eq!(ask.common.device.as_ref().map(plan::Device::as_str), device);
    }
}

#[test]
fn rates_and_what_ends_a_test() {
    let rate = |line| client(line).parameters.rate.map(BitRate::get);
    assert_eq!(rate("-b 10M"), Some(10_000_000));
    assert_eq!(rate("--bandwidth 1k"), Some(1000));
    assert_eq!(rate("-u"), Some(1 << 20));
    assert_eq!(rate("-u -b 0"), None);
    assert_eq!(rate("-b 5M -b 0"), None);
    assert_eq!(rate("-b 10Mbits/sec"), Some(10_000_000));
    let end = |line| {
        let asked = client(line).parameters;
        (
            asked.time.map(|time| time.get() / 1_000_000_000),
            asked.bytes,
            asked.blocks,
        )
    };
    assert_eq!(end(""), (Some(10), None, None));
    assert_eq!(end("-t 0"), (None, None, None));
    assert_eq!(end("-t 5x"), (Some(5), None, None));
    assert_eq!(end("-n 1M"), (None, Some(Bytes::new(1 << 20)), None));
    assert_eq!(end("-k 1K"), (None, None, Some(1024)));
    assert!(!client("-t 1").ends_with_file);
    assert!(!client("-n 1").ends_with_file);
}

#[test]
fn notations() {
    let notation = |line| client(line).common.notation;
    assert_eq!(notation(""), Notation::Text);
    assert_eq!(notation("-J"), Notation::Json);
    for line in ["--json-stream", "-J --json-stream", "--json-stream -J"] {
        assert_eq!(notation(line), Notation::JsonStream { document: false });
    }
    for line in [
        "--json-stream-full-output",
        "--json-stream-full-output --json-stream",
        "--json-stream --json-stream-full-output -J",
    ] {
        assert_eq!(notation(line), Notation::JsonStream { document: true });
    }
    assert_eq!(client("-J -f k").common.notes.len(), 1);
    assert_eq!(
        client("--timestamps").common.timestamps.as_deref(),
        Some("%c ")
    );
    assert_eq!(client("--debug=2").common.debug, Some(2));
    assert_eq!(client("-i 0").common.interval, None);
}

#[test]
fn forms_of_output() {
    let form = client("-T ti -f k -i 2 -V -J").form("Linux".into());
    assert_eq!(
        (form.role, form.title.as_deref()),
        (Role::Client, Some("ti"))
    );
    assert_eq!((form.unit, form.interval_seconds), (Some(Unit::KBits), 2.0));
    assert!(form.verbose && form.version.starts_with("iperf 3."));
    assert_eq!(server("").form(String::new()).role, Role::Server);
}

#[test]
fn slips_have_iperf3s_numbers() {
    for (line, expected) in [
        ("-s -c x", 1),
        ("", 2),
        ("-p 80", 2),
        ("-c x -D", 3),
        ("-c x -1", 3),
        ("-c x --idle-timeout 5", 3),
        ("-c x --server-bitrate-limit 5", 3),
        ("-c x --max-tests 5", 3),
        ("-s -u", 4),
        ("-s -t 5", 4),
        ("-s -A 1,2", 4),
        ("-s --gsro", 4),
        ("-s --get-server-output", 4),
        ("-c x -t 86401", 5),
        ("-c x -t -1", 5),
        ("-c x -t ten", 5),
        ("-c x -t 0.5", 5),
        ("-s --server-max-duration 86401", 5),
        ("-c x -P 0", 6),
        ("-c x -P 4097", 6),
        ("-c x -l 2M", 7),
        ("-c x -w 1G", 8),
        ("-c x -i 0.05", 9),
        ("-c x -i 61", 9),
        ("-c x -M 32768", 10),
        ("-c x -O 601", 12),
        ("-c x -b 1M/0", 15),
        ("-c x -b 1M/1001", 15),
        ("-c x -t 1 -n 1", 16),
        ("-c x -n 1 -k 1", 16),
        ("-c x -u -l 15", 20),
        ("-c x -l 65508 -u", 20),
        ("-c x -S 256", 21),
        ("-c x --username m", 22),
        ("-c x --rsa-public-key-path m", 22),
        ("-s --rsa-private-key-path m", 23),
        ("-s --authorized-users-path m", 23),
        ("-c x -f q", 24),
        ("-c x -R --bidir", 25),
        ("-c x -p 0", 26),
        ("-c x -p 65536", 26),
        ("-c x --cport 70000", 26),
        ("-s --server-bitrate-limit 1M/61", 28),
        ("-s --time-skew-threshold 0", 29),
        ("-s --idle-timeout 0", 30),
        ("-c x -R --rcv-timeout 99", 31),
        ("-c x --rcv-timeout 1000", 32),
        ("-c x --snd-timeout 86400001", 33),
        ("-c x -u -F f", 34),
        ("-s --cntl-ka=10/5/2", 36),
        ("-c x -n 1x", 38),
        ("-c x -b ten", 38),
        ("-c x --dscp 64", 40),
        ("-c x --dscp best", 40),
        ("-c x -L 0", 127),
        ("-c x -A 1025", 132),
        ("-c x --bind-dev name-that-is-too-long", 143),
        ("-c x -q", 0),
        ("-c x --b", 0),
        ("-c x --nothing", 0),
        ("-c", 0),
        ("-c x --json=1", 0),
    ] {
        assert_eq!(number(line), expected, "{line}");
    }
}

#[test]
fn a_slip_reads_as_iperf3s_do() {
    let text = of("-c x -R --bidir").unwrap_err().text();
    assert!(
        text.starts_with("iperf3: parameter error - -R and --bidir"),
        "{text}"
    );
    assert!(
        text.contains("\nUsage: iperf3 [-s|-c host] [options]\n"),
        "{text}"
    );
    let text = of("--verb --no").unwrap_err().text();
    let doubt = "iperf3: --no may be --no-delay or --no-fq-socket-pacing\n";
    assert!(text.starts_with(doubt), "{text}");
}

#[test]
fn help_and_version_are_answers() {
    for line in ["-h", "--he", "-s -t 5 -h"] {
        let Err(Refusal::Answer(text)) = of(line) else {
            panic!("{line}");
        };
        assert!(text.contains("--get-server-output"));
        assert!(text.lines().all(|line| line.chars().count() <= 100));
    }
    let Err(Refusal::Answer(text)) = of("-v") else {
        panic!("-v");
    };
    assert!(text.starts_with("iperf 3."), "{text}");
}

#[test]
fn help_names_every_option() {
    for option in KNOWN.iter().chain([&MAX_TESTS]) {
        let old = ["bandwidth", "linux-congestion", "version4", "version6"];
        for name in option.names.iter().filter(|name| !old.contains(name)) {
            if *name != "no-fq-socket-pacing" {
                assert!(help::HELP.contains(&format!("--{name}")), "--{name}");
            }
        }
        if let Some(letter) = option.letter {
            assert!(help::HELP.contains(&format!("-{letter}")), "-{letter}");
        }
    }
}

#[test]
fn what_does_nothing_is_said() {
    for (line, notes) in [
        ("--gsro", 1),
        ("--udp-counters-64bit --dont-fragment", 2),
        ("-u -N -M 1000 -C cubic", 3),
        ("--pacing-timer 100", 1),
        ("word", 1),
        ("", 0),
    ] {
        assert_eq!(client(line).common.notes.len(), notes, "{line}");
    }
    assert_eq!(server("--cport 5000").common.notes.len(), 1);
}

#[test]
fn plans() {
    let plan = plan_of("-P 4 -b 10M -t 3 -O 1 -i 0.5 -A 1,0 -S 0xb8 -w 64K -C cubic -N -M 1000");
    let plan = plan.unwrap();
    assert_eq!(plan.timing.duration, Some(Nanos::from_secs(3)));
    assert_eq!(plan.timing.omit, Nanos::from_secs(1));
    assert_eq!(plan.timing.interval, Some(Nanos::from_millis(500)));
    let [load] = plan.loads.as_slice() else {
        panic!("{plan:?}");
    };
    assert_eq!((load.kind, load.flows.get()), (Kind::Stream, 4));
    assert_eq!(load.size, Bytes::new(131_072));
    assert_eq!(load.rate, Some(BitRate::new(10_000_000)));
    assert_eq!(load.socket.dscp.map(plan::Dscp::get), Some(46));
    assert_eq!(load.socket.sndbuf, Some(Bytes::new(65_536)));
    assert!(load.socket.nodelay);
    assert_eq!(
        (load.cpu.as_slice(), load.peer_cpu.as_slice()),
        (&[1][..], &[0][..])
    );
}

#[test]
fn plans_of_both_directions_have_two_loads() {
    let plan = plan_of("--bidir -P 2 --cport 34000 -u -k 5 -l 16").unwrap();
    let [sent, received] = plan.loads.as_slice() else {
        panic!("{plan:?}");
    };
    assert_eq!(
        (sent.kind, received.kind),
        (Kind::UdpStream, Kind::UdpMaerts)
    );
    let ports = (sent.socket.source_port, received.socket.source_port);
    assert_eq!(ports, (Some(34_000), Some(34_002)));
    assert_eq!(sent.stop, Stop::Count { count: 3 });
    assert_eq!(sent.size, plan::Load::DATAGRAM_HEADER);
    assert_eq!(plan_of("-R").unwrap().loads[0].kind, Kind::Maerts);
    assert!(plan_of("--sctp").is_err());
    // Bytes and blocks are of all streams together.
    let stop = |line| plan_of(line).unwrap().loads[0].stop;
    assert_eq!(
        stop("-n 1000 -P 3"),
        Stop::Bytes {
            bytes: Bytes::new(334)
        }
    );
    assert_eq!(
        stop("-k 3 -P 2 -l 1K"),
        Stop::Bytes {
            bytes: Bytes::new(2048)
        }
    );
    // Without an end it is a day.
    let endless = plan_of("-t 0").unwrap();
    assert_eq!(endless.timing.duration, Some(Nanos::from_secs(86_400)));
}
