//! n CPUs on one transmit queue, simulated: cache lines, locks, the qdisc's transmit path, timers.
//!
//! Discrete events in integer picoseconds, from one seed: the same seed gives the same events.
//! Locks are scripts of line operations, so what a handoff costs comes out of the memory model.

mod agenda;
mod contest;
mod cost;
mod histogram;
pub mod hol;
mod line;
mod lock;
mod machine;
pub mod model;
pub mod params;
mod picos;
pub mod platform;
pub mod qdisc;
mod random;
pub mod reporter;
pub mod reproduce;
pub mod timers;
mod topology;

pub use contest::{Contended, Contest, Contested};
pub use cost::{Cost, Costs, ITEMS, Item, Tag};
pub use histogram::{Bar, Histogram};
pub use line::{Access, Combine, Growth, Invalidation, LineId, Memory, Order};
pub use lock::{
    Delays, Held, Lock, LockKind, LockRow, Locks, Observer, Policy, Tally, UnknownLock, VirtualCpus,
};
pub use machine::{ACTIVITIES, Activity, Cpu, Machine, Play, Script};
pub use picos::Picos;
pub use platform::{Platform, UnknownPlatform};
pub use random::Stream;
pub use topology::{CPUS_MAX, CpuSet, Shape, TIERS, Tier, Topology};
