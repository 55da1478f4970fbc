//! Options that change how bytes move: each against iperf 2.1.8 in one role or both, or against
//! ourselves where 2.1.8 does not know it. What the client printed, the server did.

use std::sync::Mutex;

use plan::Family;
use record::End;

use super::peer::{Peer, Whose, flows, flows_of_reporting_client};
use crate::hosts::{Hosts, hosts};
use crate::process::eventually;

use Whose::{Ours, Theirs};

/// Client and server.
type Pair = (Whose, Whose);

const ALL: &[Pair] = &[(Ours, Theirs), (Theirs, Ours), (Ours, Ours)];
const OUR_CLIENT: &[Pair] = &[(Ours, Theirs), (Ours, Ours)];
const OUR_SERVER: &[Pair] = &[(Theirs, Ours), (Ours, Ours)];
const ONLY_OURS: &[Pair] = &[(Ours, Ours)];

/// Who, the server's options, the client's, and the least that each row has. `{p}` and `{q}` are two
/// ports of the case, `{f}` is a file of 300,001 bytes, `{a}` is the client's address, `{t}` is in a
/// second.
const CASES: &[(&[Pair], &str, &str, u64)] = &[
    (OUR_CLIENT, "", "-F {f}", 300_001),
    (OUR_CLIENT, "", "-P 2 -F {f}", 300_001),
    (OUR_CLIENT, "-u", "-u -b 8M -l 1000 -F {f}", 350_000),
    (ALL, "", "-n 100K --txstart-time {t}", 102_400),
    (ALL, "", "-n 100K --txdelay-time 0.2", 102_400),
    (ALL, "", "-t 0.5 -b 40m,10m", 500_000),
    (ALL, "-u", "-u -t 0.5 -b 4m,1m -l 1000", 50_000),
    (
        // 2.1.8's server has no values of bursts.
        OUR_SERVER,
        "",
        "-t 0.5 --burst-period 0.1 --burst-size 200K",
        819_200,
    ),
    (ALL, "", "-n 1M --tcp-write-prefetch 64K", 1 << 20),
    (OUR_CLIENT, "", "-n 1M --near-congestion", 1 << 20),
    (ALL, "", "-P 2 -n 100K -B {a}:{q} --incr-srcport", 102_400),
    (ALL, "-p {p}-{q}", "-P 2 -n 100K --incr-dstport", 102_400),
    (ONLY_OURS, "", "-n 100K --ignore-shutdown", 102_400),
    (
        ALL,
        "--permit-key=abcdef",
        "-n 100K --permit-key=abcdef",
        102_400,
    ),
    (ALL, "", "-t 0.5 --isochronous=50:4m,0", 200_000),
    (ALL, "-u", "-u -t 0.5 --isochronous=50:4m,0", 200_000),
    (ALL, "", "-n 1M --fq-rate 80m", 1 << 20),
    (
        OUR_CLIENT,
        "",
        "-t 0.5 --fq-rate 8m --fq-rate-step 80m --fq-rate-step-interval 0.1",
        1_000_000,
    ),
    (OUR_CLIENT, "", "-P 2 -n 100K --no-connect-sync", 102_400),
    (OUR_SERVER, "--skip-rx-copy", "-n 1M", 1 << 20),
    (OUR_CLIENT, "", "-n 1M -R --skip-rx-copy", 1 << 20),
    (OUR_CLIENT, "", "-n 100K --tcp-tx-delay 1", 102_400),
    (ONLY_OURS, "", "-P 2 -n 100K --sync-transfer-id", 102_400),
    (ALL, "", "-n 100K -C", 102_400),
    (ALL, "-u", "-u -n 10K -b 8M -l 1000 -C", 10_000),
    (ALL, "-u", "-u -n 400 -b 1M -l 12", 390),
    (ALL, "-u", "-u -n 4000 -b 1M -l 40", 3900),
    (ALL, "-u", "-u -n 40K -b 8M -l 1000 --trip-times", 40_000),
    (ALL, "", "-n 100K -X --trip-times", 102_400),
    (ALL, "-P 1", "-n 100K", 102_400),
    (ALL, "-1", "-n 100K", 102_400),
    (
        ALL,
        "-w 64K -N -M 1000",
        "-n 100K -w 64K -N -M 1000 -S 0x10",
        102_400,
    ),
];

#[test]
fn bytes_arrive_whatever_is_asked() {
    not_run::needs_namespaces!();
    not_run::needs_program!("iperf");
    hosts("", Family::V4, |hosts| {
        let folder = tempfile::TempDir::with_prefix("netdyno-it-").unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, vec![b'x'; 300_001]).unwrap();
        let file = file.to_string_lossy().into_owned();
        let cases = CASES
            .iter()
            .flat_map(|case| case.0.iter().map(move |pair| (pair, case)));
        let todo = Mutex::new((6001..).step_by(4).zip(cases));
        let wrong = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    loop {
                        let Some((port, (pair, case))) = todo.lock().unwrap().next() else {
                            return;
                        };
                        // 2.1.8 crashes or hangs now and then.
                        let tries = if *pair == (Ours, Ours) { 1 } else { 2 };
                        let mut said = Err(String::new());
                        for again in 0..tries {
                            if said.is_err() {
                                said = run(hosts, *pair, case, port + 1000 * again, &file);
                            }
                        }
                        if let Err(why) = said {
                            wrong.lock().unwrap().push(why);
                        }
                    }
                });
            }
        });
        let wrong = wrong.into_inner().unwrap();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

fn run(
    hosts: &Hosts<'_>,
    (client, server): Pair,
    (_, on_server, on_client, least): &(&[Pair], &str, &str, u64),
    port: u16,
    file: &str,
) -> Result<(), String> {
    let soon = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs_f64()
        + 1.0;
    let fill = |words: &str| {
        words
            .replace("{p}", &port.to_string())
            .replace("{q}", &(port + 1).to_string())
            .replace("{a}", &hosts.address(End::Client).to_string())
            .replace("{f}", file)
            .replace("{t}", &format!("{soon:.3}"))
    };
    let peer = Peer::start(hosts, server, port, &format!("{} -y C", fill(on_server)));
    let address = hosts.address(End::Server);
    let words = format!("-c {address} -p {port} {} -y C", fill(on_client));
    let said = client.client(&words);
    let printed = peer.end();
    let ours = match (client, words.contains("-u ")) {
        (Ours, true) => flows_of_reporting_client(&said.output),
        _ => flows(&said.output),
    };
    let theirs = flows(&printed);
    let [a, b] = [&ours, &theirs].map(|rows| rows.iter().sum::<u64>());
    // The last datagram is counted at one end, and 2.1.8's server leaves out a key, and the first
    // bytes of a client without a header.
    let slack = if words.contains("-u ") { 3000 } else { 6 };
    let is_well = said.code == Some(0)
        && a.abs_diff(b) <= slack
        && !theirs.is_empty()
        && ours
            .iter()
            .chain(&theirs)
            .all(|bytes| bytes + slack >= *least);
    is_well.then_some(()).ok_or_else(|| {
        format!(
            "{client:?} {words} -> {server:?} {on_server}: {:?}, {ours:?}, {theirs:?}, {}",
            said.code, said.errors
        )
    })
}

/// A group of the testbed's own link, in both roles, and nothing that comes twice.
#[test]
fn groups_hear_what_is_sent_to_them() {
    not_run::needs_namespaces!();
    not_run::needs_program!("iperf");
    hosts("", Family::V4, |hosts| {
        let (own, there) = (
            hosts.address(End::Client),
            hosts.testbed.device(End::Server),
        );
        std::thread::scope(|scope| {
            for (port, (client, server)) in (6001..).zip(ALL) {
                scope.spawn(move || {
                    let group = format!("239.1.2.{}", port - 6000);
                    let words = format!("-u -B {group}%{there} -y C");
                    let peer = Peer::start(hosts, *server, port, &words);
                    let words =
                        format!("-c {group} -B {own} -p {port} -u -T 3 -n 20K -b 1M -l 1000 -y C");
                    let said = client.client(&words);
                    // Whoever still heard something would make a flow of it now.
                    std::thread::sleep(std::time::Duration::from_millis(200));
                    let theirs = flows(&peer.end());
                    assert_eq!(said.code, Some(0), "{}", said.errors);
                    assert_eq!(theirs.len(), 1, "{client:?} {server:?}: {theirs:?}");
                    assert!((20_000..23_000).contains(&theirs[0]), "{theirs:?}");
                });
            }
        });
    });
}

#[test]
fn what_is_omitted_is_not_in_the_last_row() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let peer = Peer::start(hosts, Ours, 6001, "-y C");
        let words = format!(
            "-c {} -p 6001 -t 0.8 -b 8M --omit 0.4 -y C",
            hosts.address(End::Server)
        );
        let said = Ours.client(&words);
        let all = flows(&peer.end())[0];
        let rest = flows(&said.output)[0];
        assert!(rest * 4 > all && rest * 4 < all * 3, "{rest} of {all}");
        let from: f64 = said
            .output
            .split(',')
            .nth(6)
            .unwrap()
            .split('-')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        assert!((0.3..0.7).contains(&from), "{}", said.output);
    });
}

#[test]
fn a_closed_port_of_datagrams_is_said() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let words = format!("-c {} -p 6001 -u -t 0.3", hosts.address(End::Server));
        let said = Ours.client(&words);
        assert_eq!(said.code, Some(1), "{}", said.output);
        assert!(said.errors.contains("refused"), "{}", said.errors);
    });
}

/// Frames have a row each, and packets that are what they say have no line.
#[test]
fn frames_have_rows_of_their_own() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let at = hosts.address(End::Server);
        for (port, udp) in [(6001, ""), (6002, "-u --l2checks")] {
            let peer = Peer::start(hosts, Ours, port, &format!("-i f {udp}"));
            let words = format!("-c {at} -p {port} -t 0.95 --isochronous=10:1m,0 {udp}");
            let said = Ours.client(&words);
            assert_eq!(said.code, Some(0), "{}", said.errors);
            let printed = peer.end();
            let frames = printed.lines().filter(|line| line.contains("12.2 KBytes"));
            let frames = frames.count();
            assert!((8..=11).contains(&frames), "{frames}: {printed}");
            assert!(printed.contains("Frame or burst interval reporting"));
            assert_eq!(printed.contains("(l2mode)"), !udp.is_empty(), "{printed}");
            assert!(!printed.contains("L2 processing"), "{printed}");
        }
    });
}

/// Where each flow goes and comes from. All of 127.0.0.0/8 is the client's host.
#[test]
fn flows_take_the_next_address_or_port() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |_| {
        for (port, words, ends) in [
            (6011, "--incr-dstip", ["127.0.0.5 6011", "127.0.0.6 6011"]),
            (6013, "--incr-dstport", ["127.0.0.5 6013", "127.0.0.5 6014"]),
            (
                6015,
                "-u --incr-dstport",
                ["127.0.0.5 6015", "127.0.0.5 6016"],
            ),
            (
                6017,
                "-B 127.0.1.8 --incr-srcip",
                ["127.0.1.8", "127.0.1.9"],
            ),
        ] {
            let state = tempfile::TempDir::with_prefix("netdyno-it-").unwrap();
            let mut server = Ours.command(&state);
            server.args(["-s", "-p", &format!("{port}-{}", port + 1)]);
            server.args(words.contains("-u").then_some("-u"));
            let mut server = server.stdout(std::process::Stdio::null()).spawn().unwrap();
            let said = eventually("both flows are through", || {
                let words = format!("-c 127.0.0.5 -p {port} -P 2 -n 10K -b 10M -l 1K {words}");
                let said = Ours.client(&words);
                (said.code == Some(0)).then_some(said.output)
            });
            server.kill().unwrap();
            server.wait().unwrap();
            let lines: Vec<&str> = said.lines().filter(|line| line.contains("local")).collect();
            assert_eq!(lines.len(), 2, "{said}");
            for end in ends {
                let (ip, port) = end.split_once(' ').unwrap_or((end, ""));
                let of = lines.iter().filter(|line| {
                    line.contains(&format!(" {ip} port {port}")) && line.contains(ip)
                });
                assert_eq!(of.count(), 1, "{words} {end}: {said}");
            }
        }
    });
}

/// A server that says nothing is asked for two seconds, and that is no failure, as with 2.1.8.
#[test]
fn a_mute_server_is_asked_again_and_again() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let mute = std::net::UdpSocket::bind((hosts.address(End::Client), 0)).unwrap();
        let at = mute.local_addr().unwrap();
        let words = format!("-c {} -p {} -u -t 0.2 -b 1M", at.ip(), at.port());
        let said = Ours.client(&words);
        assert_eq!(said.code, Some(0), "{}", said.errors);
        let warning = "WARNING: did not receive ack of last datagram after 10 tries.";
        assert!(said.errors.contains(warning), "{}", said.errors);
        mute.set_nonblocking(true).unwrap();
        let mut datagram = [0; 2048];
        let mut last_words = 0;
        while let Ok(length) = mute.recv(&mut datagram) {
            last_words += usize::from(length >= 4 && datagram[0] >= 0x80);
        }
        // The socket may have had no room for all 201.
        assert!((50..=201).contains(&last_words), "{last_words}");
    });
}

/// As 2.1.8: it says so and sends.
#[test]
fn a_port_that_is_taken_leaves_a_dual_test_its_own_way() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let server = Peer::start(hosts, Ours, 6901, "");
        let taken = std::net::TcpListener::bind((hosts.address(End::Client), 6902)).unwrap();
        let at = hosts.address(End::Server);
        let words = format!(
            "-c {at} -p 6901 -d -L 6902 -B {} -n 100K",
            hosts.address(End::Client)
        );
        let said = Ours.client(&words);
        drop(taken);
        server.end();
        assert_eq!(said.code, Some(0), "{}", said.errors);
        let begins = "iperf: listener bind failed: ";
        assert!(said.errors.starts_with(begins), "{}", said.errors);
        assert!(said.output.contains(" 100 KBytes "), "{}", said.output);
    });
}

/// A connection makes its buffer larger at once, which 2.1.8 does not show.
#[test]
fn the_window_is_that_of_a_socket_before_it_is_connected() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let sizes = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_wmem").unwrap();
        let size: f64 = sizes.split_whitespace().nth(1).unwrap().parse().unwrap();
        let server = Peer::start(hosts, Ours, 6903, "");
        let said = Ours.client(&format!(
            "-c {} -p 6903 -n 100K",
            hosts.address(End::Server)
        ));
        server.end();
        let line = format!("TCP window size: {:.1} KByte (default)", size / 1024.0);
        assert!(said.output.contains(&line), "{line}: {}", said.output);
    });
}

/// Whether a connection waits at this thread's listener: its receive queue of /proc/net/tcp.
fn waits(port: u16) -> bool {
    let table = std::fs::read_to_string("/proc/thread-self/net/tcp").unwrap();
    let ending = format!(":{port:04X}");
    table.lines().any(|line| {
        let fields: Vec<&str> = line.split_whitespace().take(5).collect();
        matches!(fields[..], [_, local, _, "0A", queues]
            if local.ends_with(&ending) && queues.ends_with(":00000001"))
    })
}

#[test]
fn a_flow_that_is_refused_at_the_start_leaves_the_others_their_test() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let listener = std::net::TcpListener::bind((hosts.address(End::Client), 0)).unwrap();
        let at = listener.local_addr().unwrap();
        let served = std::thread::spawn(move || {
            let (mut first, _) = listener.accept().unwrap();
            eventually("a second connection", || waits(at.port()).then_some(()));
            // Connections that nobody took are reset with it.
            drop(listener);
            std::io::copy(&mut first, &mut std::io::sink()).unwrap()
        });
        let words = format!(
            "-c {} -p {} -P 2 -n 100K --txdelay-time 0.3",
            at.ip(),
            at.port()
        );
        let said = Ours.client(&words);
        assert_eq!(served.join().unwrap(), 102_400, "{}", said.errors);
        assert_eq!(said.code, Some(1), "{}", said.errors);
        assert!(said.errors.starts_with("iperf: flow "), "{}", said.errors);
        assert!(said.output.contains(" 100 KBytes "), "{}", said.output);
    });
}

/// They went out in parts of 10 ms each, and the ends of segments waited for acknowledgements.
#[test]
fn writes_at_a_low_rate_are_whole() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let _server = Peer::start(hosts, Ours, 6301, "");
        let address = hosts.address(End::Server);
        let said = Ours.client(&format!("-c {address} -p 6301 -e -n 1M -b 40M"));
        assert_eq!(said.code, Some(0), "{}", said.errors);
        // 1 MiB of 128 KiB.
        assert!(said.output.contains(" 8/0 "), "{}", said.output);
    });
}
