//! A test as a run of the store, in netdyno's own words.

use std::net::IpAddr;

use engine::iperf3::{Interval, Outcome, StreamInterval, StreamOutcome};
use plan::Plan;
use proto::iperf3::{Direction, Parameters, Protocol, StreamResult};
use record::{
    Counters, Edge, End, EndReport, Event, FlowReport, LoadEdge, LoadReport, Phase, UdpCounters,
};
use units::Nanos;

use super::told::Told;
use crate::commands::keep::Keeper;

/// Keeps one test of this end.
pub(super) struct Kept {
    keeper: Keeper,
    /// Which end this is.
    here: End,
    /// Whether this end sends on the streams of each load.
    loads: Vec<bool>,
    /// What the loads have counted so far, since data began to move.
    sums: Vec<LoadEdge>,
    parameters: Parameters,
    /// How long nothing counts.
    omit: Nanos,
    udp: bool,
}

impl Kept {
    /// Opens a stored run; `plan` is the test in netdyno's own words.
    pub fn begin(
        plan: Result<Plan, String>,
        parameters: &Parameters,
        argv: &[String],
        here: End,
        peer: IpAddr,
    ) -> Self {
        let mut keeper = Keeper::of_environment();
        keeper.begin(plan, argv, here, Some(peer));
        let client_sends: &[bool] = match parameters.direction {
            Direction::Forward => &[true],
            Direction::Reverse => &[false],
            Direction::Both => &[true, false],
        };
        let is_client = here == End::Client;
        let loads: Vec<bool> = client_sends
            .iter()
            .map(|sends| *sends == is_client)
            .collect();
        Self {
            keeper,
            here,
            sums: loads.iter().map(|_| LoadEdge::default()).collect(),
            loads,
            parameters: parameters.clone(),
            omit: parameters.omit,
            udp: parameters.protocol == Protocol::Udp,
        }
    }

    /// Data begins to move.
    pub fn start(&mut self) {
        self.keeper.start();
    }

    /// An interval is over.
    pub fn interval(&mut self, interval: &Interval) {
        for (sends, sum) in self.loads.iter().zip(&mut self.sums) {
            let streams = interval.streams.iter();
            add(
                sum,
                streams.filter(|stream| stream.sends == *sends),
                self.udp,
            );
        }
        let phase = if interval.omitted {
            Phase::Omit
        } else {
            Phase::Measure
        };
        let at = match interval.omitted {
            true => interval.end,
            false => self.omit + interval.end,
        };
        self.keeper.take(Event::Edge(Edge {
            end: self.here,
            at_ns: at.get(),
            phase,
            cpu: None,
            loads: self.sums.clone(),
        }));
        if interval.last {
            self.keeper.through();
        }
    }

    /// The test is over; the other end's figures are those that it has told.
    pub fn finish(
        mut self,
        outcome: Option<&Outcome>,
        status: record::Status,
        reason: Option<String>,
    ) {
        if let Some(outcome) = outcome {
            for end in End::BOTH {
                if end != self.here && outcome.remote.is_none() {
                    continue;
                }
                self.keeper
                    .take(Event::Report(Box::new(self.report(end, outcome))));
            }
        }
        self.keeper.finish(status, reason);
    }

    fn report(&self, end: End, outcome: &Outcome) -> EndReport {
        let loads = self.loads.iter().map(|sends| {
            let streams: Vec<&StreamOutcome> = outcome
                .streams
                .iter()
                .filter(|stream| stream.sends == *sends)
                .collect();
            self.load_report(end, outcome, &streams)
        });
        EndReport {
            end,
            cpu: None,
            interface: None,
            loads: loads.collect(),
            memory_per_flow_bytes: None,
            workers: None,
        }
    }

    fn load_report(&self, end: End, outcome: &Outcome, streams: &[&StreamOutcome]) -> LoadReport {
        let here = end == self.here;
        let rows: Vec<FlowReport> = streams
            .iter()
            .map(|stream| match here {
                true => self.own_flow(stream),
                false => self.told_flow(stream, outcome),
            })
            .collect();
        let sum = |of: fn(&FlowReport) -> Counters| {
            let counters = rows.iter().map(of);
            counters.fold(Counters::default(), |sum, one| sum + one)
        };
        let total_udp = rows
            .iter()
            .filter_map(|row| row.udp)
            .reduce(|sum, one| UdpCounters {
                received: sum.received + one.received,
                duplicate: sum.duplicate + one.duplicate,
                reordered: sum.reordered + one.reordered,
                highest_plus_one: sum.highest_plus_one + one.highest_plus_one,
                jitter_ns: sum.jitter_ns.max(one.jitter_ns),
                ..sum
            });
        let window = match here {
            true => outcome.window,
            false => streams
                .iter()
                .filter_map(|stream| told(stream, outcome)?.seconds)
                .map(|seconds| Nanos::new((seconds.max(0.0) * 1e9) as u64))
                .max()
                .unwrap_or(outcome.window),
        };
        let from = self.omit.get();
        // A peer tells what it has handed to its kernel.
        let acked: Option<u64> = match (self.udp, here) {
            (true, _) => None,
            (false, true) => streams.iter().map(|stream| stream.acked).sum(),
            (false, false) => Some(sum(|row| row.counted).written_bytes),
        };
        let sends = streams.iter().any(|stream| stream.sends) == here;
        LoadReport {
            window_ns: (from, from + window.get()),
            counted: sum(|row| row.counted),
            counted_acked_bytes: acked.filter(|_| sends),
            counted_retransmits: streams
                .iter()
                .map(|stream| match here {
                    true => stream.result.retransmits,
                    false => told(stream, outcome).and_then(|result| result.retransmits),
                })
                .sum(),
            counted_udp: total_udp,
            total: sum(|row| row.total),
            total_udp,
            congestion_control: match here {
                true => streams.iter().find_map(|stream| stream.congestion.clone()),
                false => outcome
                    .remote
                    .as_ref()
                    .and_then(|remote| remote.congestion.clone()),
            },
            flows: rows,
            ..LoadReport::default()
        }
    }

    /// What this end has counted of a stream.
    fn own_flow(&self, stream: &StreamOutcome) -> FlowReport {
        let udp = self.udp;
        let counters = |bytes, messages| match stream.sends {
            true => Counters {
                written_bytes: bytes,
                written_messages: messages,
                ..Counters::default()
            },
            false => Counters {
                received_bytes: bytes,
                received_messages: messages,
                ..Counters::default()
            },
        };
        let messages = match stream.sends {
            true => stream.packets,
            false => stream.packets.saturating_sub(stream.lost),
        };
        FlowReport {
            counted: counters(stream.result.bytes, if udp { messages } else { 0 }),
            total: stream.total,
            udp: (udp && !stream.sends)
                .then(|| received_datagrams(&stream.result, stream.out_of_order)),
            tcp_info: stream.tcp_info,
            client_port: Some(stream.client_port),
            ..FlowReport::default()
        }
    }

    /// What the other end tells of a stream: the other half of it.
    fn told_flow(&self, stream: &StreamOutcome, outcome: &Outcome) -> FlowReport {
        let Some(result) = told(stream, outcome) else {
            return FlowReport::default();
        };
        let sends = !stream.sends;
        let Told { packets, lost } = Told::of(result, stream, &self.parameters);
        let mut counted = Counters::default();
        if sends {
            counted.written_bytes = result.bytes;
            counted.written_messages = packets;
        } else {
            counted.received_bytes = result.bytes;
            counted.received_messages = packets.saturating_sub(lost.unwrap_or(0));
        }
        FlowReport {
            counted,
            // It tells nothing of the omitted time.
            total: counted,
            udp: (self.udp && !sends).then(|| received_datagrams(result, 0)),
            client_port: Some(stream.client_port),
            ..FlowReport::default()
        }
    }
}

fn told<'a>(stream: &StreamOutcome, outcome: &'a Outcome) -> Option<&'a StreamResult> {
    outcome.remote.as_ref()?.stream(stream.result.id)
}

fn received_datagrams(result: &StreamResult, out_of_order: u64) -> UdpCounters {
    let packets = result.packets.max(0).cast_unsigned();
    let lost = result.lost.max(0).cast_unsigned();
    UdpCounters {
        received: packets.saturating_sub(lost),
        reordered: out_of_order,
        highest_plus_one: packets,
        jitter_ns: Some((result.jitter_s * 1e9) as u64),
        ..UdpCounters::default()
    }
}

/// Adds an interval to what was counted so far.
fn add<'a>(sum: &mut LoadEdge, streams: impl Iterator<Item = &'a StreamInterval>, udp: bool) {
    let (mut rtts, mut windows, mut samples) = (0, 0, 0);
    for stream in streams {
        let packets = stream.datagrams.map_or(0, |datagrams| datagrams.packets);
        if stream.sends {
            sum.counters.written_bytes += stream.bytes;
            sum.counters.written_messages += packets;
        } else {
            sum.counters.received_bytes += stream.bytes;
            let lost = stream.datagrams.map_or(0, |datagrams| datagrams.lost);
            sum.counters.received_messages += packets.saturating_sub(lost);
            if udp {
                let counters = sum.udp.get_or_insert_default();
                counters.received += packets.saturating_sub(lost);
                counters.highest_plus_one += packets;
            }
        }
        if let Some(path) = &stream.path {
            if let Some(acked) = path.acked {
                *sum.acked_bytes.get_or_insert(0) += acked;
            }
            *sum.retransmits.get_or_insert(0) += path.retransmits;
            rtts += path.info.tcpi_rtt.unwrap_or(0);
            windows += path.info.tcpi_snd_cwnd.unwrap_or(0);
            samples += 1;
        }
    }
    sum.rtt_us = rtts.checked_div(samples);
    sum.cwnd_segments = windows.checked_div(samples);
}
