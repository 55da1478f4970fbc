//! Against what iperf 2.1.8 of Debian 12 printed. Each test names the command; the figures of its
//! output are what is rendered here.

use plan::Transport;

use super::*;

fn plain() -> Form {
    Form::default()
}

fn enhanced() -> Form {
    Form {
        enhanced: true,
        ..Form::default()
    }
}

fn row(id: Id, from_seconds: f64, to_seconds: f64, bytes: u64, figures: Figures) -> Row {
    Row {
        id,
        from_seconds,
        to_seconds,
        is_final: false,
        bytes,
        figures,
    }
}

fn starred(number: u32) -> Id {
    Id::Flow(FlowId {
        number,
        against_role: true,
        key: None,
    })
}

fn tcp_sent(writes: u64, retries: u64, path: Option<(u64, u32, u32)>) -> Figures {
    Figures::TcpSent(TcpSent {
        writes,
        retries,
        path: path.map(|(kbytes, rtt_usecs, rttvar_usecs)| TcpPath {
            cwnd_bytes: Some(kbytes * 1024),
            rtt_usecs,
            rttvar_usecs,
        }),
        ..TcpSent::default()
    })
}

fn reads(reads: u64, by_size: [u64; 8]) -> TcpReceived {
    TcpReceived {
        reads,
        by_size,
        ..TcpReceived::default()
    }
}

fn spread(count: u64, mean_ms: f64, min_ms: f64, max_ms: f64, stdev_ms: f64) -> Spread {
    Spread {
        count,
        mean_ms,
        min_ms,
        max_ms,
        stdev_ms,
    }
}

fn received(jitter_ms: f64, lost: u64, expected: u64, out_of_order: u64) -> UdpReceived {
    UdpReceived {
        jitter_ms: Some(jitter_ms),
        lost,
        expected,
        out_of_order,
        received: expected - lost,
        ..UdpReceived::default()
    }
}

#[test]
fn packets_that_are_not_what_they_say_have_a_line() {
    let figures = |packet_faults| {
        Figures::UdpReceived(UdpReceived {
            packet_faults,
            ..received(0.1, 0, 10, 0)
        })
    };
    let form = Form::default();
    let whole = Row {
        is_final: true,
        ..row(Id::flow(1), 0.0, 1.0, 1000, figures([1, 2, 0]))
    };
    let line = "[  1] 0.0000-1.0000 sec   L2 processing detected errors, \
                total(length/checksum/unknown) = 3(1/2/0)\n";
    assert!(table(std::slice::from_ref(&whole), &form).ends_with(line));
    let none = Row {
        figures: figures([0; 3]),
        ..whole.clone()
    };
    assert!(!table(&[none], &form).contains("L2"));
    let part = Row {
        is_final: false,
        ..whole
    };
    assert!(!table(&[part], &form).contains("L2"));
}

fn table(rows: &[Row], form: &Form) -> String {
    let mut table = Table::default();
    rows.iter().map(|row| table.row(row, form)).collect()
}

// Rows of TCP.

/// `iperf -c 127.0.0.1 -t 2 -b 20M -P 2 -i 1`
#[test]
fn tcp() {
    let rows = [
        row(Id::flow(1), 0.0, 1.0, 2_621_500, tcp_sent(20, 0, None)),
        row(Id::Sum, 0.0, 1.0, 5_243_000, tcp_sent(40, 0, None)),
        row(Id::Sum, 0.0, 2.0005, 10_748_024, tcp_sent(82, 0, None)),
    ];
    let expected = "\
[ ID] Interval       Transfer     Bandwidth
[  1] 0.0000-1.0000 sec  2.50 MBytes  21.0 Mbits/sec
[SUM] 0.0000-1.0000 sec  5.00 MBytes  41.9 Mbits/sec
[SUM] 0.0000-2.0005 sec  10.3 MBytes  43.0 Mbits/sec
";
    assert_eq!(table(&rows, &plain()), expected);
}

/// `iperf -c 127.0.0.1 -e -t 2 -b 20M -P 2 -i 1`
#[test]
fn enhanced_tcp_sender() {
    let rows = [
        row(
            Id::flow(1),
            0.0,
            1.0,
            2_621_500,
            tcp_sent(20, 0, Some((1151, 453, 714))),
        ),
        row(Id::Sum, 0.0, 1.0, 5_243_000, tcp_sent(40, 0, None)),
        row(
            Id::flow(1),
            0.0,
            2.012,
            5_374_012,
            tcp_sent(41, 12, Some((19, 50, 2))),
        ),
        row(
            Id::flow(1),
            0.0,
            1.0,
            409_600,
            tcp_sent(4, 0, Some((1087, 6481, 12_820))),
        ),
    ];
    let expected = "\
[ ID] Interval            Transfer    Bandwidth       Write/Err  Rtry     Cwnd/RTT(var)        NetPwr
[  1] 0.0000-1.0000 sec  2.50 MBytes  21.0 Mbits/sec  20/0          0     1151K/453(714) us  5787
[SUM] 0.0000-1.0000 sec  5.00 MBytes  41.9 Mbits/sec  40/0         0
[  1] 0.0000-2.0120 sec  5.13 MBytes  21.4 Mbits/sec  41/0         12       19K/50(2) us  53420
[  1] 0.0000-1.0000 sec   400 KBytes  3.28 Mbits/sec  4/0          0     1087K/6481(12820) us  63.20
";
    assert_eq!(table(&rows, &enhanced()), expected);
}

/// `iperf -s -e -i 1` for `iperf -c 127.0.0.1 -e -t 2 -b 20M -P 2 -i 1`
#[test]
fn enhanced_tcp_receiver() {
    let flow = reads(22, [2, 0, 0, 0, 0, 0, 0, 20]);
    let sum = reads(45, [4, 0, 0, 0, 0, 0, 0, 41]);
    let rows = [
        row(Id::flow(1), 0.0, 1.0, 2_621_500, Figures::TcpReceived(flow)),
        row(Id::Sum, 0.0, 1.0, 5_374_072, Figures::TcpReceived(sum)),
    ];
    let expected = "\
[ ID] Interval            Transfer    Bandwidth       Reads=Dist
[  1] 0.0000-1.0000 sec  2.50 MBytes  21.0 Mbits/sec  22=2:0:0:0:0:0:0:20
[SUM] 0.0000-1.0000 sec  5.13 MBytes  43.0 Mbits/sec  45=4:0:0:0:0:0:0:41
";
    assert_eq!(table(&rows, &enhanced()), expected);
}

/// `iperf -s -i 1` for `iperf -c 127.0.0.1 --trip-times -P 2 -t 2 -b 20M -i 1`: the flows' rows are
/// enhanced, the sums' are not.
#[test]
fn trip_times() {
    let flow = TcpReceived {
        latency: Some(spread(20, 0.1217, 0.064, 0.507, 0.097)),
        ..reads(22, [2, 0, 0, 0, 0, 0, 0, 20])
    };
    let rev = TcpReceived {
        latency: Some(spread(19, 28.955, 0.17, 50.031, 23.806)),
        ..reads(33, [11, 0, 0, 2, 2, 0, 0, 18])
    };
    let flow = row(Id::flow(2), 0.0, 1.0, 2_621_520, Figures::TcpReceived(flow));
    let sum = row(Id::Sum, 0.0, 1.0, 5_243_040, Figures::Bytes);
    let rev = row(starred(1), 0.0, 1.0, 2_621_520, Figures::TcpReceived(rev));
    let mut table = Table::default();
    let text = table.row(&flow, &enhanced()) + &table.row(&sum, &plain());
    let expected = "\
[ ID] Interval            Transfer    Bandwidth    Burst Latency avg/min/max/stdev (cnt/size) inP NetPwr  Reads=Dist
[  2] 0.0000-1.0000 sec  2.50 MBytes  21.0 Mbits/sec  0.122/0.064/0.507/0.097 ms (20/131076)  319 Byte 21541  22=2:0:0:0:0:0:0:20
[ ID] Interval       Transfer     Bandwidth
[SUM] 0.0000-1.0000 sec  5.00 MBytes  41.9 Mbits/sec
";
    assert_eq!(text, expected);
    let expected = "\
[ *1] 0.0000-1.0000 sec  2.50 MBytes  21.0 Mbits/sec  28.955/0.170/50.031/23.806 ms (19/137974) 74.1 KByte 90.54  33=11:0:0:2:2:0:0:18
";
    assert_eq!(table.row(&rev, &enhanced()), expected);
}

/// `iperf -c 127.0.0.1 -e --histograms -t 1`, and a kernel that tells no window
#[test]
fn write_times() {
    let sent = TcpSent {
        write_times: Some(spread(14_682, 0.067, 0.004, 5.586, 0.222)),
        ..match tcp_sent(14_682, 3, Some((895, 67, 0))) {
            Figures::TcpSent(sent) => sent,
            other => panic!("{other:?}"),
        }
    };
    let blind = TcpSent {
        path: Some(TcpPath {
            cwnd_bytes: None,
            rtt_usecs: 67,
            rttvar_usecs: 1,
        }),
        write_times: None,
        ..sent.clone()
    };
    let rows = [
        row(
            Id::flow(1),
            0.0,
            1.0089,
            1_924_399_104,
            Figures::TcpSent(sent),
        ),
        row(
            Id::flow(1),
            0.0,
            1.0089,
            1_924_399_104,
            Figures::TcpSent(blind),
        ),
    ];
    let expected = "\
[ ID] Interval            Transfer    Bandwidth       Write/Err  Rtry     Cwnd/RTT        NetPwr  write-times avg/min/max/stdev (cnt)
[  1] 0.0000-1.0089 sec  1.79 GBytes  15.3 Gbits/sec  14682/0          3      895K/67 us  28469001  0.067/0.004/5.586/0.222 ms (14682)
[ ID] Interval            Transfer    Bandwidth       Write/Err  Rtry     Cwnd/RTT(var)        NetPwr
[  1] 0.0000-1.0089 sec  1.79 GBytes  15.3 Gbits/sec  14682/0          3       NA/67 us  28469001
";
    assert_eq!(table(&rows, &enhanced()), expected);
}

/// `iperf -c 127.0.0.1 --full-duplex -e -t 2 -b 20M -i 1`: a head stands once.
#[test]
fn full_duplex() {
    let back = || Figures::TcpReceived(reads(23, [0, 0, 0, 4, 2, 0, 0, 17]));
    let forth = || tcp_sent(20, 0, Some((1151, 123, 25)));
    let rows = [
        row(starred(1), 0.0, 1.0, 2_621_440, back()),
        row(Id::flow(1), 0.0, 1.0, 2_621_500, forth()),
        row(Id::FullDuplex(1), 0.0, 1.0, 5_242_940, Figures::Bytes),
        row(starred(1), 1.0, 2.0, 2_621_440, back()),
        row(Id::FullDuplex(1), 1.0, 2.0, 5_242_940, Figures::Bytes),
    ];
    let expected = "\
[ ID] Interval            Transfer    Bandwidth       Reads=Dist
[ *1] 0.0000-1.0000 sec  2.50 MBytes  21.0 Mbits/sec  23=0:0:0:4:2:0:0:17
[ ID] Interval            Transfer    Bandwidth       Write/Err  Rtry     Cwnd/RTT(var)        NetPwr
[  1] 0.0000-1.0000 sec  2.50 MBytes  21.0 Mbits/sec  20/0          0     1151K/123(25) us  21313
[ ID] Interval       Transfer     Bandwidth
[FD1] 0.0000-1.0000 sec  5.00 MBytes  41.9 Mbits/sec
[ *1] 1.0000-2.0000 sec  2.50 MBytes  21.0 Mbits/sec  23=0:0:0:4:2:0:0:17
[FD1] 1.0000-2.0000 sec  5.00 MBytes  41.9 Mbits/sec
";
    assert_eq!(table(&rows, &enhanced()), expected);
    let mut table = Table::default();
    table.row(&rows[0], &enhanced());
    table.is_idle();
    assert!(table.row(&rows[0], &enhanced()).starts_with("[ ID]"));
}

/// `iperf -s -e -i 1` for `iperf -c 127.0.0.1 --burst-period 0.5 --burst-size 200K -t 2 -i 1
/// --trip-times`
#[test]
fn bursts() {
    let one = TcpReceived {
        bursts: Some(Bursts::One {
            transfer_ms: 0.227,
            period_ms: 500.0,
        }),
        ..reads(2, [0, 0, 0, 0, 1, 0, 0, 0])
    };
    let all = TcpReceived {
        bursts: Some(Bursts::All(spread(4, 0.692, 0.145, 2.23, 1.026))),
        ..reads(9, [1, 0, 0, 0, 4, 0, 0, 1])
    };
    let rows = [
        row(Id::flow(1), 0.0, 0.5005, 204_800, Figures::TcpReceived(one)),
        row(Id::flow(1), 0.0, 2.0003, 819_200, Figures::TcpReceived(all)),
    ];
    let expected = "\
[ ID] Burst (start-end)  Transfer     Bandwidth       XferTime  (DC%)     Reads=Dist          NetPwr
[  1] 0.0000-0.5005 sec   200 KBytes  3.27 Mbits/sec   0.227 ms (0.045%)    2=0:0:0:0:1:0:0:0  1803
[  1] 0.0000-2.0003 sec   800 KBytes  3.28 Mbits/sec  0.692/0.145/2.230/1.026 ms  9=1:0:0:0:4:0:0:1
";
    assert_eq!(table(&rows, &enhanced()), expected);
}

/// `iperf -c 127.0.0.1 --bounceback -t 3 --trip-times`, the last rows of it
#[test]
fn bounceback() {
    let path = |kbytes: u64, rtt_usecs| {
        Some(TcpPath {
            cwnd_bytes: Some(kbytes * 1024),
            rtt_usecs,
            rttvar_usecs: 0,
        })
    };
    let first = Bounced {
        round_trips: spread(10, 0.0419, 0.008, 0.335, 0.103),
        path: path(576, 12),
        ..Bounced::default()
    };
    let none = Bounced {
        path: path(576, 71),
        ..Bounced::default()
    };
    let all = Bounced {
        round_trips: spread(30, 0.0263, 0.008, 0.335, 0.062),
        path: path(576, 1121),
        one_way: Some(OneWay {
            to: spread(30, 0.01, 0.003, 0.077, 0.019),
            from: spread(30, 0.01, 0.004, 0.102, 0.018),
            asymmetry: spread(30, 0.008, 0.0, 0.071, 0.019),
        }),
        ..Bounced::default()
    };
    let rows = [
        row(Id::flow(1), 0.0, 1.0, 2000, Figures::Bounced(first)),
        row(Id::flow(1), 3.0, 4.0217, 2000, Figures::Bounced(none)),
        Row {
            is_final: true,
            ..row(Id::flow(1), 0.0, 3.0091, 6000, Figures::Bounced(all))
        },
    ];
    let expected = "\
[ ID] Interval            Transfer    Bandwidth         BB cnt=avg/min/max/stdev         Rtry  Cwnd/RTT    RPS
[  1] 0.0000-1.0000 sec  1.95 KBytes  16.0 Kbits/sec    10=0.042/0.008/0.335/0.103 ms    0  576K/12 us    23866 rps
[  1] 3.0000-4.0217 sec  1.95 KBytes  15.7 Kbits/sec    0=0.000/0.000/0.000/0.000 ms    0  576K/71 us    0.0 rps
[  1] 0.0000-3.0091 sec  5.86 KBytes  16.0 Kbits/sec    30=0.026/0.008/0.335/0.062 ms    0  576K/1121 us    38023 rps
[  1] 0.0000-3.0091 sec  OWD Delays (ms) Cnt=30 To=0.010/0.003/0.077/0.019 From=0.010/0.004/0.102/0.018 Asymmetry=0.008/0.000/0.071/0.019    38023 rps
";
    assert_eq!(table(&rows, &enhanced()), expected);
}

/// `iperf -c 127.0.0.1 --isochronous=50:4m,0 -t 2 -i 1`, and over UDP; a server's row with
/// `--trip-times` of each
#[test]
fn isochronous() {
    let sent = |sent| {
        Some(FramesSent {
            sent,
            missed: 0,
            slipped: 0,
        })
    };
    let tcp = TcpSent {
        writes: 50,
        path: Some(TcpPath {
            cwnd_bytes: Some(1017 * 1024),
            rtt_usecs: 60,
            rttvar_usecs: 7,
        }),
        frames: sent(51),
        ..TcpSent::default()
    };
    let udp = UdpSent {
        datagrams: 358,
        errors: 0,
        frames: sent(51),
    };
    let frames = TcpReceived {
        latency: Some(Spread::default()),
        of_frames: true,
        ..reads(51, [51, 0, 0, 0, 0, 0, 0, 0])
    };
    let got = UdpReceived {
        latency: Some(spread(351, 0.0387, 0.0, 1.744, 0.243)),
        frames: Some(FramesReceived {
            received: 51,
            lost: 0,
            latency: spread(51, 0.125, 0.024, 1.752, 0.239),
        }),
        ..received(0.004, 0, 351, 0)
    };
    let rows = [
        row(Id::flow(1), 0.0, 1.0, 500_060, Figures::TcpSent(tcp)),
        row(Id::flow(1), 0.0, 1.0, 501_570, Figures::UdpSent(udp)),
        row(Id::flow(1), 0.0, 1.0, 500_060, Figures::TcpReceived(frames)),
        row(Id::flow(1), 0.0, 1.0, 501_570, Figures::UdpReceived(got)),
    ];
    let expected = "\
[ ID] Interval            Transfer     Bandwidth      Write/Err  Rtry     Cwnd/RTT     isoch:tx/miss/slip  NetPwr
[  1] 0.0000-1.0000 sec   488 KBytes  4.00 Mbits/sec  50/0        0     1017K/60 us         51/0/0        8334
[ ID] Interval            Transfer     Bandwidth      Write/Err  PPS  isoch:tx/miss/slip
[  1] 0.0000-1.0000 sec   490 KBytes  4.01 Mbits/sec  358/0      358 pps   51/0/0
[ ID] Interval            Transfer    Bandwidth    Burst Latency avg/min/max/stdev (cnt/size) NetPwr  Reads=Dist
[  1] 0.0000-1.0000 sec   488 KBytes  4.00 Mbits/sec  0.000/0.000/0.000/0.000 ms (0/0) NAN  51=51:0:0:0:0:0:0:0
[ ID] Interval            Transfer     Bandwidth        Jitter   Lost/Total Latency avg/min/max/stdev  PPS  Frame:rx/lost  latency  NetPwr
[  1] 0.0000-1.0000 sec   490 KBytes  4.01 Mbits/sec   0.004 ms 0/351 (0%) 0.039/0.000/1.744/0.243 ms 351 pps   51/0  0.125/0.024/1.752/0.239 ms 12960
";
    assert_eq!(table(&rows, &enhanced()), expected);
}

// Rows of UDP.

/// `iperf -s -u -i 1` for `iperf -c 127.0.0.1 -u -t 2 -b 5M -P 2 -i 1`
#[test]
fn udp_receiver() {
    let sum = UdpReceived {
        jitter_ms: None,
        ..received(0.0, 0, 895, 1)
    };
    let rows = [
        row(
            Id::flow(2),
            0.0,
            1.0,
            657_090,
            Figures::UdpReceived(received(0.003, 1, 448, 0)),
        ),
        row(
            Id::flow(1),
            0.0,
            1.0,
            658_560,
            Figures::UdpReceived(received(0.002, 0, 447, 1)),
        ),
        row(Id::Sum, 0.0, 1.0, 1_315_650, Figures::UdpReceived(sum)),
        row(
            Id::flow(1),
            0.0,
            1.0,
            0,
            Figures::UdpReceived(received(0.0, 20, 20, 0)),
        ),
    ];
    let expected = "\
[ ID] Interval       Transfer     Bandwidth        Jitter   Lost/Total Datagrams
[  2] 0.0000-1.0000 sec   642 KBytes  5.26 Mbits/sec   0.003 ms 1/448 (0.22%)
[  1] 0.0000-1.0000 sec   643 KBytes  5.27 Mbits/sec   0.002 ms 0/447 (0%)
[  1] 0.0000-1.0000 sec  1 datagrams received out-of-order
[ ID] Interval       Transfer     Bandwidth
[SUM] 0.0000-1.0000 sec  1.25 MBytes  10.5 Mbits/sec   0/895 (0%)
[SUM] 0.0000-1.0000 sec  1 datagrams received out-of-order
[  1] 0.0000-1.0000 sec  0.000 Bytes  0.000 bits/sec   0.000 ms 20/20 (1e+02%)
";
    assert_eq!(table(&rows, &plain()), expected);
}

/// `iperf -s -u -e -i 1` for `iperf -c 127.0.0.1 -u -e -t 2 -b 5M -P 2 -i 1`, and clocks that
/// cannot be compared
#[test]
fn enhanced_udp_receiver() {
    let flow = UdpReceived {
        latency: Some(spread(447, 0.0022, 0.001, 0.036, 0.002)),
        ..received(0.003, 1, 448, 0)
    };
    let blind = UdpReceived {
        latency: None,
        ..flow.clone()
    };
    let sum = received(0.0, 1, 895, 1);
    let rows = [
        row(Id::flow(2), 0.0, 1.0, 657_090, Figures::UdpReceived(flow)),
        row(Id::flow(2), 0.0, 1.0, 657_090, Figures::UdpReceived(blind)),
        row(Id::Sum, 0.0, 1.0, 1_315_650, Figures::UdpReceived(sum)),
    ];
    let expected = "\
[ ID] Interval            Transfer     Bandwidth        Jitter   Lost/Total  Latency avg/min/max/stdev PPS  Rx/inP  NetPwr
[  2] 0.0000-1.0000 sec   642 KBytes  5.26 Mbits/sec   0.003 ms 1/448 (0.22%) 0.002/0.001/0.036/0.002 ms 447 pps 447/0(0) pkts 298677
[  2] 0.0000-1.0000 sec   642 KBytes  5.26 Mbits/sec   0.003 ms 1/448 (0.22%) -/-/-/- ms 447 pps
[ ID] Interval            Transfer     Bandwidth      Write/Err  PPS
[SUM] 0.0000-1.0000 sec  1.25 MBytes  10.5 Mbits/sec  1/895      894 pps
";
    assert_eq!(table(&rows, &enhanced()), expected);
}

/// `iperf -c 127.0.0.1 -u -e -t 2 -b 10M -i 1`; of `--full-duplex` the sum
#[test]
fn udp_sender() {
    let sent = UdpSent {
        datagrams: 892,
        ..UdpSent::default()
    };
    let rows = [
        row(Id::flow(1), 1.0, 2.0, 1_311_240, Figures::UdpSent(sent)),
        row(
            Id::FullDuplex(1),
            0.0,
            1.0,
            1_312_710,
            Figures::Datagrams(893),
        ),
    ];
    let expected = "\
[ ID] Interval            Transfer     Bandwidth      Write/Err  PPS
[  1] 1.0000-2.0000 sec  1.25 MBytes  10.5 Mbits/sec  892/0      892 pps
[ ID] Interval       Transfer     Bandwidth    Datagrams   PPS
[FD1] 0.0000-1.0000 sec  1.25 MBytes  10.5 Mbits/sec 893     893 pps
";
    assert_eq!(table(&rows, &enhanced()), expected);
    let flow = Id::flow(1);
    assert_eq!(
        sent_datagrams(&flow, 1788, &plain()),
        "[  1] Sent 1788 datagrams\n"
    );
    assert_eq!(
        sent_datagrams(&Id::SumOf(2), 1792, &plain()),
        "[SUM-2] Sent 1792 datagrams\n"
    );
    let FlowId { number, .. } = FlowId::default();
    assert_eq!(number, 0);
    let id = FlowId {
        number: 2,
        against_role: true,
        key: None,
    };
    assert_eq!(server_report(&id, &plain()), "[  2] Server Report:\n");
}

/// `--sum-only` at either end of `iperf -c 127.0.0.1 [-e] -t 2 -b 20M -P 2 -i 1` and `-u`
#[test]
fn sum_only() {
    let of = |form: Form, figures: Figures, bytes| {
        let form = Form {
            sum_only: true,
            ..form
        };
        let rows = [
            row(Id::flow(1), 0.0, 1.0, bytes, figures.clone()),
            row(Id::SumOf(2), 0.0, 1.0, bytes, figures),
        ];
        table(&rows, &form)
    };
    let expected = "\
[SUM-cnt] Interval       Transfer     Bandwidth
[SUM-2] 0.0000-1.0000 sec  5.00 MBytes  41.9 Mbits/sec
";
    assert_eq!(of(plain(), tcp_sent(40, 0, None), 5_243_000), expected);
    let expected = "\
[SUM-cnt] Interval            Transfer    Bandwidth       Write/Err  Rtry
[SUM-2] 0.0000-1.0000 sec  5.00 MBytes  41.9 Mbits/sec  40/0         0
";
    assert_eq!(of(enhanced(), tcp_sent(40, 0, None), 5_243_000), expected);
    let expected = "\
[SUM-cnt] Interval            Transfer    Bandwidth       Reads=Dist
[SUM-2] 0.0000-1.0000 sec  5.13 MBytes  43.0 Mbits/sec  46=4:0:0:1:1:0:0:40
";
    let read = Figures::TcpReceived(reads(46, [4, 0, 0, 1, 1, 0, 0, 40]));
    assert_eq!(of(enhanced(), read, 5_374_072), expected);
    let expected = "\
[SUM-cnt] Interval     Transfer     Bandwidth       Lost/Total    PPS
[SUM-2] 0.0000-1.0000 sec  1.25 MBytes  10.5 Mbits/sec  1/895      894 pps
";
    let got = Figures::UdpReceived(received(0.0, 1, 895, 1));
    assert_eq!(of(plain(), got, 1_315_650), expected);
}

#[test]
fn no_data() {
    let form = Form {
        excluded: Excluded {
            data: true,
            ..Excluded::default()
        },
        ..plain()
    };
    let rows = [row(Id::flow(1), 0.0, 1.0, 1, Figures::Bytes)];
    assert_eq!(table(&rows, &form), "");
    assert_eq!(sent_datagrams(&Id::flow(1), 1, &form), "");
}

// Units: `iperf -c 127.0.0.1 -n 3M -b 100M -f …`

#[test]
fn units() {
    let text = |letter, seconds| {
        let form = Form {
            unit: Unit::of(letter).unwrap(),
            ..plain()
        };
        let row = row(Id::flow(1), 0.0, seconds, 3 << 20, Figures::Bytes);
        let text = table(&[row], &form);
        text.lines().nth(1).unwrap()[25..].to_owned()
    };
    for (letter, seconds, expected) in [
        ('b', 0.2414, "3145728 Bytes  104249478 bits/sec"),
        ('k', 0.2445, "3072 KBytes  102928 Kbits/sec"),
        ('g', 0.246, "0.003 GBytes  0.102 Gbits/sec"),
        ('B', 0.2421, "3145728 Bytes  12993507 Bytes/sec"),
        ('A', 0.2450, "3.00 MBytes  12.2 MBytes/sec"),
        ('a', 0.2450, "3.00 MBytes   103 Mbits/sec"),
        ('t', 0.2415, "0.000 TBytes  0.000 Tbits/sec"),
        ('T', 0.2303, "0.000 TBytes  0.000 TBytes/sec"),
    ] {
        assert_eq!(text(letter, seconds), expected, "{letter}");
    }
    assert_eq!(Unit::of('x'), None);
    for (bytes, expected) in [
        (0.0, "0.000 Byte"),
        (60.0, "60.0 Byte"),
        (999.0, " 999 Byte"),
        (1023.9, "1024 Byte"),
        (1024.0, "1.00 KByte"),
        (1020.0 * 1024.0, "1020 KByte"),
        (1e18, " 888 PByte"),
        (1e21, "888178 PByte"),
    ] {
        assert_eq!(Unit::AdaptiveBytes.amount(bytes), expected);
    }
}

// Connections and settings.

fn client_connection() -> Connection {
    let [local, peer] = ["127.0.0.1:37000", "127.0.0.1:7468"].map(|end| end.parse().unwrap());
    let id = FlowId {
        number: 1,
        ..FlowId::default()
    };
    Connection {
        device: Some("lo".into()),
        socket: Some(3),
        tcp: Some(TcpStart {
            cwnd_kbytes: 319,
            mss: 32_741,
            rtt_usecs: 28,
        }),
        connect_ms: Some(0.0732),
        at: Some(noon()),
        ..Connection::new(id, local, peer)
    }
}

fn noon() -> WallTime {
    WallTime {
        year: 2026,
        month: 11,
        day: 30,
        hour: 20,
        minute: 16,
        second: 5,
        millisecond: 42,
        zone: "UTC".into(),
    }
}

#[test]
fn connections() {
    let connection = client_connection();
    assert_eq!(
        connection.line(&plain()),
        "[  1] local 127.0.0.1 port 37000 connected with 127.0.0.1 port 7468 \
         (icwnd/mss/irtt=319/32741/28)\n"
    );
    assert_eq!(
        connection.line(&enhanced()),
        "[  1] local 127.0.0.1%lo port 37000 connected with 127.0.0.1 port 7468 (sock=3) \
         (icwnd/mss/irtt=319/32741/28) (ct=0.07 ms) on 2026-11-30 20:16:05 (UTC)\n"
    );
    let bare = Connection {
        only_connects: true,
        ..connection.clone()
    };
    assert_eq!(
        bare.line(&plain()),
        "[  1] local 127.0.0.1 port 37000 connected with 127.0.0.1 port 7468 \
         (icwnd/mss/irtt=319/32741/28) (ct=0.07 ms) on 2026-11-30 20:16:05 (UTC)\n"
    );
    let hidden = Form {
        hides_addresses: true,
        ..plain()
    };
    assert!(
        connection
            .line(&hidden)
            .starts_with("[  1] local *.*.*.1 port 37000 connected with *.*.*.1 port 7468 (")
    );
    let unwanted = Form {
        excluded: Excluded {
            connections: true,
            ..Excluded::default()
        },
        ..plain()
    };
    assert_eq!(connection.line(&unwanted), "");
}

#[test]
fn marks_of_connections() {
    let bare = Connection {
        device: None,
        tcp: None,
        connect_ms: None,
        at: None,
        ..client_connection()
    };
    let marks = |connection: Connection| {
        let line = connection.line(&enhanced());
        line.split_once("port 7468 ")
            .unwrap()
            .1
            .trim_end()
            .to_owned()
    };
    let all = Connection {
        clamp_bytes: Some(65_536),
        prefetch_bytes: Some(65_536),
        isochronous: true,
        burst_period_seconds: Some(0.5),
        way: Way::FullDuplex,
        fair_queue: true,
        starts_at_epoch: true,
        checks_length: true,
        no_udp_fin: true,
        trip_times: true,
        tos_received: Some(0x10),
        peer_version: Some("2.1.8".into()),
        quickack: true,
        ..bare.clone()
    };
    assert_eq!(
        marks(all),
        "(clamp=65536) (prefetch=65536) (isoch) (burst-period=0.5000s) (full-duplex) (fq) \
         (epoch-start) (l2mode) (no-udp-fin) (trip-times) (sock=3) (tos rx=0x10) (peer 2.1.8) \
         (qack)"
    );
    let asked = Bounce {
        quickack: true,
        bytes: 100,
        hold_usecs: 0,
    };
    let bounced = |bounce| Connection {
        bounceback: Some(bounce),
        way: Way::Forward,
        ..bare.clone()
    };
    assert_eq!(
        marks(bounced(asked)),
        "(bb w/quickack len/hold=100/0) (sock=3)"
    );
    let held = Bounce {
        quickack: false,
        hold_usecs: 5000,
        ..asked
    };
    assert_eq!(marks(bounced(held)), "(bb len/hold=100/5000) (sock=3)");
    let keyed = Connection {
        id: FlowId {
            number: 1,
            against_role: true,
            key: Some("abcdef".into()),
        },
        way: Way::Reverse,
        ..bare.clone()
    };
    assert_eq!(
        keyed.line(&plain()),
        "[abcdef(*1)] local 127.0.0.1 port 37000 connected with 127.0.0.1 port 7468 (reverse)\n"
    );
    assert_eq!(
        client_connection().refused_line(&plain()),
        "[drop] local 127.0.0.1 port 37000 connection with 127.0.0.1 port 7468 \
         (icwnd/mss/irtt=319/32741/28) (permit key fail)\n"
    );
}

fn client(transport: Transport, port: u16, flows: u32) -> Settings {
    let role = Role::Client {
        host: "127.0.0.1".into(),
        device: None,
        flows,
    };
    Settings {
        pid: 17_766,
        ..Settings::new(role, transport, port)
    }
}

fn window(bytes: u64, asked: Option<u64>) -> Option<Window> {
    Some(Window { bytes, asked })
}

fn ruled(text: &str) -> String {
    let rule = "-".repeat(60);
    format!("{rule}\n{text}{rule}\n")
}

/// `iperf -c 127.0.0.1 -e -t 1 -b 20M -M 1000 -m -w 64K -N -S 0x10 -Z cubic --fq-rate 10m -l 64K`
#[test]
fn settings_of_a_tcp_client() {
    let settings = Settings {
        buffer_bytes: 65_536,
        pace_bytes_per_second: Some(1_250_000),
        mss: Some(Mss::Asked(1000)),
        congestion: Some("cubic".into()),
        tos: Some(0x10),
        nodelay: true,
        window: window(131_072, Some(65_536)),
        prefetch_bytes: Some(65_536),
        histogram: Some((100, 10_000)),
        times_writes: true,
        ..client(Transport::Tcp, 7462, 1)
    };
    let expected = "\
Client connecting to 127.0.0.1, TCP port 7462 with pid 17766 (1 flows)
Write buffer size: 65536 Byte (writetimer-enabled)
fair-queue socket pacing set to 10.0 Mbit/s
MSS req size 1000 bytes (per TCP_MAXSEG)
TCP congestion control set to cubic
TOS set to 0x10 and nodelay (Nagle off)
TCP window size:  128 KByte (WARNING: requested 64.0 KByte)
Event based writes (pending queue watermark at 65536 bytes)
Enabled write histograms bin-width=0.100 ms, bins=10000
";
    assert_eq!(settings.text(&enhanced()), ruled(expected));
    let plain_one = Settings {
        window: window(16_384, None),
        ..client(Transport::Tcp, 7462, 1)
    };
    let expected = "\
Client connecting to 127.0.0.1, TCP port 7462
TCP window size: 16.0 KByte (default)
";
    assert_eq!(plain_one.text(&plain()), ruled(expected));
    let hidden = Form {
        hides_addresses: true,
        unit: Unit::Bits(0),
        ..plain()
    };
    let expected = "\
Client connecting to (**hidden**), TCP port 7462
TCP window size: 16384 Byte (default)
";
    assert_eq!(plain_one.text(&hidden), ruled(expected));
    let none = Form {
        excluded: Excluded {
            settings: true,
            ..Excluded::default()
        },
        ..plain()
    };
    assert_eq!(plain_one.text(&none), "");
}

/// `iperf -c 127.0.0.1 …` with `--bounceback`, `--burst-period 0.5 --burst-size 200K`,
/// `--near-congestion[=0.3]`, `--connect-only=3`
#[test]
fn settings_of_other_tcp_clients() {
    let bounce = Settings {
        buffer_bytes: 100,
        nodelay: true,
        bursts: Some(BurstSettings {
            bytes: 100,
            writes: Some(10),
            period_seconds: 1.0,
        }),
        bounceback: Some(BounceSettings {
            bytes: 100,
            hold_usecs: 0,
            quickack: true,
        }),
        window: window(16_384, None),
        ..client(Transport::Tcp, 7396, 1)
    };
    let expected = "\
Client connecting to 127.0.0.1, TCP port 7396 with pid 17766 (1 flows)
Write buffer size:  100 Byte
Bursting:  100 Byte writes 10 times every 1.00 second(s)
Bounce-back test (size= 100 Byte) (server hold req=0 usecs & tcp_quickack)
TOS set to 0x0 and nodelay (Nagle off)
TCP window size: 16.0 KByte (default)
";
    assert_eq!(bounce.text(&enhanced()), ruled(expected));
    let burst = Settings {
        buffer_bytes: 131_072,
        bursts: Some(BurstSettings {
            bytes: 204_800,
            writes: None,
            period_seconds: 0.5,
        }),
        ..client(Transport::Tcp, 18_606, 1)
    };
    assert!(
        burst
            .text(&enhanced())
            .contains("\nBursting:  200 KByte every 0.50 second(s)\n")
    );
    let near = Settings {
        buffer_bytes: 131_072,
        near_congestion: Some((0.3, false)),
        window: window(16_384, None),
        ..client(Transport::Tcp, 17_660, 1)
    };
    let expected = "\
Client connecting to 127.0.0.1, TCP port 17660
Write buffer size: 131072 Byte
TCP near-congestion delay weight set to 0.3000
TCP window size: 16.0 KByte (default)
";
    assert_eq!(near.text(&plain()), ruled(expected));
    let connects = Settings {
        only_connects: true,
        window: window(16_384, None),
        ..client(Transport::Tcp, 7429, 1)
    };
    let expected = "\
Client connecting to 127.0.0.1, TCP port 7429
TCP three-way-handshake (3WHS) only
";
    assert_eq!(connects.text(&plain()), ruled(expected));
}

/// `iperf -c 127.0.0.1 -u -e -t 2 -b 10M -i 1`, and `--isochronous=50:4m,1m --ipg 2`
#[test]
fn settings_of_a_udp_client() {
    let settings = Settings {
        buffer_bytes: 1470,
        gap_usecs: Some(1121.521),
        window: window(212_992, None),
        ..client(Transport::Udp, 7321, 1)
    };
    let expected = "\
Client connecting to 127.0.0.1, UDP port 7321 with pid 17766 (1 flows)
TOS set to 0x0 (Nagle on)
Sending 1470 byte datagrams, IPG target: 1121.52 us (kalman adjust)
UDP buffer size:  208 KByte (default)
";
    assert_eq!(settings.text(&enhanced()), ruled(expected));
    let frames = Settings {
        isochronous: Some(FrameSettings {
            frames_per_second: 50.0,
            mean_bits_per_second: 4e6,
            stdev_bits_per_second: 0.0,
            gap_ms: 2.0,
        }),
        gap_usecs: None,
        ..settings
    };
    assert!(frames.text(&enhanced()).contains(
        "\nIsochronous: 50.00 frames/sec mean=4.00 Mbit/s, stddev=0.000 bit/s, \
         Period/IPG=20.00/2.000 ms\n"
    ));
}

/// `iperf -s -p 7309 -e -i 1`; `-u -e --histograms`; a multicast server; one with ports and a key
#[test]
fn settings_of_servers() {
    let server = |transport, port| Settings {
        pid: 17_762,
        ..Settings::new(Role::Server, transport, port)
    };
    let tcp = Settings {
        buffer_bytes: 131_072,
        window: window(131_072, None),
        mss: Some(Mss::Asked(1000)),
        tos: Some(0x10),
        ..server(Transport::Tcp, 7309)
    };
    let expected = "\
Server listening on TCP port 7309 with pid 17762
Read buffer size:  128 KByte (Dist bin width=16.0 KByte)
MSS req size 1000 bytes (per TCP_MAXSEG)
TOS will be set to 0x10
TCP window size:  128 KByte (default)
";
    assert_eq!(tcp.text(&enhanced()), ruled(expected));
    let udp = Settings {
        buffer_bytes: 1470,
        histogram: Some((100, 10_000)),
        window: window(212_992, None),
        ..server(Transport::Udp, 7333)
    };
    let expected = "\
Server listening on UDP port 7333 with pid 17762
Read buffer size: 1.44 KByte (Dist bin width= 183 Byte)
Enabled receive histograms bin-width=0.100 ms, bins=10000 (clients should use --trip-times)
UDP buffer size:  208 KByte (default)
";
    assert_eq!(udp.text(&enhanced()), ruled(expected));
    let group = Settings {
        group: Some(("239.1.1.1".parse().unwrap(), None)),
        histogram: None,
        one_at_a_time: true,
        ..udp
    };
    let expected = "\
Server listening on UDP port 7333 with pid 17762
Joining multicast group  239.1.1.1
Read buffer size: 1.44 KByte (Dist bin width= 183 Byte)
Server set to single client traffic mode (per multicast receive)
UDP buffer size:  208 KByte (default)
";
    assert_eq!(group.text(&enhanced()), ruled(expected));
    let keyed = Settings {
        ports: 18_700..=18_701,
        one_at_a_time: true,
        bind: Some("127.0.0.1".parse().unwrap()),
        key: Some(("abcdef".into(), Some(20.0))),
        mss: None,
        tos: None,
        ..tcp
    };
    let expected = "\
Server listening on TCP ports 18700-18701 with pid 17762
Server set to single client traffic mode (serialize traffic tests)
TCP window size:  128 KByte (default)
Permit key is 'abcdef' (timeout in 20.0 seconds)
";
    assert_eq!(keyed.text(&plain()), ruled(expected));
    let bound = keyed.text(&enhanced());
    assert!(
        bound.contains("\nBinding to local address 127.0.0.1\n"),
        "{bound}"
    );
}

// Histograms, comma-separated values, notices.

fn histogram(of: Timed, is_final: bool, span: (f64, f64), counts: &[(u64, u64)]) -> Histogram {
    Histogram {
        id: Id::flow(1),
        from_seconds: span.0,
        to_seconds: span.1,
        is_final,
        of,
        width_usecs: 100,
        bins: 10_000,
        counts: counts.to_vec(),
        below: 0,
        above: 0,
        low_percent: 5.0,
        high_percent: 95.0,
        longest: None,
    }
}

/// Lines of servers with `--histograms` and of clients with `--bounceback`. The largest time's
/// microseconds are filled up with zeros here.
#[test]
fn histograms() {
    let bounced = [(1, 27), (2, 1), (35, 1), (38, 1)];
    assert_eq!(
        histogram(Timed::RoundTrips, true, (0.0, 3.0068), &bounced).line(),
        "[  1] 0.0000-3.0068 sec BB8(f)-PDF: bin(w=100us):cnt(30)=1:27,2:1,35:1,38:1 \
         (5.00/95.00/99.7%=1/35/38,Outliers=2,obl/obu=0/0)\n"
    );
    let even = [(2, 14), (3, 5), (4, 1)];
    let longest = Histogram {
        longest: Some((0.301, 1_796_069_766_046_936)),
        ..histogram(Timed::Bursts, false, (1.0, 2.0), &even)
    };
    assert_eq!(
        longest.line(),
        "[  1] 1.0000-2.0000 sec F8-PDF: bin(w=100us):cnt(20)=2:14,3:5,4:1 \
         (5.00/95.00/99.7%=2/4/4,Outliers=0,obl/obu=0/0) (0.301 ms/1796069766.046936)\n"
    );
    assert_eq!(
        histogram(Timed::Writes, false, (0.0, 1.0), &[]).line(),
        "[  1] 0.0000-1.0000 sec W8-PDF: bin(w=100us):cnt(0) \
         (5.00/95.00/99.7%=0/10000/10000,Outliers=0,obl/obu=0/0)\n"
    );
    let far = [
        (1, 36),
        (2, 46),
        (3, 12),
        (5, 1),
        (6, 1),
        (7, 1),
        (12, 1),
        (69, 1),
        (167, 1),
        (263, 1),
        (361, 1),
        (441, 1),
    ];
    assert!(
        histogram(Timed::Bursts, false, (0.0, 1.0), &far)
            .line()
            .ends_with("(5.00/95.00/99.7%=1/12/441,Outliers=6,obl/obu=0/0)\n")
    );
    let wide = Histogram {
        width_usecs: 1000,
        high_percent: 99.9,
        ..histogram(
            Timed::Datagrams,
            true,
            (0.0, 1.0),
            &[(1, 995), (2, 4), (9, 1)],
        )
    };
    assert_eq!(
        wide.line(),
        "[  1] 0.0000-1.0000 sec T8(f)-PDF: bin(w=1ms):cnt(1000)=1:995,2:4,9:1 \
         (5.00/99.7/99.90/%=1/2/9,Outliers=0,obl/obu=0/0)\n"
    );
}

/// `iperf -s -u -i 1 -y C` and `iperf -c 127.0.0.1 -t 2 -b 20M -i 1 -y C`
#[test]
fn comma_separated_values() {
    let ends = CsvEnds {
        from: "127.0.0.1:52185".parse().unwrap(),
        to: "127.0.0.1:7438".parse().unwrap(),
    };
    let got = received(0.001, 1, 93, 0);
    let udp = row(Id::flow(1), 0.0, 1.0, 135_240, Figures::UdpReceived(got));
    assert_eq!(
        udp.csv(&ends, &noon(), &plain()),
        "20261130201605,127.0.0.1,52185,127.0.0.1,7438,1,0.0-1.0,135240,1081920,0.001,1,93,1.075,0\n"
    );
    let tcp = row(Id::flow(1), 1.0, 2.0, 2_621_440, tcp_sent(20, 0, None));
    assert_eq!(
        tcp.csv(&ends, &noon(), &plain()),
        "20261130201605,127.0.0.1,52185,127.0.0.1,7438,1,1.0-2.0,2621440,20971520\n"
    );
    assert!(
        tcp.csv(&ends, &noon(), &enhanced())
            .starts_with("20261130201605.042,127.0.0.1,")
    );
    let sum = Row { id: Id::Sum, ..tcp };
    assert_eq!(
        sum.csv(&ends, &noon(), &plain()),
        "20261130201605,127.0.0.1,0,127.0.0.1,7438,-1,1.0-2.0,2621440,20971520\n"
    );
}

#[test]
fn notices() {
    let times = spread(2, 0.043, 0.012, 0.074, 0.043_841);
    assert_eq!(connect_times(&times, 0, &plain()), "");
    assert_eq!(
        connect_times(&times, 1, &enhanced()),
        "[ CT] final connect times (min/avg/max/stdev) = 0.012/0.043/0.074/0.044 ms \
         (tot/err) = 2/1\n"
    );
    let flow = FlowId {
        number: 1,
        ..FlowId::default()
    };
    let start = WallTime {
        second: 8,
        ..noon()
    };
    assert_eq!(
        start_later(&flow, &start, &noon(), 3),
        "[  1] Client traffic to start in 3 seconds at 2026-11-30 20:16:08 current time is \
         2026-11-30 20:16:05 (UTC)\n"
    );
    assert_eq!(
        clock_check(&flow, 0.2, 0.15, 0.05),
        "[  1] Clock sync check (ms): RTT/Half=(0.200/0.100) \
         OWD-send/ack/asym=(0.150/0.050/0.100)\n"
    );
    assert_eq!(
        no_server_report(3, true),
        "[  3] WARNING: did not receive ack of last datagram after 10 tries.\n"
    );
    assert_eq!(
        report_unheard(4),
        "[  4] WARNING: ack of last datagram failed.\n"
    );
}
