//! A load's closing figures, from its marks.

use plan::Transport;
use record::{Buckets, End, FlowReport, GapError, IpVersion, LoadReport, UdpCounters};
use sys::Options;
use units::Nanos;

use crate::crew::{FlowHandle, LoadCrew};
use crate::mark::{FlowMark, Mark};
use crate::worker::Ended;

/// Outages kept in a report.
const OUTAGES: usize = 10;

/// What a report is made from.
pub(crate) struct Figures<'a> {
    pub end: End,
    pub load: &'a LoadCrew,
    pub origin: Nanos,
    /// The load ends with the measured time, not by itself.
    pub by_time: bool,
    /// Where counting began; none when the run ended before.
    pub begin: Option<&'a Mark>,
    pub stop: &'a Mark,
    /// After everything had ended.
    pub last: &'a Mark,
    pub idle: Option<Buckets>,
    pub ended: Vec<&'a Ended>,
}

/// The closing figures of one load at this end.
pub(crate) fn load_report(figures: Figures<'_>) -> LoadReport {
    let Figures {
        load,
        origin,
        begin,
        last,
        ..
    } = figures;
    let (until, until_at) = figures.until();
    let nothing = Mark {
        at: until_at,
        ..Mark::default()
    };
    let begin = begin.unwrap_or(&nothing);
    let since = |instant: Nanos| (instant - origin).get();
    let counted = until.counters() - begin.counters();
    let difference = |pick: fn(&Mark) -> Option<u64>| {
        Some(pick(until)?.saturating_sub(pick(begin).unwrap_or(0)))
    };
    let service = if load.is_open_loop() {
        &until.service
    } else {
        &until.response
    };
    let service_begin = if load.is_open_loop() {
        &begin.service
    } else {
        &begin.response
    };
    let mut outages: Vec<_> = figures
        .ended
        .iter()
        .flat_map(|e| e.outages.clone())
        .collect();
    outages.sort_by_key(|outage| std::cmp::Reverse(outage.length_ns));
    outages.truncate(OUTAGES);
    let broken: Vec<&String> = figures
        .ended
        .iter()
        .filter_map(|e| e.broken.as_ref())
        .collect();
    let first_socket = load.flows.iter().find_map(|flow| flow.socket.as_ref());
    let unanswered = || until.flows.iter().map(|f| f.unanswered).sum::<u64>();
    LoadReport {
        window_ns: (since(begin.at), since(until_at)),
        counted,
        counted_acked_bytes: difference(Mark::acked),
        counted_retransmits: difference(Mark::retransmits),
        counted_udp: until.udp().map(|udp| udp_since(udp, begin.udp())),
        total: last.counters(),
        total_udp: last.udp(),
        response: load.asks().then(|| until.response.since(&begin.response)),
        service: load.asks().then(|| service.since(service_begin)),
        idle: figures.idle.filter(|_| load.load.kind == plan::Kind::Probe),
        unanswered: (load.asks() && load.load.kind.transport() == Transport::Udp).then(unanswered),
        gap: gap(load),
        outages,
        congestion_control: first_socket
            .and_then(|socket| Options::of(&**socket).congestion_control().ok()),
        broken: broken.len() as u32,
        broken_reason: broken.first().map(|reason| (*reason).clone()),
        ip: first_socket
            .and_then(|socket| sys::local_address(&**socket).ok())
            .map(|address| {
                if address.is_ipv4() {
                    IpVersion::Ipv4
                } else {
                    IpVersion::Ipv6
                }
            }),
        flows: flows(figures.end, load, begin, until, last),
    }
}

impl<'a> Figures<'a> {
    /// Where counting ended, and when. A load that stopped by itself ended when its last flow
    /// did, not when somebody looked.
    fn until(&self) -> (&'a Mark, Nanos) {
        if !self.by_time
            && let Some(at) = self
                .load
                .flows
                .iter()
                .map(|flow| flow.ended())
                .max()
                .flatten()
            && self.load.flows.iter().all(|flow| flow.ended().is_some())
        {
            return (self.last, at);
        }
        (self.stop, self.stop.at)
    }
}

impl FlowHandle {
    /// When the flow's last half was through.
    fn ended(&self) -> Option<Nanos> {
        self.tally.sent_all().max(self.tally.received_all())
    }
}

fn flows(end: End, load: &LoadCrew, begin: &Mark, until: &Mark, last: &Mark) -> Vec<FlowReport> {
    let none = FlowMark::default();
    let rows = load.flows.iter().enumerate().map(|(i, handle)| {
        let begin = begin.flows.get(i).unwrap_or(&none);
        let until = until.flows.get(i).unwrap_or(&none);
        let last = last.flows.get(i).unwrap_or(&none);
        let responses = until.responses.1.saturating_sub(begin.responses.1);
        let sum = until.responses.0.saturating_sub(begin.responses.0);
        FlowReport {
            counted: until.counters - begin.counters,
            total: last.counters,
            mean_response_ns: sum.checked_div(responses).filter(|_| load.asks()),
            udp: last.udp,
            tcp_info: last.tcp_info,
            client_port: (end == End::Client).then(|| client_port(handle)).flatten(),
        }
    });
    rows.collect()
}

fn client_port(handle: &FlowHandle) -> Option<u16> {
    let socket = handle.socket.as_ref()?;
    Some(sys::local_address(&**socket).ok()?.port())
}

fn gap(load: &LoadCrew) -> Option<GapError> {
    let asked_gap_ns = load.paced_gap()?.get();
    let errors = load
        .gaps
        .iter()
        .map(|gaps| gaps.read())
        .reduce(|a, b| a.with(&b))?;
    Some(GapError {
        asked_gap_ns,
        errors,
    })
}

/// Counts since `begin`; maxima and the jitter are those of the whole time.
fn udp_since(udp: UdpCounters, begin: Option<UdpCounters>) -> UdpCounters {
    let begin = begin.unwrap_or_default();
    UdpCounters {
        received: udp.received - begin.received,
        duplicate: udp.duplicate - begin.duplicate,
        reordered: udp.reordered - begin.reordered,
        highest_plus_one: udp.highest_plus_one - begin.highest_plus_one,
        malformed: udp.malformed - begin.malformed,
        socket_drops: udp
            .socket_drops
            .map(|n| n.saturating_sub(begin.socket_drops.unwrap_or(0))),
        ..udp
    }
}
