//! All flows at work, and when to read their figures.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use record::{Buckets, TcpInfo};
use units::Nanos;

use super::bins::BinCounts;
use super::event::{Event, Tell};
use super::meter::{Counts, Meter, Reading, Way};

/// The flows whose figures are read at edges and at their end.
pub(crate) struct Roll {
    interval: Option<Nanos>,
    entries: Vec<Entry>,
}

/// One direction of a flow.
pub(crate) struct Entry {
    pub flow: u32,
    pub way: Way,
    pub meter: Arc<Meter>,
    /// For TCP_INFO; none for datagrams.
    pub tcp: Option<Arc<OwnedFd>>,
    /// Where its time begins.
    pub began: Nanos,
    next: Option<Nanos>,
    /// The edge before.
    last: Nanos,
    before: Counts,
    bins_before: Option<BinCounts>,
    /// Retransmits and the like before the flow.
    first: Counts,
}

impl Entry {
    pub fn new(flow: u32, way: Way, meter: Arc<Meter>, began: Nanos) -> Self {
        Self {
            flow,
            way,
            meter,
            tcp: None,
            began,
            next: None,
            last: began,
            before: Counts::default(),
            bins_before: None,
            first: Counts::default(),
        }
    }

    /// What TCP had counted before.
    pub fn set_first(&mut self, tcp: Option<TcpInfo>) {
        self.first.tcp = tcp;
        self.before.tcp = tcp;
    }

    fn responses(&self) -> Option<Buckets> {
        self.meter.responses.as_ref().map(|times| times.read())
    }

    fn counts(&self) -> Counts {
        let tcp: Option<TcpInfo> = self
            .tcp
            .as_ref()
            .and_then(|socket| sys::tcp_info(&**socket).ok());
        self.meter.counts(self.way, tcp)
    }

    /// The interval up to `now`.
    fn turn(&mut self, now: Nanos) -> Reading {
        let counts = self.counts();
        let bins = self.meter.bins.as_ref().map(|bins| bins.read());
        let reading = Reading {
            flow: self.flow,
            way: self.way,
            from: self.last - self.began,
            to: now - self.began,
            is_final: false,
            counts: counts.since(&self.before),
            times: self.meter.times.turn(),
            ways: None,
            bins: bins.as_ref().map(|bins| match &self.bins_before {
                Some(before) => bins.since(before),
                None => bins.clone(),
            }),
            responses: self.responses(),
        };
        (self.before, self.bins_before, self.last) = (counts, bins, now);
        reading
    }

    /// All of it, up to `now`.
    fn whole(&self, now: Nanos) -> Reading {
        Reading {
            flow: self.flow,
            way: self.way,
            from: Nanos::ZERO,
            to: now - self.began,
            is_final: true,
            counts: self.counts().since(&self.first),
            times: self.meter.times.all(),
            ways: Some([0, 1, 2].map(|i: usize| self.meter.ways[i].all())),
            bins: self.meter.bins.as_ref().map(|bins| bins.read()),
            responses: self.responses(),
        }
    }
}

impl Roll {
    pub fn new(interval: Option<Nanos>) -> Self {
        Self {
            interval: interval.filter(|interval| !interval.is_zero()),
            entries: Vec::new(),
        }
    }

    pub fn enter(&mut self, mut entry: Entry) {
        entry.next = self.interval.map(|interval| entry.began + interval);
        self.entries.push(entry);
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The next edge.
    pub fn next(&self) -> Option<Nanos> {
        self.entries.iter().filter_map(|entry| entry.next).min()
    }

    /// Reads what is due.
    pub fn turn(&mut self, now: Nanos, tell: Tell<'_>) {
        let Some(interval) = self.interval else {
            return;
        };
        for entry in &mut self.entries {
            let Some(due) = entry.next.filter(|due| *due <= now) else {
                continue;
            };
            tell(Event::Reading(Box::new(entry.turn(now))));
            // Edges that were missed are left out, not made up for.
            let missed = (now - due).get() / interval.get();
            entry.next = Some(due + Nanos::new(interval.get() * (missed + 1)));
        }
    }

    /// Ends both directions of a flow: a last interval if it is worth a line, and the whole.
    pub fn end(&mut self, flow: u32, now: Nanos, tell: Tell<'_>) {
        let interval = self.interval;
        self.entries.retain_mut(|entry| {
            if entry.flow != flow {
                return true;
            }
            let until = entry.meter.ended().unwrap_or(now).max(entry.last);
            // As iperf: not for less than a quarter.
            if let Some(interval) = interval
                && until - entry.last > Nanos::new(interval.get() / 4)
            {
                tell(Event::Reading(Box::new(entry.turn(until))));
            }
            let until = entry.meter.ended().unwrap_or(now).max(entry.began);
            tell(Event::Reading(Box::new(entry.whole(until))));
            false
        });
    }
}
