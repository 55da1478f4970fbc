//! What to run next, and when it is enough.
//!
//! Pairs of trials, A and B once each, in an order drawn for each pair. The data are looked at
//! after fixed numbers of pairs only, and each look spends a part of the error that was allowed,
//! so that looking early does not find more than there is. The order is drawn from the seed and
//! the number of the pair alone, so a comparison can be resumed by telling the schedule what was
//! done.

mod looks;
pub mod simulation;

use record::Side;
use stats::{Interval, Paired, Random, paired, paired_side, pairs_needed, standard_deviation};

pub use looks::{FIRST_LOOK, Looks};

/// What was decided beforehand.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// Decides the order within each pair.
    pub seed: u64,
    /// Chance that any primary metric is called better or worse where there is no difference.
    pub alpha: f64,
    /// What is of no account, for each primary metric, on the scale of its contrasts.
    pub margins: Vec<Interval>,
    /// Most pairs; none to decide it at the first look.
    pub pairs: Option<usize>,
    /// Trials of each side before the first pair, which do not count.
    pub pilots: usize,
    /// Most time, in any unit; none for no limit.
    pub most_time: Option<f64>,
}

/// Fewer pairs cannot reach 5 %: see [`stats::smallest_p`].
pub const LEAST_PAIRS: usize = 6;
/// More pairs are not taken unless they are asked for.
pub const MOST_PAIRS: usize = 60;
/// Chance to find a difference as large as the smallest that matters, which pairs are planned
/// for.
pub const POWER: f64 = 0.95;
/// Failures beyond which a comparison is given up: a third of the trials, or three.
const MOST_FAILURES: usize = 3;

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A trial that does not count.
    Pilot(Side),
    /// A trial of a pair.
    Trial {
        /// Which pair, from 0.
        block: u32,
        /// Which side.
        side: Side,
    },
    /// Nothing more.
    Stop(Stop),
}

/// Why it is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Every primary metric has its answer.
    Settled,
    /// All pairs are done.
    PairsDone,
    /// Another pair would end too late.
    TimeUp,
    /// Too many trials failed.
    Failures,
}

/// A comparison on its way.
#[derive(Debug, Clone)]
pub struct Schedule {
    rules: Rules,
    looks: Looks,
    pilots: usize,
    /// Pairs begun.
    blocks: u32,
    /// The first trial of the pair at hand: its values, none where it failed.
    first: Option<(Side, Option<Vec<f64>>)>,
    /// Contrasts of each primary metric, pair by pair.
    contrasts: Vec<Vec<f64>>,
    trials: usize,
    failures: usize,
    settled: bool,
}

impl Schedule {
    /// Before the first trial.
    pub fn new(rules: Rules) -> Self {
        Self {
            looks: Looks::planned(rules.pairs, rules.alpha),
            pilots: 0,
            blocks: 0,
            first: None,
            contrasts: vec![Vec::new(); rules.margins.len()],
            trials: 0,
            failures: 0,
            settled: false,
            rules,
        }
    }

    /// What to do next, `elapsed` after the start.
    pub fn next(&self, elapsed: f64) -> Step {
        let (failures, allowed) = (self.failures, MOST_FAILURES.max(self.trials / 3));
        if failures >= allowed {
            return Step::Stop(Stop::Failures);
        }
        if self.pilots < 2 * self.rules.pilots {
            return Step::Pilot(Side::BOTH[self.pilots % 2]);
        }
        if let Some((side, _)) = &self.first {
            return Step::Trial {
                block: self.blocks,
                side: side.other(),
            };
        }
        if self.settled {
            return Step::Stop(Stop::Settled);
        }
        if self.looks.last().is_some_and(|last| self.pairs() >= last) {
            return Step::Stop(Stop::PairsDone);
        }
        let per_pair = elapsed / f64::from(self.blocks.max(1));
        if self
            .rules
            .most_time
            .is_some_and(|most| elapsed + per_pair > most)
            && self.blocks > 0
        {
            return Step::Stop(Stop::TimeUp);
        }
        let b_is_first = Random::part(self.rules.seed, self.blocks.into()).coin();
        Step::Trial {
            block: self.blocks,
            side: Side::BOTH[usize::from(b_is_first)],
        }
    }

    /// A pilot of either side was run.
    pub fn pilot_done(&mut self, went_well: bool) {
        self.pilots += 1;
        self.trials += 1;
        self.failures += usize::from(!went_well);
    }

    /// The trial of that side in the pair at hand gave these primary values, on the scale on which
    /// their difference is the contrast; none when it failed, so that the pair does not count.
    pub fn trial_done(&mut self, side: Side, values: Option<Vec<f64>>) {
        self.trials += 1;
        self.failures += usize::from(values.is_none());
        let Some((_, before)) = self.first.take() else {
            self.first = Some((side, values));
            return;
        };
        self.blocks += 1;
        let (Some(before), Some(values)) = (before, values) else {
            return;
        };
        let (a, b) = match side {
            Side::A => (values, before),
            Side::B => (before, values),
        };
        for (contrasts, (a, b)) in self.contrasts.iter_mut().zip(a.iter().zip(b)) {
            contrasts.push(b - a);
        }
        self.look();
    }

    /// Complete pairs.
    pub fn pairs(&self) -> usize {
        self.contrasts.first().map_or(0, Vec::len)
    }

    /// The most pairs there will be, once that is known.
    pub fn planned(&self) -> Option<usize> {
        self.looks.last()
    }

    /// Pairs after which the data are looked at, as far as that is known.
    pub fn looks(&self) -> &Looks {
        &self.looks
    }

    /// What the pairs so far say about primary metric `index`.
    pub fn answer(&self, index: usize) -> Option<Paired> {
        paired(self.contrasts.get(index)?, self.level())
    }

    /// Where primary metric `index` stands after the pairs so far.
    pub fn side(&self, index: usize) -> stats::Side {
        let known = self.contrasts.get(index).zip(self.rules.margins.get(index));
        known.map_or(stats::Side::Open, |(values, margin)| {
            paired_side(values, self.level(), margin)
        })
    }

    /// The error that a metric's interval may claim if the comparison ends now.
    pub fn level(&self) -> f64 {
        self.looks.level_at(self.pairs()) / self.rules.margins.len().max(1) as f64
    }

    /// Looks at the data if it is time to.
    fn look(&mut self) {
        let pairs = self.pairs();
        if self.looks.last().is_none() && pairs == FIRST_LOOK {
            let most = self.pairs_wanted();
            self.looks.extend_to(most);
        }
        if self.looks.planned_at(pairs) {
            let level = self.level();
            let answered = |(values, margin): (&Vec<f64>, &Interval)| {
                paired_side(values, level, margin) != stats::Side::Open
            };
            self.settled = self.contrasts.iter().zip(&self.rules.margins).all(answered);
        }
    }

    /// Pairs that find the smallest effect that matters in the metric that scatters most. The
    /// scatter of the first eight is itself uncertain: its upper 80 % limit is taken.
    fn pairs_wanted(&self) -> usize {
        /// sqrt(7 / 3.822), the latter being the 20th percentile of chi squared with 7 degrees
        /// of freedom.
        const CAUTION: f64 = 1.353;
        let level = self.rules.alpha / self.rules.margins.len().max(1) as f64;
        let wanted = |(values, margin): (&Vec<f64>, &Interval)| {
            let spread = CAUTION * standard_deviation(values).unwrap_or(0.0);
            let effect = margin.high.min(-margin.low);
            pairs_needed(effect, spread, level, POWER, LEAST_PAIRS..=MOST_PAIRS)
        };
        let all = self.contrasts.iter().zip(&self.rules.margins);
        all.map(|each| wanted(each).unwrap_or(MOST_PAIRS))
            .max()
            .unwrap_or(MOST_PAIRS)
    }
}

#[cfg(test)]
mod tests;
