//! All flows at work, and when to read their figures.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use record::{Buckets, TcpInfo};
use units::Nanos;

use super::bins::BinCounts;
use super::event::{Event, Tell};
use super::meter::{Counts, Meter, Reading, Way};
use super::moments::Moments;

/// The flows whose figures are read at edges and at their end.
pub(crate) struct Roll {
    interval: Option<Nanos>,
    omit: Nanos,
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
    bins_before: Bins,
    /// Retransmits and the like before the flow.
    first: Counts,
    /// When what the whole flow is counted from begins, if that is later than its start.
    omits_until: Option<Nanos>,
    /// What is left out.
    omitted: Option<Omitted>,
}

/// Times in bins: latencies, and deviations of transit times.
type Bins = [Option<BinCounts>; 2];

/// The front of a flow that is not in its last figures.
struct Omitted {
    until: Nanos,
    counts: Counts,
    bins: Bins,
    /// Times since.
    times: Moments,
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
            bins_before: Bins::default(),
            first: Counts::default(),
            omits_until: None,
            omitted: None,
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
        let bins = self.bins();
        let times = self.meter.times.turn();
        if let Some(omitted) = &mut self.omitted {
            omitted.times = omitted.times.with(&times);
        }
        let [latencies, jitter] = since(&bins, &self.bins_before);
        let reading = Reading {
            flow: self.flow,
            way: self.way,
            from: self.last - self.began,
            to: now - self.began,
            is_final: false,
            counts: counts.since(&self.before),
            times,
            ways: Some([0, 1, 2].map(|i: usize| self.meter.ways[i].turn())),
            bins: latencies,
            jitter_bins: jitter,
            omitted: None,
            responses: self.responses(),
        };
        (self.before, self.bins_before, self.last) = (counts, bins, now);
        reading
    }

    fn bins(&self) -> Bins {
        let read = |bins: &Option<Arc<super::bins::Bins>>| bins.as_ref().map(|bins| bins.read());
        [read(&self.meter.bins), read(&self.meter.jitter_bins)]
    }

    /// From here on counts what the whole flow is said to be.
    fn omit(&mut self, now: Nanos) {
        self.omits_until = None;
        // The times of an interval that goes on across this instant count.
        if self.next.is_none() {
            self.meter.times.turn();
        }
        self.omitted = Some(Omitted {
            until: now,
            counts: self.counts(),
            bins: self.bins(),
            times: Moments::default(),
        });
    }

    /// All of it that is to count, up to `now`.
    fn whole(&self, now: Nanos) -> Reading {
        let none = Bins::default();
        let (first, before, times) = match &self.omitted {
            None => (&self.first, &none, self.meter.times.all()),
            Some(omitted) => {
                let rest = self.meter.times.turn();
                (&omitted.counts, &omitted.bins, omitted.times.with(&rest))
            }
        };
        let [latencies, jitter] = since(&self.bins(), before);
        let omitted = self.omitted.as_ref();
        Reading {
            flow: self.flow,
            way: self.way,
            from: omitted.map_or(Nanos::ZERO, |omitted| omitted.until - self.began),
            to: now - self.began,
            is_final: true,
            counts: self.counts().since(first),
            times,
            ways: Some([0, 1, 2].map(|i: usize| self.meter.ways[i].all())),
            bins: latencies,
            jitter_bins: jitter,
            omitted: omitted.map(|omitted| Box::new(omitted.counts.since(&self.first))),
            responses: self.responses(),
        }
    }
}

impl Roll {
    /// `omit` is left out at the front of each flow.
    pub fn new(interval: Option<Nanos>, omit: Nanos) -> Self {
        Self {
            omit,
            interval: interval.filter(|interval| !interval.is_zero()),
            entries: Vec::new(),
        }
    }

    pub fn enter(&mut self, mut entry: Entry) {
        entry.next = self.interval.map(|interval| entry.began + interval);
        entry.omits_until = (!self.omit.is_zero()).then(|| entry.began + self.omit);
        self.entries.push(entry);
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The next edge.
    pub fn next(&self) -> Option<Nanos> {
        let edges = self.entries.iter().filter_map(|entry| entry.next);
        let omissions = self.entries.iter().filter_map(|entry| entry.omits_until);
        edges.chain(omissions).min()
    }

    /// Reads what is due.
    pub fn turn(&mut self, now: Nanos, tell: Tell<'_>) {
        for entry in &mut self.entries {
            // A flow that has ended has no more intervals, and nothing more to leave out.
            let ended = entry.meter.ended();
            if ended.is_some_and(|ended| ended <= entry.last) {
                entry.next = None;
            }
            if ended.is_some() {
                entry.omits_until = None;
            }
            if let (Some(due), Some(interval)) = (entry.next, self.interval)
                && due <= now
            {
                tell(Event::Reading(Box::new(entry.turn(now))));
                // Edges that were missed are left out, not made up for.
                let missed = (now - due).get() / interval.get();
                entry.next = Some(due + Nanos::new(interval.get() * (missed + 1)));
            }
            if entry.omits_until.is_some_and(|until| until <= now) {
                entry.omit(now);
            }
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

fn since(bins: &Bins, before: &Bins) -> Bins {
    let since = |at: usize| -> Option<BinCounts> {
        let now = bins[at].as_ref()?;
        Some(match &before[at] {
            Some(before) => now.since(before),
            None => now.clone(),
        })
    };
    [since(0), since(1)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::Half;

    /// A flow that sends 1000 bytes a second for 5 s, of which 2 are left out.
    fn readings(interval: Option<u64>) -> Vec<Reading> {
        let meter = Arc::new(Meter::default());
        let second = Nanos::from_secs;
        let mut roll = Roll::new(interval.map(second), second(2));
        roll.enter(Entry::new(1, Way::Sends, meter.clone(), second(10)));
        let mut pen = meter.times_pen();
        let mut readings = Vec::new();
        let mut tell = |event: Event| {
            if let Event::Reading(reading) = event {
                readings.push(*reading);
            }
        };
        let mut half = Half::default();
        for at in 11..=15 {
            half.add(1000);
            meter.tally.set_sent(&half);
            pen.take(at as f64, Nanos::ZERO);
            roll.turn(second(at), &mut tell);
        }
        roll.end(1, second(15), &mut tell);
        readings
    }

    #[test]
    fn the_front_is_left_out_of_the_whole_and_of_nothing_else() {
        for interval in [None, Some(1)] {
            let all = readings(interval);
            let (whole, intervals) = all.split_last().unwrap();
            assert_eq!(intervals.len(), if interval.is_some() { 5 } else { 0 });
            assert!(intervals.iter().all(|reading| reading.counts.bytes == 1000));
            assert_eq!(
                (whole.from, whole.to),
                (Nanos::from_secs(2), Nanos::from_secs(5))
            );
            assert_eq!(whole.counts.bytes, 3000);
            assert_eq!((whole.times.count, whole.times.min), (3, 13.0));
            assert_eq!(whole.omitted.as_ref().unwrap().bytes, 2000);
        }
    }
}
