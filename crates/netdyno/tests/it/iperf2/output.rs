//! What a server prints for a client of iperf's, ours held against iperf's own. Figures are taken
//! out; what is left must be the same.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::signal::Signal;
use plan::Family;
use record::End;

use crate::hosts::{Hosts, hosts};
use crate::process::{eventually, netdyno, tell};

/// Options of the server, and of iperf's client.
const RUNS: &[(&str, &str)] = &[
    ("-i 0.2", "-t 0.5 -b 8M"),
    ("-e -i 0.2", "-t 0.5 -b 8M -P 2"),
    ("-f k -e", "-t 0.5 -b 8M -S 0x10"),
    ("", "-t 0.5 -b 8M --trip-times"),
    ("-e --histograms", "-t 0.5 -b 8M --trip-times"),
    ("-e", "-t 0.5 -b 8M -R"),
    ("-e -i 0.2", "-t 0.5 -b 8M --full-duplex"),
    ("", "--bounceback -t 1"),
    ("-y C -i 0.2", "-t 0.5 -b 8M"),
    (
        "--permit-key=abcdef -w 64K",
        "-t 0.5 -b 8M --permit-key=abcdef",
    ),
    ("-u -i 0.2", "-u -t 0.5 -b 2M"),
    ("-u", "-u -t 0.5 -b 2M --trip-times"),
    ("-u -e", "-u -t 0.5 -b 2M -R"),
    ("-u -e --histograms", "-u -t 0.5 -b 2M --trip-times"),
];

#[test]
fn servers_print_the_same() {
    not_run::needs_namespaces!();
    not_run::needs_program!("iperf");
    hosts("", Family::V4, |hosts| {
        let mut differences = Vec::new();
        for (port, (server, client)) in (6001..).step_by(2).zip(RUNS) {
            let [theirs, ours] = [(port, "iperf"), (port + 1, "ours")]
                .map(|(port, whose)| layout(&printed(hosts, whose, port, server, client)));
            if theirs != ours {
                differences.push(format!(
                    "-s {server} <- -c {client}\niperf:\n{}\nours:\n{}\n",
                    theirs.join("\n"),
                    ours.join("\n")
                ));
            }
        }
        assert!(differences.is_empty(), "{}", differences.join("\n"));
    });
}

/// What the server prints until it is interrupted, 0.4 s after the client's end.
fn printed(hosts: &Hosts<'_>, whose: &str, port: u16, server: &str, client: &str) -> String {
    let mut command = match whose {
        "iperf" => {
            let mut command = Command::new("iperf");
            sys::child::die_with_parent(&mut command);
            command
        }
        _ => {
            let mut command = netdyno();
            command.arg("iperf");
            command
        }
    };
    let state = tempfile::TempDir::with_prefix("netdyno-it-").unwrap();
    command
        .args(["-s", "-p", &port.to_string()])
        .args(server.split_whitespace())
        .env("XDG_STATE_HOME", state.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    hosts.testbed.place_on_server(&mut command).unwrap();
    let mut running = command.spawn().unwrap();
    let table = if server.contains("-u") { "udp" } else { "tcp" };
    let line = format!(":{port:04X} ");
    eventually("the server listens", || {
        hosts.on(End::Server, || {
            let both = [table.to_owned(), format!("{table}6")];
            both.iter()
                .filter_map(|table| {
                    std::fs::read_to_string(format!("/proc/thread-self/net/{table}")).ok()
                })
                .any(|sockets| sockets.contains(&line))
                .then_some(())
        })
    });
    let mut client_command = Command::new("iperf");
    sys::child::die_with_parent(&mut client_command);
    let address = hosts.address(End::Server).to_string();
    client_command
        .args(["-c", &address, "-p", &port.to_string()])
        .args(client.split_whitespace())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    client_command.status().unwrap();
    // iperf's UDP server tells its client for 250 ms that all came.
    std::thread::sleep(Duration::from_millis(400));
    // A second one, for iperf waits for its flows at the first.
    for _ in 0..2 {
        if running.try_wait().unwrap().is_none() {
            tell(running.id(), Signal::SIGINT);
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    let mut text = String::new();
    running
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    let _ = running.kill();
    running.wait().unwrap();
    text
}

/// The kinds of lines, without figures and in an order of their own: directions race, and how many
/// intervals there are depends on when the last of them ended.
pub fn layout(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(redacted).collect();
    // iperf's server sums the two directions of one connection in some runs and not in others.
    if text.contains("(full-duplex)") {
        lines.retain(|line| !line.starts_with("[SUM]"));
    }
    lines.sort();
    lines.dedup();
    lines
}

/// Every number with the blanks before it is ` #`; so are a unit's letter, a list of bins, and what
/// is where a number could be.
fn redacted(line: &str) -> String {
    let mut words = Vec::new();
    for word in line.split_whitespace() {
        let mut figures = String::new();
        for c in word.chars() {
            match c {
                '0'..='9' if figures.ends_with('#') => {}
                '0'..='9' => figures.push('#'),
                // Of a number.
                '.' if figures.ends_with('#') => {}
                c => figures.push(c),
            }
        }
        let mut figures = figures
            .replace("nan", "#")
            .replace("NAN", "#")
            .replace("OBL", "#");
        while figures.contains("#:#,#:#") {
            figures = figures.replace("#:#,#:#", "#:#");
        }
        for (prefixed, bare) in [
            ("KBytes", "Bytes"),
            ("MBytes", "Bytes"),
            ("KByte", "Byte"),
            ("MByte", "Byte"),
            ("Kbits/", "bits/"),
            ("Mbits/", "bits/"),
            ("Gbits/", "bits/"),
        ] {
            figures = figures.replace(prefixed, bare);
        }
        words.push(figures);
    }
    // Numbers may touch a bracket or not, by their width.
    words
        .join(" ")
        .replace("= #", "=#")
        .replace("( #", "(#")
        .replace("[ ", "[")
}
