//! How long a waiter on a ticket lock pauses between two looks, learnt on line: the versions of
//! van Riel's series of December 2012 to February 2013, and Dumazet's variant of it.

use std::cell::Cell;

use crate::random::mix;

/// Where a delay is kept and how it is tuned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// So many relax instructions for each waiter ahead, never tuned.
    Fixed(u32),
    /// One delay for each CPU, for all locks, also for the next in line (version 2).
    PerCpu,
    /// As `PerCpu`, in a table of 16 by a hash of the lock's address (Dumazet).
    Hashed,
    /// A table of 64 with tags; the next in line spins (the final form).
    Tagged,
    /// As `PerCpu`, but the next in line spins: a switch to see what its delay costs.
    PerCpuNextSpins,
}

impl Policy {
    /// Whether the next in line spins without a delay.
    pub fn next_in_line_spins(self) -> bool {
        matches!(self, Self::Fixed(_) | Self::Tagged | Self::PerCpuNextSpins)
    }
}

/// Delays are kept in units of 1/256 relax instruction.
const ONE: u32 = 256;
/// Versions 1 and 2: one step down for each oversleep, and 2.7 failed looks cancel a step.
const V2_UP: u32 = ONE * 10 / 27;
/// Versions 1 and 2: at most 1000.
const V2_MAX: u32 = 1000 * ONE;
/// Final form: up by 36/256 each round.
const FINAL_UP: u32 = 36;
/// Final form, on real CPUs.
const FINAL_MAX: u32 = 16_000 * ONE;
const FINAL_SLOTS: usize = 64;
const HASHED_SLOTS: usize = 16;

/// What all CPUs have learnt.
#[derive(Debug)]
pub struct Delays {
    per_cpu: Vec<Cell<u32>>,
    hashed: Vec<[Cell<u32>; HASHED_SLOTS]>,
    tagged: Vec<[Cell<(u32, u32)>; FINAL_SLOTS]>,
}

/// The delay of one wait.
#[derive(Debug, Clone, Copy)]
pub(super) struct Delay {
    policy: Policy,
    value: u32,
}

impl Delays {
    pub(super) fn new(cpus: usize) -> Self {
        Self {
            per_cpu: (0..cpus).map(|_| Cell::new(ONE)).collect(),
            hashed: (0..cpus).map(|_| [const { Cell::new(ONE) }; 16]).collect(),
            tagged: (0..cpus)
                .map(|_| [const { Cell::new((u32::MAX, ONE)) }; FINAL_SLOTS])
                .collect(),
        }
    }

    pub(super) fn load(&self, policy: Policy, cpu: usize, lock: u32) -> Delay {
        let value = match policy {
            Policy::Fixed(relax) => relax * ONE,
            Policy::PerCpu | Policy::PerCpuNextSpins => self.per_cpu[cpu].get(),
            Policy::Hashed => self.hashed[cpu][slot(lock, HASHED_SLOTS)].get(),
            Policy::Tagged => match self.tagged[cpu][slot(lock, FINAL_SLOTS)].get() {
                (tag, value) if tag == lock => value,
                _ => ONE,
            },
        };
        Delay { policy, value }
    }

    pub(super) fn store(&self, policy: Policy, cpu: usize, lock: u32, delay: Delay) {
        match policy {
            Policy::Fixed(_) => {}
            Policy::PerCpu | Policy::PerCpuNextSpins => self.per_cpu[cpu].set(delay.value),
            Policy::Hashed => self.hashed[cpu][slot(lock, HASHED_SLOTS)].set(delay.value),
            Policy::Tagged => {
                self.tagged[cpu][slot(lock, FINAL_SLOTS)].set((lock, delay.value));
            }
        }
    }

    /// What a CPU would wait at a lock, in relax instructions for each waiter ahead.
    pub fn learnt(&self, policy: Policy, cpu: usize, lock: u32) -> f64 {
        f64::from(self.load(policy, cpu, lock).value) / f64::from(ONE)
    }
}

impl Delay {
    /// A round begins. The final form counts every round.
    pub fn before(&mut self) {
        if self.policy == Policy::Tagged && self.value < FINAL_MAX {
            self.value += FINAL_UP;
        }
    }

    /// Relax instructions for so many waiters.
    pub fn rounds(&self, waiters: u64) -> u64 {
        (u64::from(self.value) * waiters / u64::from(ONE)).max(1)
    }

    /// The turn had come when the waiter looked.
    pub fn overslept(&mut self) {
        self.value = match self.policy {
            Policy::Fixed(_) => self.value,
            Policy::PerCpu | Policy::PerCpuNextSpins | Policy::Hashed => {
                self.value.saturating_sub(ONE).max(ONE)
            }
            Policy::Tagged if self.value >= 2 * ONE => self.value - (self.value / 32).max(ONE),
            Policy::Tagged => self.value,
        };
    }

    /// The turn had not come. The versions before the final form count these.
    pub fn too_early(&mut self) {
        let counts = !matches!(self.policy, Policy::Fixed(_) | Policy::Tagged);
        if counts && self.value < V2_MAX {
            self.value += V2_UP;
        }
    }
}

fn slot(lock: u32, slots: usize) -> usize {
    (mix(u64::from(lock) + 1) >> 40) as usize % slots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_for_each_lock_is_apart_where_the_table_says_so() {
        let delays = Delays::new(1);
        for (policy, apart) in [
            (Policy::PerCpu, false),
            (Policy::Hashed, true),
            (Policy::Tagged, true),
        ] {
            let mut delay = delays.load(policy, 0, 1);
            for _ in 0..100 {
                delay.before();
                delay.too_early();
            }
            delays.store(policy, 0, 1, delay);
            assert!(delays.learnt(policy, 0, 1) > 10.0, "{policy:?}");
            assert_eq!(delays.learnt(policy, 0, 2) == 1.0, apart, "{policy:?}");
        }
    }

    /// Up 36/256 a round, down one when overslept: below 32, one round in 7.1 oversleeps.
    #[test]
    fn the_final_form_balances_where_its_authors_meant_it_to() {
        let delays = Delays::new(1);
        let mut delay = delays.load(Policy::Tagged, 0, 0);
        delay.value = 20 * ONE;
        let (mut rounds, mut overslept) = (0, 0);
        for _ in 0..10_000 {
            rounds += 1;
            delay.before();
            if delay.value > 20 * ONE {
                overslept += 1;
                delay.overslept();
            }
        }
        let share = f64::from(rounds) / f64::from(overslept);
        assert!((share - 256.0 / 36.0).abs() < 0.1, "{share}");
    }

    #[test]
    fn bounds_hold() {
        let delays = Delays::new(1);
        for policy in [
            Policy::PerCpu,
            Policy::Hashed,
            Policy::Tagged,
            Policy::Fixed(7),
        ] {
            let mut delay = delays.load(policy, 0, 0);
            (0..100).for_each(|_| delay.overslept());
            assert!(delay.rounds(1) >= 1, "{policy:?}");
            for _ in 0..200_000 {
                delay.before();
                delay.too_early();
            }
            assert!(delay.rounds(1) <= 16_000, "{policy:?}");
        }
    }
}
