//! What netperf 2.7.0 finds at our server, and we at netserver, beyond the counts of each test.

use std::collections::BTreeMap;
use std::net::UdpSocket;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use plan::Family;
use record::End;

use super::{Netserver, Said, Whose, addresses};
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
