//! Options that change the wire or the sockets, with every client and every server.

use plan::Family;
use record::End;

use super::{Said, Served, Whose, number};
use crate::hosts::{Hosts, hosts};

const PAIRS: [(Whose, Whose); 3] = [
    (Whose::Ours, Whose::Ours),
    (Whose::Ours, Whose::Theirs),
    (Whose::Theirs, Whose::Ours),
];

/// What 3.12 knows, at either end.
const OLD: [&str; 12] = [
    "-w 256K -M 1400 -N -S 0x20 -C reno -T title --extra-data more -n 1M",
    "-Z --repeating-payload -n 1M",
    "--fq-rate 400M -n 1M",
    "-A 0,0 -l 5000 -k 40",
    "-R -Z -w 128K -n 1M",
    "-O 1 -t 1 -b 20M",
    "-u -O 1 -t 1 -b 2M -l 1000",
    "-u --udp-counters-64bit -b 10M -l 1000 -n 200K",
    "-u --udp-counters-64bit -R -b 10M -l 1000 -n 200K -P 3",
    "-u -b 10M/5 -l 1000 -k 50 --dont-fragment",
    "-u -b 0 -l 8000 -n 2M",
    "-n 1M --get-server-output --cport 34000 -P 2",
];

/// What only later versions know: a server of 3.12 takes no notice.
const NEW: [&str; 4] = [
    "--skip-rx-copy -n 1M",
    "--skip-rx-copy -R -n 1M",
    "-u --gsro -b 20M -l 1000 -n 200K",
    "-m -n 1M",
];

fn check(hosts: &Hosts<'_>, client: Whose, server: Whose, words: &[&str], port: u16) {
    let served = Served::start(hosts, server, port, "");
    for words in words {
        let what = format!("{client:?} to {server:?} {words}");
        let document = Said::asking(client, served.at, words).well(&what);
        let sent = number(&document, &["end", "sum_sent", "bytes"]);
        let received = number(&document, &["end", "sum_received", "bytes"]);
        // What is omitted ends at each end by its own clock.
        let apart = if words.contains("-O") { 1.05 } else { 1.0 };
        assert!(
            received > 0.0 && received <= sent * apart,
            "{what}: {received} of {sent}"
        );
        if words.contains("--get-server-output") {
            assert!(document["server_output_text"].is_string(), "{what}");
        }
        if words.contains("--cport 34000") {
            let ports = document["start"]["connected"].as_array().unwrap().iter();
            let ports: Vec<_> = ports.map(|one| one["local_port"].as_u64()).collect();
            assert_eq!(ports, [Some(34000), Some(34001)], "{what}");
        }
        if words.contains("-O 1") {
            let seconds = number(&document, &["end", "sum_sent", "seconds"]);
            assert!((0.9..2.0).contains(&seconds), "{what}: {seconds} s counted");
            let intervals = document["intervals"].as_array().unwrap();
            let omitted = |one: &&serde_json::Value| one["sum"]["omitted"] == true;
            assert!(intervals.iter().any(|one| omitted(&one)), "{what}");
        }
    }
}

#[test]
fn every_option_of_3_12_with_every_peer() {
    not_run::needs_namespaces!();
    not_run::needs_program!("iperf3");
    hosts("", Family::V4, |hosts| {
        std::thread::scope(|scope| {
            for (port, (client, server)) in (6100..).zip(PAIRS) {
                scope.spawn(move || check(hosts, client, server, &OLD, port));
            }
        });
    });
}

#[test]
fn later_options_with_a_server_that_knows_them_and_one_that_does_not() {
    not_run::needs_namespaces!();
    not_run::needs_program!("iperf3");
    hosts("", Family::V4, |hosts| {
        for (port, server) in [(6200, Whose::Ours), (6201, Whose::Theirs)] {
            check(hosts, Whose::Ours, server, &NEW, port);
        }
    });
}

/// 3.12 itself counts anything from none to all of them.
#[test]
fn a_few_bytes_arrive_whole() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let served = Served::start(hosts, Whose::Ours, 6300, "");
        for _ in 0..10 {
            let document = Said::asking(Whose::Ours, served.at, "-n 1M -i 0").well("-n 1M");
            for sum in ["sum_sent", "sum_received"] {
                assert_eq!(
                    number(&document, &["end", sum, "bytes"]),
                    1_048_576.0,
                    "{sum}"
                );
            }
        }
    });
}

#[test]
fn counts_are_those_of_the_kernel() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let served = Served::start(hosts, Whose::Ours, 6301, "");
        let before = hosts.protocols(End::Server);
        let words = "-u -b 20M -l 1000 -n 500K";
        let document = Said::asking(Whose::Ours, served.at, words).well(words);
        let after = hosts.protocols(End::Server);
        let datagrams = after["Udp.InDatagrams"] - before["Udp.InDatagrams"];
        // One of them is the hello.
        let packets = number(&document, &["end", "sum_received", "packets"]);
        assert_eq!(packets + 1.0, datagrams as f64);
        let before = hosts.interface(End::Server);
        let document = Said::asking(Whose::Ours, served.at, "-n 5M").well("-n 5M");
        let after = hosts.interface(End::Server);
        let received = number(&document, &["end", "sum_received", "bytes"]);
        let on_the_wire = (after.rx_bytes - before.rx_bytes) as f64;
        assert!(
            on_the_wire > received && on_the_wire < 1.1 * received,
            "{received} B of {on_the_wire} B"
        );
    });
}

#[test]
fn a_file_goes_over_whole() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let folder = tempfile::tempdir().unwrap();
        let [from, to] = ["from", "to"].map(|name| folder.path().join(name));
        let content: Vec<u8> = (0..300_000u32).map(|n| (n % 251) as u8).collect();
        std::fs::write(&from, &content).unwrap();
        let words = format!("-F {}", to.display());
        let served = Served::start(hosts, Whose::Ours, 6302, &words);
        let words = format!("-F {}", from.display());
        let document = Said::asking(Whose::Ours, served.at, &words).well(&words);
        assert_eq!(number(&document, &["end", "sum_sent", "bytes"]), 300_000.0);
        assert!(std::fs::read(&to).unwrap() == content, "it is another file");
    });
}

/// What cannot be is refused with what it is, before data moves.
#[test]
fn what_this_end_cannot_have_is_named() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let served = Served::start(hosts, Whose::Ours, 6303, "");
        for (words, told) in [
            ("-L 77", "flow label"),
            ("-B 10.99.99.99", "10.99.99.99"),
            ("-C nosuch", "no nosuch"),
            ("--bind-dev nosuch0", "nosuch0"),
        ] {
            let said = Said::asking(Whose::Ours, served.at, words);
            let error = said.error(words);
            assert!(said.code == Some(1) && error.contains(told), "{error}");
            assert!(!error.contains("is an iperf3 server"), "{error}");
        }
        let sctp = Said::asking(Whose::Ours, served.at, "--sctp --nstreams 2 -n 1K");
        if sctp.code != Some(0) {
            // The server's kernel is asked first.
            let error = sctp.error("--sctp");
            assert!(error.contains("Protocol not supported"), "{sctp:?}");
        }
    });
}

#[test]
fn blocks_of_the_omitted_time_are_none_of_those_that_count() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let served = Served::start(hosts, Whose::Ours, 6304, "");
        let words = "-O 1 -n 1M -b 20M";
        let document = Said::asking(Whose::Ours, served.at, words).well(words);
        let sent = number(&document, &["end", "sum_sent", "bytes"]);
        // What the socket takes at once when the counting begins may be a piece more.
        let piece = 32_768.0;
        assert!((sent - 1_048_576.0).abs() <= piece, "{sent}");
    });
}

#[test]
fn datagrams_that_go_in_fragments_are_told_of() {
    not_run::needs_namespaces!();
    hosts("", Family::V4, |hosts| {
        let served = Served::start(hosts, Whose::Ours, 6305, "");
        for (size, warns) in [(8000, true), (1400, false)] {
            let words = format!("-u -k 5 -l {size}");
            let said = Said::asking(Whose::Ours, served.at, &words);
            said.well(&words);
            assert_eq!(said.errors.contains("fragments"), warns, "{said:?}");
        }
    });
}
