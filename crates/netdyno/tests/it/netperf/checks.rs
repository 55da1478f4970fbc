//! What netperf 2.7.0 finds at our server, and we at netserver, beyond the counts of each test.
//!
//! The specification of the protocol ends with numbered checks. This is where each of them is:
//!
//! | checks | tests |
//! |---|---|
//! | 1, 2, 4, 7, 32 | [`matrix`](super::matrix): every client with every server, IPv4 and IPv6, both ends' counts and the kernel's |
//! | 3 | `matrix::transactions_are_counted_out` |
//! | 5 | [`netserver_hears_of_the_end_of_datagrams`] |
//! | 6 | `raw::an_end_that_is_lost_is_waited_for`: a client that never says it stands for a filter |
//! | 8 | [`cpus_of_both_ends_are_measured`] |
//! | 9, 10 | [`all_selectors_have_values`] |
//! | 11 | [`iterations_are_tests_on_one_control_connection`] |
//! | 12, 28 | [`layout`](super::layout): byte by byte, figures masked; the warning is that of `-i 3,3 -I 95,0.01` |
//! | 13 | [`each_end_has_its_cpu`] |
//! | 14, 15 | `lines::a_passphrase_opens_and_nothing_else_does`; that nothing comes but a test first: `proto::netperf::server` |
//! | 16 | [`data_addresses_of_the_other_family`], `matrix`; order of an address' bytes: `proto::netperf::address` |
//! | 17 | [`sizes_of_sockets_and_messages_are_as_asked`] |
//! | 18 | [`congestion_control_of_each_end`] |
//! | 19, 20 | `lines::a_late_start_is_no_failure` |
//! | 21 | `raw::an_unknown_test_is_refused_and_the_connection_lives`, `raw::clients_that_vanish_leave_nothing`, `raw::absurd_sizes_are_answered` |
//! | 22 | `engine::netperf::server::group`, and when: `proto::netperf::server`; a server that waits for late starters waits too long for a test |
//! | 23 | `raw::clients_that_vanish_leave_nothing` |
//! | 24 | [`a_killed_client_leaves_nothing`] |
//! | 25 | [`a_sink_without_a_server_gets_all_of_it`], `lines::without_control_everything_goes_out` |
//! | 26 | [`fifty_clients_at_once`] |
//! | 27 | [`a_port_in_use_is_said`] |
//! | 29 | [`a_script_of_many_netperfs_works_with_ours`] |
//! | 30 | `dialect::netperf::tests` of the program |
//! | 31 | `raw::a_servers_datagram_socket_may_be_connected`: no later netperf is packaged, its bytes are sent |

use std::collections::BTreeMap;
use std::net::UdpSocket;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use plan::Family;
use record::End;

use super::{Links, Netserver, Said, Whose, addresses};
use crate::hosts::{Hosts, hosts};
use crate::process::{eventually, is_alive};

const PAIRS: [(Whose, Whose); 2] = [(Whose::Theirs, Whose::Ours), (Whose::Ours, Whose::Theirs)];

fn asks(hosts: &Hosts<'_>, client: Whose, line: &str) -> Said {
    let mut command = client.command("netperf");
    command.args(["-H", &addresses(hosts).to_string()]);
    command.args(line.split_whitespace());
    Said::by(command)
}

fn on_pairs(test: fn(&Hosts<'_>, Whose, Whose)) {
    hosts("", Family::V4, move |hosts| {
        for (client, server) in PAIRS {
            let _server = Netserver::start(hosts, server, "");
            test(hosts, client, server);
        }
    });
}

#[test]
fn cpus_of_both_ends_are_measured() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    on_pairs(|hosts, client, _| {
        let line = "-t TCP_RR -l 1 -c -C -P 0 -- -k \
                    LOCAL_CPU_UTIL,REMOTE_CPU_UTIL,LOCAL_CPU_COUNT,REMOTE_CPU_COUNT,REMOTE_SD";
        let said = asks(hosts, client, line).well(line);
        for key in ["LOCAL_CPU_UTIL", "REMOTE_CPU_UTIL"] {
            assert!((0.0..=100.0).contains(&said.value(key)), "{}", said.output);
        }
        assert_eq!(
            said.value("LOCAL_CPU_COUNT"),
            said.value("REMOTE_CPU_COUNT")
        );
        assert!(said.value("REMOTE_SD") > 0.0, "{}", said.output);
    });
}

/// Every selector, by name, in netperf's order; none is no number.
#[test]
fn all_selectors_have_values() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    hosts("", Family::V4, |hosts| {
        let mut names = BTreeMap::new();
        for server in [Whose::Ours, Whose::Theirs] {
            let _server = Netserver::start(hosts, server, "");
            for client in [Whose::Ours, Whose::Theirs] {
                let said = asks(hosts, client, "-t TCP_RR -l 1 -P 0 -- -k all").well("-k all");
                let keys: Vec<String> = said
                    .output
                    .lines()
                    .filter_map(|line| Some(line.split_once('=')?.0.to_owned()))
                    .collect();
                // netserver itself makes netperf print one.
                if (client, server) != (Whose::Theirs, Whose::Theirs) {
                    assert!(!said.output.contains("nan"), "{}", said.output);
                }
                names.insert(format!("{client:?} {server:?}"), keys);
            }
        }
        let first = names.values().next().unwrap().clone();
        assert!(first.len() >= 172, "{}", first.len());
        for (pair, keys) in names {
            assert_eq!(keys, first, "{pair}");
        }
    });
}

#[test]
fn sizes_of_sockets_and_messages_are_as_asked() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    on_pairs(|hosts, client, _| {
        let line = "-t TCP_STREAM -l 1 -P 0 -- -s 64k -S 32k -m 1k -M 2k -k \
                    LSS_SIZE,LSR_SIZE,RSS_SIZE,RSR_SIZE,LOCAL_SEND_SIZE,REMOTE_RECV_SIZE";
        let said = asks(hosts, client, line).well(line);
        // Linux reports twice what it was asked for.
        for (key, value) in [
            ("LSS_SIZE", 128_000.0),
            ("LSR_SIZE", 128_000.0),
            ("RSS_SIZE", 64_000.0),
            ("RSR_SIZE", 64_000.0),
            ("LOCAL_SEND_SIZE", 1000.0),
            ("REMOTE_RECV_SIZE", 2000.0),
        ] {
            assert_eq!(said.value(key), value, "{client:?} {key}");
        }
    });
}

#[test]
fn congestion_control_of_each_end() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    on_pairs(|hosts, client, _| {
        let line = "-t TCP_STREAM -l 1 -P 0 -- -K cubic,reno -k \
                    LOCAL_CONG_CONTROL,REMOTE_CONG_CONTROL";
        let said = asks(hosts, client, line).well(line);
        for expected in ["LOCAL_CONG_CONTROL=cubic", "REMOTE_CONG_CONTROL=reno"] {
            assert!(said.output.contains(expected), "{}", said.output);
        }
    });
}

/// The data goes to another address than the control connection's.
#[test]
fn data_addresses_of_the_other_family() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    hosts("", Family::V6, |hosts| {
        for (client, server) in PAIRS {
            let _server = Netserver::start(hosts, server, "");
            let to = addresses(hosts);
            let line = format!("-6 -t TCP_STREAM -l 1 -P 0 -- -H {to}");
            asks(hosts, client, &line).well(&line);
        }
    });
}

/// A fixed data port of very many servers at once is shared by the datagrams' sockets.
#[test]
fn fifty_clients_at_once() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    hosts("", Family::V4, |hosts| {
        let _server = Netserver::start(hosts, Whose::Ours, "");
        let line = "-t UDP_STREAM -l 1 -- -n -P,7100 -m 120";
        std::thread::scope(|scope| {
            let clients: Vec<_> = (0..50)
                .map(|_| scope.spawn(|| asks(hosts, Whose::Theirs, line)))
                .collect();
            for client in clients {
                client.join().unwrap().well(line);
            }
        });
    });
}

#[test]
fn a_port_in_use_is_said() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    hosts("", Family::V4, |hosts| {
        let _server = Netserver::start(hosts, Whose::Ours, "");
        let at = addresses(hosts);
        let _taken = hosts.on(End::Server, || UdpSocket::bind((at, 7200)).unwrap());
        for line in [
            format!("-t TCP_STREAM -l 1 -- -P ,{}", proto::netperf::PORT),
            "-t UDP_STREAM -l 1 -- -P ,7200 -m 100".to_owned(),
        ] {
            let said = asks(hosts, Whose::Theirs, &line);
            let all = format!("{}{}", said.output, said.errors);
            assert!(all.contains("remote error 98"), "{line}: {all}");
        }
    });
}

/// The server's part runs where it is wanted.
#[test]
fn each_end_has_its_cpu() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    let cpus = std::thread::available_parallelism().unwrap().get();
    not_run::unless!(cpus > 1, "needs two CPUs");
    hosts("", Family::V4, |hosts| {
        let server = Netserver::start(hosts, Whose::Ours, "");
        let mut client = start(hosts, Whose::Theirs, "-t TCP_STREAM -l 3 -T 0,1");
        let server = server.0.id();
        eventually("a thread of the server has CPU 1 only", || {
            pins(server).contains(&"1".to_owned()).then_some(())
        });
        client.kill().unwrap();
        client.wait().unwrap();
        let mut client = start(hosts, Whose::Ours, "-t TCP_STREAM -l 3 -T 0,1");
        let id = client.id();
        eventually("a thread of the client has CPU 0 only", || {
            pins(id).contains(&"0".to_owned()).then_some(())
        });
        client.kill().unwrap();
        client.wait().unwrap();
    });
}

fn start(hosts: &Hosts<'_>, client: Whose, line: &str) -> Child {
    let mut command: Command = client.command("netperf");
    command.args(["-H", &addresses(hosts).to_string()]);
    command.args(line.split_whitespace());
    command
        .env("XDG_STATE_HOME", "/nowhere")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().unwrap()
}

/// CPUs that each thread may use.
fn pins(pid: u32) -> Vec<String> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    tasks
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("status")).ok())
        .filter_map(|status| {
            let line = status
                .lines()
                .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
            Some(line.trim().to_owned())
        })
        .collect()
}

/// A client that is killed in the middle of a test leaves no thread at the server.
#[test]
fn a_killed_client_leaves_nothing() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    hosts("", Family::V4, |hosts| {
        let server = Netserver::start(hosts, Whose::Ours, "");
        let threads = || {
            std::fs::read_dir(format!("/proc/{}/task", server.0.id()))
                .unwrap()
                .count()
        };
        for test in ["TCP_STREAM", "UDP_STREAM", "TCP_RR", "UDP_RR"] {
            let mut client = start(hosts, Whose::Theirs, &format!("-t {test} -l 60"));
            eventually("the test runs", || (threads() > 2).then_some(()));
            client.kill().unwrap();
            client.wait().unwrap();
            eventually("its threads have gone", || (threads() == 1).then_some(()));
        }
        assert!(is_alive(server.0.id()));
    });
}

/// netserver waits out its pad unless it hears that the datagrams are over.
#[test]
fn netserver_hears_of_the_end_of_datagrams() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    hosts("", Family::V4, |hosts| {
        let _server = Netserver::start(hosts, Whose::Theirs, "");
        let began = Instant::now();
        asks(hosts, Whose::Ours, "-t UDP_STREAM -l 1 -- -m 1000").well("UDP_STREAM");
        // Its pad is 4 s beyond the second of the test.
        assert!(began.elapsed() < Duration::from_millis(4900));
    });
}

/// Three iterations are three tests on one control connection.
#[test]
fn iterations_are_tests_on_one_control_connection() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    on_pairs(|hosts, client, _| {
        let before = hosts.protocols(End::Server)["Tcp.PassiveOpens"];
        let line = "-t TCP_RR -l 1 -i 3,3 -I 99,5 -P 0";
        asks(hosts, client, line).well(line);
        let opened = hosts.protocols(End::Server)["Tcp.PassiveOpens"] - before;
        assert_eq!(
            opened, 4,
            "{client:?}: a control connection and three of data"
        );
    });
}

/// Options that few use and that the path of the data depends on.
#[test]
fn rare_options_work_at_both_ends() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    hosts("", Family::V4, |hosts| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("payload");
        std::fs::write(&file, vec![7; 10_000]).unwrap();
        let file = file.to_string_lossy();
        for server in [Whose::Ours, Whose::Theirs] {
            let _server = Netserver::start(hosts, server, "");
            for line in [
                "-t TCP_STREAM -l 1 -a 4096 -o 3 -A 4096,64 -O 5 -- -m 1000 -D",
                "-t TCP_MAERTS -l 1 -a 4096,4096 -o 3,7 -- -V",
                "-t TCP_STREAM -l 1 -j -- -m 1000 -k MEAN_LATENCY",
                "-t TCP_MAERTS -l 1 -j -- -k MEAN_LATENCY",
                "-t UDP_STREAM -l 1 -j -- -m 1000 -k MEAN_LATENCY",
                "-t TCP_STREAM -l 1 -b 5 -w 10 -- -m 1000",
                "-t TCP_RR -l 1 -b 1 -w 10",
                "-t UDP_RR -l 1 -b 1 -w 10",
                "-t TCP_CRR -l 1 -- -U",
                "-t TCP_RR -l 1 -- -F",
                "-t UDP_RR -l 1 -- -N -n",
                "-t UDP_RR -l 1 -- -B",
                &format!("-t TCP_STREAM -l 1 -F {file} -- -m 1000"),
                &format!("-t UDP_STREAM -l 1 -F {file} -- -m 1000"),
            ] {
                let said = asks(hosts, Whose::Ours, line).well(line);
                if line.contains("MEAN_LATENCY") {
                    assert!(said.value("MEAN_LATENCY") >= 0.0, "{line}: {}", said.output);
                }
            }
        }
    });
}

/// 500 messages of 1000 bytes a second, and 100 transactions.
#[test]
fn bursts_keep_their_rate() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let _server = Netserver::start(hosts, Whose::Ours, "");
        let line = "-t TCP_STREAM -l 2 -b 5 -w 10 -P 0 -- -m 1000 -k LOCAL_SEND_CALLS";
        let calls = asks(hosts, Whose::Ours, line)
            .well(line)
            .value("LOCAL_SEND_CALLS");
        assert!((500.0..=1010.0).contains(&calls), "{calls}");
        let line = "-t TCP_RR -l 2 -b 1 -w 10 -P 0 -- -k TRANSACTION_RATE";
        let rate = asks(hosts, Whose::Ours, line)
            .well(line)
            .value("TRANSACTION_RATE");
        assert!((50.0..=101.0).contains(&rate), "{rate}");
    });
}

/// Without a control connection: the text goes on from one datagram to the next, and an empty one
/// is the last.
#[test]
fn a_sink_without_a_server_gets_all_of_it() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let at = addresses(hosts);
        let sink = hosts.on(End::Server, || UdpSocket::bind((at, 0)).unwrap());
        sink.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let port = sink.local_addr().unwrap().port();
        // So few that they wait in the sink's buffer.
        let line = format!("-N -t UDP_STREAM -l -240 -- -m 6 -P 0,{port} -k LOCAL_SEND_CALLS");
        let said = asks(hosts, Whose::Ours, &line).well(&line);
        let (mut text, mut datagrams, mut room) = (Vec::new(), 0, [0; 64]);
        loop {
            match sink.recv(&mut room).unwrap() {
                0 => break,
                length => text.extend_from_slice(&room[..length]),
            }
            datagrams += 1;
        }
        assert_eq!(f64::from(datagrams), said.value("LOCAL_SEND_CALLS"));
        assert_eq!(text, b"netperf\0".repeat(30));
    });
}

/// As scripts start them: processes side by side, a delay that lets all of them connect first, the
/// seventh line of each, the sum.
#[test]
fn a_script_of_many_netperfs_works_with_ours() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    const SCRIPT: &str = "for i in 1 2 3 4 5; do netperf -s 1 \"$@\" & done | \
                          awk 'NF == 6 && $5 + 0 > 0 { sum += $6; n++ } END { print n, sum }'";
    hosts("", Family::V4, |hosts| {
        let _server = Netserver::start(hosts, Whose::Theirs, "");
        let (links, to) = (Links::new(), addresses(hosts).to_string());
        let usual = std::env::var("PATH").unwrap_or_default();
        let ours = format!("{}:{usual}", links.0.path().display());
        let sum = |path: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", SCRIPT, "script", "-H", &to, "-t", "TCP_RR", "-l", "1"]);
            let said = Said::by({
                command.env("PATH", path);
                command
            });
            let words: Vec<f64> = said
                .output
                .split_whitespace()
                .map(|word| word.parse().unwrap())
                .collect();
            assert_eq!(words[0], 5.0, "{} {}", said.output, said.errors);
            words[1]
        };
        let (ours, theirs) = (sum(&ours), sum(&usual));
        // Ten processes share the CPUs with whatever else goes on: the figures are of one kind.
        assert!(
            ours > theirs / 3.0 && ours < theirs * 3.0,
            "{ours} and {theirs}"
        );
    });
}

/// One sentence where the kernel or netdyno has no such sockets, and netperf's exit code.
#[test]
fn sctp_is_tried_or_missed_in_one_sentence() {
    for (test, missing) in [("SCTP_STREAM", "no SCTP"), ("SCTP_RR_MANY", "associations")] {
        let mut command = Whose::Ours.command("netperf");
        command.args(["-H", "127.0.0.1", "-p", "1", "-t", test, "-l", "1"]);
        let said = Said::by(command);
        let has_it = sys::sctp_socket((std::net::Ipv4Addr::LOCALHOST, 0).into()).is_ok();
        if test == "SCTP_STREAM" && has_it {
            // Nobody listens there.
            assert_eq!(said.code, Some(255), "{}", said.errors);
            continue;
        }
        assert_eq!((said.code, said.output.as_str()), (Some(1), ""));
        assert_eq!(said.errors.lines().count(), 1, "{}", said.errors);
        assert!(said.errors.contains(missing), "{}", said.errors);
    }
}

/// A ring of buffers, and what has no effect.
#[test]
fn rings_of_buffers_send_the_same() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let _server = Netserver::start(hosts, Whose::Ours, "");
        let line =
            "-W 7 -t TCP_STREAM -l -1000000 -- -m 1000 -k LOCAL_SEND_WIDTH,REMOTE_BYTES_RECVD";
        let said = asks(hosts, Whose::Ours, line).well(line);
        assert_eq!(said.value("LOCAL_SEND_WIDTH"), 7.0);
        assert_eq!(said.value("REMOTE_BYTES_RECVD"), 1_000_000.0);
        assert_eq!(said.errors, "");
        let line = "-W 7 -t TCP_RR -l -10";
        let said = asks(hosts, Whose::Ours, line).well(line);
        assert!(said.errors.contains("-W"), "{}", said.errors);
    });
}

/// Filling so many bytes took longer than the server waited for the first of them.
#[test]
fn an_absurd_message_is_sent_all_the_same() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    on_pairs(|hosts, _, server| {
        let lines = [
            "-t TCP_STREAM -l 1 -P 0 -- -m 2000000000 -M ,2000000000 -k THROUGHPUT",
            "-t TCP_STREAM -l 1 -W 8 -P 0 -- -m 2000000000 -k THROUGHPUT",
            "-t TCP_MAERTS -l 1 -P 0 -- -m ,2000000000 -M ,2000000000 -k THROUGHPUT",
        ];
        // netserver itself takes its time to fill them.
        let most = if server == Whose::Ours { 3 } else { 2 };
        for line in &lines[..most] {
            let said = asks(hosts, Whose::Ours, line).well(line);
            assert!(said.value("THROUGHPUT") > 0.0, "{}", said.output);
        }
    });
}

/// The client waited for figures of a test whose data never came.
#[test]
fn a_test_without_a_data_socket_ends_at_once() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    on_pairs(|hosts, _, _| {
        let line = "-t TCP_RR -l -1000000 -- -L 192.0.2.77";
        let said = asks(hosts, Whose::Ours, line);
        assert_eq!(said.code, Some(1), "{}", said.errors);
        assert!(
            said.errors.contains("opening the data socket"),
            "{}",
            said.errors
        );
    });
}

#[test]
fn a_congestion_control_that_is_not_there_is_named_and_the_test_goes_on() {
    not_run::needs_namespaces!();
    not_run::needs_program!("netperf");
    on_pairs(|hosts, client, _| {
        let line = "-t TCP_RR -l -50 -P 0 -- -K nonesuch -k THROUGHPUT";
        let said = asks(hosts, client, line).well(line);
        assert!(said.value("THROUGHPUT") > 0.0, "{}", said.output);
        let named = said.errors.contains("-K") && said.errors.contains("nonesuch");
        assert_eq!(named, client == Whose::Ours, "{}", said.errors);
    });
}
