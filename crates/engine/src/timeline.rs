//! The instants of a run at one end, in order: phase borders, interval edges, starts of counting.

use plan::Timing;
use record::Phase;
use units::Nanos;

/// An instant at which the coordinator looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tick {
    /// After the run's common start.
    pub at: Nanos,
    /// The phase that an edge here closes; none when nothing is reported.
    pub edge: Option<Phase>,
    /// The idle phase ends here.
    pub idle_over: bool,
    /// Loads that begin to count here.
    pub begin: Vec<usize>,
    /// The measured time is over.
    pub last: bool,
}

/// Gives the ticks one after the other; without a duration there is always a next one.
#[derive(Debug, Clone)]
pub(crate) struct Timeline {
    timing: Timing,
    /// Loads that have not begun to count: when, which; latest first.
    begins: Vec<(Nanos, usize)>,
    next_edge: Option<Nanos>,
    over: bool,
}

impl Timeline {
    /// `offsets`: when each load starts, after the common start. A load counts from its start or
    /// from the end of the warm-up, whichever is later.
    pub fn new(timing: Timing, offsets: &[Nanos]) -> Self {
        let counting = timing.idle + timing.omit;
        let mut begins: Vec<_> = offsets
            .iter()
            .enumerate()
            .map(|(load, offset)| (counting.max(*offset), load))
            .collect();
        begins.sort_by_key(|(at, load)| std::cmp::Reverse((*at, *load)));
        let mut timeline = Self {
            timing,
            begins,
            next_edge: None,
            over: false,
        };
        timeline.next_edge = timeline.edge_after(Nanos::ZERO);
        timeline
    }

    /// When the measured time ends.
    pub fn end(&self) -> Option<Nanos> {
        Some(self.timing.idle + self.timing.omit + self.timing.duration?)
    }

    /// When the next tick is.
    pub fn next_at(&self) -> Option<Nanos> {
        if self.over {
            return None;
        }
        let begin = self.begins.last().map(|(at, _)| *at);
        [begin, self.next_edge].into_iter().flatten().min()
    }

    /// Takes the next tick.
    pub fn take(&mut self) -> Option<Tick> {
        let at = self.next_at()?;
        let mut begin = Vec::new();
        while let Some((_, load)) = self.begins.pop_if(|(begin, _)| *begin == at) {
            begin.push(load);
        }
        let edge = (self.next_edge == Some(at)).then(|| self.phase_before(at));
        if edge.is_some() {
            self.next_edge = self.edge_after(at);
        }
        let last = self.end() == Some(at);
        self.over = last;
        let idle_over = at == self.timing.idle && !at.is_zero();
        Some(Tick {
            at,
            edge,
            idle_over,
            begin,
            last,
        })
    }

    fn phase_before(&self, at: Nanos) -> Phase {
        if at <= self.timing.idle {
            Phase::Idle
        } else if at <= self.timing.idle + self.timing.omit {
            Phase::Omit
        } else {
            Phase::Measure
        }
    }

    /// Edges are phase borders, and within a phase multiples of the interval from its start.
    fn edge_after(&self, at: Nanos) -> Option<Nanos> {
        let idle = self.timing.idle;
        let counting = idle + self.timing.omit;
        let border = [Some(idle), Some(counting), self.end()]
            .into_iter()
            .flatten()
            .find(|b| *b > at);
        if at < idle {
            // Nothing but the probe moves in the idle phase.
            return border;
        }
        let phase_start = if at < counting { idle } else { counting };
        let inner = self.timing.interval.map(|interval| {
            let whole = (at - phase_start).get() / interval.get();
            phase_start + Nanos::new((whole + 1) * interval.get())
        });
        [border, inner].into_iter().flatten().min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(idle: u64, omit: u64, duration: Option<u64>, interval: Option<u64>) -> Timing {
        let nanos = Nanos::from_millis;
        Timing {
            idle: nanos(idle),
            omit: nanos(omit),
            duration: duration.map(nanos),
            interval: interval.map(nanos),
        }
    }

    fn edges(timing: Timing) -> Vec<(u64, Phase)> {
        let mut timeline = Timeline::new(timing, &[Nanos::ZERO]);
        let ticks = std::iter::from_fn(|| timeline.take()).take(20);
        ticks
            .filter_map(|t| Some((t.at.get() / 1_000_000, t.edge?)))
            .collect()
    }

    #[test]
    fn intervals_start_anew_with_each_phase() {
        use Phase::{Idle, Measure, Omit};
        assert_eq!(
            edges(timing(1000, 1500, Some(2500), Some(1000))),
            [
                (1000, Idle),
                (2000, Omit),
                (2500, Omit),
                (3500, Measure),
                (4500, Measure),
                (5000, Measure)
            ]
        );
        assert_eq!(edges(timing(0, 0, Some(2000), None)), [(2000, Measure)]);
        assert_eq!(
            edges(timing(0, 0, None, Some(100))).len(),
            19,
            "no end, so always a next one"
        );
    }

    #[test]
    fn a_load_counts_from_its_start_or_from_the_end_of_the_warm_up() {
        let offsets = [0, 1000, 4000].map(Nanos::from_millis);
        let mut timeline = Timeline::new(timing(1000, 1000, Some(5000), None), &offsets);
        let begins: Vec<_> = std::iter::from_fn(|| timeline.take())
            .flat_map(|t| {
                t.begin
                    .into_iter()
                    .map(move |load| (t.at.get() / 1_000_000, load))
            })
            .collect();
        assert_eq!(begins, [(2000, 0), (2000, 1), (4000, 2)]);
    }

    #[test]
    fn the_last_tick_is_the_end_of_the_measured_time() {
        let mut timeline = Timeline::new(timing(0, 500, Some(1000), Some(400)), &[Nanos::ZERO]);
        let ticks: Vec<_> = std::iter::from_fn(|| timeline.take()).collect();
        assert_eq!(ticks.iter().filter(|t| t.last).count(), 1);
        assert_eq!(ticks.last().unwrap().at, Nanos::from_millis(1500));
        assert_eq!(timeline.next_at(), None);
    }
}
