//! The transmit path: senders, a qdisc with its root protocol, transmit queues, a NIC.

mod bql;
mod deferred;
mod lockless;
mod nic;
mod path;
mod queue;
mod root;
mod sender;
mod setup;
mod tally;

pub use bql::Bql;
pub use path::simulate;
pub use setup::{
    Discipline, Mapping, Nic, Placement, RootProtocol, Setup, SetupError, Start, Switches,
};
pub use tally::{QueueRow, Sent};
