//! Interval lines, live or from a stored run: for each load what its receiver got, and beside it
//! what the sender's sockets said of the same time.

mod line;

use std::collections::{HashMap, VecDeque};

use plan::{Plan, Transport};
use record::{End, Interval, Phase, Run};

use crate::style::Style;
use line::Line;

/// Pairs both ends' intervals and turns them into lines. Edges of the two ends arrive a little
/// apart, and of an interrupted path some seconds: a line is held back until the other end's
/// interval is there, or newer ones of the same end show that it will not come.
#[derive(Debug, Clone)]
pub struct IntervalLines {
    plan: Plan,
    style: Style,
    /// Of one end, oldest first.
    held: VecDeque<Interval>,
    /// Losses so far, by load and end: the line shows what was added.
    lost: HashMap<(usize, End), i64>,
}

impl IntervalLines {
    /// For a run of this plan.
    pub fn new(plan: &Plan, style: Style) -> Self {
        Self {
            plan: plan.clone(),
            style,
            held: VecDeque::new(),
            lost: HashMap::new(),
        }
    }

    /// The head of the columns, with its newline.
    pub fn header(&self) -> String {
        line::header(&self.plan, self.style)
    }

    /// Takes an interval; gives the lines that are complete now, which may be none.
    pub fn push(&mut self, interval: &Interval) -> String {
        if !self.tells_something(interval.end) {
            return String::new();
        }
        if !End::BOTH.into_iter().all(|end| self.tells_something(end)) {
            return self.lines(&[interval]);
        }
        let mut text = String::new();
        while let Some(held) = self.held.front() {
            let is_older = held.to_ns <= interval.to_ns;
            if held.end != interval.end && overlap(held, interval) {
                if let Some(held) = self.held.pop_front() {
                    text.push_str(&self.lines(&[&held, interval]));
                }
                return text;
            }
            if held.end != interval.end && !is_older {
                // Its other half was given up.
                text.push_str(&self.lines(&[interval]));
                return text;
            }
            if held.end == interval.end && self.held.len() < self.most_held(held.end) {
                break;
            }
            if let Some(held) = self.held.pop_front() {
                text.push_str(&self.lines(&[&held]));
            }
        }
        self.held.push_back(interval.clone());
        text
    }

    /// Intervals that wait for the other end's. Those with lines of their own wait only a little.
    fn most_held(&self, end: End) -> usize {
        let mut shown = line::shown(&self.plan);
        let receives = shown.any(|(_, load)| end.receives(load.kind));
        if receives { 1 } else { 1000 }
    }

    /// What is still held back: at the end of a run.
    pub fn flush(&mut self) -> String {
        let held = std::mem::take(&mut self.held);
        held.iter().map(|held| self.lines(&[held])).collect()
    }

    /// Whether this end's intervals have any figure that a line shows.
    fn tells_something(&self, end: End) -> bool {
        self.plan.loads.iter().any(|load| {
            let sockets = load.kind.transport() == Transport::Tcp && !load.kind.is_exchange();
            end.receives(load.kind) || (sockets && end.sends(load.kind))
        })
    }

    fn lines(&mut self, of: &[&Interval]) -> String {
        if of.iter().all(|interval| interval.phase == Phase::Idle) {
            let client = of.iter().find(|interval| interval.end == End::Client);
            return client
                .map(|client| line::idle(&self.plan, client))
                .unwrap_or_default();
        }
        let at = |end| of.iter().copied().find(|interval| interval.end == end);
        let mut probe = line::probe(&self.plan, at(End::Client));
        let mut text = String::new();
        for (index, load) in line::shown(&self.plan) {
            for end in End::BOTH.into_iter().filter(|end| end.receives(load.kind)) {
                let Some(interval) = at(end) else { continue };
                let Some(received) = interval.loads.get(index) else {
                    continue;
                };
                let mut before = |so_far| self.lost.insert((index, end), so_far).unwrap_or(0);
                let lost = received
                    .lost
                    .map(|so_far| so_far.saturating_sub(before(so_far)));
                let sent = at(end.other()).and_then(|interval| interval.loads.get(index));
                let line = Line {
                    load,
                    interval,
                    received,
                    sent,
                    lost,
                    probe: probe.take(),
                };
                text.push_str(&line.render(&self.plan));
            }
        }
        text
    }
}

/// All lines of a run, under their head; nothing when it has no intervals.
pub fn interval_lines(run: &Run, style: Style) -> String {
    if run.intervals.is_empty() {
        return String::new();
    }
    let mut lines = IntervalLines::new(&run.plan, style);
    let mut text = lines.header();
    for interval in &run.intervals {
        text.push_str(&lines.push(interval));
    }
    text + &lines.flush()
}

/// Whether two intervals are of the same time, by more than half of the shorter.
fn overlap(a: &Interval, b: &Interval) -> bool {
    let common = a
        .to_ns
        .min(b.to_ns)
        .saturating_sub(a.from_ns.max(b.from_ns));
    let shorter = (a.to_ns - a.from_ns).min(b.to_ns - b.from_ns);
    common > shorter / 2
}
