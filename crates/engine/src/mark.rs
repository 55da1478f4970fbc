//! One load's figures at one instant. Differences of two marks are what a window or an interval
//! counted.

use record::{Buckets, Counters, LoadEdge, TcpInfo, UdpCounters};
use sys::clock;
use units::Nanos;

use crate::crew::{FlowHandle, LoadCrew, socket_drops};
use crate::flow::Timings;

/// Flows beyond which an edge does without each socket's own figures: at 10,000 flows TCP_INFO
/// alone would take the coordinator 3 ms.
const FLOWS_READ: usize = 256;
/// Flows beyond which an edge does without per-flow counts.
const FLOWS_SHOWN: usize = 128;

/// A reading that took less is one of a single instant: a thousandth of the usual interval.
const AT_ONCE: Nanos = Nanos::from_millis(1);
/// How often a reading is repeated. One of very many flows always takes longer.
const READ_AGAIN: u32 = 2;

/// Where the figures of a mark are read.
pub(crate) struct Sight<'a> {
    pub flows: Vec<&'a FlowHandle>,
    /// One per asking worker.
    pub timings: &'a [Timings],
    /// This end asks.
    pub asks: bool,
    /// This end learns from sequence numbers.
    pub sequenced: bool,
}

/// A load's figures.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mark {
    pub at: Nanos,
    pub flows: Vec<FlowMark>,
    pub response: Buckets,
    pub service: Buckets,
}

/// Values of `tcpi_state` in which our FIN may have been acknowledged (include/net/tcp_states.h):
/// FIN_WAIT2, TIME_WAIT, CLOSE.
const FIN_ACKED: [u64; 3] = [5, 6, 7];

/// A flow's figures.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FlowMark {
    pub counters: Counters,
    /// Acknowledged payload bytes.
    pub acked: Option<u64>,
    pub tcp_info: Option<TcpInfo>,
    pub udp: Option<UdpCounters>,
    /// Sum and number of response times.
    pub responses: (u64, u64),
    pub unanswered: u64,
}

impl<'a> Sight<'a> {
    fn of(load: &'a LoadCrew) -> Self {
        Self {
            flows: load.flows.iter().collect(),
            timings: &load.timings,
            asks: load.asks(),
            sequenced: load.receives_datagrams(),
        }
    }

    /// Reads what an interval needs.
    pub fn light(&self) -> Mark {
        self.read(self.flows.len() <= FLOWS_READ)
    }

    /// Reads everything.
    pub fn whole(&self) -> Mark {
        self.read(true)
    }

    /// The figures of one mark belong to one instant. On a busy machine the coordinator may be
    /// taken off its CPU between two of them; then they are read again.
    fn read(&self, sockets: bool) -> Mark {
        let mut mark = self.read_once(sockets);
        for _ in 0..READ_AGAIN {
            if clock::now() - mark.at < AT_ONCE {
                break;
            }
            mark = self.read_once(sockets);
        }
        mark
    }

    fn read_once(&self, sockets: bool) -> Mark {
        let merged = |pick: fn(&Timings) -> &crate::histogram::Histogram| {
            let parts = self.timings.iter().map(|timings| pick(timings).read());
            parts.reduce(|a, b| a.with(&b)).unwrap_or_default()
        };
        Mark {
            at: clock::now(),
            flows: self
                .flows
                .iter()
                .map(|flow| self.read_flow(flow, sockets))
                .collect(),
            response: merged(|timings| &timings.response),
            service: merged(|timings| &timings.service),
        }
    }

    fn read_flow(&self, flow: &FlowHandle, sockets: bool) -> FlowMark {
        let socket = flow.socket.as_ref().filter(|_| sockets);
        let tcp_info = socket.and_then(|socket| sys::tcp_info(&**socket).ok());
        let counters = flow.tally.counters(self.asks);
        let acked = tcp_info.and_then(|info| {
            let bytes = info.tcpi_bytes_acked?.saturating_sub(flow.acked_before);
            // Our FIN counts as a byte; by then all is written.
            let fin_acked = info
                .tcpi_state
                .is_some_and(|state| FIN_ACKED.contains(&state));
            Some(if fin_acked {
                bytes.min(counters.written_bytes)
            } else {
                bytes
            })
        });
        let drops = || socket.and_then(|_| socket_drops(flow));
        FlowMark {
            counters,
            acked,
            tcp_info,
            udp: self.sequenced.then(|| flow.tally.udp(drops())),
            responses: flow.tally.responses(),
            unanswered: flow.tally.unanswered(),
        }
    }
}

impl Mark {
    /// Reads everything of a load.
    pub fn whole(load: &LoadCrew) -> Self {
        Sight::of(load).whole()
    }

    /// Reads what an interval of a load needs.
    pub fn light(load: &LoadCrew) -> Self {
        Sight::of(load).light()
    }

    /// Sum of the flows' counters.
    pub fn counters(&self) -> Counters {
        self.flows
            .iter()
            .fold(Counters::default(), |sum, flow| sum + flow.counters)
    }

    /// Sum of acknowledged bytes; none unless every flow has it.
    pub fn acked(&self) -> Option<u64> {
        self.flows
            .iter()
            .map(|flow| flow.acked)
            .sum::<Option<u64>>()
            .filter(|_| !self.flows.is_empty())
    }

    /// Sum of retransmitted segments; none unless every flow has it.
    pub fn retransmits(&self) -> Option<u64> {
        let each = self
            .flows
            .iter()
            .map(|flow| flow.tcp_info?.tcpi_total_retrans);
        each.sum::<Option<u64>>().filter(|_| !self.flows.is_empty())
    }

    /// Sequence facts of all flows together: sums, maximum of depths, mean of jitters.
    pub fn udp(&self) -> Option<UdpCounters> {
        let each: Vec<UdpCounters> = self.flows.iter().filter_map(|flow| flow.udp).collect();
        let first = each.first()?;
        let jitters: Vec<u64> = each.iter().filter_map(|udp| udp.jitter_ns).collect();
        let sum = each[1..].iter().fold(*first, |sum, udp| UdpCounters {
            received: sum.received + udp.received,
            duplicate: sum.duplicate + udp.duplicate,
            reordered: sum.reordered + udp.reordered,
            reorder_depth_max: sum.reorder_depth_max.max(udp.reorder_depth_max),
            highest_plus_one: sum.highest_plus_one + udp.highest_plus_one,
            malformed: sum.malformed + udp.malformed,
            socket_drops: sum.socket_drops.zip(udp.socket_drops).map(|(a, b)| a + b),
            jitter_ns: None,
        });
        let mean = |values: &[u64]| values.iter().sum::<u64>().checked_div(values.len() as u64);
        Some(UdpCounters {
            jitter_ns: mean(&jitters),
            ..sum
        })
    }

    /// What an edge tells: cumulative counts, and the response times since `before`.
    pub fn edge(&self, before: &Buckets) -> LoadEdge {
        let mean = |pick: fn(&TcpInfo) -> Option<u64>| {
            let values: Vec<u64> = self
                .flows
                .iter()
                .filter_map(|flow| pick(flow.tcp_info.as_ref()?))
                .collect();
            values.iter().sum::<u64>().checked_div(values.len() as u64)
        };
        let shown = self.flows.len() <= FLOWS_SHOWN;
        let fresh = self.response.since(before);
        LoadEdge {
            counters: self.counters(),
            acked_bytes: self.acked(),
            retransmits: self.retransmits(),
            rtt_us: mean(|info| info.tcpi_rtt),
            cwnd_segments: mean(|info| info.tcpi_snd_cwnd),
            udp: self.udp(),
            latency: (!fresh.0.is_empty()).then(|| fresh.latency()),
            flows: if shown {
                self.flows.iter().map(|f| f.counters).collect()
            } else {
                Vec::new()
            },
        }
    }
}
