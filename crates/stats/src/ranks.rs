//! Mann and Whitney's test: does one of two independent samples tend to the larger values?

use crate::normal_share;
use crate::order::sorted;

/// What the ranks say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MannWhitney {
    /// Pairs of values in which that of `b` is larger; a tie counts half.
    pub u: f64,
    /// Two-sided: exact without ties and up to 40 values, by the normal distribution with
    /// corrections for ties and continuity otherwise.
    pub p: f64,
}

/// Up to so many values together the distribution is counted out.
const EXACT: usize = 40;

/// The test of `b` against `a` (Ann. Math. Statist. 18, 1947); none where a sample is empty.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Option<MannWhitney> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let wins = |x: f64| {
        let against = |y: &f64| match x.total_cmp(y) {
            _ if x == *y => 0.5,
            std::cmp::Ordering::Greater => 1.0,
            _ => 0.0,
        };
        a.iter().map(against).sum::<f64>()
    };
    let u: f64 = b.iter().map(|x| wins(*x)).sum();
    let ties = ties(a, b);
    let p = if ties == 0.0 && a.len() + b.len() <= EXACT {
        exact(a.len(), b.len(), u)
    } else {
        approximate(a.len() as f64, b.len() as f64, u, ties)
    };
    Some(MannWhitney { u, p })
}

/// Sum of t^3 - t over groups of t equal values.
fn ties(a: &[f64], b: &[f64]) -> f64 {
    let all = sorted(&[a, b].concat());
    let groups = all.chunk_by(|x, y| x == y);
    groups
        .map(|group| (group.len() as f64).powi(3) - group.len() as f64)
        .sum()
}

/// Share of all orders that lie as far from the middle as `u`.
fn exact(a: usize, b: usize, u: f64) -> f64 {
    // ways[i][w]: orders of i values of `b` among the values of `a` so far, with w wins.
    let most = a * b;
    let mut ways = vec![vec![0.0; most + 1]; b + 1];
    ways.iter_mut().for_each(|row| row[0] = 1.0);
    for _ in 0..a {
        // The smallest value is of `a`, and all of `b` win against it, or of `b`, and wins nothing.
        let before = ways.clone();
        for i in 1..=b {
            for w in 0..=most {
                let with = if w >= i { before[i][w - i] } else { 0.0 };
                ways[i][w] = ways[i - 1][w] + with;
            }
        }
    }
    let all: f64 = ways[b].iter().sum();
    let near = u.min(most as f64 - u).floor() as usize;
    let tail: f64 = ways[b][..=near].iter().sum();
    (2.0 * tail / all).min(1.0)
}

fn approximate(a: f64, b: f64, u: f64, ties: f64) -> f64 {
    let n = a + b;
    let variance = a * b / 12.0 * (n + 1.0 - ties / (n * (n - 1.0)));
    if variance <= 0.0 {
        return 1.0;
    }
    let distance = ((u - a * b / 2.0).abs() - 0.5).max(0.0);
    (2.0 * normal_share(-distance / variance.sqrt())).min(1.0)
}

#[cfg(test)]
mod tests;
