//! Intervals: what was added between two successive edges of one end.

use plan::Plan;
use record::{Counters, Edge, End, Interval, IntervalLoad, LoadEdge, Phase};

use crate::counted::{per_second, seconds, since};

/// Turns edges into intervals, one by one; live display, document and replay use the same.
#[derive(Debug, Clone)]
pub struct Intervals {
    plan: Plan,
    client: Option<Edge>,
    server: Option<Edge>,
}

impl Intervals {
    /// No edge seen yet: the first of each end closes the time since the common start.
    pub fn new(plan: &Plan) -> Self {
        Self {
            plan: plan.clone(),
            client: None,
            server: None,
        }
    }

    /// The interval that `edge` closes; none when no time passed since that end's edge before.
    pub fn close(&mut self, edge: &Edge) -> Option<Interval> {
        let last = match edge.end {
            End::Client => &mut self.client,
            End::Server => &mut self.server,
        };
        let before = last
            .replace(edge.clone())
            .unwrap_or_else(|| start(edge.end));
        (edge.at_ns > before.at_ns).then(|| Interval {
            end: edge.end,
            from_ns: before.at_ns,
            to_ns: edge.at_ns,
            phase: edge.phase,
            loads: self.loads(&before, edge),
        })
    }

    fn loads(&self, before: &Edge, edge: &Edge) -> Vec<IntervalLoad> {
        let length = seconds((before.at_ns, edge.at_ns));
        let nothing = LoadEdge::default();
        let load = |(index, load): (usize, &plan::Load)| {
            let then = before.loads.get(index).unwrap_or(&nothing);
            let now = edge.loads.get(index).unwrap_or(&nothing);
            let counters = now.counters - then.counters;
            let receives = edge.end.receives(load.kind);
            let flow_bytes = |(flow, now): (usize, &Counters)| {
                let then = then.flows.get(flow).map_or(0, |then| then.received_bytes);
                now.received_bytes.saturating_sub(then)
            };
            let flows = now.flows.iter().enumerate().filter(|_| receives);
            IntervalLoad {
                name: load.name.clone(),
                counters,
                received_bits_per_second: per_second(counters.received_bytes as f64 * 8.0, length)
                    .filter(|_| receives),
                acked_bytes: since(now.acked_bytes, then.acked_bytes),
                retransmits: since(now.retransmits, then.retransmits),
                rtt_us: now.rtt_us,
                cwnd_segments: now.cwnd_segments,
                lost: now
                    .udp
                    .map(|udp| udp.highest_plus_one.wrapping_sub(udp.received) as i64),
                jitter_ns: now.udp.and_then(|udp| udp.jitter_ns),
                latency: now.latency,
                flow_received_bytes: flows.map(flow_bytes).collect(),
            }
        };
        self.plan.loads.iter().enumerate().map(load).collect()
    }
}

/// The common start: every counter is zero.
fn start(end: End) -> Edge {
    Edge {
        end,
        at_ns: 0,
        phase: Phase::Idle,
        cpu: None,
        loads: Vec::new(),
    }
}
