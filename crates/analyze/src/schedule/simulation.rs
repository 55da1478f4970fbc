//! Comparisons on a simulated machine: how often they are wrong, and what they find.

use record::Side;
use stats::{Interval, Random};

use super::{Rules, Schedule, Step};

/// How a machine's trials scatter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    /// What each trial does by itself.
    pub noise: Noise,
    /// Standard deviation of a slow change that all trials share, an AR(1) process over trials.
    pub drift: f64,
    /// How much of it a trial inherits from the one before.
    pub memory: f64,
}

/// What a trial's value is drawn from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Noise {
    /// Lognormal with this coefficient of variation.
    Steady(f64),
    /// One of six runs of a single command that a kernel developer published, a coefficient of
    /// variation of 17 %.
    SixFigures,
    /// Two states that a run falls into, as far apart as this share, with a little noise.
    TwoStates(f64),
}

/// Mbit/s of 24 senders of 128-byte datagrams through HTB, six runs of the same kernel
/// (M. Lespinasse, linux-kernel, 29 December 2012).
pub const SIX_FIGURES: [f64; 6] = [890.92, 1073.74, 963.13, 1234.41, 754.18, 893.82];

impl Noise {
    /// Logarithm of a trial's value.
    fn draw(self, random: &mut Random) -> f64 {
        match self {
            Self::Steady(variation) => (1.0 + variation * variation).ln().sqrt() * random.normal(),
            Self::SixFigures => SIX_FIGURES[random.below(SIX_FIGURES.len())].ln(),
            Self::TwoStates(apart) => {
                let high = if random.coin() { apart.ln_1p() } else { 0.0 };
                high + 0.01 * random.normal()
            }
        }
    }
}

/// How a simulated comparison ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Ending {
    /// Where the interval lay at each look that was reached, after so many pairs.
    pub looks: Vec<(usize, stats::Side)>,
    /// The most pairs that were announced.
    pub planned: Option<usize>,
}

impl Ending {
    /// The last answer.
    pub fn side(&self) -> stats::Side {
        self.looks
            .last()
            .map_or(stats::Side::Open, |(_, side)| *side)
    }

    /// Whether B was called better or worse.
    pub fn is_alarm(&self) -> bool {
        matches!(self.side(), stats::Side::Above | stats::Side::Below)
    }
}

/// One comparison in which B is `effect` times A, where a share of `smallest` matters.
pub fn compare(
    machine: Machine,
    effect: f64,
    smallest: f64,
    pairs: Option<usize>,
    seed: u64,
) -> Ending {
    let mut random = Random::part(seed, u64::MAX);
    let margin = Interval::around(0.0, smallest.ln_1p());
    let mut schedule = Schedule::new(Rules {
        seed,
        alpha: 0.05,
        margins: vec![margin],
        pairs,
        pilots: 0,
        most_time: None,
    });
    let fresh = (1.0 - machine.memory.powi(2)).sqrt() * machine.drift;
    let mut drift = machine.drift * random.normal();
    let mut looks = Vec::new();
    while let Step::Trial { side, .. } = schedule.next(0.0) {
        drift = machine.memory * drift + fresh * random.normal();
        let truth = if side == Side::B { effect.ln() } else { 0.0 };
        let value = truth + drift + machine.noise.draw(&mut random);
        let before = schedule.pairs();
        schedule.trial_done(side, Some(vec![value]));
        let pairs = schedule.pairs();
        if pairs > before && schedule.looks().planned_at(pairs) {
            looks.push((pairs, schedule.side(0)));
        }
    }
    Ending {
        looks,
        planned: schedule.planned(),
    }
}
