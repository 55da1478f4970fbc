//! netdyno by iperf's name against iperf 2 itself, each with a server of its own.

use super::{AtLeast, AtMost, METER, ratio};
use crate::bench::contest::Metric::{
    BitsPerSecond, ClientCpuSeconds, ClientWaits, GapErrorP99Ns, ServerCpuSeconds, ServerWaits,
    Yields,
};
use crate::bench::contest::{Bar, Contender, Contest, Ground, Metric, Relation};
use crate::bench::reading::Reading;

/// What names all of them.
pub const FAMILY: &str = "iperf2";

/// The server's CPU time is read while it lives.
const OURS: &str = "netdyno iperf -s -p {port}";
const THEIRS: &str = "iperf -s -p {port}";
const OURS_UDP: &str = "netdyno iperf -s -u -p {port}";
const THEIRS_UDP: &str = "iperf -s -u -p {port}";

const STEADY_CPU: Bar = varies(ClientCpuSeconds);
const SERVER_CPU: Bar = ratio(ServerCpuSeconds, "iperf2", AtMost(1.0));

/// Neither end waits more often than iperf 2's.
const CLIENT_WAITS: Bar = ratio(ClientWaits, "iperf2", AtMost(1.0));
const SERVER_WAITS: Bar = ratio(ServerWaits, "iperf2", AtMost(1.0));

pub static CONTESTS: [Contest; 6] = [
    contest(
        "iperf2-rate",
        "client CPU at 1 Gbit/s TCP, -b 1G",
        &[
            ours(
                OURS,
                "netdyno iperf -c {address} -p {port} -t {seconds} -b 1000000000 -y C",
            ),
            theirs(
                THEIRS,
                "iperf -c {address} -p {port} -t {seconds} -b 1000000000 -y C",
            ),
        ],
        &[
            ratio(ClientCpuSeconds, "iperf2", AtMost(0.25)),
            SERVER_CPU,
            STEADY_CPU,
            CLIENT_WAITS,
            SERVER_WAITS,
        ],
    ),
    contest(
        "iperf2-pace",
        "client CPU at 1 Gbit/s TCP: ours paced by the kernel (--fq-rate), theirs by -b 1G",
        &[
            ours(
                OURS,
                "netdyno iperf -c {address} -p {port} -t {seconds} --fq-rate 1000000000 -y C",
            ),
            theirs(
                THEIRS,
                "iperf -c {address} -p {port} -t {seconds} -b 1000000000 -y C",
            ),
        ],
        &[ratio(ClientCpuSeconds, "iperf2", AtMost(0.125)), STEADY_CPU],
    ),
    Contest {
        // The meter's share of the work in the sender's context is the same for both.
        meter: Some(METER),
        ..contest(
            "iperf2-udp-100m",
            "client CPU and gaps at 100 Mbit/s of 1470 B datagrams",
            &[
                ours(
                    OURS_UDP,
                    "netdyno iperf -c {address} -p {port} -u -t {seconds} -l 1470 -b 100000000 -y C",
                ),
                theirs(
                    THEIRS_UDP,
                    "iperf -c {address} -p {port} -u -t {seconds} -l 1470 -b 100000000 -y C",
                ),
            ],
            &[
                ratio(ClientCpuSeconds, "iperf2", AtMost(0.5)),
                ratio(GapErrorP99Ns, "iperf2", AtMost(1.0)),
                SERVER_CPU,
                STEADY_CPU,
                CLIENT_WAITS,
                SERVER_WAITS,
            ],
        )
    },
    contest(
        "iperf2-tcp",
        "one TCP flow, as fast as it goes",
        &[
            ours(
                OURS,
                "netdyno iperf -c {address} -p {port} -t {seconds} -y C",
            ),
            theirs(THEIRS, "iperf -c {address} -p {port} -t {seconds} -y C"),
        ],
        &[
            ratio(BitsPerSecond, "iperf2", AtLeast(1.0)),
            varies(BitsPerSecond),
            CLIENT_WAITS,
            SERVER_WAITS,
        ],
    ),
    traced(
        "iperf2-calls-tcp",
        "system calls of both ends at 1 Gbit/s TCP, -b 1G (strace -f -c)",
        &[
            ours(
                "netdyno iperf -s -p {port} -P 1",
                "netdyno iperf -c {address} -p {port} -t {seconds} -b 1000000000 -y C",
            ),
            theirs(
                "iperf -s -p {port} -P 1",
                "iperf -c {address} -p {port} -t {seconds} -b 1000000000 -y C",
            ),
        ],
    ),
    traced(
        "iperf2-calls-udp",
        "system calls of both ends at 100 Mbit/s of 1470 B datagrams (strace -f -c)",
        &[
            ours(
                "netdyno iperf -s -u -p {port} -P 1",
                "netdyno iperf -c {address} -p {port} -u -t {seconds} -l 1470 -b 100000000 -y C",
            ),
            theirs(
                "iperf -s -u -p {port} -P 1",
                "iperf -c {address} -p {port} -u -t {seconds} -l 1470 -b 100000000 -y C",
            ),
        ],
    ),
];

/// One whose servers end after a flow, so that their calls are told.
const fn traced(
    name: &'static str,
    title: &'static str,
    contenders: &'static [Contender],
) -> Contest {
    const NO_YIELDS: Bar = Bar {
        metric: Yields,
        rival: "iperf2",
        relation: Relation::Ours,
        bound: AtMost(0.0),
    };
    Contest {
        seconds: 10,
        traced: true,
        ..contest(name, title, contenders, &[NO_YIELDS])
    }
}

const fn contest(
    name: &'static str,
    title: &'static str,
    contenders: &'static [Contender],
    bars: &'static [Bar],
) -> Contest {
    Contest {
        name,
        title,
        ground: Ground::Loopback,
        seconds: 5,
        meter: None,
        connections: None,
        traced: false,
        contenders,
        bars,
    }
}

const fn ours(server: &'static str, client: &'static str) -> Contender {
    Contender {
        name: "netdyno",
        ..theirs(server, client)
    }
}

const fn theirs(server: &'static str, client: &'static str) -> Contender {
    Contender {
        name: "iperf2",
        server,
        client,
        reading: Reading::Iperf2,
    }
}

/// Rounds are no further apart than iperf's.
const fn varies(metric: Metric) -> Bar {
    Bar {
        metric,
        rival: "iperf2",
        relation: Relation::Variation,
        bound: AtMost(1.0),
    }
}
