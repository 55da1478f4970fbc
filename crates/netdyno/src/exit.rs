//! The documented exit codes, and which failure gets which.

use std::process::ExitCode;

use engine::client::RunError;
use proto::native::SessionError;
use record::Status;

/// How a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// A bug in netdyno.
    Bug = 1,
    /// The command line or a file is wrong.
    Usage = 2,
    /// The peer cannot be reached.
    Unreachable = 3,
    /// The peer refused, or broke the protocol.
    Peer = 4,
    /// A right or a kernel feature is missing.
    Missing = 5,
    /// The run is invalid; the document says why.
    Invalid = 6,
    /// The verdict is: worse.
    Worse = 7,
    /// The verdict is: cannot tell.
    CannotTell = 8,
    /// Interrupted.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl Exit {
    /// The status and the code of a run that did not go to its end.
    pub fn of(error: &RunError) -> (Status, Self) {
        use std::io::ErrorKind as Kind;
        let code = match error {
            RunError::Interrupted => return (Status::Interrupted, Self::Interrupted),
            RunError::Local => return (Status::Invalid, Self::Invalid),
            RunError::Unreachable { .. } | RunError::Silent { .. } => Self::Unreachable,
            RunError::Session(SessionError::TimedOut { .. }) => Self::Unreachable,
            RunError::Session(_) => Self::Peer,
            RunError::Flow { error, .. } => match error.kind() {
                Kind::InvalidInput | Kind::AddrInUse | Kind::AddrNotAvailable => Self::Usage,
                Kind::PermissionDenied | Kind::NotFound | Kind::Unsupported => Self::Missing,
                // An option that could not be set says which; the kernel's bare answer is about the
                // connection.
                _ if error.raw_os_error().is_none() && error.kind() != Kind::TimedOut => {
                    Self::Missing
                }
                _ => Self::Unreachable,
            },
            RunError::Workers(_) | RunError::System { .. } => Self::Missing,
        };
        (Status::Failed, code)
    }
}
