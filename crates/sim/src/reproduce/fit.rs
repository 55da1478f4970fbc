//! One free parameter, fitted to one figure by bisection.

use crate::cost::{Item, Tag};
use crate::platform::Platform;

/// A parameter's value, and what the figure comes to with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fit {
    pub value: f64,
    pub figure: f64,
    pub reached: bool,
}

/// Looks for `target` between `low` and `high`, where the figure rises or falls all the way. At an
/// end of the range the fit says that it did not reach the target.
pub(super) fn bisect(low: f64, high: f64, target: f64, figure: impl Fn(f64) -> f64) -> Fit {
    let at_low = figure(low);
    let at_high = figure(high);
    let rises = at_high > at_low;
    let end = |value, figure| Fit {
        value,
        figure,
        reached: false,
    };
    let beyond = |figure: f64, is_low: bool| (figure > target) == (rises == is_low);
    if beyond(at_low, true) {
        return end(low, at_low);
    }
    if beyond(at_high, false) {
        return end(high, at_high);
    }
    let (mut below, mut above) = (low, high);
    let mut best = end(low, at_low);
    for _ in 0..12 {
        let value = f64::midpoint(below, above);
        let now = figure(value);
        best = Fit {
            value,
            figure: now,
            reached: true,
        };
        if (now / target - 1.0).abs() < 0.002 {
            break;
        }
        if (now < target) == rises {
            below = value;
        } else {
            above = value;
        }
    }
    best
}

impl Fit {
    /// A sentence if the target was not reached.
    pub fn note(&self, what: &str, target: f64, notes: &mut Vec<String>) {
        if !self.reached {
            notes.push(format!(
                "no value of {what} in its range reaches the figure that it is fitted to: \
                 {:.4} at {:.4}, not {target:.4}",
                self.figure, self.value
            ));
        }
    }
}

/// The platform with some costs at a share of their ranges: 0 is low, 1 is high.
pub(super) fn placed(platform: &Platform, items: &[Item], share: f64) -> Platform {
    let mut platform = platform.clone();
    for item in items {
        let cost = platform.costs.get(*item);
        let value = cost.low + share * (cost.high - cost.low);
        platform.costs.set(*item, value, Tag::F, "fitted");
    }
    platform
}

/// The platform with the same transfer cost everywhere outside of a core.
pub(super) fn transfer(platform: &Platform, nanos: f64) -> Platform {
    let mut platform = platform.clone();
    for item in [
        Item::TransferCluster,
        Item::TransferSocket,
        Item::TransferMachine,
    ] {
        platform.costs.set(item, nanos, Tag::F, "fitted");
    }
    platform
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_there_and_says_when_it_is_not() {
        let rising = bisect(0.0, 10.0, 5.0, |x| x * x);
        assert!(rising.reached && (rising.value - 5.0_f64.sqrt()).abs() < 0.01);
        let falling = bisect(1.0, 10.0, 0.5, |x| 1.0 / x);
        assert!(falling.reached && (falling.value - 2.0).abs() < 0.01);
        let beyond = bisect(0.0, 1.0, 5.0, |x| x);
        assert_eq!(
            (beyond.value, beyond.figure, beyond.reached),
            (1.0, 1.0, false)
        );
        let before = bisect(1.0, 2.0, 0.5, |x| x);
        assert_eq!((before.value, before.reached), (1.0, false));
    }
}
