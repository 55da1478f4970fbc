//! iperf3 against netdyno in iperf3's role, both ends of the same make.

use super::{AtLeast, AtMost, ratio};
use crate::bench::contest::Metric::{
    BitsPerSecond, ClientCpuPerBit, ClientCpuSeconds, GapErrorP99Ns, LostShare, MessagesPerSecond,
};
use crate::bench::contest::{Bar, Contender, Contest, Ground, Meter, Relation};
use crate::bench::reading::Reading;

/// The name that stands for all of them.
pub(super) const FAMILY: &str = "iperf3";

const TCP_BARS: &[Bar] = &[
    ratio(BitsPerSecond, "iperf3", AtLeast(1.0)),
    ratio(ClientCpuPerBit, "iperf3", AtMost(1.0)),
];
const UDP_BARS: &[Bar] = &[
    ratio(MessagesPerSecond, "iperf3", AtLeast(1.2)),
    ratio(ClientCpuPerBit, "iperf3", AtMost(1.0)),
];

/// The same words for both.
macro_rules! pair {
    ($words:expr) => {
        &[
            Contender {
                name: "netdyno",
                server: "netdyno iperf3 -s -1 -p {port}",
                client: concat!(
                    "netdyno iperf3 -c {address} -p {port} -t {seconds} -J ",
                    $words
                ),
                reading: Reading::Iperf3,
            },
            Contender {
                name: "iperf3",
                server: "iperf3 -s -1 -p {port}",
                client: concat!("iperf3 -c {address} -p {port} -t {seconds} -J ", $words),
                reading: Reading::Iperf3,
            },
        ]
    };
}

pub(super) static CONTESTS: [Contest; 6] = [
    Contest {
        name: "iperf3-tcp-1",
        title: "iperf3's protocol: one TCP flow",
        ground: Ground::Loopback,
        seconds: 3,
        meter: None,
        connections: None,
        traced: false,
        contenders: pair!("-P 1"),
        bars: TCP_BARS,
    },
    Contest {
        name: "iperf3-tcp-8",
        title: "iperf3's protocol: eight TCP flows",
        ground: Ground::Loopback,
        seconds: 3,
        meter: None,
        connections: None,
        traced: false,
        contenders: pair!("-P 8"),
        bars: TCP_BARS,
    },
    Contest {
        name: "iperf3-udp-1",
        title: "iperf3's protocol: one flow of 1400 B datagrams, as fast as it goes",
        ground: Ground::Loopback,
        seconds: 3,
        meter: None,
        connections: None,
        traced: false,
        contenders: pair!("-u -b 0 -l 1400 -P 1"),
        bars: UDP_BARS,
    },
    Contest {
        name: "iperf3-udp-8",
        title: "iperf3's protocol: eight flows of 1400 B datagrams, as fast as they go",
        ground: Ground::Loopback,
        seconds: 3,
        meter: None,
        connections: None,
        traced: false,
        contenders: pair!("-u -b 0 -l 1400 -P 8"),
        bars: UDP_BARS,
    },
    Contest {
        name: "iperf3-udp-500m",
        title: "iperf3's protocol: gaps and client CPU at 500 Mbit/s of 1400 B datagrams",
        ground: Ground::Loopback,
        seconds: 5,
        connections: None,
        traced: false,
        meter: Some(Meter {
            payload_bytes: 1400,
            // 1400 * 8 / 5e8 s.
            gap_ns: 22_400,
        }),
        contenders: pair!("-u -b 500000000 -l 1400"),
        bars: &[
            ratio(GapErrorP99Ns, "iperf3", AtMost(1.0)),
            ratio(ClientCpuSeconds, "iperf3", AtMost(1.0)),
        ],
    },
    Contest {
        name: "iperf3-udp-queue",
        title: "iperf3's protocol: loss of 500 Mbit/s of 1400 B datagrams in a queue of 6 kB",
        ground: Ground::SmallQueue,
        seconds: 5,
        meter: None,
        connections: None,
        traced: false,
        contenders: pair!("-u -b 500000000 -l 1400"),
        bars: &[
            Bar {
                metric: LostShare,
                rival: "iperf3",
                relation: Relation::DifferencePer(1),
                bound: AtMost(0.0),
            },
            ratio(ClientCpuSeconds, "iperf3", AtMost(1.0)),
        ],
    },
];
