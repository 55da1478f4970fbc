//! On what each CPU spends its time.

use std::cell::Cell;

use super::Machine;
use crate::picos::Picos;

/// What a CPU is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// Nothing to do.
    #[default]
    Idle,
    /// Work outside of all locks: system call, protocol, buffer.
    Think,
    /// Waits for the qdisc's root lock, or the only lock there is.
    WaitRoot,
    /// Waits for the busylock.
    WaitBusy,
    /// Waits for the transmit queue's lock.
    WaitTxq,
    /// Holds the root lock.
    Hold,
    /// In the driver.
    Transmit,
    /// Completions, timers, a qdisc run by the softirq.
    Softirq,
}

/// All activities, in order.
pub const ACTIVITIES: [Activity; 8] = [
    Activity::Idle,
    Activity::Think,
    Activity::WaitRoot,
    Activity::WaitBusy,
    Activity::WaitTxq,
    Activity::Hold,
    Activity::Transmit,
    Activity::Softirq,
];

#[derive(Debug, Default)]
pub(super) struct Account {
    activity: Cell<Activity>,
    since: Cell<Picos>,
    spent: [Cell<Picos>; ACTIVITIES.len()],
    /// Time that interrupts took from whatever runs.
    pub stolen: Cell<Picos>,
}

impl Account {
    pub fn enter(&self, activity: Activity, now: Picos) -> Activity {
        self.settle(now);
        self.activity.replace(activity)
    }

    fn settle(&self, now: Picos) {
        let spent = &self.spent[self.activity.get() as usize];
        spent.set(spent.get() + now.since(self.since.get()));
        self.since.set(now);
    }
}

impl Machine {
    /// Brings all accounts up to now.
    pub(super) fn settle_accounts(&self) {
        for account in &self.accounts {
            account.settle(self.now());
        }
    }

    /// Forgets what was spent so far: a warm-up is over.
    pub fn clear_accounts(&self) {
        self.settle_accounts();
        for account in &self.accounts {
            account
                .spent
                .iter()
                .for_each(|spent| spent.set(Picos::ZERO));
        }
        let tally = &self.tally;
        tally.transfers.iter().for_each(|count| count.set(0));
        tally.line_operations.set(0);
        tally.events.set(0);
    }

    /// What work of this length comes to: longer while the core's other thread works too. A
    /// sibling that only waits and relaxes leaves the core to this one.
    pub(super) fn shared(&self, cpu: usize, span: Picos) -> Picos {
        let factor = self.memory.shared_core;
        // Devices have no core.
        let Some(sibling) = self.siblings.get(cpu).filter(|_| factor > 1.0) else {
            return span;
        };
        let works = *sibling != cpu
            && matches!(
                self.accounts[*sibling].activity.get(),
                Activity::Think | Activity::Hold | Activity::Transmit | Activity::Softirq
            );
        match works {
            true => Picos::new((span.get() as f64 * factor).round() as u64),
            false => span,
        }
    }

    /// Time spent by a CPU, in the order of [`ACTIVITIES`].
    pub fn spent(&self, cpu: usize) -> [Picos; ACTIVITIES.len()] {
        self.accounts[cpu].spent.each_ref().map(Cell::get)
    }
}
