//! Command lines as scripts have them, and what they mean.

use std::io;

use plan::{Family, Kind, Load, Stop};
use proto::netperf::{Direction, Flags, Length, OmniRequest, TestName, TestRequest, Transport};
use report::dialect::netperf::{Layout, Protocol, Selection, Unit, Way};
use units::{BitRate, Bytes, Nanos};

use super::*;

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn no_file(_: &Path) -> io::Result<String> {
    Err(io::Error::from_raw_os_error(2))
}

fn parsed(line: &str) -> Result<NetperfRequest, Refusal> {
    parse(&words(line), no_file)
}

fn of(line: &str) -> NetperfRequest {
    let request = parsed(line).unwrap_or_else(|refusal| panic!("{line}: {refusal:?}"));
    assert_eq!(request.notes, [""; 0], "{line}");
    request
}

fn several(line: &str) -> SeveralRequest {
    parse_several(&words(line), no_file).unwrap_or_else(|refusal| panic!("{line}: {refusal:?}"))
}

fn notes(line: &str) -> Vec<String> {
    parsed(line).unwrap().notes
}

fn omni(request: &NetperfRequest) -> OmniRequest {
    match request.test_request(Family::V4, 0) {
        Some(TestRequest::Omni(omni)) => *omni,
        other => panic!("{other:?}"),
    }
}

// The lines that must work as they are.

#[test]
fn small_datagrams_without_a_server() {
    let request = of("netperf -H HOST -t UDP_STREAM -l 600 -N -T 3 -- -m 6");
    assert_eq!(request.test, TestName::UdpStream);
    assert!(request.control.absent);
    assert_eq!(request.data_host(), "HOST");
    assert_eq!(request.length, Length::Seconds(600));
    assert_eq!(request.cpus, Ends::of(Some(3)));
    assert_eq!(request.send_size(), Bytes::new(6));
    assert!(request.data.socket.dontroute);
    // The discard service.
    assert_eq!(request.data.ports.remote, 9);
    let load = request.load().unwrap();
    assert_eq!((load.kind, load.size), (Kind::UdpStream, Bytes::new(6)));
    assert_eq!(load.cpu.as_slice(), [3]);
}

#[test]
fn datagrams_that_are_routed_and_start_late() {
    let request = of("netperf -t UDP_STREAM -s 1 -H HOST -- -m 128 -R 1");
    assert_eq!(request.delay, Nanos::from_secs(1));
    assert!(!request.data.socket.dontroute);
    assert!(omni(&request).flags.contains(Flags::ROUTING));
    assert_eq!(request.load().unwrap().size, Bytes::new(128));
    assert_eq!(request.beyond_load(), ["-s"]);
}

#[test]
fn paced_streams_by_the_hundred() {
    let request = several("./super_netperf 500 --google-pacing-rate 3000000 -H HOST -l 1000");
    assert_eq!(request.count.get(), 500);
    assert!(!request.detail);
    let each = request.each;
    assert_eq!(each.test, TestName::TcpStream);
    assert_eq!(each.data.socket.pacing_bytes_per_second, Some(3_000_000));
    assert_eq!(each.load().unwrap().pace, Some(BitRate::new(24_000_000)));
    assert_eq!(each.length, Length::Seconds(1000));
}

#[test]
fn datagrams_to_one_port() {
    let request = several("super_netperf 20 -t UDP_STREAM -H DUT -l10 -- -n -P,1000 -m 120");
    assert_eq!(request.count.get(), 20);
    let each = request.each;
    assert_eq!(each.length, Length::Seconds(10));
    assert_eq!((each.data.ports.local, each.data.ports.remote), (0, 1000));
    assert!(each.data.socket.connected.local && !each.data.socket.connected.remote);
    assert_eq!(each.send_size(), Bytes::new(120));
}

#[test]
fn the_servers_cpu_alone() {
    let each = several("super_netperf 4 -H srv -T,1 -l 30").each;
    assert_eq!((each.cpus.local, each.cpus.remote), (None, Some(1)));
    assert_eq!(each.length, Length::Seconds(30));
}

#[test]
fn files_with_cpu_use() {
    let each = several("super_netperf 10 -c -C -t TCP_SENDFILE -H HOST").each;
    assert_eq!(each.test, TestName::TcpSendfile);
    assert_eq!(each.cpu_rates, Ends::of(Some(0.0)));
    assert!(each.form.local_cpu && each.form.remote_cpu);
    assert!(
        matches!(each.test_request(Family::V4, 0), Some(TestRequest::Stream(_, asked)) if asked.measure_cpu)
    );
}

#[test]
fn round_trips_with_percentiles() {
    let line =
        "netperf -H h -t TCP_RR -l 10 -- -r 1,1 -o min_latency,p50_latency,p99_latency,throughput";
    let request = of(line);
    assert!(request.latency);
    assert_eq!(request.data.way, Way::Both);
    assert_eq!(request.data.sizes.request, Some(Bytes::new(1)));
    assert!(matches!(&request.form.layout, Layout::Csv(selection) if selection.has("P50_LATENCY")));
    assert_eq!(request.command_line, line);
}

#[test]
fn a_connection_for_each() {
    let request = of("netperf -H h -t TCP_CRR -c -C -- -r 100,200");
    assert_eq!(request.data.way, Way::ConnectBoth);
    let load = request.load().unwrap();
    assert_eq!(load.kind, Kind::Crr);
    assert_eq!(
        (load.request, load.reply),
        (Bytes::new(100), Bytes::new(200))
    );
    let asked = omni(&request);
    assert!(asked.flags.contains(Flags::RECONNECTS | Flags::MEASURE_CPU));
}

#[test]
fn datagrams_there_and_back() {
    let request = of("netperf -t UDP_RR -H h");
    assert_eq!(request.form.unit, Unit::Trans);
    assert_eq!(request.form.protocol, Protocol::Udp);
    assert!(!request.data.socket.dontroute);
    let load = request.load().unwrap();
    assert_eq!((load.kind, load.request), (Kind::UdpRr, Bytes::new(1)));
}

#[test]
fn the_server_sends_and_one_figure_comes() {
    let request = of("netperf -t TCP_MAERTS -H h -P 0 -v 0");
    assert_eq!((request.form.headers, request.form.verbosity), (false, 0));
    assert_eq!(omni(&request).direction, Direction::Send);
    assert_eq!(request.load().unwrap().kind, Kind::Maerts);
}

#[test]
fn until_the_mean_is_known() {
    let request = of("netperf -H h -i 10,3 -I 99,5");
    let expected = Repeat {
        least: 3,
        most: 10,
        wanted: Some((Level::P99, 5.0)),
        result_only: false,
    };
    assert_eq!(request.repeat, expected);
}

#[test]
fn lines_every_second() {
    let request = of("netperf -H h -D 1 -f m");
    let expected = InterimWish {
        interval: Nanos::from_secs(1),
        exact: false,
    };
    assert_eq!(request.interim, Some(expected));
    assert_eq!(request.form.unit, Unit::MBits);
}

#[test]
fn omni_and_all_selectors() {
    let request = of("netperf -H h -j -t OMNI -- -d rr -k all");
    assert_eq!(request.test, TestName::Omni);
    assert_eq!(request.data.way, Way::Both);
    assert_eq!(request.data.sizes.response, Some(Bytes::new(1)));
    assert_eq!(request.form.layout, Layout::Keyval(Selection::All));
    assert!(request.latency);
}

// Lines from mailing lists and projects.

#[test]
fn nothing_but_the_name() {
    let request = of("netperf");
    assert_eq!(request.control.host, "localhost");
    assert_eq!(request.control.port, 12_865);
    assert_eq!(request.length, Length::Seconds(10));
    assert_eq!(omni(&request), OmniRequest::default());
    assert_eq!(of("netperf -6").control.host, "::1");
}

#[test]
fn every_bare_test_asks_as_the_protocol_says() {
    for test in TestName::all() {
        let request = of(&format!("netperf -t {}", test.as_str().to_lowercase()));
        assert_eq!(
            request.test_request(Family::V4, 0),
            test.request(),
            "{test:?}"
        );
    }
}

#[test]
fn buffers_and_windows() {
    let line = "netperf -T 1,2 -H 127.0.0.1 -- -m 128K -s 100m,100m -S 32k -M 2k,1k";
    let request = of(line);
    let socket = &request.data.socket;
    assert_eq!(socket.send_buffer.local, Some(Bytes::new(100_000_000)));
    assert_eq!(socket.recv_buffer.remote, Some(Bytes::new(32_000)));
    let sizes = request.data.sizes;
    assert_eq!(sizes.send.local, Some(Bytes::new(131_072)));
    // The server's comes first.
    assert_eq!(sizes.recv.remote, Some(Bytes::new(2000)));
    assert_eq!(sizes.recv.local, Some(Bytes::new(1000)));
    assert_eq!(
        of("netperf -- -m ,1M").data.sizes.send.remote,
        Some(Bytes::new(1 << 20))
    );
    let (local, remote) = (request.cpus.local, request.cpus.remote);
    assert_eq!((local, remote), (Some(1), Some(2)));
}

#[test]
fn clusters_and_attached_values() {
    let request = of("netperf -H h -t TCP_RR -T2,2 -l 10 -Cc -- -r80000:80000");
    assert_eq!(request.cpu_rates, Ends::of(Some(0.0)));
    assert_eq!(request.data.sizes.request, Some(Bytes::new(80_000)));
    let request = of("netperf -t UDP_RR -H h -- -r 100,100 -Nn");
    assert_eq!(request.data.socket.connected, Ends::of(true));
    assert!(omni(&request).flags.contains(Flags::CONNECTED));
    let request = of("netperf -t TCP_CC -- -p0,0");
    assert_eq!(request.data.port_range, None);
    assert_eq!(
        request.load(),
        Err("connections without data are no kind of load")
    );
    assert_eq!(
        of("netperf -t TCP_CRR -- -p 5000,6000").data.port_range,
        Some((5000, 6000))
    );
}

#[test]
fn counted_tests() {
    let request = of("netperf -l -4000000");
    assert_eq!(request.length, Length::Count(4_000_000));
    let bytes = Bytes::new(4_000_000);
    assert_eq!(request.load().unwrap().stop, Stop::Bytes { bytes });
    let load = of("netperf -l-1 -t TCP_RR").load().unwrap();
    assert_eq!(load.stop, Stop::Count { count: 1 });
    assert_eq!(of("netperf -l 0").length, Length::Unlimited);
}

#[test]
fn flents_line() {
    let line = "netperf -P 0 -v 0 -D -0.20 -6 -H localhost -p 12865 -t TCP_STREAM -l 60 -f m -- \
                -H localhost";
    let request = of(line);
    let interim = request.interim.unwrap();
    assert_eq!(
        (interim.interval, interim.exact),
        (Nanos::from_millis(200), true)
    );
    assert_eq!(request.control.family, Family::V6);
    assert_eq!(request.data.families.remote, Family::V6);
}

#[test]
fn confidence_has_traps_of_its_own() {
    let wanted = |line: &str| of(line).repeat.wanted;
    assert_eq!(wanted("netperf -I 99"), Some((Level::P99, 99.0)));
    assert_eq!(wanted("netperf -I 95,"), Some((Level::P95, 5.0)));
    assert_eq!(wanted("netperf -i 5,3"), Some((Level::P99, 5.0)));
    let bounds = |line: &str| (of(line).repeat.least, of(line).repeat.most);
    assert_eq!(bounds("netperf -i 100,1"), (3, 30));
    assert_eq!(bounds("netperf -i 4,7"), (7, 7));
    assert_eq!(bounds("netperf -I 99,5"), (3, 10));
    assert!(of("netperf -I 99,5 -r").repeat.result_only);
}

/// They ran over the family of the address instead, and said nothing.
#[test]
fn an_address_of_another_family_is_refused() {
    for line in [
        "netperf -H 127.0.0.1 -6",
        "netperf -H ::1 -4",
        "netperf -H 127.0.0.1 -- -6",
        "netperf -H ::1 -- -H 127.0.0.1,6",
    ] {
        assert_eq!(parsed(line).unwrap_err().code, 255, "{line}");
    }
    assert_eq!(of("netperf -H 127.0.0.1 -4").control.family, Family::V4);
}

#[test]
fn an_option_of_a_test_without_its_value_stops_nothing() {
    let expected = ["-m needs a value and has no effect"];
    assert_eq!(notes("netperf -t TCP_RR -- -m"), expected);
}

#[test]
fn tests_that_never_iterate_name_the_confidence() {
    let repeat = of("netperf -t TCP_CC -I 99,5 -i 9,3").repeat;
    assert_eq!(
        (repeat.least, repeat.most, repeat.wanted),
        (1, 1, Some((Level::P99, 5.0)))
    );
}

#[test]
fn units_follow_the_test() {
    let unit = |line: &str| of(line).form.unit;
    assert_eq!(unit("netperf -f x"), Unit::MBits);
    assert_eq!(unit("netperf -t TCP_RR -f g"), Unit::GBits);
    assert_eq!(unit("netperf -f G"), Unit::GBytes);
}

#[test]
fn omni_finds_its_way() {
    let way = |options: &str| {
        let request = parsed(&format!("netperf -t omni -- {options}"));
        request.unwrap().data.way
    };
    for (options, expected) in [
        ("", Way::Send),
        ("-d send", Way::Send),
        ("-d maerts -T udp", Way::Receive),
        ("-d send|recv", Way::Both),
        ("-d 6 -c", Way::ConnectBoth),
        ("-c", Way::Connect),
        ("-r 10", Way::Both),
        ("-m ,10", Way::Receive),
        ("-M 10", Way::Send),
        ("-m 10,10", Way::Both),
        ("-m 10 -M ,10", Way::Both),
        ("-c -m 10", Way::Send),
        ("-c -m 10,10", Way::ConnectBoth),
        ("-d 0", Way::Send),
        ("-d 0 -c", Way::Connect),
    ] {
        assert_eq!(way(options), expected, "{options}");
    }
    let request = of("netperf -t omni -- -d maerts -T udp");
    assert_eq!(request.data.transport, Transport::Udp);
    assert_eq!(request.load().unwrap().kind, Kind::UdpMaerts);
    assert_eq!(
        (omni(&request).socket_type, omni(&request).protocol),
        (2, 17)
    );
    assert!(matches!(
        request.form.layout,
        Layout::Human(Selection::Usual)
    ));
}

#[test]
fn a_stream_with_sizes_of_transactions() {
    let request = of("netperf -- -r 1,1");
    assert_eq!(request.data.way, Way::Send);
    assert_eq!(request.send_size(), Bytes::new(1));
}

#[test]
fn pacing_in_bursts() {
    let request = of("netperf -w 10ms -b 5 -- -m 1000");
    let pace = request.paces.local.unwrap();
    assert_eq!((pace.burst, pace.interval), (5, Nanos::from_millis(10)));
    // 5000 bytes in 10 ms.
    assert_eq!(request.load().unwrap().rate, Some(BitRate::new(4_000_000)));
    assert_eq!(
        of("netperf -b 5").paces.local.unwrap().interval,
        Nanos::from_millis(1)
    );
    let alone = notes("netperf -w 10ms");
    assert_eq!(alone, ["-w: without -b it has no effect, as with netperf"]);
    let depth = of("netperf -t TCP_RR -- -b 4").load().unwrap().depth;
    assert_eq!(depth.get(), 5);
}

#[test]
fn marks_and_congestion_control() {
    let request = of("netperf -Y ef,cs1 -y 5 -- -K cubic,reno -D -G 1400");
    let asked = omni(&request);
    assert_eq!((asked.tos, asked.priority), (Some(0x20), Some(5)));
    assert_eq!(asked.congestion, "reno");
    assert!(asked.flags.contains(Flags::NODELAY));
    let load = request.load().unwrap();
    assert_eq!(load.socket.dscp.map(|dscp| dscp.get()), Some(46));
    assert_eq!(load.socket.mss, Some(Bytes::new(1400)));
    assert_eq!(load.check(), Ok(()));
    assert_eq!(request.beyond_load(), ["-K", "-y", "-Y"]);
    // A datagram has no Nagle.
    assert!(!of("netperf -t UDP_RR -- -D").data.socket.nodelay);
}

#[test]
fn what_has_no_effect_is_said() {
    for line in [
        "netperf -d",
        "netperf -n 4",
        "netperf -k 1,2",
        "netperf -t TCP_RR -W 3",
        "netperf -t TCP_MAERTS -W 3",
        "netperf -F here,there",
        "netperf -A 70000",
        "netperf word",
        "netperf -H h,nothing",
        "netperf -N -C",
        "netperf -- word",
        "netperf -- -g",
        "netperf -- -I",
        "netperf -- -b 3",
        "netperf -- -c",
        "netperf -- -H h/24",
        "netperf -- --long",
        "netperf -t TCP_SENDFILE -- -A",
        "netperf -t SCTP_STREAM -- -B",
    ] {
        assert_eq!(notes(line).len(), 1, "{line}: {:?}", notes(line));
    }
    // netperf complains and goes on.
    let sentences = notes("netperf -t TCP_SENDFILE -- -k");
    assert_eq!(
        sentences,
        ["-k is no option of TCP_SENDFILE and has no effect"]
    );
}

#[test]
fn slips_have_netperfs_codes() {
    for (line, code, words) in [
        ("netperf -x", 1, "-x is no option of netperf's"),
        ("netperf --fast", 1, "--fast is no option"),
        ("netperf -H", 1, "-H needs a value"),
        (
            "netperf -t TCP_ROUND",
            1,
            "-t: 'TCP_ROUND' is no test; the tests are TCP_STREAM",
        ),
        (
            "netperf -I 90,5",
            255,
            "Only 95% and 99% confidence level is supported",
        ),
        ("netperf -I 99,0", 1, "a width of more than 0 %"),
        ("netperf -l soon", 1, "-l 'soon': a number"),
        ("netperf -l -4G", 1, "-l '-4G'"),
        ("netperf -p 70000", 1, "-p '70000': a port"),
        ("netperf -t", 1, "-t needs a value"),
        (
            "netperf -- -o nosuch",
            255,
            "Could not open output selection file 'nosuch' errno 2",
        ),
        ("netperf -t omni -- -T dccp", 1, "tcp, udp or sctp"),
        ("netperf -t omni -- -d up", 1, "send, recv, rr"),
        ("netperf -t UDP_RR -- -c", 1, "UDP has no connections"),
    ] {
        let refusal = parsed(line).unwrap_err();
        assert_eq!(refusal.code, code, "{line}");
        assert!(refusal.sentence.contains(words), "{line}: {refusal:?}");
        assert!(!refusal.sentence.contains('\n'), "{line}: {refusal:?}");
    }
}

#[test]
fn answers_on_standard_output() {
    let version = parsed("netperf -V").unwrap_err();
    assert_eq!(
        (version.code, version.output.as_str()),
        (0, "Netperf version 2.7.0\n")
    );
    let names = parsed("netperf -- -k ?").unwrap_err();
    assert!(names.code == 1 && names.output.starts_with("OUTPUT_NONE,SOCKET_TYPE,"));
    let lines = parsed("netperf -- -O ?").unwrap_err().output;
    assert_eq!(lines.lines().count(), 175);
}

#[test]
fn selectors_in_a_file() {
    let read = |path: &Path| {
        assert_eq!(path, Path::new("mine"));
        Ok("MIN_LATENCY,Throughput\n".to_owned())
    };
    let request = parse(&words("netperf -- -k mine"), read).unwrap();
    assert!(matches!(&request.form.layout, Layout::Keyval(chosen) if chosen.has("MIN_LATENCY")));
    // As with netperf, a file switches no statistics on.
    assert!(!request.latency);
}

#[test]
fn how_many_super_netperf_takes() {
    for line in [
        "super_netperf",
        "super_netperf x -H h",
        "super_netperf 0",
        "super_netperf 100001",
    ] {
        let refusal = parse_several(&words(line), no_file).unwrap_err();
        assert_eq!(refusal.code, 1, "{line}");
        assert!(
            refusal.sentence.contains("usage: super_netperf N"),
            "{line}: {refusal:?}"
        );
    }
    let request = several("super_netperf --detail 3 -t TCP_RR -- -r40,40");
    assert!(request.detail);
    assert_eq!(request.count.get(), 3);
    assert_eq!(request.each.data.sizes.response, Some(Bytes::new(40)));
}

#[test]
fn what_the_output_says_of_the_request() {
    let line = "netperf -t TCP_RR -H h -T,1 -I 99,5 -- -P 7301,7302 -b 3 -s 64k -u run7";
    let request = of(line);
    assert_eq!(request.result().uuid, "run7");
    let address = "127.0.0.1".parse().unwrap();
    let banner = request.banner("localhost", address);
    assert_eq!((banner.local.port, banner.remote.port), (7301, 7302));
    assert_eq!(
        (banner.local.name.as_str(), banner.remote.name.as_str()),
        ("0.0.0.0", "localhost")
    );
    assert_eq!((banner.burst, banner.cpu_bound), (3, true));
    assert_eq!(banner.confidence, Some((99, 5.0)));
    let result = request.result();
    assert_eq!(result.remote.bound_cpu, Some(1));
    assert_eq!(result.local.send_buffer.asked, Some(Bytes::new(64_000)));
    assert_eq!(result.local.host, "0.0.0.0");
    let own = of("netperf -L 127.0.0.2 -H h");
    assert_eq!(own.banner("h", address).local.name, "127.0.0.2");
    assert_eq!(own.load().unwrap().socket.bind, "127.0.0.2".parse().ok());
}

#[test]
fn a_load_is_one_that_a_plan_takes() {
    for line in [
        "netperf",
        "netperf -t TCP_MAERTS",
        "netperf -t TCP_RR -- -b 10",
        "netperf -t TCP_CRR",
        "netperf -t UDP_STREAM",
        "netperf -- -V -m 64k",
    ] {
        let load: Load = of(line).load().unwrap();
        assert_eq!(load.check(), Ok(()), "{line}");
    }
}
