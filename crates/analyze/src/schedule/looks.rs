//! After how many pairs the data are looked at, and what each look may claim.

use stats::nominal_levels;

/// Pairs at the first look of several: with eight, a level below 1 % can be reached.
pub const FIRST_LOOK: usize = 8;
/// Fewer pairs in all are looked at once, at the end.
const SEVERAL: usize = 12;
/// From so many pairs on there is a look halfway.
const HALFWAY: usize = 24;

/// A plan of looks. The first look of several spends a fifth of the error, a look halfway as much
/// as brings it to a half, the last one the rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Looks {
    alpha: f64,
    /// The last is missing while the number of pairs is not known.
    planned: Vec<Look>,
    complete: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Look {
    pairs: usize,
    /// Error spent by then.
    spent: f64,
    /// Error that an interval may claim here.
    level: f64,
}

impl Looks {
    /// For so many pairs; none when that is decided at the first look.
    pub fn planned(pairs: Option<usize>, alpha: f64) -> Self {
        let mut looks = Self {
            alpha,
            planned: Vec::new(),
            complete: pairs.is_some(),
        };
        match pairs {
            Some(pairs) if pairs < SEVERAL => looks.plan(&[(pairs, alpha)]),
            _ => looks.plan(&[(FIRST_LOOK, alpha / 5.0)]),
        }
        if let Some(pairs) = pairs.filter(|pairs| *pairs >= SEVERAL) {
            looks.extend_to(pairs);
        }
        looks
    }

    /// Decides the number of pairs, at the first look or before.
    pub fn extend_to(&mut self, pairs: usize) {
        let pairs = pairs.max(SEVERAL);
        let mut all = vec![(FIRST_LOOK, self.alpha / 5.0)];
        if pairs >= HALFWAY {
            all.push((pairs / 2, self.alpha / 2.0));
        }
        all.push((pairs, self.alpha));
        self.plan(&all);
        self.complete = true;
    }

    fn plan(&mut self, looks: &[(usize, f64)]) {
        let levels = levels(looks);
        let looks = looks.iter().zip(levels);
        self.planned = looks
            .map(|((pairs, spent), level)| Look {
                pairs: *pairs,
                spent: *spent,
                level,
            })
            .collect();
    }

    /// The number of pairs at the last look.
    pub fn last(&self) -> Option<usize> {
        self.pairs().last().filter(|_| self.complete)
    }

    /// Pairs at each look.
    pub fn pairs(&self) -> impl Iterator<Item = usize> {
        self.planned.iter().map(|look| look.pairs)
    }

    /// Whether the data are looked at after so many pairs.
    pub fn planned_at(&self, pairs: usize) -> bool {
        self.pairs().any(|look| look == pairs)
    }

    /// The error that an interval may claim after so many pairs: at a planned look its own; else
    /// the comparison ended for a reason that is not in the data, and this is its last look.
    pub fn level_at(&self, pairs: usize) -> f64 {
        if let Some(look) = self.planned.iter().find(|look| look.pairs == pairs) {
            return look.level;
        }
        let reached = self.planned.iter().filter(|look| look.pairs < pairs);
        let reached = reached.map(|look| (look.pairs, look.spent));
        let looks: Vec<_> = reached.chain([(pairs, self.alpha)]).collect();
        levels(&looks).pop().unwrap_or(self.alpha)
    }
}

/// The level of each look, from its pairs and the error spent by then.
fn levels(looks: &[(usize, f64)]) -> Vec<f64> {
    let all = looks.last().map_or(1, |(pairs, _)| *pairs).max(1) as f64;
    let information: Vec<f64> = looks.iter().map(|(pairs, _)| *pairs as f64 / all).collect();
    let spent: Vec<f64> = looks.iter().map(|(_, spent)| *spent).collect();
    nominal_levels(&information, &spent)
}
