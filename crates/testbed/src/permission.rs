//! What this process may do.

use sys::netns;

/// How a testbed can be made here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    /// The process may make network namespaces, as root usually may.
    Root,
    /// It may in a user namespace of its own.
    UserNamespace,
    /// It may not: what the system answered.
    Neither(String),
}

impl Permission {
    /// Tries both in a child process; this one does not change.
    pub fn probe() -> Self {
        if netns::try_unshare(false).is_ok() {
            return Self::Root;
        }
        match netns::try_unshare(true) {
            Ok(()) => Self::UserNamespace,
            Err(answer) => Self::Neither(format!(
                "no network namespace can be made here, not even in a user namespace: {answer}"
            )),
        }
    }
}
