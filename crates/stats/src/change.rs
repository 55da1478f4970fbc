//! Where a history changes its level.

use crate::{Welch, mean, welch};

/// How a change has to look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangeRule {
    /// Values that are looked at together.
    pub window: usize,
    /// Largest p value of the t test.
    pub p: f64,
    /// Smallest change, as a share of the level before.
    pub smallest: f64,
}

impl Default for ChangeRule {
    fn default() -> Self {
        Self {
            window: 50,
            p: 0.001,
            smallest: 0.05,
        }
    }
}

/// Fewer values say nothing about a history.
pub const LEAST_HISTORY: usize = 20;

/// A change of level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// Position of the first value after it.
    pub at: usize,
    /// Mean from the change before up to here.
    pub before: f64,
    /// Mean from here to the next change.
    pub after: f64,
    /// Of Welch's test of the two.
    pub p: f64,
}

/// The changes of a history: E-divisive splitting (Matteson and James, JASA 109, 2014) within
/// windows that overlap by half, with Student's t in place of the permutation test, as the Hunter
/// tool does (Fleming et al., arXiv 2301.03034). Each candidate is then tested again between its
/// neighbours and dropped if it does not hold. None for fewer than 20 values.
pub fn changes(values: &[f64], rule: ChangeRule) -> Vec<Change> {
    if values.len() < LEAST_HISTORY {
        return Vec::new();
    }
    let window = rule.window.max(LEAST_HISTORY);
    let mut found = Vec::new();
    let mut start = 0;
    loop {
        let end = (start + window).min(values.len());
        split(values, start, end, rule, &mut found);
        if end == values.len() {
            break;
        }
        start += window / 2;
    }
    found.sort_unstable();
    found.dedup();
    keep_the_sound(values, rule, found)
}

/// The fewest values to each side of a change.
const LEAST_SIDE: usize = 3;

/// Cuts `from..to` where the two parts differ most, and its parts again.
fn split(values: &[f64], from: usize, to: usize, rule: ChangeRule, found: &mut Vec<usize>) {
    let Some(at) = best_cut(&values[from..to]).map(|cut| from + cut) else {
        return;
    };
    if test(values, from, at, to).is_some_and(|t| t.p <= rule.p) {
        found.push(at);
        split(values, from, at, rule, found);
        split(values, at, to, rule, found);
    }
}

/// Where the energy distance of the two parts, weighted by their sizes, is largest.
fn best_cut(values: &[f64]) -> Option<usize> {
    let n = values.len();
    let distance = |a: usize, b: usize| (values[a] - values[b]).abs();
    // Sums of distances within the left part, within the right one, and across.
    let (mut left, mut across) = (0.0, 0.0);
    let mut right: f64 = (0..n)
        .map(|a| (a + 1..n).map(|b| distance(a, b)).sum::<f64>())
        .sum();
    let mut best = None;
    for cut in 1..n {
        let moved = cut - 1;
        let to_left: f64 = (0..moved).map(|a| distance(a, moved)).sum();
        let to_right: f64 = (cut..n).map(|b| distance(moved, b)).sum();
        left += to_left;
        right -= to_right;
        across += to_right - to_left;
        if cut < LEAST_SIDE || n - cut < LEAST_SIDE {
            continue;
        }
        let (l, r) = (cut as f64, (n - cut) as f64);
        let pairs = |n: f64| n * (n - 1.0) / 2.0;
        let energy = 2.0 * across / (l * r) - left / pairs(l) - right / pairs(r);
        let score = l * r / (l + r) * energy;
        if best.is_none_or(|(highest, _)| score > highest) {
            best = Some((score, cut));
        }
    }
    best.map(|(_, cut)| cut)
}

fn test(values: &[f64], from: usize, at: usize, to: usize) -> Option<Welch> {
    let (before, after) = (&values[from..at], &values[at..to]);
    welch(before, after).or_else(|| {
        // Neither part has any spread: either nothing changed, or certainly.
        let difference = mean(after)? - mean(before)?;
        let sure = Welch {
            difference,
            t: f64::MAX.copysign(difference),
            freedom: 1.0,
            p: 0.0,
        };
        (difference != 0.0).then_some(sure)
    })
}

/// Drops the weakest candidate until all hold between their neighbours.
fn keep_the_sound(values: &[f64], rule: ChangeRule, mut found: Vec<usize>) -> Vec<Change> {
    loop {
        let ends = |i: usize| {
            let from = if i == 0 { 0 } else { found[i - 1] };
            (from, found.get(i + 1).copied().unwrap_or(values.len()))
        };
        let all: Vec<Change> = (0..found.len())
            .filter_map(|i| {
                let (from, to) = ends(i);
                let p = test(values, from, found[i], to).map_or(1.0, |t| t.p);
                let (before, after) =
                    (mean(&values[from..found[i]])?, mean(&values[found[i]..to])?);
                Some(Change {
                    at: found[i],
                    before,
                    after,
                    p,
                })
            })
            .collect();
        let holds = |change: &Change| {
            let size = (change.after - change.before).abs();
            change.p <= rule.p && size >= rule.smallest * change.before.abs()
        };
        let weakest = all
            .iter()
            .filter(|change| !holds(change))
            .max_by(|a, b| a.p.total_cmp(&b.p));
        match weakest.map(|change| change.at) {
            Some(at) => found.retain(|other| *other != at),
            None => return all,
        }
    }
}

#[cfg(test)]
mod tests;
