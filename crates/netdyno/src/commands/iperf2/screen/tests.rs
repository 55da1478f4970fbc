//! Events of a test, and what is printed of them.

use engine::iperf2::{Counts, Moments};
use proto::iperf2::ServerReport;
use report::dialect::iperf2::Excluded;

use super::*;
use crate::dialect::iperf2::{Request, parse};

fn screen(role: Role, line: &str) -> Screen {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let request = parse(&words, |_| None, 0.0).unwrap();
    let request = match &request {
        Request::Client(client) => &client.common,
        Request::Server(server) => &server.common,
    };
    let mut screen = Screen::new(role, request);
    screen.zone = TimeZone::UTC;
    screen
}

fn flow(flow: u32, is_tcp: bool, ways: &[Way]) -> Event {
    Event::Flow(Box::new(FlowFacts {
        flow,
        ways: ways.to_vec(),
        is_against_role: false,
        is_full_duplex: ways.len() > 1,
        only_connects: false,
        is_tcp,
        local: ([127, 0, 0, 1], 5001).into(),
        peer: ([127, 0, 0, 1], 6000 + flow as u16).into(),
        socket: 3,
        header: None,
        bounce: None,
        trip_times: false,
        tcp: None,
        buffer: None,
        connect_time: None,
        began_wall: Nanos::from_secs(1_796_069_000),
    }))
}

fn reading(flow: u32, way: Way, from_to_millis: (u64, u64), counts: Counts) -> Event {
    let (from, to) = from_to_millis;
    Event::Reading(Box::new(Reading {
        flow,
        way,
        from: Nanos::from_millis(from),
        to: Nanos::from_millis(to),
        is_final: from == 0 && to > 1000,
        counts,
        times: Moments::default(),
        ways: None,
        bins: None,
        jitter_bins: None,
        omitted: None,
        responses: None,
    }))
}

fn bytes(bytes: u64) -> Counts {
    Counts {
        bytes,
        ..Counts::default()
    }
}

fn datagrams(bytes: u64, highest: u64, skipped: u64) -> Counts {
    Counts {
        bytes,
        messages: highest - skipped,
        highest,
        skipped,
        ..Counts::default()
    }
}

fn ended(flow: u32) -> Event {
    Event::Ended { flow, reason: None }
}

fn output(screen: &mut Screen, events: &[Event]) -> String {
    events
        .iter()
        .map(|event| screen.take(event).output)
        .collect()
}

#[test]
fn two_streams_at_a_server() {
    let mut screen = screen(Role::Server, "iperf -s -i 1");
    let receives = Way::Receives;
    let events = [
        flow(1, true, &[receives]),
        flow(2, true, &[receives]),
        reading(1, receives, (0, 1000), bytes(2_621_440)),
        reading(2, receives, (0, 1000), bytes(2_621_440)),
        reading(1, receives, (0, 1500), bytes(3_932_160)),
        ended(1),
        reading(2, receives, (0, 1500), bytes(3_932_160)),
        ended(2),
        Event::Idle,
        flow(3, true, &[receives]),
        reading(3, receives, (0, 2000), bytes(1024)),
    ];
    let expected = "\
[  1] local 127.0.0.1 port 5001 connected with 127.0.0.1 port 6001
[  2] local 127.0.0.1 port 5001 connected with 127.0.0.1 port 6002
[ ID] Interval       Transfer     Bandwidth
[  1] 0.0000-1.0000 sec  2.50 MBytes  21.0 Mbits/sec
[  2] 0.0000-1.0000 sec  2.50 MBytes  21.0 Mbits/sec
[SUM] 0.0000-1.0000 sec  5.00 MBytes  41.9 Mbits/sec
[  1] 0.0000-1.5000 sec  3.75 MBytes  21.0 Mbits/sec
[  2] 0.0000-1.5000 sec  3.75 MBytes  21.0 Mbits/sec
[SUM] 0.0000-1.5000 sec  7.50 MBytes  41.9 Mbits/sec
[  3] local 127.0.0.1 port 5001 connected with 127.0.0.1 port 6003
[ ID] Interval       Transfer     Bandwidth
[  3] 0.0000-2.0000 sec  1.00 KBytes  4.10 Kbits/sec
";
    assert_eq!(output(&mut screen, &events), expected);
}

#[test]
fn both_directions_of_one_connection_are_summed_in_the_plainest_report_only() {
    let ways = [Way::Sends, Way::Receives];
    let events = [
        flow(1, true, &ways),
        reading(1, Way::Sends, (0, 2000), bytes(2_621_440)),
        reading(1, Way::Receives, (0, 2000), bytes(2_621_440)),
        ended(1),
    ];
    let text = output(
        &mut screen(Role::Client, "iperf -c h --full-duplex"),
        &events,
    );
    assert!(text.contains("\n[  1] 0.0000-2.0000 sec"), "{text}");
    assert!(text.contains("\n[ *1] 0.0000-2.0000 sec"), "{text}");
    assert!(
        text.contains("\n[SUM] 0.0000-2.0000 sec  5.00 MBytes"),
        "{text}"
    );
    assert!(!text.contains("FD"), "{text}");
    let text = output(
        &mut screen(Role::Client, "iperf -c h --full-duplex -i 1"),
        &events,
    );
    assert!(!text.contains("SUM") && !text.contains("FD"), "{text}");
    let text = output(
        &mut screen(Role::Client, "iperf -c h --full-duplex -e"),
        &events,
    );
    assert!(
        text.contains("\n[FD1] 0.0000-2.0000 sec  5.00 MBytes"),
        "{text}"
    );
    // At a server it is what is sent that goes against the role.
    let text = output(&mut screen(Role::Server, "iperf -s -e"), &events);
    assert!(
        text.contains("\n[ *1] 0.0000-2.0000 sec  2.50 MBytes  10.5 Mbits/sec  0/0"),
        "{text}"
    );
}

#[test]
fn a_server_sums_both_directions_of_one_connection() {
    let ways = [Way::Sends, Way::Receives];
    let events = [
        flow(1, false, &ways),
        reading(1, Way::Sends, (0, 2000), datagrams(1000, 10, 0)),
        reading(1, Way::Receives, (0, 2000), datagrams(1000, 10, 0)),
        ended(1),
    ];
    let text = output(&mut screen(Role::Server, "iperf -s -u"), &events);
    assert!(
        text.contains("Bandwidth    Datagrams   PPS\n[SUM] "),
        "{text}"
    );
}

#[test]
fn a_client_that_waits_says_so() {
    let mut later = screen(Role::Client, "iperf -c h --txdelay-time 1.5");
    later.starts.delay = Nanos::from_millis(1500);
    let text = output(&mut later, &[flow(1, true, &[Way::Sends])]);
    let told = "[  1] Client traffic to start in 2 seconds at 2026-11-30 20:03:21 current time is \
                2026-11-30 20:03:20 (UTC)\n";
    assert!(text.ends_with(told), "{text}");
    // A connection that it takes begins when it comes.
    let text = output(&mut later, &[flow(2, true, &[Way::Receives])]);
    assert!(!text.contains("to start"), "{text}");
}

#[test]
fn a_udp_client_and_what_its_server_says() {
    let told = ServerReport {
        bytes: 135_240,
        duration_us: 1_004_000,
        lost: 1,
        out_of_order: 0,
        datagrams: 93,
        jitter_us: 9,
        extension: None,
    };
    let report = |report| Event::ServerReport {
        flow: 1,
        report,
        asked: 1,
    };
    let events = |said| {
        [
            flow(1, false, &[Way::Sends]),
            reading(1, Way::Sends, (0, 1010), datagrams(136_710, 93, 0)),
            report(said),
            ended(1),
        ]
    };
    let mut client = screen(Role::Client, "iperf -c h -u -e");
    client.form.enhanced = false;
    let expected = "\
[  1] local 127.0.0.1 port 5001 connected with 127.0.0.1 port 6001
[ ID] Interval       Transfer     Bandwidth
[  1] 0.0000-1.0100 sec   134 KBytes  1.08 Mbits/sec
[  1] Sent 93 datagrams
[  1] Server Report:
[ ID] Interval       Transfer     Bandwidth        Jitter   Lost/Total Datagrams
[  1] 0.0000-1.0040 sec   132 KBytes  1.08 Mbits/sec   0.009 ms 1/93 (1.1%)
";
    assert_eq!(output(&mut client, &events(Some(told))), expected);

    let mut csv = screen(Role::Client, "iperf -c h -u -y C");
    let expected = "\
20261130200321,127.0.0.1,5001,127.0.0.1,6001,1,0.0-1.0,136710,1082851
20261130200321,127.0.0.1,5001,127.0.0.1,6001,1,0.0-1.0,135240,1077610,0.009,1,93,1.075,0
";
    assert_eq!(output(&mut csv, &events(Some(told))), expected);

    let mut silent = screen(Role::Client, "iperf -c h -u");
    let said: Vec<_> = events(None)
        .iter()
        .map(|event| silent.take(event).errors)
        .collect();
    let warning = "[  3] WARNING: did not receive ack of last datagram after 10 tries.\n";
    assert_eq!(said, ["", "", warning, ""]);

    let mut unwanted = screen(Role::Client, "iperf -c h -u -x V");
    assert_eq!(
        unwanted.form.excluded,
        Excluded {
            server: true,
            ..Excluded::default()
        }
    );
    assert!(!output(&mut unwanted, &events(Some(told))).contains("Server Report"));
}

#[test]
fn sums_of_a_udp_server() {
    let mut server = screen(Role::Server, "iperf -s -u --sum-only");
    let receives = Way::Receives;
    let events = [
        flow(1, false, &[receives]),
        flow(2, false, &[receives]),
        reading(1, receives, (0, 2000), datagrams(1_315_650, 895, 1)),
        reading(2, receives, (0, 2000), datagrams(1_315_650, 895, 0)),
        ended(1),
        ended(2),
    ];
    let expected = "\
[SUM-cnt] Interval     Transfer     Bandwidth       Lost/Total    PPS
[SUM-2] 0.0000-2.0000 sec  2.51 MBytes  10.5 Mbits/sec  1/1790      894 pps
";
    assert_eq!(output(&mut server, &events), expected);
}

#[test]
fn who_is_not_served() {
    let mut server = screen(Role::Server, "iperf -s");
    let refused = |why| Event::Refused {
        local: ([127, 0, 0, 1], 5001).into(),
        peer: ([127, 0, 0, 1], 6001).into(),
        why,
    };
    assert_eq!(
        server.take(&refused(Refusal::Key)).output,
        "[drop] local 127.0.0.1 port 5001 connection with 127.0.0.1 port 6001 (permit key fail)\n"
    );
    let said = server.take(&refused(Refusal::Iperf3));
    assert_eq!(said.output, "");
    assert!(
        said.errors
            .starts_with("iperf: 127.0.0.1:6001 is refused: it speaks iperf 3")
    );
}

#[test]
fn datagrams_of_both_ways_are_told_at_a_client_as_those_of_all_flows_are() {
    let events = |second: u64| {
        [
            flow(1, false, &[Way::Sends, Way::Receives]),
            reading(1, Way::Sends, (0, 1010), datagrams(136_710, 93, 0)),
            reading(1, Way::Receives, (0, 1010), datagrams(136_710, second, 0)),
            ended(1),
        ]
    };
    let mut client = screen(Role::Client, "iperf -c h -u --full-duplex");
    let said = output(&mut client, &events(90));
    assert!(said.ends_with("[SUM-2] Sent 183 datagrams\n"), "{said}");
    let mut server = screen(Role::Server, "iperf -s -u");
    let said = output(&mut server, &events(90));
    assert!(!said.contains("[SUM-2]"), "{said}");
}
