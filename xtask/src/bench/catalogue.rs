//! The contests, and the bars that netdyno has to meet.

mod iperf2;
mod iperf3;
mod netperf;

use anyhow::{Result, bail};

use super::contest::{Bar, Bound, Contender, Contest, Ground, Meter, Metric, Relation};
use super::reading::Reading;

use Bound::{AtLeast, AtMost};
use Metric::{
    BitsPerSecond, ClientCpuSeconds, ClientPeakBytes, GapErrorP99Ns, MessagesPerSecond,
    SentMessagesPerSecond, TransactionsPerSecond,
};

/// netdyno's server, for every contest.
const SERVE: &str = "netdyno serve --bind {address} --port {port} --one-off";
const IPERF3: &str = "iperf3 -s -1 -p {port}";
/// iperf 2's suffixes are binary, so rates are written out.
const IPERF2: &str = "iperf -s -p {port}";
const IPERF2_UDP: &str = "iperf -s -u -p {port}";

/// 100 Mbit/s of 1470 bytes: 1470 * 8 / 1e8 s.
const METER: Meter = Meter {
    payload_bytes: 1470,
    gap_ns: 117_600,
};

const CPU_PACE: &[Contender] = &[
    netdyno(
        "netdyno run {address}:{port} --load stream:size=128K,pace=1G -t {seconds} --no-probe --json --no-save",
    ),
    iperf3("iperf3 -c {address} -p {port} -t {seconds} -l 131072 --fq-rate 1000000000 -J"),
    IPERF2_TCP_1G,
];

const CPU_RATE: &[Contender] = &[
    netdyno(
        "netdyno run {address}:{port} --load stream:size=128K,rate=1G -t {seconds} --no-probe --json --no-save",
    ),
    iperf3("iperf3 -c {address} -p {port} -t {seconds} -l 131072 -b 1000000000 -J"),
    IPERF2_TCP_1G,
];

const IPERF2_TCP_1G: Contender = Contender {
    name: "iperf2",
    server: IPERF2,
    client: "iperf -c {address} -p {port} -t {seconds} -l 131072 -b 1000000000 -y C",
    reading: Reading::Iperf2,
};

const UDP_100M: &[Contender] = &[
    netdyno(
        "netdyno run {address}:{port} --load udp-stream:size=1470,rate=100M -t {seconds} --no-probe --json --no-save",
    ),
    iperf3("iperf3 -c {address} -p {port} -u -t {seconds} -l 1470 -b 100000000 -J"),
    Contender {
        name: "iperf2",
        server: IPERF2_UDP,
        client: "iperf -c {address} -p {port} -u -t {seconds} -l 1470 -b 100000000 -y C",
        reading: Reading::Iperf2,
    },
];

const PACE_BARS: &[Bar] = &[
    ratio(ClientCpuSeconds, "iperf3", AtMost(1.0)),
    ratio(ClientCpuSeconds, "iperf2", AtMost(0.125)),
];
const RATE_BARS: &[Bar] = &[ratio(ClientCpuSeconds, "iperf3", AtMost(1.0))];
const UDP_BARS: &[Bar] = &[
    ratio(MessagesPerSecond, "bare", AtLeast(0.97)),
    ratio(MessagesPerSecond, "iperf3", AtLeast(1.0)),
    ratio(SentMessagesPerSecond, "bare", AtLeast(0.97)),
    ratio(SentMessagesPerSecond, "iperf3", AtLeast(1.0)),
];

static CONTESTS: [Contest; 14] = [
    Contest {
        name: "tcp-stream",
        title: "one TCP flow, writes of 128 KiB",
        ground: Ground::Loopback,
        seconds: 3,
        meter: None,
        connections: None,
        traced: false,
        contenders: &[
            netdyno(
                "netdyno run {address}:{port} --load stream:size=128K -t {seconds} --no-probe --json --no-save",
            ),
            receiver(
                "bare tcp-recv {address}:{port} 131072",
                "bare tcp-send {address}:{port} 131072 {seconds}",
            ),
            iperf3("iperf3 -c {address} -p {port} -t {seconds} -l 131072 -J"),
        ],
        bars: &[
            ratio(BitsPerSecond, "bare", AtLeast(0.98)),
            ratio(BitsPerSecond, "iperf3", AtLeast(1.0)),
        ],
    },
    Contest {
        name: "udp-64",
        title: "datagrams of 64 B, one a call, as fast as it goes",
        ground: Ground::Loopback,
        seconds: 3,
        meter: None,
        connections: None,
        traced: false,
        contenders: &[
            netdyno(
                "netdyno run {address}:{port} --load udp-stream:size=64 -t {seconds} --no-probe --json --no-save",
            ),
            receiver(
                "bare udp-recv {address}:{port} 64",
                "bare udp-send {address}:{port} 64 {seconds}",
            ),
            iperf3("iperf3 -c {address} -p {port} -u -t {seconds} -l 64 -b 0 -J"),
        ],
        bars: UDP_BARS,
    },
    Contest {
        name: "udp-1400",
        title: "datagrams of 1400 B, one a call, as fast as it goes",
        ground: Ground::Loopback,
        seconds: 3,
        meter: None,
        connections: None,
        traced: false,
        contenders: &[
            netdyno(
                "netdyno run {address}:{port} --load udp-stream:size=1400 -t {seconds} --no-probe --json --no-save",
            ),
            receiver(
                "bare udp-recv {address}:{port} 1400",
                "bare udp-send {address}:{port} 1400 {seconds}",
            ),
            iperf3("iperf3 -c {address} -p {port} -u -t {seconds} -l 1400 -b 0 -J"),
        ],
        bars: UDP_BARS,
    },
    Contest {
        name: "rr",
        title: "one byte to and fro over one connection",
        ground: Ground::Loopback,
        seconds: 3,
        meter: None,
        connections: None,
        traced: false,
        contenders: &[
            netdyno(
                "netdyno run {address}:{port} --load rr -t {seconds} --no-probe --json --no-save",
            ),
            Contender {
                name: "bare",
                server: "bare rr-answer {address}:{port} 1",
                client: "bare rr-ask {address}:{port} 1 {seconds}",
                reading: Reading::BareAsker,
            },
            Contender {
                name: "netperf",
                server: "netserver -D -4 -p {port}",
                client: "netperf -H {address} -p {port} -t TCP_RR -l {seconds} -P 0 -v 0",
                reading: Reading::NetperfRate,
            },
        ],
        bars: &[
            ratio(TransactionsPerSecond, "bare", AtLeast(0.97)),
            ratio(TransactionsPerSecond, "netperf", AtLeast(1.0)),
        ],
    },
    Contest {
        name: "cpu-pace",
        title: "client CPU at 1 Gbit/s TCP, paced by the kernel (iperf2 by itself)",
        ground: Ground::Loopback,
        seconds: 5,
        meter: None,
        connections: None,
        traced: false,
        contenders: CPU_PACE,
        bars: PACE_BARS,
    },
    Contest {
        name: "cpu-pace-testbed",
        title: "the same between two network namespaces",
        ground: Ground::Namespaces,
        seconds: 5,
        meter: None,
        connections: None,
        traced: false,
        contenders: CPU_PACE,
        bars: PACE_BARS,
    },
    Contest {
        name: "cpu-rate",
        title: "client CPU at 1 Gbit/s TCP, paced by the tool",
        ground: Ground::Loopback,
        seconds: 5,
        meter: None,
        connections: None,
        traced: false,
        contenders: CPU_RATE,
        bars: RATE_BARS,
    },
    Contest {
        name: "cpu-rate-testbed",
        title: "the same between two network namespaces",
        ground: Ground::Namespaces,
        seconds: 5,
        meter: None,
        connections: None,
        traced: false,
        contenders: CPU_RATE,
        bars: RATE_BARS,
    },
    Contest {
        name: "udp-100m",
        title: "client CPU and gaps at 100 Mbit/s of 1470 B datagrams",
        ground: Ground::Loopback,
        seconds: 5,
        // The meter's share of the work in the sender's context is the same for all.
        meter: Some(METER),
        connections: None,
        traced: false,
        contenders: UDP_100M,
        bars: &[
            ratio(ClientCpuSeconds, "iperf2", AtMost(0.5)),
            ratio(ClientCpuSeconds, "iperf3", AtMost(0.5)),
            ratio(GapErrorP99Ns, "iperf2", AtMost(1.0)),
            ratio(GapErrorP99Ns, "iperf3", AtMost(1.0)),
        ],
    },
    Contest {
        name: "flow-memory",
        title: "memory of 1000 flows that the kernel paces",
        ground: Ground::Loopback,
        seconds: 3,
        meter: None,
        connections: None,
        traced: false,
        contenders: &[
            Contender {
                name: "1000 flows",
                ..netdyno(
                    "netdyno run {address}:{port} --load stream:size=128K,flows=1000,pace=1M -t {seconds} --no-probe --json --no-save",
                )
            },
            Contender {
                name: "one flow",
                ..netdyno(
                    "netdyno run {address}:{port} --load stream:size=128K,flows=1,pace=1M -t {seconds} --no-probe --json --no-save",
                )
            },
        ],
        bars: &[Bar {
            metric: ClientPeakBytes,
            rival: "one flow",
            relation: Relation::DifferencePer(999),
            bound: AtMost(16384.0),
        }],
    },
    Contest {
        name: "reporter",
        title: "one TCP flow with intervals of 10 ms, and without any",
        ground: Ground::Loopback,
        seconds: 3,
        meter: None,
        connections: None,
        traced: false,
        contenders: &[
            Contender {
                name: "every 10 ms",
                ..netdyno(
                    "netdyno run {address}:{port} --load stream:size=128K -t {seconds} --interval 10ms --no-probe --json --no-save",
                )
            },
            Contender {
                name: "no intervals",
                ..netdyno(
                    "netdyno run {address}:{port} --load stream:size=128K -t {seconds} --interval 0 --no-probe --json --no-save",
                )
            },
        ],
        bars: &[ratio(BitsPerSecond, "no intervals", AtLeast(0.99))],
    },
    Contest {
        name: "observe",
        title: "one TCP flow with both hosts read ten times a second, and not at all",
        ground: Ground::Namespaces,
        seconds: 3,
        connections: None,
        traced: false,
        meter: None,
        contenders: &[
            Contender {
                name: "observed",
                ..netdyno(
                    "netdyno run {address}:{port} --load stream:size=128K -t {seconds} --interval 100ms --no-probe --json --no-save",
                )
            },
            Contender {
                name: "unobserved",
                ..netdyno(
                    "netdyno run {address}:{port} --load stream:size=128K -t {seconds} --interval 100ms --no-observe --no-probe --json --no-save",
                )
            },
        ],
        bars: &[ratio(BitsPerSecond, "unobserved", AtLeast(0.99))],
    },
    Contest {
        name: "observe-cpu",
        title: "client CPU at 100 Mbit/s TCP with the host read ten times a second, and not at all",
        ground: Ground::Namespaces,
        seconds: 5,
        connections: None,
        traced: false,
        meter: None,
        contenders: &[
            Contender {
                name: "observed",
                ..netdyno(
                    "netdyno run {address}:{port} --load stream:size=128K,pace=100M -t {seconds} --interval 100ms --no-probe --json --no-save",
                )
            },
            Contender {
                name: "unobserved",
                ..netdyno(
                    "netdyno run {address}:{port} --load stream:size=128K,pace=100M -t {seconds} --interval 100ms --no-observe --no-probe --json --no-save",
                )
            },
        ],
        // CPU seconds in each second of the run: half a percent.
        bars: &[Bar {
            metric: ClientCpuSeconds,
            rival: "unobserved",
            relation: Relation::DifferencePer(5),
            bound: AtMost(0.005),
        }],
    },
    Contest {
        name: "explain-locks",
        title: "datagrams of 128 B with waits for locks traced, and not (both ends trace one kernel)",
        ground: Ground::Namespaces,
        seconds: 3,
        connections: None,
        traced: false,
        meter: None,
        contenders: &[
            Contender {
                name: "traced",
                ..netdyno(
                    "netdyno run {address}:{port} --load udp-stream:size=128,flows=2 -t {seconds} --explain locks --no-probe --json --no-save",
                )
            },
            Contender {
                name: "untraced",
                ..netdyno(
                    "netdyno run {address}:{port} --load udp-stream:size=128,flows=2 -t {seconds} --no-probe --json --no-save",
                )
            },
        ],
        bars: &[ratio(SentMessagesPerSecond, "untraced", AtLeast(0.9))],
    },
];

/// The contests of these names or families, in the order of the catalogue; all when there are no
/// names.
pub fn named(names: &[String]) -> Result<Vec<&'static Contest>> {
    let all = || {
        CONTESTS
            .iter()
            .chain(&netperf::CONTESTS)
            .chain(&iperf2::CONTESTS)
            .chain(&iperf3::CONTESTS)
    };
    if let Some(unknown) = names
        .iter()
        .find(|name| !all().any(|contest| is_of(contest, name)))
    {
        let known: Vec<_> = all().map(|contest| contest.name).collect();
        bail!(
            "'{unknown}' is not a contest; there are: {}",
            known.join(", ")
        );
    }
    Ok(all()
        .filter(|contest| names.is_empty() || names.iter().any(|name| is_of(contest, name)))
        .collect())
}

/// Whether a contest has this name, or is one of the family of this name.
fn is_of(contest: &Contest, name: &str) -> bool {
    let rest = contest.name.strip_prefix(name);
    rest.is_some_and(|rest| {
        rest.is_empty()
            || ([netperf::FAMILY, iperf2::FAMILY, iperf3::FAMILY].contains(&name)
                && rest.starts_with('-'))
    })
}

const fn netdyno(client: &'static str) -> Contender {
    Contender {
        name: "netdyno",
        server: SERVE,
        client,
        reading: Reading::Netdyno,
    }
}

const fn receiver(server: &'static str, client: &'static str) -> Contender {
    Contender {
        name: "bare",
        server,
        client,
        reading: Reading::BareStream,
    }
}

const fn iperf3(client: &'static str) -> Contender {
    Contender {
        name: "iperf3",
        server: IPERF3,
        client,
        reading: Reading::Iperf3,
    }
}

const fn ratio(metric: Metric, rival: &'static str, bound: Bound) -> Bar {
    Bar {
        metric,
        rival,
        relation: Relation::Ratio,
        bound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rival_takes_part_and_names_are_unique() {
        for (at, contest) in CONTESTS.iter().enumerate() {
            assert!(
                CONTESTS[..at]
                    .iter()
                    .all(|other| other.name != contest.name)
            );
            for bar in contest.bars {
                let rival = contest
                    .contenders
                    .iter()
                    .skip(1)
                    .find(|c| c.name == bar.rival);
                assert!(rival.is_some(), "{}: {}", contest.name, bar.rival);
            }
            for (at, contender) in contest.contenders.iter().enumerate() {
                let before = &contest.contenders[..at];
                assert!(before.iter().all(|other| other.name != contender.name));
            }
        }
    }

    #[test]
    fn names_select() {
        let all = CONTESTS.len()
            + netperf::CONTESTS.len()
            + iperf2::CONTESTS.len()
            + iperf3::CONTESTS.len();
        assert_eq!(named(&[]).unwrap().len(), all);
        let some = named(&["rr".to_owned(), "tcp-stream".to_owned()]).unwrap();
        let names: Vec<_> = some.iter().map(|contest| contest.name).collect();
        assert_eq!(names, ["tcp-stream", "rr"]);
        assert!(named(&["tcp".to_owned()]).is_err());
    }
}
