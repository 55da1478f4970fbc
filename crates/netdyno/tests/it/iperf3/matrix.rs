//! Every client with every server: each protocol, direction, number of streams, family and end.

use serde_json::Value;

use super::{Said, Served, Whose, both_families, number};
use crate::hosts::Hosts;

/// Bytes that fill the buffers of both sockets of a flow when one end stops counting and the other
/// has not heard of it: the usual maxima of tcp_wmem and tcp_rmem.
const ON_THEIR_WAY: f64 = 10.0 * 1024.0 * 1024.0;

/// Rates that two busy cores keep up with, over a dozen tests at once.
const LOADS: [&str; 2] = ["-b 20M", "-u -b 2M -l 1200"];
const DIRECTIONS: [&str; 3] = ["", "-R", "--bidir"];
const STREAMS: [&str; 2] = ["-P 1", "-P 4"];
const ENDS: [&str; 2] = ["-t 1", "-n 200K"];

fn cells() -> Vec<String> {
    let mut cells = Vec::new();
    for load in LOADS {
        for direction in DIRECTIONS {
            for streams in STREAMS {
                for end in ENDS {
                    cells.push(format!("{load} {direction} {streams} {end}"));
                }
            }
        }
    }
    cells
}

/// Both ends' counts of one direction.
fn agree(what: &str, document: &Value, suffix: &str) {
    let bytes = |sum: &str| number(&document["end"], &[&format!("{sum}{suffix}"), "bytes"]);
    let (sent, received) = (bytes("sum_sent"), bytes("sum_received"));
    assert!(sent > 0.0, "{what}: nothing was sent");
    assert!(
        received <= sent && sent - received <= (sent * 0.01).max(ON_THEIR_WAY),
        "{what}: {received} of {sent}"
    );
    if what.contains("-u") {
        for stream in document["end"]["streams"].as_array().unwrap() {
            let udp = &stream["udp"];
            let (lost, packets) = (number(udp, &["lost_packets"]), number(udp, &["packets"]));
            assert!(
                lost >= 0.0 && lost <= packets,
                "{what}: {lost} of {packets}"
            );
        }
    } else if !what.contains("-R") && suffix.is_empty() && what.contains("-n") {
        let retransmits = &document["end"]["sum_sent"]["retransmits"];
        assert!(retransmits.is_u64(), "{what}: {retransmits}");
    }
}

fn check(hosts: &Hosts<'_>, client: Whose, server: Whose) {
    let cells = cells();
    const LANES: usize = 4;
    std::thread::scope(|scope| {
        for lane in 0..LANES {
            let cells: Vec<&String> = cells.iter().skip(lane).step_by(LANES).collect();
            scope.spawn(move || {
                let served = Served::start(hosts, server, 6000 + lane as u16, "");
                for words in cells {
                    let what = format!("{client:?} to {server:?} {} {words}", served.at);
                    let document = Said::asking(client, served.at, words).well(&what);
                    agree(&what, &document, "");
                    if words.contains("--bidir") {
                        agree(&what, &document, "_bidir_reverse");
                    }
                    let streams = document["start"]["connected"].as_array().unwrap().len();
                    let one_way = if words.contains("-P 4") { 4 } else { 1 };
                    let ways = if words.contains("--bidir") { 2 } else { 1 };
                    assert_eq!(streams, one_way * ways, "{what}");
                }
            });
        }
    });
}

#[test]
fn our_client_and_our_server() {
    not_run::needs_namespaces!();
    both_families(|hosts| check(hosts, Whose::Ours, Whose::Ours));
}

#[test]
fn our_client_and_their_server() {
    not_run::needs_namespaces!();
    not_run::needs_program!("iperf3");
    both_families(|hosts| check(hosts, Whose::Ours, Whose::Theirs));
}

#[test]
fn their_client_and_our_server() {
    not_run::needs_namespaces!();
    not_run::needs_program!("iperf3");
    both_families(|hosts| check(hosts, Whose::Theirs, Whose::Ours));
}
