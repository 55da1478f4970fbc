//! The locks there are, by name.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::delay::Policy;

/// A lock's algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockKind {
    /// Atomics until it is free.
    Tas,
    /// Reads until it is free, then an atomic.
    Ttas,
    /// As `Ttas`, with a delay that doubles up to `max` relax instructions after each failure.
    TtasExp {
        /// Relax instructions.
        max: u32,
    },
    /// Linux 2.6.25 to 4.1.
    Ticket,
    /// Ticket, with a delay in proportion to the number of waiters ahead.
    TicketProp(Policy),
    /// Mellor-Crummey and Scott, 1991.
    Mcs,
    /// Craig; Landin and Hagersten.
    Clh,
    /// Linux since 4.2.
    Qspin,
    /// Linux in a guest: steals, and halts its virtual CPU.
    QspinPv,
    /// Queues by memory node; proposed for Linux, not merged.
    Cna,
}

/// All locks with their names.
const NAMES: [(&str, LockKind); 13] = [
    ("tas", LockKind::Tas),
    ("ttas", LockKind::Ttas),
    ("ttas-exp", LockKind::TtasExp { max: 1024 }),
    ("ticket", LockKind::Ticket),
    ("ticket-fixed", LockKind::TicketProp(Policy::Fixed(50))),
    ("ticket-percpu", LockKind::TicketProp(Policy::PerCpu)),
    ("ticket-hashed", LockKind::TicketProp(Policy::Hashed)),
    ("ticket-tagged", LockKind::TicketProp(Policy::Tagged)),
    ("mcs", LockKind::Mcs),
    ("clh", LockKind::Clh),
    ("qspin", LockKind::Qspin),
    ("qspin-pv", LockKind::QspinPv),
    ("cna", LockKind::Cna),
];

/// There is no lock of this name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no lock '{0}': use one of {list}", list = list())]
pub struct UnknownLock(String);

impl LockKind {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|(_, kind)| *kind)
    }

    /// Whether it serves in the order of arrival.
    pub fn is_fifo(self) -> bool {
        matches!(
            self,
            Self::Ticket | Self::TicketProp(_) | Self::Mcs | Self::Clh
        )
    }
}

impl FromStr for LockKind {
    type Err = UnknownLock;

    fn from_str(text: &str) -> Result<Self, UnknownLock> {
        let found = NAMES.iter().find(|(name, _)| *name == text);
        found
            .map(|(_, kind)| *kind)
            .ok_or_else(|| UnknownLock(text.to_owned()))
    }
}

impl fmt::Display for LockKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = NAMES.iter().find(|(_, kind)| kind == self);
        match (found, self) {
            (Some((name, _)), _) => f.write_str(name),
            (None, Self::TtasExp { max }) => write!(f, "ttas-exp({max})"),
            (None, kind) => write!(f, "{kind:?}"),
        }
    }
}

fn list() -> String {
    NAMES.map(|(name, _)| name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_both_ways_and_others_are_refused_in_a_sentence() {
        for (name, kind) in NAMES {
            assert_eq!(name.parse(), Ok(kind));
            assert_eq!(kind.to_string(), name);
        }
        let refused = "mutex".parse::<LockKind>().unwrap_err().to_string();
        assert!(refused.starts_with("there is no lock 'mutex': use one of tas, ttas"));
    }
}
