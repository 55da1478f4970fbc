//! What was asked. A [`Plan`] is valid by construction: whoever holds one need not check it.
//! Grammar, run file and wire form all end in the same constructors.

mod cidr;
mod error;
mod grammar;
mod key;
mod kind;
mod link;
mod load;
mod observe;
mod path;
mod plan;
mod rules;
pub mod runfile;
mod setting;
mod socket;
mod timing;
mod value;
mod wire;

#[cfg(test)]
mod strategy;
#[cfg(test)]
mod tests;

pub use cidr::Cidr;
pub use error::{LinkError, LoadError, PlanError, TimingError};
pub use key::Key;
pub use kind::{Kind, Shape, Transport};
pub use load::{Arrival, Load, Stop};
pub use observe::Observe;
pub use path::{Family, Link, Path};
pub use plan::Plan;
pub use runfile::RunFileError;
pub use socket::{CongestionControl, Device, Dscp, SocketOptions};
pub use timing::Timing;
