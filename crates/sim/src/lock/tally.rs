//! What a lock did, and what a tracer would have seen of it.

use std::cell::Cell;

use serde::Serialize;

use crate::histogram::{Bar, Histogram};
use crate::machine::Cpu;
use crate::picos::Picos;

/// Figures of one lock. Times are in nanoseconds.
#[derive(Debug, Default)]
pub struct Tally {
    contended: Cell<u64>,
    /// Waits of contended acquisitions, ns.
    contended_wait: Cell<u64>,
    wait: Histogram,
    hold: Histogram,
    handoff: Histogram,
    waiters: Histogram,
    /// What fired contention_begin and contention_end.
    seen: Histogram,
    present: Cell<usize>,
    /// When the lock was let go with someone waiting.
    released: Cell<Option<Picos>>,
    granted_at: Cell<Picos>,
    holder: Cell<Option<usize>>,
    intrusions: Cell<u64>,
    joined: Cell<u64>,
    served: Cell<u64>,
    overtakings: Cell<u64>,
    /// Integral of the number present over time, for Little's law.
    presence: Cell<u128>,
    presence_since: Cell<Picos>,
    sojourn: Cell<u128>,
    left: Cell<u64>,
    since: Cell<Picos>,
}

/// How an acquisition began.
#[derive(Debug, Clone, Copy)]
pub struct Arrival {
    at: Picos,
    present: usize,
}

/// A lock's figures as they are shown.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct LockRow {
    /// Which lock.
    pub lock: String,
    /// How often it was taken.
    pub acquisitions: u64,
    /// How often someone held it or waited for it then.
    pub contended: u64,
    /// How often a tracer on contention_begin would have seen it.
    pub visible: u64,
    /// All waiting.
    pub wait_ns: u64,
    /// All waiting that it would have seen,
    pub visible_wait_ns: u64,
    /// and the longest of that.
    pub visible_wait_max_ns: u64,
    /// The mean wait of a contended acquisition.
    pub wait_mean_ns: Option<f64>,
    /// The longest wait.
    pub wait_max_ns: u64,
    /// The mean hold.
    pub hold_mean_ns: Option<f64>,
    /// From the release to the next grant, where someone waited.
    pub handoff_mean_ns: Option<f64>,
    /// How many held it or waited at an arrival.
    pub waiters_mean: Option<f64>,
    /// Waits by powers of two.
    pub wait_ns_log2: Vec<Bar>,
    /// Waits that a tracer would have seen, by powers of two.
    pub visible_wait_ns_log2: Vec<Bar>,
    /// Holds by powers of two.
    pub hold_ns_log2: Vec<Bar>,
    /// Handoffs by powers of two.
    pub handoff_ns_log2: Vec<Bar>,
    /// Waiters at arrival by powers of two.
    pub waiters_log2: Vec<Bar>,
}

impl Tally {
    pub(super) fn arrive(&self, cpu: Cpu<'_>) -> Arrival {
        let present = self.present.get();
        self.change_presence(cpu.now(), present + 1);
        Arrival {
            at: cpu.now(),
            present,
        }
    }

    pub(super) fn grant(&self, cpu: Cpu<'_>, arrival: Arrival) {
        let now = cpu.now();
        let wait = whole_nanos(now.since(arrival.at));
        self.waiters.add(arrival.present as u64);
        self.wait.add(wait);
        if arrival.present > 0 {
            self.contended.set(self.contended.get() + 1);
            self.contended_wait.set(self.contended_wait.get() + wait);
        }
        if let Some(released) = self.released.take() {
            self.handoff.add(whole_nanos(now.since(released)));
        }
        if self.holder.replace(Some(cpu.id())).is_some() {
            self.intrusions.set(self.intrusions.get() + 1);
        }
        self.granted_at.set(now);
        let sojourn = u128::from(now.since(arrival.at).get());
        self.sojourn.set(self.sojourn.get() + sojourn);
    }

    pub(super) fn let_go(&self, cpu: Cpu<'_>) {
        let now = cpu.now();
        if self.holder.take() != Some(cpu.id()) {
            self.intrusions.set(self.intrusions.get() + 1);
        }
        let held = now.since(self.granted_at.get());
        self.hold.add(whole_nanos(held));
        self.sojourn
            .set(self.sojourn.get() + u128::from(held.get()));
        self.left.set(self.left.get() + 1);
        self.change_presence(now, self.present.get() - 1);
        self.released.set((self.present.get() > 0).then_some(now));
    }

    /// Takes a place in the lock's order.
    pub(super) fn join(&self) -> u64 {
        self.joined.replace(self.joined.get() + 1)
    }

    /// The one with this place got the lock.
    pub(super) fn serve(&self, place: u64) {
        if self.served.replace(self.served.get() + 1) != place {
            self.overtakings.set(self.overtakings.get() + 1);
        }
    }

    /// A tracer sees a wait of this length.
    pub(super) fn see(&self, wait: Picos) {
        self.seen.add(whole_nanos(wait));
    }

    fn change_presence(&self, now: Picos, present: usize) {
        let span = now.since(self.presence_since.replace(now)).get();
        let area = u128::from(span) * self.present.get() as u128;
        self.presence.set(self.presence.get() + area);
        self.present.set(present);
    }

    /// Forgets what was counted; who waits stays.
    pub fn clear(&self, now: Picos) {
        for histogram in [
            &self.wait,
            &self.hold,
            &self.handoff,
            &self.waiters,
            &self.seen,
        ] {
            histogram.clear();
        }
        self.contended.set(0);
        self.contended_wait.set(0);
        self.change_presence(now, self.present.get());
        self.presence.set(0);
        self.sojourn.set(0);
        self.left.set(0);
        self.since.set(now);
    }

    /// How often it was taken.
    pub fn acquisitions(&self) -> u64 {
        self.wait.count()
    }

    /// How often someone was inside already.
    pub fn contended(&self) -> u64 {
        self.contended.get()
    }

    /// Waits.
    pub fn waits(&self) -> &Histogram {
        &self.wait
    }

    /// Waits that a tracer sees.
    pub fn seen(&self) -> &Histogram {
        &self.seen
    }

    /// From release to grant, where someone waited.
    pub fn handoffs(&self) -> &Histogram {
        &self.handoff
    }

    /// How often two held it at once: a fault of the algorithm.
    pub fn intrusions(&self) -> u64 {
        self.intrusions.get()
    }

    /// How often an order that was promised was broken.
    pub fn overtakings(&self) -> u64 {
        self.overtakings.get()
    }

    /// Little's law, `L = lambda W`: the mean number present, and arrivals times their mean stay.
    pub fn little(&self, now: Picos) -> (f64, f64) {
        self.change_presence(now, self.present.get());
        let span = now.since(self.since.get()).get() as f64;
        let present = self.presence.get() as f64 / span;
        (present, self.sojourn.get() as f64 / span)
    }

    /// Several locks of one role as one row.
    pub fn sum<'a>(tallies: impl Iterator<Item = &'a Self>, lock: &str) -> LockRow {
        let sum = Self::default();
        for tally in tallies {
            sum.contended
                .set(sum.contended.get() + tally.contended.get());
            sum.contended_wait
                .set(sum.contended_wait.get() + tally.contended_wait.get());
            for (into, from) in [
                (&sum.wait, &tally.wait),
                (&sum.hold, &tally.hold),
                (&sum.handoff, &tally.handoff),
                (&sum.waiters, &tally.waiters),
                (&sum.seen, &tally.seen),
            ] {
                into.merge(from);
            }
        }
        sum.row(lock)
    }

    /// As it is shown.
    pub fn row(&self, lock: &str) -> LockRow {
        LockRow {
            lock: lock.to_owned(),
            acquisitions: self.acquisitions(),
            contended: self.contended(),
            visible: self.seen.count(),
            wait_ns: self.wait.sum() as u64,
            visible_wait_ns: self.seen.sum() as u64,
            visible_wait_max_ns: self.seen.greatest(),
            wait_mean_ns: (self.contended() > 0)
                .then(|| self.contended_wait.get() as f64 / self.contended() as f64),
            wait_max_ns: self.wait.greatest(),
            hold_mean_ns: self.hold.mean(),
            handoff_mean_ns: self.handoff.mean(),
            waiters_mean: self.waiters.mean(),
            wait_ns_log2: self.wait.bars(),
            visible_wait_ns_log2: self.seen.bars(),
            hold_ns_log2: self.hold.bars(),
            handoff_ns_log2: self.handoff.bars(),
            waiters_log2: self.waiters.bars(),
        }
    }
}

fn whole_nanos(span: Picos) -> u64 {
    span.get() / 1000
}
