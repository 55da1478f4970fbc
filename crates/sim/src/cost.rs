//! What things cost: every number by name, with unit, range, source and tag.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::picos::Picos;

/// Where a number comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub enum Tag {
    /// Read in the primary text.
    P,
    /// Read in a secondary text.
    S,
    /// From memory, not verified.
    M,
    /// Derived by arithmetic from others.
    D,
    /// Measured on this machine.
    L,
    /// Fitted to a published figure.
    F,
    /// Chosen by the user.
    U,
}

/// One number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// Nanoseconds, except where the name says otherwise.
    pub value: f64,
    /// The least that is plausible, or the lower end of the interval of a measurement.
    pub low: f64,
    /// The most.
    pub high: f64,
    /// Where it comes from.
    pub source: String,
    /// What kind of source that is.
    pub tag: Tag,
}

macro_rules! items {
    ($($item:ident $name:literal $what:literal;)*) => {
        /// What costs something. All are times in nanoseconds.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Item { $(#[doc = $what] $item,)* }

        /// All of them, with their name and meaning.
        pub const ITEMS: &[(Item, &str, &str)] = &[$((Item::$item, $name, $what),)*];
    };
}

items! {
    Hit "hit" "an access to a line that the CPU holds";
    Atomic "atomic" "what an atomic read-modify-write costs beyond an access";
    TransferCore "transfer_core" "moving a line between two threads of a core";
    TransferCluster "transfer_cluster" "moving a line between two cores with a cache in common";
    TransferSocket "transfer_socket" "moving a line between clusters or dies of a socket";
    TransferMachine "transfer_machine" "moving a line between sockets";
    Fill "fill" "getting a line that no CPU holds";
    InvalidateEach "invalidate_each" "invalidating one copy; 0: all copies at once, as long as the farthest takes";
    Relax "relax" "one relax instruction";
    Think "think" "system call, protocol and buffer before a packet reaches the qdisc";
    Enqueue "enqueue" "work of an enqueue under the root lock, its lines apart";
    Dequeue "dequeue" "work of a dequeue under the root lock, its lines apart";
    Htb "htb" "what HTB's direct queue adds to an enqueue and to a dequeue";
    Transmit "transmit" "the driver's work for a packet";
    Doorbell "doorbell" "telling the device about a batch";
    Drop "drop" "freeing a dropped packet";
    Softirq "softirq" "raising and entering a softirq";
    Interrupt "interrupt" "taking an interrupt";
    Ipi "ipi" "interrupting another CPU, both sides together";
    Switch "switch" "switching to another process";
    Complete "complete" "freeing a packet that was sent";
    RingPush "ring_push" "work of putting a packet into a lockless ring";
    RingPop "ring_pop" "work of taking a packet out of a lockless ring";
    Wake "wake" "until a halted virtual CPU runs again";
    Kick "kick" "waking a halted virtual CPU";
    Observe "observe" "one event of a tracer on the lock's tracepoints; 0: no tracer";
    Timer "timer" "a timer's interrupt and handler, with the send that it does apart";
    Remote "remote" "cold lines when a timer runs on another CPU than its flow";
}

impl Item {
    /// The item of a name.
    pub fn named(name: &str) -> Option<Self> {
        let found = ITEMS.iter().find(|(_, known, _)| *known == name);
        found.map(|(item, ..)| *item)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        ITEMS[self as usize].1
    }

    /// What it means.
    pub fn meaning(self) -> &'static str {
        ITEMS[self as usize].2
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// All costs of a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Costs(Vec<Cost>);

impl Costs {
    /// One for each item, in order.
    pub(crate) fn new(costs: impl FnMut(Item) -> Cost) -> Self {
        let mut costs = costs;
        Self(ITEMS.iter().map(|(item, ..)| costs(*item)).collect())
    }

    /// One of them.
    pub fn get(&self, item: Item) -> &Cost {
        &self.0[item as usize]
    }

    /// In nanoseconds.
    pub fn nanos(&self, item: Item) -> f64 {
        self.get(item).value
    }

    /// As simulated time.
    pub fn span(&self, item: Item) -> Picos {
        Picos::from_nanos(self.nanos(item))
    }

    /// Replaces one.
    pub fn put(&mut self, item: Item, cost: Cost) {
        self.0[item as usize] = cost;
    }

    /// Replaces a value and says where it comes from; its range stays.
    pub fn set(&mut self, item: Item, nanos: f64, tag: Tag, source: &str) {
        let cost = &mut self.0[item as usize];
        cost.value = nanos;
        cost.tag = tag;
        source.clone_into(&mut cost.source);
    }

    /// With one value replaced by a fit.
    #[must_use]
    pub fn fitted(mut self, item: Item, nanos: f64) -> Self {
        self.set(item, nanos, Tag::F, "fitted");
        self
    }

    /// The middle of an item's range.
    pub fn middle(&self, item: Item) -> f64 {
        let cost = self.get(item);
        f64::midpoint(cost.low, cost.high)
    }

    /// All, by name.
    pub fn iter(&self) -> impl Iterator<Item = (Item, &Cost)> {
        ITEMS.iter().map(|(item, ..)| (*item, self.get(*item)))
    }
}
