//! Two hosts and a link between them, on this machine.
//!
//! The hosts are two anonymous network namespaces: the calling process moves into the client's,
//! and holds the server's by a descriptor. Nothing is mounted and nothing has a name outside, so
//! everything goes when the processes of the run are gone, however they end, and two runs at once
//! cannot meet. The link is a veth pair; with delay or loss, two TAP devices and a relay thread.

mod error;
mod host;
mod permission;
mod relay;
mod shaping;
mod tc;
mod testbed;
mod wire;

pub use error::TestbedError;
pub use permission::Permission;
pub use relay::{Passage, RelayCounts};
pub use testbed::Testbed;
