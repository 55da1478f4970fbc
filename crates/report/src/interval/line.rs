//! One line: columns of fixed width, chosen from the plan, so that lines written one by one line up.

use plan::{Load, Plan, Transport};
use record::{Interval, IntervalLoad, Phase};

use crate::quantity::{count, micros, name, nanos, per_second, rate};
use crate::style::{Paint, Style};

/// What stands in one line.
pub(super) struct Line<'a> {
    pub load: &'a Load,
    pub interval: &'a Interval,
    /// At the receiving end.
    pub received: &'a IntervalLoad,
    /// At the sending end, where its interval is known.
    pub sent: Option<&'a IntervalLoad>,
    /// Datagrams lost in the interval; negative when late ones filled holes.
    pub lost: Option<i64>,
    /// The probe's median, in the first line of an interval.
    pub probe: Option<String>,
}

/// Widest name of a load.
const NAME: usize = 14;

/// Columns that a plan's lines have: (head, width); text columns have a negative width.
fn columns(plan: &Plan) -> Vec<(&'static str, isize)> {
    let timing = &plan.timing;
    let loads: Vec<&Load> = shown(plan).map(|(_, load)| load).collect();
    let names = loads
        .iter()
        .map(|load| name(&load.name, NAME).chars().count());
    let any = |wanted: Detail| loads.iter().any(|load| Detail::of(load) == wanted);
    let mut columns = vec![("seconds", 13)];
    if !timing.idle.is_zero() || !timing.omit.is_zero() {
        columns.push(("phase", -5));
    }
    columns.push(("load", -names.fold(4, |a: isize, b| a.max(b as isize))));
    columns.push(("receiver", -8));
    columns.push(("rate", 13));
    if any(Detail::Sockets) {
        columns.extend([("retr", 5), ("rtt", 9), ("cwnd", 5)]);
    }
    if any(Detail::Sequence) {
        columns.extend([("lost", 6), ("jitter", 9)]);
    }
    if any(Detail::Response) {
        columns.extend([("median", 9), ("p99", 9)]);
    }
    if has_probe_column(plan) {
        columns.push(("probe", 9));
    }
    columns
}

/// What a line tells beside the rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    Sockets,
    Sequence,
    Response,
}

impl Detail {
    fn of(load: &Load) -> Self {
        match load.kind.transport() {
            _ if load.kind.is_exchange() => Self::Response,
            Transport::Tcp => Self::Sockets,
            Transport::Udp => Self::Sequence,
        }
    }
}

/// Loads that have lines: all but the probes, or the probes where there is nothing else.
pub(super) fn shown(plan: &Plan) -> impl Iterator<Item = (usize, &Load)> {
    let only_probes = plan.loads.iter().all(Load::is_probe);
    plan.loads
        .iter()
        .enumerate()
        .filter(move |(_, load)| only_probes || !load.is_probe())
}

fn has_probe_column(plan: &Plan) -> bool {
    plan.loads.iter().any(Load::is_probe) && !plan.loads.iter().all(Load::is_probe)
}

/// The first probe's median response time in the client's interval.
pub(super) fn probe(plan: &Plan, client: Option<&Interval>) -> Option<String> {
    let index = plan
        .loads
        .iter()
        .position(Load::is_probe)
        .filter(|_| has_probe_column(plan))?;
    Some(nanos(client?.loads.get(index)?.latency?.p50_ns))
}

pub(super) fn header(plan: &Plan, style: Style) -> String {
    let heads = columns(plan)
        .into_iter()
        .map(|(head, width)| cell(head, width));
    let heads = heads.collect::<Vec<_>>().join(" ");
    format!("{}\n", style.paint(Paint::Head, heads.trim_end()))
}

/// The time before the loads, when only the probe runs.
pub(super) fn idle(plan: &Plan, client: &Interval) -> String {
    let only_probes = plan.loads.iter().all(Load::is_probe);
    let probe = plan.loads.iter().position(Load::is_probe);
    let probe = probe.and_then(|index| client.loads.get(index));
    let median = probe.and_then(|probe| probe.latency?.p50_ns);
    let median = median.map(|ns| nanos(Some(ns))).unwrap_or_default();
    row(plan, |head| match head {
        "seconds" => time(client),
        "phase" => phase(client),
        "median" if only_probes => median.clone(),
        "probe" => median.clone(),
        _ => String::new(),
    })
}

impl Line<'_> {
    pub fn render(&self, plan: &Plan) -> String {
        row(plan, |head| self.figure(head))
    }

    fn figure(&self, head: &str) -> String {
        let detail = Detail::of(self.load);
        let received = self.received;
        let sockets = self.sent.filter(|_| detail == Detail::Sockets);
        let latency = received.latency.filter(|_| detail == Detail::Response);
        let cell = match head {
            "seconds" => Some(time(self.interval)),
            "phase" => Some(phase(self.interval)),
            "load" => Some(name(&self.load.name, NAME)),
            "receiver" => Some(self.interval.end.name().to_owned()),
            "rate" if detail == Detail::Response => {
                let length = seconds(self.interval.to_ns - self.interval.from_ns);
                Some(per_second(Some(
                    received.counters.transactions as f64 / length,
                )))
            }
            "rate" => Some(rate(received.received_bits_per_second)),
            "retr" => sockets.map(|load| count(load.retransmits)),
            "rtt" => sockets.map(|load| micros(load.rtt_us)),
            "cwnd" => sockets.map(|load| count(load.cwnd_segments)),
            "lost" => self.lost.map(|lost| lost.to_string()),
            "jitter" => received.jitter_ns.map(|ns| nanos(Some(ns))),
            "median" => latency.map(|latency| nanos(latency.p50_ns)),
            "p99" => latency.map(|latency| nanos(latency.p99_ns)),
            _ => self.probe.clone(),
        };
        cell.unwrap_or_default()
    }
}

fn row(plan: &Plan, figure: impl Fn(&str) -> String) -> String {
    let columns = columns(plan).into_iter();
    let cells = columns.map(|(head, width)| cell(&figure(head), width));
    let line = cells.collect::<Vec<_>>().join(" ");
    format!("{}\n", line.trim_end())
}

fn time(interval: &Interval) -> String {
    format!(
        "{:6.2}-{:6.2}",
        seconds(interval.from_ns),
        seconds(interval.to_ns)
    )
}

fn phase(interval: &Interval) -> String {
    match interval.phase {
        Phase::Idle => "idle".to_owned(),
        Phase::Omit => "omit".to_owned(),
        Phase::Measure => String::new(),
    }
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

fn cell(text: &str, width: isize) -> String {
    let columns = width.unsigned_abs();
    match width < 0 {
        true => format!("{text:<columns$}"),
        false => format!("{text:>columns$}"),
    }
}
