//! Looking at the data before all of it is there, without finding more than there is.

use crate::normal_share;

/// Points of the numerical integration between the bounds of a look.
const POINTS: usize = 201;
/// Standard deviations beyond which nothing lies.
const REACH: f64 = 8.0;

/// The two-sided error that each look may claim for itself, so that by look k the chance of ever
/// having cried wolf is `spent[k]` (Lan and DeMets, Biometrika 70, 1983). `information` is the
/// share of all data at each look, ascending to 1; `spent` ascends too. By the recursive
/// integration of Armitage, McPherson and Rowe (JRSS A 132, 1969).
pub fn nominal_levels(information: &[f64], spent: &[f64]) -> Vec<f64> {
    // Density of the standardised sum where no look has stopped yet, on a grid that shrinks to
    // the bounds of the look before.
    let mut density: Vec<(f64, f64)> = Vec::new();
    let mut before = 0.0;
    let mut levels = Vec::new();
    let mut used = 0.0;
    for (now, spent) in information.iter().zip(spent) {
        let (now, may) = (*now, (spent - used).max(0.0));
        used = spent.max(used);
        let root = (now - before).max(1e-12).sqrt();
        // Chance to go beyond z at this look without having stopped before.
        let beyond = |z: f64| {
            let edge = z * now.sqrt();
            match density.as_slice() {
                [] => 2.0 * normal_share(-edge / root),
                grid => {
                    let out = |(sum, weight): &(f64, f64)| {
                        let up = normal_share((sum - edge) / root);
                        let down = normal_share((-edge - sum) / root);
                        weight * (up + down)
                    };
                    grid.iter().map(out).sum()
                }
            }
        };
        let bound = solve(beyond, may);
        levels.push(2.0 * normal_share(-bound));
        let edge = (bound * now.sqrt()).min(REACH);
        let width = 2.0 * edge / (POINTS - 1) as f64;
        let at = |i: usize| -edge + width * i as f64;
        let bell =
            |x: f64| (-x * x / (2.0 * root * root)).exp() / (root * std::f64::consts::TAU.sqrt());
        let reached = |sum: f64| match density.as_slice() {
            [] => bell(sum),
            grid => grid
                .iter()
                .map(|(from, weight)| weight * bell(sum - from))
                .sum(),
        };
        let share = |i: usize| if i == 0 || i == POINTS - 1 { 0.5 } else { 1.0 };
        density = (0..POINTS)
            .map(|i| (at(i), reached(at(i)) * width * share(i)))
            .collect();
        before = now;
    }
    levels
}

/// The bound beyond which lies the chance `may`, which falls as the bound grows.
fn solve(beyond: impl Fn(f64) -> f64, may: f64) -> f64 {
    let (mut low, mut high) = (0.0, REACH);
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if beyond(middle) > may {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests;
