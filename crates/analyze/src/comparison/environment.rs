//! What differs between the hosts of the two sides.

use record::{EnvironmentDifference, Hosts};

use crate::environment::differences;

/// Every fact of the client and the server that is not the same for both sides.
pub fn environment(a: &Hosts, b: &Hosts) -> Vec<EnvironmentDifference> {
    let found = differences(a, b).into_iter();
    found
        .map(|difference| EnvironmentDifference {
            what: format!("{}: {}", difference.end.name(), difference.name),
            a: difference.a,
            b: difference.b,
        })
        .collect()
}
