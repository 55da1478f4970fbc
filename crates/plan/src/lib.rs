//! What was asked. A [`Plan`] is valid by construction: whoever holds one need not check it.
//! Grammar, run file and wire form all end in the same constructors.

mod kind;
mod load;
mod path;
mod socket;
mod timing;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use kind::{Kind, Shape, Transport};
pub use load::{Arrival, Load, Stop};
pub use path::{Family, Link, Path};
pub use socket::{CongestionControl, Device, Dscp, SocketOptions};
pub use timing::Timing;

/// A whole run, as asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Where the traffic goes.
    pub path: Path,
    /// How long, and how often we look.
    pub timing: Timing,
    /// What moves; never empty, names are unique.
    pub loads: Vec<Load>,
}
