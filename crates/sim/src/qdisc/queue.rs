//! One qdisc: its locks, lines, packets and counts.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use super::path::Packet;
use super::setup::{Discipline, RootProtocol, Setup};
use super::tally::QueueRow;
use crate::line::LineId;
use crate::lock::{Lock, Locks};
use crate::machine::{Activity, Machine};
use crate::picos::Picos;

pub(super) struct Qdisc {
    pub root: Lock,
    pub busy: Lock,
    /// The ring's producer side.
    pub producer: Lock,
    /// Where the running flag is.
    pub state: LineId,
    /// Where the list head and the counters are.
    pub head: LineId,
    /// The deferred list's head.
    pub list: LineId,
    pub running: Rc<Cell<bool>>,
    pub missed: Cell<bool>,
    pub queue: RefCell<VecDeque<Packet>>,
    pub requeued: RefCell<VecDeque<Packet>>,
    pub deferred: RefCell<Vec<Packet>>,
    /// CPUs that drain the deferred list: at most one.
    pub drainers: Cell<usize>,
    pub drainers_most: Cell<usize>,
    pub scheduled: Cell<bool>,
    /// Token bucket: bytes in it, as of an instant.
    pub tokens: Cell<f64>,
    pub filled: Cell<Picos>,
    pub tenure: Cell<u64>,
    /// Changes with every change of the deferred list: what a compare-and-swap compares.
    pub version: Cell<u64>,
    /// The ring's lines, and how many packets went in and out.
    pub slots: Vec<LineId>,
    pub pushed: Cell<u64>,
    pub popped: Cell<u64>,
    /// Up to here slots are free again.
    pub freed: Cell<u64>,
    /// When the shaper's timer fires, and where.
    pub watchdog: Cell<Option<(Picos, usize)>>,
    pub counts: Counts,
}

#[derive(Debug, Default)]
pub(super) struct Counts {
    pub offered: Cell<u64>,
    pub enqueued: Cell<u64>,
    pub dropped: Cell<u64>,
    pub dequeued: Cell<u64>,
    pub requeued: Cell<u64>,
    pub bypassed: Cell<u64>,
    /// When counting began.
    pub backlog_then: Cell<u64>,
}

/// A qdisc at rest.
pub(super) fn qdisc(machine: &Machine, locks: &Locks<'_>, setup: &Setup) -> Qdisc {
    let word = machine.line();
    let own = |embedded: bool| match embedded {
        true => word,
        false => machine.line(),
    };
    Qdisc {
        root: locks.lock(setup.lock, word, Activity::WaitRoot),
        busy: locks.lock(setup.lock, machine.line(), Activity::WaitBusy),
        producer: locks.lock(setup.lock, machine.line(), Activity::WaitRoot),
        // With the busylock the flag moved away from the root lock.
        state: own(setup.switches.embedded && setup.root == RootProtocol::None),
        head: own(setup.switches.embedded),
        list: machine.line(),
        running: Rc::default(),
        missed: Cell::new(false),
        queue: RefCell::default(),
        requeued: RefCell::default(),
        deferred: RefCell::default(),
        drainers: Cell::new(0),
        drainers_most: Cell::new(0),
        scheduled: Cell::new(false),
        tokens: Cell::new(match setup.discipline {
            Discipline::Tbf { burst, .. } => burst as f64,
            _ => 0.0,
        }),
        filled: Cell::new(Picos::ZERO),
        tenure: Cell::new(0),
        version: Cell::new(0),
        slots: match setup.discipline {
            Discipline::PfifoFast => machine.lines(setup.limit.div_ceil(8).max(1)),
            _ => Vec::new(),
        },
        pushed: Cell::new(0),
        popped: Cell::new(0),
        freed: Cell::new(0),
        watchdog: Cell::new(None),
        counts: Counts::default(),
    }
}

impl Qdisc {
    /// Packets in it.
    pub fn backlog(&self) -> u64 {
        (self.queue.borrow().len() + self.requeued.borrow().len()) as u64
    }

    /// As it is shown.
    pub fn row(&self, name: &str) -> QueueRow {
        QueueRow {
            qdisc: name.to_owned(),
            enqueued: self.counts.enqueued.get(),
            dropped: self.counts.dropped.get(),
            dequeued: self.counts.dequeued.get(),
            requeued: self.counts.requeued.get(),
            bypassed: self.counts.bypassed.get(),
            backlog: self.backlog(),
        }
    }
}
