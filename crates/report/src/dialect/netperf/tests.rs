//! Against what a real netperf printed.

use std::net::IpAddr;

use super::sample::{cpu, datagrams, exchange, form, stream, with_cpu};
use super::*;

/// Lines with a `$` where they end, as trailing blanks are part of them.
fn marked(text: &str) -> String {
    text.replace('\n', "$\n")
}

fn cpu_form(test: Test) -> Form {
    Form {
        local_cpu: true,
        remote_cpu: true,
        ..form(test)
    }
}

fn bare(form: Form) -> Form {
    Form {
        headers: false,
        ..form
    }
}

#[test]
fn tcp_stream() {
    let expected = "\
Recv   Send    Send                          $
Socket Socket  Message  Elapsed              $
Size   Size    Size     Time     Throughput  $
bytes  bytes   bytes    secs.    10^6bits/sec  $
$
131072  16384  16384    1.01     10712.18   $
";
    let result = stream(1.01, 10_712.18);
    assert_eq!(marked(&render(&result, &form(Test::TcpStream))), expected);
    let bare = bare(form(Test::TcpStream));
    assert_eq!(
        marked(&render(&result, &bare)),
        "131072  16384  16384    1.01     10712.18   $\n"
    );
    let branded = Form {
        brand: Some("here".to_owned()),
        ..bare
    };
    assert!(render(&result, &branded).ends_with(" 10712.18   here\n"));
}

#[test]
fn tcp_stream_with_cpu() {
    let expected = "\
Recv   Send    Send                          Utilization       Service Demand$
Socket Socket  Message  Elapsed              Send     Recv     Send    Recv$
Size   Size    Size     Time     Throughput  local    remote   local   remote$
bytes  bytes   bytes    secs.    10^6bits/s  % S      % S      us/KB   us/KB$
$
131072  16384  16384    1.00       13540.20   87.34    87.34    1.057   1.057  $
";
    let result = with_cpu(stream(1.0, 13_540.2), 87.34, 1.057);
    assert_eq!(
        marked(&render(&result, &cpu_form(Test::TcpStream))),
        expected
    );
}

#[test]
fn an_end_that_was_not_measured() {
    let mut result = stream(1.0, 100.0);
    result.local.cpu = Some(cpu(10.0));
    result.local.service_demand = Some(2.0);
    let form = Form {
        local_cpu: true,
        ..form(Test::TcpStream)
    };
    let text = render(&result, &form);
    assert!(
        text.contains("10^6bits/s  % S      % U      us/KB"),
        "{text}"
    );
    assert!(
        text.ends_with("10.00    -1.00    2.000   -1.000 \n"),
        "{text}"
    );
}

#[test]
fn maerts_shows_the_sockets_of_the_other_ends() {
    let mut result = stream(1.0, 100.0);
    result.local.recv_buffer.initial = Some(units::Bytes::new(1));
    result.remote.send_buffer.initial = Some(units::Bytes::new(2));
    result.remote.send_size = Some(units::Bytes::new(3));
    let text = render(&result, &bare(form(Test::TcpMaerts)));
    assert!(text.starts_with("     1      2      3    1.00 "), "{text}");
    let text = render(&with_cpu(result, 1.0, 1.0), &cpu_form(Test::TcpMaerts));
    assert!(text.contains("Recv     Send     Recv    Send\n"), "{text}");
    assert!(text.contains("\n131072  16384      3    1.00 "), "{text}");
}

#[test]
fn udp_stream() {
    let expected = "\
Socket  Message  Elapsed      Messages                $
Size    Size     Time         Okay Errors   Throughput$
bytes   bytes    secs            #      #   10^6bits/sec$
$
212992   65507   1.00        84730      0    44403.26$
212992           1.00        32442           17001.42$
$
";
    let result = datagrams(1.0, 84_730, 32_442);
    assert_eq!(marked(&render(&result, &form(Test::UdpStream))), expected);
    let lines = render(&result, &bare(form(Test::UdpStream)));
    assert!(
        lines.starts_with("212992   65507") && lines.ends_with("\n\n"),
        "{lines}"
    );
}

#[test]
fn udp_stream_with_cpu() {
    let expected = "\
Socket  Message  Elapsed      Messages                   CPU      Service$
Size    Size     Time         Okay Errors   Throughput   Util     Demand$
bytes   bytes    secs            #      #   10^6bits/sec % SS     us/KB$
$
212992   65507   1.00        84730      0    44403.3     50.00    0.250 $
212992           1.00        32442           17001.4     50.00    0.250 $
$
";
    let result = with_cpu(datagrams(1.0, 84_730, 32_442), 50.0, 0.25);
    assert_eq!(
        marked(&render(&result, &cpu_form(Test::UdpStream))),
        expected
    );
}

#[test]
fn tcp_rr() {
    let expected = "\
Local /Remote$
Socket Size   Request  Resp.   Elapsed  Trans.$
Send   Recv   Size     Size    Time     Rate         $
bytes  Bytes  bytes    bytes   secs.    per sec   $
$
16384  131072 1        1       1.00     7907.73   $
16384  131072$
";
    let result = exchange(1.0, 7907.73);
    for test in [Test::TcpRr, Test::UdpRr, Test::TcpCrr] {
        assert_eq!(marked(&render(&result, &form(test))), expected, "{test:?}");
    }
}

#[test]
fn tcp_rr_with_cpu() {
    let expected = "\
Local /Remote$
Socket Size   Request Resp.  Elapsed Trans.   CPU    CPU    S.dem   S.dem$
Send   Recv   Size    Size   Time    Rate     local  remote local   remote$
bytes  bytes  bytes   bytes  secs.   per sec  % S    % S    us/Tr   us/Tr$
$
16384  131072 1       1      1.00    10557.17  39.33  39.33  74.501  74.501 $
16384  131072$
";
    let result = with_cpu(exchange(1.0, 10_557.17), 39.33, 74.501);
    assert_eq!(marked(&render(&result, &cpu_form(Test::TcpRr))), expected);
    let udp = render(&result, &cpu_form(Test::UdpRr));
    assert!(
        udp.contains(" 10557.17   39.33  39.33  74.501  74.501 \n"),
        "{udp}"
    );
    let crr = render(&result, &cpu_form(Test::TcpCrr));
    assert!(
        crr.contains("per sec  %      %      us/Tr   us/Tr\n"),
        "{crr}"
    );
    assert!(
        crr.contains(" 10557.17   39.33  39.33  74.501  74.501\n"),
        "{crr}"
    );
}

/// The line of the specification's test vectors: `-C` alone.
#[test]
fn tcp_rr_with_the_cpu_of_the_server_only() {
    let mut result = exchange(1.0, 9357.54);
    result.request_size = Some(units::Bytes::new(100));
    result.response_size = Some(units::Bytes::new(200));
    result.remote.cpu = Some(cpu(31.53));
    result.remote.service_demand = Some(67.391);
    let form = Form {
        remote_cpu: true,
        ..bare(form(Test::TcpRr))
    };
    let text = render(&result, &form);
    let line = "16384  131072 100     200    1.00    9357.54  -1.00  31.53  -1.000  67.391 \n";
    assert!(text.starts_with(line), "{text}");
    let lone = Form {
        verbosity: 0,
        ..form
    };
    assert_eq!(render(&result, &lone), "67.391 S \n");
}

#[test]
fn tcp_rr_in_bits() {
    let bits = |form: Form| Form {
        unit: Unit::MBits,
        ..form
    };
    let text = marked(&render(&exchange(1.0, 5.0), &bits(form(Test::TcpRr))));
    let heads = "\
Local /Remote$
Socket Size   Request  Resp.   Elapsed  $
Send   Recv   Size     Size    Time     Throughput $
bytes  Bytes  bytes    bytes   secs.    10^6bits/sec   $
";
    assert!(text.starts_with(heads), "{text}");
    let text = render(&exchange(1.0, 5.0), &bits(cpu_form(Test::TcpRr)));
    assert!(text.contains("Elapsed Tput     CPU    CPU "), "{text}");
    assert!(text.contains("Time    10^6bits local  remote "), "{text}");
    assert!(text.contains("us/KB   us/KB\n"), "{text}");
}

#[test]
fn one_figure_alone() {
    let lone = |test| Form {
        verbosity: 0,
        ..bare(form(test))
    };
    assert_eq!(
        render(&stream(1.0, 941.48), &lone(Test::TcpMaerts)),
        " 941.48 \n"
    );
    assert_eq!(
        render(&exchange(1.0, 10_000.5), &lone(Test::TcpCrr)),
        "10000.50\n"
    );
    assert_eq!(
        render(&datagrams(1.0, 84_730, 9), &lone(Test::UdpStream)),
        "44403.26\n"
    );
}

#[test]
fn more_than_the_details_is_less_than_the_table() {
    let loud = |test| Form {
        verbosity: 3,
        ..form(test)
    };
    assert_eq!(render(&datagrams(1.0, 9, 9), &loud(Test::UdpStream)), "");
    let text = render(&stream(1.0, 1.0), &loud(Test::TcpStream));
    assert!(
        text.starts_with("\nAlignment      Offset         Bytes"),
        "{text}"
    );
    assert_eq!(
        render(&exchange(1.0, 9.0), &loud(Test::TcpCrr)),
        "\nAlignment      Offset\nLocal  Remote  Local  Remote\nSend   Recv    Send   Recv\n    \
         8      8       0      0\n"
    );
}

#[test]
fn calls_of_a_stream() {
    let mut result = stream(1.0, 5956.7);
    result.local.bytes_sent = 744_587_264;
    result.local.send_calls = 45_446;
    result.remote.bytes_received = 744_587_264;
    result.remote.recv_calls = 5688;
    result.mss = Some(65_483);
    let form = Form {
        verbosity: 2,
        ..bare(form(Test::TcpStream))
    };
    let text = marked(&render(&result, &form));
    let expected = "
Alignment      Offset         Bytes    Bytes       Sends   Bytes    Recvs$
Local  Remote  Local  Remote  Xfered   Per                 Per$
Send   Recv    Send   Recv             Send (avg)          Recv (avg)$
    8       8      0       0 744587264  16384.00     45446   130904.93   5688$
$
Maximum$
Segment$
Size (bytes)$
 65483$
";
    assert!(text.ends_with(expected), "{text}");
}

#[test]
fn round_trips_in_detail() {
    let mut result = exchange(1.0, 55_330.032);
    result.burst = 4;
    result.local.bytes_sent = 55_330;
    result.local.bytes_received = 55_330;
    let form = Form {
        verbosity: 2,
        ..bare(form(Test::TcpRr))
    };
    let text = marked(&render(&result, &form));
    let expected = "
Alignment      Offset         RoundTrip  Trans    Throughput$
Local  Remote  Local  Remote  Latency    Rate     10^6bits/s$
Send   Recv    Send   Recv    usec/Tran  per sec  Outbound   Inbound$
    8      0       0      0   90.367   55330.032 0.443     0.443 $
";
    assert!(text.ends_with(expected), "{text}");
}

#[test]
fn the_largest_segment() {
    let mut result = stream(0.0, 0.0);
    result.mss = Some(65_483);
    let text = render(&result, &form(Test::TcpMss));
    assert_eq!(text, "Maximum\nSegment\nSize (bytes)\n\n65483 \n");
}

fn selected(selection: &str) -> Selection {
    selection.parse().unwrap()
}

#[test]
fn csv() {
    let mut result = exchange(1.0, 24_724.71);
    result.latency = Some(Latency {
        min_usecs: 16,
        max_usecs: 300,
        p50_usecs: 40,
        p90_usecs: 70,
        p99_usecs: 162,
        mean_usecs: 40.1,
        stddev_usecs: 3.5,
    });
    let form = |text| Form {
        layout: Layout::Csv(selected(text)),
        ..form(Test::TcpRr)
    };
    assert_eq!(
        render(&result, &form("min_latency,p99_latency,throughput")),
        "Minimum Latency Microseconds,99th Percentile Latency Microseconds,Throughput\n\
         16,162,24724.71\n"
    );
    // What is no selector or has no value leaves an empty field and a blank.
    let bare = bare(form(
        "throughput,nosuch,elapsed_time;result_brand,p50_latency",
    ));
    assert_eq!(render(&result, &bare), "24724.71,, 1.00,, 40\n");
    let bare = self::bare(form("throughput,nosuch"));
    assert_eq!(render(&result, &bare), "24724.71,,\n");
    let text = render(&result, &form("throughput,nosuch,elapsed_time"));
    assert!(
        text.starts_with("Throughput,Elapsed Time (sec)\n"),
        "{text}"
    );
}

#[test]
fn the_usual_columns() {
    let mut result = stream(1.0, 10_532.93);
    result.local.send_buffer.last = Some(units::Bytes::new(4_194_304));
    result.remote.recv_buffer.last = Some(units::Bytes::new(1_759_081));
    let form = Form {
        layout: Layout::Human(Selection::Usual),
        ..form(Test::Omni)
    };
    let expected = "\
Local       Remote      Local  Elapsed Throughput Throughput  $
Send Socket Recv Socket Send   Time               Units       $
Size        Size        Size   (sec)                          $
Final       Final                                             $
4194304     1759081     16384  1.00    10532.93   10^6bits/s  $
";
    assert_eq!(marked(&render(&result, &form)), expected);
    let with_cpu = Form {
        local_cpu: true,
        layout: Layout::Keyval(Selection::Usual),
        ..form
    };
    let text = render(&result, &with_cpu);
    assert!(
        text.ends_with("LOCAL_SD=-1.000\nREMOTE_SD=-1.000\nSD_UNITS=usec/KB\n"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 6 + 14 + 3);
}

#[test]
fn one_column_alone() {
    let form = Form {
        layout: Layout::Human(selected("THROUGHPUT")),
        ..bare(form(Test::Omni))
    };
    assert_eq!(render(&stream(1.0, 16_663.08), &form), "16663.08   \n");
    let gap = Form {
        layout: Layout::Human(selected("throughput,nosuch,elapsed_time")),
        ..form
    };
    assert_eq!(
        render(&stream(1.0, 92_234.27), &gap),
        "92234.27    1.00    \n"
    );
}

#[test]
fn every_selector_has_a_value() {
    let layout = |selection| Form {
        layout: Layout::Keyval(selection),
        ..form(Test::TcpRr)
    };
    let text = render(&exchange(1.0, 100.0), &layout(Selection::All));
    // All but the brand, and the two that are no figures.
    assert_eq!(text.lines().count(), 172);
    assert!(!text.contains("nan") && !text.contains("inf"), "{text}");
    let names: Vec<_> = text
        .lines()
        .filter_map(|line| line.split_once('='))
        .collect();
    assert_eq!(names[0], ("SOCKET_TYPE", "Stream"));
    assert_eq!(names[171].0, "COMMAND_LINE");
    for (name, value) in [
        ("LSS_SIZE_REQ", "-1"),
        ("LOCAL_CPU_UTIL", "-1.00"),
        ("LOCAL_CPU_PERCENT_USER", "0.00"),
        ("LOCAL_CPU_PEAK_ID", "-1"),
        ("REMOTE_CPU_PEAK_ID", "0"),
        ("LOCAL_SEND_WIDTH", "1"),
        ("LOCAL_CPU_METHOD", "U"),
        ("CONFIDENCE_INTERVAL", "-1.000000"),
        ("THROUGHPUT_CONFID", "-1.000"),
        ("LOCAL_SOCKET_TOS", "0xffffffff"),
        ("LOCAL_INTERFACE_VENDOR", "0xfffffffe"),
        ("LOCAL_SYSNAME", "Deprecated"),
        ("RT_LATENCY", "10000.000"),
        ("MIN_LATENCY", "-1"),
        ("TRANSACTION_RATE", "100.000"),
    ] {
        assert!(names.contains(&(name, value)), "{name}: {text}");
    }
    insta::assert_snapshot!("all-selectors", text);
}

#[test]
fn all_columns_come_in_four_blocks() {
    let form = Form {
        layout: Layout::Human(Selection::All),
        ..form(Test::TcpRr)
    };
    let text = render(&exchange(1.0, 100.0), &form);
    assert_eq!(text.split("\n\n").count(), 4);
    assert_eq!(text.lines().count(), 4 * 5 + 3);
}

#[test]
fn selections() {
    assert_eq!("ALL".parse(), Ok(Selection::All));
    let blocks = selected("throughput, elapsed_time;;mean_latency");
    assert!(blocks.needs_latency() && blocks.has("ELAPSED_TIME"));
    assert!(!selected("rt_latency").needs_latency());
    assert_eq!(
        "file.txt".parse::<Selection>(),
        Err(SelectionError::File("file.txt".to_owned()))
    );
    let file = Selection::of_file("THROUGHPUT,Throughput Units\n\nMIN_LATENCY\n");
    assert!(file.has("THROUGHPUT_UNITS") && file.has("MIN_LATENCY"));
}

/// An empty line and a word without a meaning vanished, and columns did not line up any more.
#[test]
fn what_a_file_of_selectors_does_not_know_is_blank() {
    let form = |layout: fn(Selection) -> Layout, text| Form {
        layout: layout(Selection::of_file(text)),
        ..bare(form(Test::TcpRr))
    };
    let result = exchange(1.0, 9.0);
    let keys = render(&result, &form(Layout::Keyval, "THROUGHPUT\n\nnonesuch\n"));
    assert_eq!(keys, "THROUGHPUT=9.00\nOUTPUT_NONE= \nOUTPUT_NONE= \n");
    let values = render(
        &result,
        &form(Layout::Csv, "THROUGHPUT,nonesuch,PROTOCOL\n"),
    );
    assert_eq!(values, "9.00, ,TCP\n");
}

#[test]
fn connections_are_never_warned_of() {
    let mut result = exchange(1.0, 9.0);
    result.confidence = Some(Confidence {
        level_percent: 99,
        width_percent: 5.0,
        throughput_percent: 100.0,
        local_cpu_percent: 0.0,
        remote_cpu_percent: 0.0,
        reached: false,
    });
    let warned = |test| render(&result, &bare(form(test))).contains("!!! WARNING");
    assert!(warned(Test::TcpRr) && !warned(Test::TcpCc));
}

#[test]
fn connections_in_detail_name_an_offset_for_the_servers_alignment() {
    let loud = Form {
        verbosity: 3,
        ..form(Test::TcpCc)
    };
    let text = render(&exchange(1.0, 9.0), &loud);
    assert!(text.ends_with("    8      0       0      0\n"), "{text}");
}

#[test]
fn warning_before_the_figures() {
    let mut result = stream(1.0, 100.0);
    result.confidence = Some(Confidence {
        level_percent: 95,
        width_percent: 0.1,
        throughput_percent: 55.468,
        local_cpu_percent: 0.0,
        remote_cpu_percent: 0.0,
        reached: false,
    });
    let expected = "\
!!! WARNING
!!! Desired confidence was not achieved within the specified iterations.
!!! This implies that there was variability in the test environment that
!!! must be investigated before going further.
!!! Confidence intervals: Throughput      : 55.468%
!!!                       Local CPU util  : 0.000%
!!!                       Remote CPU util : 0.000%

";
    let text = render(&result, &bare(form(Test::TcpStream)));
    assert!(text.starts_with(expected), "{text}");
    let omni = Form {
        layout: Layout::Keyval(selected("throughput_confid,throughput")),
        ..form(Test::TcpStream)
    };
    assert_eq!(
        render(&result, &omni),
        "THROUGHPUT_CONFID=55.468\nTHROUGHPUT=100.00\n"
    );
}

#[test]
fn interim_lines() {
    let line = Interim {
        index: 0,
        per_second: 6880.95 * 1e6 / 8.0,
        seconds: 0.325,
        ending_unix_ms: 1_796_054_003_454,
    };
    let stream = form(Test::TcpStream);
    assert_eq!(
        interim(&line, &stream),
        "Interim result: 6880.95 10^6bits/s over 0.325 seconds ending at 1796054003.454\n"
    );
    let csv = Form {
        layout: Layout::Csv(Selection::Usual),
        ..stream
    };
    assert_eq!(
        interim(&line, &csv),
        "6880.95,10^6bits/s,0.325,1796054003.454\n"
    );
    let line = Interim {
        per_second: 45_696.24,
        seconds: 0.4,
        ending_unix_ms: 1_796_054_007_054,
        ..line
    };
    let keyval = Form {
        layout: Layout::Keyval(Selection::Usual),
        ..form(Test::TcpRr)
    };
    assert_eq!(
        interim(&line, &keyval),
        "NETPERF_INTERIM_RESULT[0]=45696.24\nNETPERF_UNITS[0]=Trans/s\n\
         NETPERF_INTERVAL[0]=0.400\nNETPERF_ENDING[0]=1796054007.054\n"
    );
}

fn of(local: (&str, &str, u16), remote: (&str, &str, u16)) -> Banner {
    let end = |(name, address, port): (&str, &str, u16)| Endpoint {
        name: name.to_owned(),
        address: address.parse::<IpAddr>().unwrap(),
        port,
    };
    Banner {
        local: end(local),
        remote: end(remote),
        confidence: None,
        on_result_only: false,
        nodelay: false,
        avoids_copies: false,
        no_control: false,
        paced: false,
        burst: 0,
        cpu_bound: false,
    }
}

#[test]
fn banners() {
    let any = ("0.0.0.0", "0.0.0.0", 0);
    let plain = of(any, ("127.0.0.1", "127.0.0.1", 0));
    assert_eq!(
        banner(&plain, &form(Test::TcpStream)),
        "MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 127.0.0.1 () port 0 \
         AF_INET : demo\n"
    );
    assert_eq!(banner(&plain, &bare(form(Test::TcpStream))), "");
    assert_eq!(
        banner(&of(("::0", "::", 0), ("::1", "::1", 0)), &form(Test::TcpRr)),
        "MIGRATED TCP REQUEST/RESPONSE TEST from ::0 (::) port 0 AF_INET6 to ::1 (::1) port 0 \
         AF_INET6 : demo : first burst 0\n"
    );
    let ports = of(
        ("0.0.0.0", "0.0.0.0", 7301),
        ("localhost", "127.0.0.1", 7302),
    );
    assert_eq!(
        banner(&ports, &form(Test::TcpRr)),
        "MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 7301 AF_INET to \
         localhost () port 7302 AF_INET : demo : first burst 0\n"
    );
    let sure = Banner {
        confidence: Some((99, 5.0)),
        ..plain.clone()
    };
    assert_eq!(
        banner(&sure, &form(Test::TcpRr)),
        "MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 127.0.0.1 () \
         port 0 AF_INET : +/-2.500% @ 99% conf.  : demo : first burst 0\n"
    );
    let much = Banner {
        on_result_only: true,
        nodelay: true,
        avoids_copies: true,
        no_control: true,
        cpu_bound: true,
        ..sure
    };
    let line = banner(&much, &form(Test::TcpCrr));
    let end = " conf.  on result only : nodelay : copy avoidance : no control : demo : cpu bind\n";
    assert!(line.ends_with(end), "{line}");
    let omni = Form {
        way: Way::ConnectBoth,
        ..form(Test::Omni)
    };
    assert!(banner(&plain, &omni).starts_with("OMNI Connect|Send|Recv TEST from "));
}

#[test]
fn units() {
    for (letter, name, figure) in [
        ('G', "GBytes", 1.0),
        ('M', "MBytes", 1024.0),
        ('K', "KBytes", 1_048_576.0),
        ('g', "10^9bits", 8.589_934_592),
        ('m', "10^6bits", 8_589.934_592),
        ('k', "10^3bits", 8_589_934.592),
        ('b', "10^0bits", 1_073_741_824.0),
        ('B', "Bytes", 1_073_741_824.0),
        ('?', "KBytes", 1_048_576.0),
    ] {
        let unit = Unit::of(letter);
        assert_eq!(unit.name(), name);
        assert!(
            (unit.figure(1_073_741_824.0) - figure).abs() < 1e-3,
            "{letter}"
        );
    }
    assert_eq!(Unit::Usec.figure(2e6), 0.5);
    assert_eq!(Unit::Usec.figure(0.0), f64::INFINITY);
}

#[test]
fn calibrations() {
    assert_eq!(calibration(100.0, 2, "local", 1), "100");
    assert_eq!(
        calibration(100.0, 2, "remote", 2),
        "100\nThere are 2 remote cpus\n"
    );
}
