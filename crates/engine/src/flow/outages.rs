//! The longest runs of consecutive losses of one receiving flow.

use record::Outage;
use units::Nanos;

/// How many are kept.
const KEPT: usize = 10;

/// Kept longest first. Runs of a single loss are random loss, not outages, and are left out.
#[derive(Debug, Default)]
pub(crate) struct Outages {
    /// The run's start; `until_ns` in the outages counts from it.
    origin: Nanos,
    kept: Vec<Hole>,
}

#[derive(Debug, Clone, Copy)]
struct Hole {
    first: u64,
    numbers: u64,
    missing: u64,
    length: Nanos,
    until: Nanos,
}

impl Outages {
    pub fn new(origin: Nanos) -> Self {
        Self {
            origin,
            kept: Vec::new(),
        }
    }

    /// Notes that `missing` numbers from `first` on did not come, between two datagrams that were
    /// sent `apart`; the second arrived at `now`.
    pub fn open(&mut self, first: u64, missing: u64, apart: Nanos, now: Nanos) {
        if missing < 2 {
            return;
        }
        // Of the missing+1 gaps between the two datagrams one would be there without any loss.
        let length =
            (u128::from(apart.get()) * u128::from(missing) / u128::from(missing + 1)) as u64;
        let length = Nanos::new(length);
        if self.kept.len() == KEPT && self.kept.last().is_some_and(|hole| hole.length >= length) {
            return;
        }
        self.kept.truncate(KEPT - 1);
        let place = self.kept.partition_point(|hole| hole.length >= length);
        let until = now - self.origin;
        self.kept.insert(
            place,
            Hole {
                first,
                numbers: missing,
                missing,
                length,
                until,
            },
        );
    }

    /// Notes that a missing number came after all. A hole that fills up was reordering.
    pub fn fill(&mut self, number: u64) {
        for hole in &mut self.kept {
            if (hole.first..hole.first + hole.numbers).contains(&number) {
                hole.missing -= 1;
            }
        }
        self.kept.retain(|hole| hole.missing > 0);
    }

    /// What is left, longest first.
    pub fn list(&self, flow: u32) -> Vec<Outage> {
        self.kept
            .iter()
            .map(|hole| Outage {
                flow,
                until_ns: hole.until.get(),
                length_ns: hole.length.get(),
                lost: hole.missing,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_is_as_long_as_its_lost_datagrams_at_the_senders_pace() {
        let mut outages = Outages::new(Nanos::from_secs(1));
        outages.open(500, 137, Nanos::from_millis(138), Nanos::from_secs(3));
        let expected = Outage {
            flow: 4,
            until_ns: 2_000_000_000,
            length_ns: 137_000_000,
            lost: 137,
        };
        assert_eq!(outages.list(4), [expected]);
    }

    #[test]
    fn a_hole_that_fills_up_was_none() {
        let mut outages = Outages::default();
        outages.open(10, 2, Nanos::new(300), Nanos::ZERO);
        outages.fill(10);
        assert_eq!(outages.list(0)[0].lost, 1);
        outages.fill(11);
        assert_eq!(outages.list(0), []);
    }

    #[test]
    fn only_the_longest_are_kept_in_order() {
        let mut outages = Outages::default();
        for i in 0..100 {
            outages.open(
                i * 100,
                2 + i % 37,
                Nanos::new(1000 + (i * 7919) % 1000),
                Nanos::ZERO,
            );
        }
        let lengths: Vec<u64> = outages.list(0).iter().map(|o| o.length_ns).collect();
        assert_eq!(lengths.len(), KEPT);
        assert!(lengths.is_sorted_by(|a, b| a >= b), "{lengths:?}");
    }
}
