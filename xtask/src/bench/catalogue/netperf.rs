//! netdyno by netperf's name against netperf itself, each with a server of its own.

use super::{AtLeast, AtMost, ratio};
use crate::bench::contest::{Bar, Contender, Contest, Ground, Relation};
use crate::bench::reading::Reading;

use crate::bench::contest::Metric::{
    BitsPerSecond, ClientCpuPerBit, ClientPeakShare, MessagesPerSecond, SentMessagesPerSecond,
    StartSeconds, TransactionsPerSecond, WorstRateError,
};

/// What names all of them.
pub const FAMILY: &str = "netperf";

const OURS: &str = "netdyno netserver -D -4 -p {port}";
const NETSERVER: &str = "netserver -D -4 -p {port}";

const AT_LEAST_SENT: Bar = ratio(SentMessagesPerSecond, "netperf", AtLeast(1.0));
const AT_LEAST_RECEIVED: Bar = ratio(MessagesPerSecond, "netperf", AtLeast(1.0));

pub static CONTESTS: [Contest; 10] = [
    Contest {
        name: "netperf-udp-6",
        title: "UDP_STREAM of 6 B, one flow",
        ground: Ground::Namespaces,
        seconds: 3,
        meter: None,
        connections: None,
        traced: false,
        contenders: &[
            netdyno(
                OURS,
                "netdyno netperf -H {address} -p {port} -t UDP_STREAM -l {seconds} -P 0 -- -m 6 -k LOCAL_SEND_CALLS,REMOTE_RECV_CALLS,ELAPSED_TIME",
                Reading::NetperfKeys,
            ),
            netperf(
                "netperf -H {address} -p {port} -t UDP_STREAM -l {seconds} -P 0 -- -m 6 -k LOCAL_SEND_CALLS,REMOTE_RECV_CALLS,ELAPSED_TIME",
                Reading::NetperfKeys,
            ),
        ],
        bars: &[AT_LEAST_SENT, AT_LEAST_RECEIVED],
    },
    Contest {
        name: "netperf-udp-6-8",
        title: "UDP_STREAM of 6 B, eight flows",
        ground: Ground::Namespaces,
        seconds: 3,
        meter: None,
        connections: None,
        traced: false,
        contenders: &[
            netdyno(
                OURS,
                "netdyno super_netperf 8 -H {address} -p {port} -t UDP_STREAM -l {seconds} -- -m 6",
                Reading::NetperfMbits,
            ),
            netperf(
                "netperfs.sh 8 -H {address} -p {port} -t UDP_STREAM -l {seconds} -- -m 6",
                Reading::NetperfMbits,
            ),
        ],
        bars: &[ratio(BitsPerSecond, "netperf", AtLeast(1.0))],
    },
    Contest {
        name: "netperf-udp-64",
        title: "UDP_STREAM of 64 B, one flow",
        ground: Ground::Namespaces,
        seconds: 3,
        meter: None,
        connections: None,
        traced: false,
        contenders: &[
            netdyno(
                OURS,
                "netdyno netperf -H {address} -p {port} -t UDP_STREAM -l {seconds} -P 0 -- -m 64 -k LOCAL_SEND_CALLS,REMOTE_RECV_CALLS,ELAPSED_TIME",
                Reading::NetperfKeys,
            ),
            netperf(
                "netperf -H {address} -p {port} -t UDP_STREAM -l {seconds} -P 0 -- -m 64 -k LOCAL_SEND_CALLS,REMOTE_RECV_CALLS,ELAPSED_TIME",
                Reading::NetperfKeys,
            ),
        ],
        bars: &[AT_LEAST_SENT, AT_LEAST_RECEIVED],
    },
    Contest {
        name: "netperf-udp-64-8",
        title: "UDP_STREAM of 64 B, eight flows",
        ground: Ground::Namespaces,
        seconds: 3,
        meter: None,
        connections: None,
        traced: false,
        contenders: &[
            netdyno(
                OURS,
                "netdyno super_netperf 8 -H {address} -p {port} -t UDP_STREAM -l {seconds} -- -m 64",
                Reading::NetperfMbits,
            ),
            netperf(
                "netperfs.sh 8 -H {address} -p {port} -t UDP_STREAM -l {seconds} -- -m 64",
                Reading::NetperfMbits,
            ),
        ],
        bars: &[ratio(BitsPerSecond, "netperf", AtLeast(1.0))],
    },
    Contest {
        name: "netperf-udp-1400",
        title: "UDP_STREAM of 1400 B, one flow",
        ground: Ground::Namespaces,
        seconds: 3,
        meter: None,
        connections: None,
        traced: false,
        contenders: &[
            netdyno(
                OURS,
                "netdyno netperf -H {address} -p {port} -t UDP_STREAM -l {seconds} -P 0 -- -m 1400 -k LOCAL_SEND_CALLS,REMOTE_RECV_CALLS,ELAPSED_TIME",
                Reading::NetperfKeys,
            ),
            netperf(
                "netperf -H {address} -p {port} -t UDP_STREAM -l {seconds} -P 0 -- -m 1400 -k LOCAL_SEND_CALLS,REMOTE_RECV_CALLS,ELAPSED_TIME",
                Reading::NetperfKeys,
            ),
        ],
        bars: &[AT_LEAST_SENT, AT_LEAST_RECEIVED],
    },
    Contest {
        name: "netperf-udp-1400-8",
        title: "UDP_STREAM of 1400 B, eight flows",
        ground: Ground::Namespaces,
        seconds: 3,
        meter: None,
        connections: None,
        traced: false,
        contenders: &[
            netdyno(
                OURS,
                "netdyno super_netperf 8 -H {address} -p {port} -t UDP_STREAM -l {seconds} -- -m 1400",
                Reading::NetperfMbits,
            ),
            netperf(
                "netperfs.sh 8 -H {address} -p {port} -t UDP_STREAM -l {seconds} -- -m 1400",
                Reading::NetperfMbits,
            ),
        ],
        bars: &[ratio(BitsPerSecond, "netperf", AtLeast(1.0))],
    },
    Contest {
        name: "netperf-rr",
        title: "TCP_RR",
        ground: Ground::Namespaces,
        seconds: 3,
        meter: None,
        connections: None,
        traced: false,
        contenders: &[
            netdyno(
                OURS,
                "netdyno netperf -H {address} -p {port} -t TCP_RR -l {seconds} -P 0 -v 0",
                Reading::NetperfRate,
            ),
            netperf(
                "netperf -H {address} -p {port} -t TCP_RR -l {seconds} -P 0 -v 0",
                Reading::NetperfRate,
            ),
        ],
        bars: &[ratio(TransactionsPerSecond, "netperf", AtLeast(1.0))],
    },
    Contest {
        name: "netperf-stream",
        title: "TCP_STREAM",
        ground: Ground::Namespaces,
        seconds: 3,
        meter: None,
        connections: None,
        traced: false,
        contenders: &[
            netdyno(
                OURS,
                "netdyno netperf -H {address} -p {port} -t TCP_STREAM -l {seconds} -P 0 -v 0",
                Reading::NetperfMbits,
            ),
            netperf(
                "netperf -H {address} -p {port} -t TCP_STREAM -l {seconds} -P 0 -v 0",
                Reading::NetperfMbits,
            ),
        ],
        bars: &[ratio(BitsPerSecond, "netperf", AtLeast(1.0))],
    },
    Contest {
        name: "netperf-paced-500",
        title: "500 flows of 300 kB/s, each paced by the kernel: ours in one process, and 500 netperf processes",
        ground: Ground::Namespaces,
        seconds: 10,
        meter: None,
        connections: None,
        traced: false,
        contenders: &[
            netdyno(
                OURS,
                "netdyno super_netperf 500 --detail --google-pacing-rate 300000 -H {address} -p {port} -l {seconds}",
                Reading::NetperfDetail(300_000),
            ),
            netperf(
                "bare netperfs 500 300000 -- -H {address} -p {port} -l {seconds}",
                Reading::NetperfMbits,
            ),
        ],
        bars: &[
            ratio(ClientCpuPerBit, "netperf", AtMost(0.5)),
            ratio(ClientPeakShare, "netperf", AtMost(0.05)),
            Bar {
                metric: WorstRateError,
                rival: "netdyno",
                relation: Relation::Ours,
                bound: AtMost(0.01),
            },
        ],
    },
    Contest {
        name: "netperf-start-500",
        title: "from the command to 500 flows at a netserver (1000 connections)",
        ground: Ground::Namespaces,
        seconds: 3,
        meter: None,
        connections: Some(1000),
        traced: false,
        contenders: &[
            netdyno(
                NETSERVER,
                "netdyno super_netperf 500 -H {address} -p {port} -t TCP_RR -l {seconds}",
                Reading::NetperfRate,
            ),
            netperf(
                "netperfs.sh 500 -H {address} -p {port} -t TCP_RR -l {seconds} --",
                Reading::NetperfRate,
            ),
        ],
        bars: &[ratio(StartSeconds, "netperf", AtMost(0.2))],
    },
];

const fn netdyno(server: &'static str, client: &'static str, reading: Reading) -> Contender {
    Contender {
        name: "netdyno",
        server,
        client,
        reading,
    }
}

const fn netperf(client: &'static str, reading: Reading) -> Contender {
    Contender {
        name: "netperf",
        server: NETSERVER,
        client,
        reading,
    }
}
