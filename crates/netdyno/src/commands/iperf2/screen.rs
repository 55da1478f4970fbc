//! Prints what happens as iperf does.

use std::collections::HashMap;

use engine::iperf2::{BinCounts, Event, FlowFacts, Reading, ReceivedBurst, Refusal, Way};
use jiff::tz::TimeZone;
use report::dialect::iperf2::{
    Connection, Figures, FlowId, Form, Histogram, Id, Row, Spread, Table, Timed, clock_check,
    connect_times, no_server_report, report_unheard, sent_datagrams, server_report, start_later,
};
use units::Nanos;

use super::Role;
use super::seen::{Seen, wall_time};
use super::sums::{Of, Sums, Total};
use crate::dialect::iperf2::{Common, HistogramWish, Interval, Start};

#[cfg(test)]
mod tests;

/// What is to be said.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// On standard output.
    pub output: String,
    /// On standard error, each with its end of line.
    pub errors: String,
}

/// Everything that is known of a test while it runs.
pub(super) struct Screen {
    role: Role,
    form: Form,
    zone: TimeZone,
    table: Table,
    flows: HashMap<u32, Seen>,
    sums: Sums,
    histogram: Option<HistogramWish>,
    /// Of deviations of transit times.
    pub jitter_histogram: Option<HistogramWish>,
    has_interval: bool,
    /// Writes of a client are timed.
    pub times_writes: bool,
    /// `--tcp-write-prefetch`
    pub prefetch_bytes: Option<u64>,
    /// `--tcp-rx-window-clamp` of a server.
    clamp_bytes: Option<u64>,
    /// When a client's traffic is to start, if not at once.
    pub starts: Start,
    /// Flows are summed by the address that they came to.
    pub sums_by_destination: bool,
    /// A test that ends by time, not by bytes.
    pub ends_by_time: bool,
    /// The key that all flows showed.
    pub key: Option<String>,
    /// How long connecting took, in milliseconds.
    connects: Vec<f64>,
}

impl Screen {
    pub fn new(role: Role, common: &Common) -> Self {
        Self {
            role,
            form: common.form.clone(),
            zone: if common.utc {
                TimeZone::UTC
            } else {
                TimeZone::system()
            },
            table: Table::default(),
            flows: HashMap::new(),
            sums: Sums::default(),
            histogram: common.histogram,
            jitter_histogram: None,
            has_interval: matches!(common.interval, Some(Interval::Every(_))),
            times_writes: false,
            prefetch_bytes: common.socket.prefetch.map(units::Bytes::get),
            clamp_bytes: common.socket.clamp.map(units::Bytes::get),
            starts: Start::default(),
            sums_by_destination: false,
            ends_by_time: true,
            key: None,
            connects: Vec::new(),
        }
    }

    /// What an event has to say.
    pub fn take(&mut self, event: &Event) -> Said {
        let mut said = Said::default();
        match event {
            Event::Flow(facts) => said.output = self.flow(facts),
            Event::Reading(reading) => said.output = self.reading(reading),
            Event::Burst { flow, burst } => said.output = self.burst(*flow, burst),
            Event::ServerReport { flow, report, .. } => {
                let Some(seen) = self.flows.get(flow) else {
                    return said;
                };
                let id = seen.id(Way::Sends);
                match report {
                    None => said.errors = no_server_report(seen.facts.socket, self.ends_by_time),
                    Some(report) => {
                        let (row, enhanced) = seen.server_row(report);
                        said.output = self.server_row(&id, &row, enhanced);
                    }
                }
            }
            Event::ReportUnheard { flow } => {
                let socket = self.flows.get(flow).map_or(0, |seen| seen.facts.socket);
                said.errors = report_unheard(socket);
            }
            Event::Acked { flow, ack, at } => {
                if let Some(times) = &ack.times {
                    let ms = |us: i64| us as f64 / 1e3;
                    let now = (at.get() / 1000) as i64;
                    let send = times.accepted.as_micros() - times.start.as_micros();
                    let ack = now - times.sent.as_micros();
                    let id = FlowId {
                        number: *flow,
                        ..FlowId::default()
                    };
                    said.errors =
                        clock_check(&id, ms(now - times.start.as_micros()), ms(send), ms(ack));
                }
            }
            Event::Ended { flow, reason } => {
                self.flows.remove(flow);
                if self.flows.is_empty() {
                    self.table.is_idle();
                }
                if let Some(reason) = reason {
                    said.errors = ours(reason);
                }
            }
            Event::Refused { local, peer, why } => self.refused(*local, *peer, *why, &mut said),
            Event::Listens { .. } | Event::Through => (),
            Event::Idle => self.table.is_idle(),
            Event::Note(note) => said.errors = ours(note),
        }
        said
    }

    /// The last line of a client with several connections.
    pub fn connect_times(&self, errors: u64) -> String {
        let count = self.connects.len();
        if count + errors as usize <= 1 {
            return String::new();
        }
        let spread = Spread {
            count: count as u64,
            mean_ms: stats::mean(&self.connects).unwrap_or(0.0),
            min_ms: self
                .connects
                .iter()
                .copied()
                .reduce(f64::min)
                .unwrap_or(0.0),
            max_ms: self
                .connects
                .iter()
                .copied()
                .reduce(f64::max)
                .unwrap_or(0.0),
            stdev_ms: stats::standard_deviation(&self.connects).unwrap_or(0.0),
        };
        connect_times(&spread, errors, &self.form)
    }

    fn flow(&mut self, facts: &FlowFacts) -> String {
        let seen = Seen {
            facts: facts.clone(),
            role: self.role,
            key: self.key.clone(),
            times_writes: self.times_writes,
            prefetch_bytes: self.prefetch_bytes,
            clamp_bytes: self.clamp_bytes,
        };
        if let Some(time) = facts.connect_time {
            self.connects.push(time.as_secs_f64() * 1e3);
        }
        let form = self.form_of(&seen);
        let device = form
            .enhanced
            .then(|| observe::interface::towards(facts.peer.ip()))
            .flatten();
        let mut line = seen.connection(device, &self.zone).line(&form);
        let sends = self.role == Role::Client && facts.ways.contains(&Way::Sends);
        if sends && !form.csv && !form.excluded.connections {
            line += &self.later(&seen);
        }
        if !facts.only_connects {
            for of in self.sums_of(&seen) {
                for way in &facts.ways {
                    self.sums.enter(of, (facts.flow, *way));
                }
            }
            self.flows.insert(facts.flow, seen);
        }
        line
    }

    /// A client's word that it waits before it sends.
    fn later(&self, seen: &Seen) -> String {
        let now = seen.facts.began_wall;
        let start = match self.starts.at_unix_seconds {
            Some(at) => Nanos::new((at.max(0.0) * 1e9) as u64),
            None => now + self.starts.delay,
        };
        if start <= now {
            return String::new();
        }
        let wall = |at| wall_time(at, &self.zone);
        let seconds = (start - now).get().div_ceil(1_000_000_000);
        start_later(&seen.id(Way::Bounces), &wall(start), &wall(now), seconds)
    }

    /// A flow with trip times is enhanced at a server that is not.
    fn form_of(&self, seen: &Seen) -> Form {
        let receives = seen.facts.ways.contains(&Way::Receives);
        Form {
            enhanced: self.form.enhanced
                || ((seen.facts.trip_times || seen.has_bursts()) && receives),
            ..self.form.clone()
        }
    }

    /// What a flow is summed in.
    fn sums_of(&self, seen: &Seen) -> Vec<Of> {
        let end = if self.sums_by_destination {
            seen.facts.local
        } else {
            seen.facts.peer
        };
        // Requests and replies are nothing to be added to streams.
        if seen.facts.bounce.is_some() {
            return Vec::new();
        }
        let both = seen.facts.is_full_duplex && self.form.enhanced;
        let flow = both.then_some(Of::Flow(seen.facts.flow));
        flow.into_iter().chain([Of::Peer(end.ip())]).collect()
    }

    fn reading(&mut self, reading: &Reading) -> String {
        let Some(seen) = self.flows.get(&reading.flow) else {
            return String::new();
        };
        if seen.has_bursts() && reading.way == Way::Receives && !reading.is_final && !self.form.csv
        {
            return String::new();
        }
        let row = seen.row(reading);
        let form = self.form_of(seen);
        let ends = seen.csv_ends(reading.way);
        let began = seen.facts.began_wall;
        let sums = self.sums_of(seen);
        let is_tcp = seen.facts.is_tcp;
        let histogram = self.histogram_lines(seen, reading);
        let at = wall_time(began + reading.to, &self.zone);
        let mut text = match self.form.csv {
            true => row.csv(&ends, &at, &self.form),
            false => self.table.row(&row, &form) + &histogram,
        };
        if reading.is_final
            && let Figures::UdpSent(sent) = &row.figures
        {
            text += &sent_datagrams(&row.id, sent.datagrams, &self.form);
        }
        for of in sums {
            let part = (reading.flow, reading.way);
            for total in self.sums.take(of, part, &row, ends) {
                text += &self.total(&total, began, is_tcp);
            }
        }
        text
    }

    /// A row of its own for a burst at a period.
    fn burst(&mut self, flow: u32, burst: &ReceivedBurst) -> String {
        let Some(seen) = self.flows.get(&flow).filter(|_| !self.form.csv) else {
            return String::new();
        };
        let form = Form {
            enhanced: true,
            ..self.form.clone()
        };
        self.table.row(&seen.burst_row(burst), &form)
    }

    /// Whether the two ways of a single flow are summed: at a server, and in 2.1.8's plainest output
    /// at a client.
    fn sums_both_ways(&self) -> bool {
        let is_plain = !self.form.enhanced && !self.form.csv && !self.has_interval;
        self.role == Role::Server || is_plain
    }

    fn total(&mut self, total: &Total, began: Nanos, is_tcp: bool) -> String {
        let wanted = match total.of {
            Of::Flow(_) => !self.form.sum_only && total.parts > 1,
            Of::Peer(_) => {
                let both_ways = total.parts > total.flows && self.sums_both_ways();
                self.form.sum_only || total.flows > 1 || both_ways
            }
        };
        if !wanted {
            return String::new();
        }
        let row = total.named(self.form.sum_only);
        if self.form.csv {
            let to = Nanos::new((row.to_seconds * 1e9) as u64);
            return row.csv(&total.ends, &wall_time(began + to, &self.zone), &self.form);
        }
        let mut text = self.table.row(&row, &self.form);
        let sent = match &row.figures {
            Figures::UdpSent(sent) => Some(sent.datagrams),
            // What came from the other end is in a client's sum too.
            Figures::Datagrams(both_ways) if self.role == Role::Client => Some(*both_ways),
            _ => None,
        };
        let is_of_flows = matches!(total.of, Of::Peer(_));
        if let Some(sent) = sent.filter(|_| row.is_final && !is_tcp && is_of_flows) {
            text += &sent_datagrams(&Id::SumOf(total.parts as u32), sent, &self.form);
        }
        text
    }

    fn server_row(&mut self, id: &FlowId, row: &Row, enhanced: bool) -> String {
        let form = Form {
            enhanced,
            sum_only: false,
            ..self.form.clone()
        };
        let Some(seen) = self.flows.get(&id.number) else {
            return String::new();
        };
        // In CSV 2.1.8's server has one row for a connection back.
        let is_second = self.form.csv && seen.facts.is_against_role;
        if self.form.excluded.server || is_second {
            return String::new();
        }
        if self.form.csv {
            let to = Nanos::new((row.to_seconds * 1e9) as u64);
            let at = wall_time(seen.facts.began_wall + to, &self.zone);
            return row.csv(&seen.csv_ends(Way::Sends), &at, &self.form);
        }
        server_report(id, &form) + &self.table.row(row, &form)
    }

    /// Times in bins, where they were asked for and mean something.
    fn histogram_lines(&self, seen: &Seen, reading: &Reading) -> String {
        let trip_times = seen.facts.trip_times;
        let of = match (reading.way, seen.facts.is_tcp) {
            (Way::Bounces, _) => Some(Timed::RoundTrips),
            (Way::Receives, true) => trip_times.then_some(Timed::Bursts),
            (Way::Receives, false) => trip_times.then_some(Timed::Datagrams),
            (Way::Sends, true) => self.times_writes.then_some(Timed::Writes),
            (Way::Sends, false) => None,
        };
        let asked = [
            (of, self.histogram, &reading.bins),
            (
                Some(Timed::Jitter),
                self.jitter_histogram,
                &reading.jitter_bins,
            ),
        ];
        asked
            .into_iter()
            .filter_map(|(of, wish, bins)| {
                let (of, wish, bins) = (of?, wish?, bins.as_ref()?);
                Some(self.histogram_line(seen, reading, of, wish, bins))
            })
            .collect()
    }

    fn histogram_line(
        &self,
        seen: &Seen,
        reading: &Reading,
        of: Timed,
        wish: HistogramWish,
        bins: &BinCounts,
    ) -> String {
        let shown = reading.is_final || (self.has_interval && of != Timed::RoundTrips);
        let unwanted = self.form.csv || self.form.sum_only || self.form.excluded.data;
        if !shown || unwanted {
            return String::new();
        }
        let longest = bins.longest.filter(|_| of == Timed::Bursts);
        let histogram = Histogram {
            id: Id::Flow(seen.id(reading.way)),
            from_seconds: reading.from.as_secs_f64(),
            to_seconds: reading.to.as_secs_f64(),
            is_final: reading.is_final,
            of,
            width_usecs: bins.scale.width.get() / 1000,
            bins: bins.scale.bins.into(),
            counts: bins.counts.clone(),
            below: bins.below,
            above: bins.above,
            low_percent: wish.low_percent,
            high_percent: wish.high_percent,
            longest: longest.map(|(usecs, at)| (usecs as f64 / 1e3, at)),
        };
        histogram.line()
    }

    fn refused(
        &self,
        local: std::net::SocketAddr,
        peer: std::net::SocketAddr,
        why: Refusal,
        said: &mut Said,
    ) {
        let reason = match why {
            Refusal::Key => {
                let connection = Connection::new(FlowId::default(), local, peer);
                said.output = connection.refused_line(&self.form);
                return;
            }
            Refusal::Address => "not on the list of addresses",
            Refusal::TooMany => "too many flows",
            Refusal::Iperf3 => "it speaks iperf 3, which 'netdyno serve' answers",
            Refusal::Silent => "it did not say what it wants",
            Refusal::SmallBounce => "its requests of a bounceback are too small",
        };
        said.errors = ours(&format!("{peer} is refused: {reason}"));
    }
}

/// A sentence that iperf does not have.
fn ours(sentence: &str) -> String {
    format!("iperf: {sentence}\n")
}
