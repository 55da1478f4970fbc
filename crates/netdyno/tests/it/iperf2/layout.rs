//! What our client prints for a command line, held against what 2.1.8 prints, both at the same
//! server of ours: the same lines, but for the figures.

use plan::Family;
use record::End;

use super::output::layout;
use super::peer::{Peer, Whose};
use crate::differences;
use crate::hosts::{Hosts, hosts};

/// Options of a client of streams.
const STREAMS: &[&str] = &[
    "-n 100K",
    "-n 100K -e",
    "-n 100K -P 2",
    "-n 100K -P 2 -e",
    "-t 0.5 -i 0.2 -b 8M",
    "-t 0.5 -i 0.2 -b 8M -e",
    "-t 0.5 -i 0.2 -b 8M -P 2",
    "-t 0.5 -i 0.2 -b 8M -P 2 -e",
    "-t 0.5 -i 0.2 -b 8M -P 2 --sum-only",
    "-n 100K -f b",
    "-n 100K -f k",
    "-n 100K -f m",
    "-n 100K -f g",
    "-n 100K -f B",
    "-n 100K -f K",
    "-n 100K -f M",
    "-n 100K -f G",
    "-n 100K -f A",
    "-n 100K -f x",
    "-n 1M -R",
    "-n 1M -R -e",
    "-t 0.5 -b 8M --full-duplex",
    "-t 0.5 -b 8M --full-duplex -e",
    "-n 100K -X",
    "-n 100K -e -M 1000 -N -S 0x10",
    "-n 100K -w 64K",
    "-n 100K -Z cubic",
    "-n 100K -x CMSV",
    "-n 100K -y C",
    "-t 0.5 -i 0.2 -b 8M -y C",
    "-t 0.5 -b 8M --trip-times",
    "-t 0.5 -e --histograms",
    "-t 0.5 -e -i 0.2 --tcp-write-times",
    "-t 0.5 --fq-rate 10m -e",
    "-t 0.5 -e --tcp-write-prefetch 64K",
    "-t 0.5 --near-congestion=0.5",
    "-t 0.5 --burst-period 0.1 --burst-size 200K",
    "-t 0.5 --isochronous=50:4m,0",
    "-n 100K --hide-ips",
    "--connect-only=2 -i 0.1",
    "--bounceback -t 1",
    "--bounceback=5 -t 1 --trip-times -l 200",
];

/// Options of a client of datagrams.
const DATAGRAMS: &[&str] = &[
    "-t 0.5 -b 2M",
    "-t 0.5 -b 2M -i 0.2",
    "-t 0.5 -b 2M -i 0.2 -e",
    "-t 0.5 -b 2M -P 2",
    "-t 0.5 -b 2M -e -l 500 -S 0x28",
    "-t 0.5 -b 500pps -f k",
    "-t 0.5 -b 2M --trip-times -e",
    "-t 0.5 -b 2M -R",
    "-t 0.5 -b 2M -R -e -i 0.2",
    "-t 0.5 -b 2M --full-duplex -e",
    "-t 0.5 -b 2M --no-udp-fin",
    "-t 0.5 -i 0.2 --isochronous=50:4m,0 -e",
];

/// Lines that differ on purpose (docs/iperf2.md), or that 2.1.8 prints in some runs only.
fn is_compared(line: &str) -> bool {
    // It tells that it was quick, or sums what it should not or does not.
    !line.starts_with("[SUM") && !line.contains("WARN")
}

#[test]
fn clients_print_the_same() {
    not_run::needs_namespaces!();
    not_run::needs_program!("iperf");
    hosts("", Family::V4, |hosts| {
        let _streams = Peer::start(hosts, Whose::Ours, 6101, "");
        let _datagrams = Peer::start(hosts, Whose::Ours, 6102, "-u");
        let streams = STREAMS.iter().map(|line| format!("-p 6101 {line}"));
        let datagrams = DATAGRAMS.iter().map(|line| format!("-p 6102 -u {line}"));
        let todo: Vec<String> = streams.chain(datagrams).collect();
        differences::none(todo, 8, |line| difference(hosts, line));
    });
}

fn difference(hosts: &Hosts<'_>, line: &str) -> Option<String> {
    let words = format!("-c {} {line}", hosts.address(End::Server));
    let [ours, theirs] = [Whose::Ours, Whose::Theirs].map(|whose| whose.client(&words));
    let [a, b] = [&ours, &theirs].map(|said| {
        let mut lines = layout(&said.output);
        lines.retain(|line| is_compared(line));
        lines
    });
    (a != b || ours.code != Some(0)).then(|| {
        format!(
            "iperf {words}\n--- ours ({:?}) {}\n{}\n--- iperf's ({:?}) {}\n{}\n",
            ours.code,
            ours.errors,
            a.join("\n"),
            theirs.code,
            theirs.errors,
            b.join("\n")
        )
    })
}
