//! What netperf is asked to do.

use plan::Family;
use proto::netperf::{Length, Pace, TestName};
use report::dialect::netperf::Form;
use units::Nanos;

use super::{Data, Repeat};

/// A test as its command line says it.
#[derive(Debug, Clone, PartialEq)]
pub struct NetperfRequest {
    /// Which test (`-t`).
    pub test: TestName,
    /// Where the server is.
    pub control: Control,
    /// How long (`-l`).
    pub length: Length,
    /// Between the server's response and the data (`-s`).
    pub delay: Nanos,
    /// Iterations (`-i`, `-I`, `-r`).
    pub repeat: Repeat,
    /// Lines while the test runs (`-D`).
    pub interim: Option<InterimWish>,
    /// Rates of CPU calibration, 0 for none, of the ends whose CPU use is measured (`-c`, `-C`).
    pub cpu_rates: Ends<Option<f32>>,
    /// The CPUs that the ends are bound to (`-T`).
    pub cpus: Ends<Option<u32>>,
    /// Bursts at intervals (`-w` with `-b`).
    pub paces: Ends<Option<Pace>>,
    /// Times of single operations are taken (`-j`, or a selector that shows them).
    pub latency: bool,
    /// They may be shown one by one (`-j`).
    pub times: bool,
    /// The data connections and what they carry.
    pub data: Data,
    /// How the result is shown.
    pub form: Form,
    /// Sentences for standard error: what was asked and has no effect.
    pub notes: Vec<String>,
    /// The words of the command line, joined by blanks.
    pub command_line: String,
}

/// The control connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    /// The server (`-H`): a name or an address.
    pub host: String,
    /// Family of `host`.
    pub family: Family,
    /// The server's port (`-p`).
    pub port: u16,
    /// The client's own address (`-L`); none is any.
    pub local_host: Option<String>,
    /// The client's own port; 0 is any.
    pub local_port: u16,
    /// What the server wants to hear first (`-Z`).
    pub passphrase: Option<String>,
    /// No control connection at all (`-N`).
    pub absent: bool,
}

/// A value for each end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ends<T> {
    /// The client's.
    pub local: T,
    /// The server's.
    pub remote: T,
}

/// Lines while the test runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InterimWish {
    /// Distance of the lines.
    pub interval: Nanos,
    /// The clock is to be read after every operation (a negative interval), which netperf needs
    /// for lines at even distances.
    pub exact: bool,
}

impl<T: Clone> Ends<T> {
    /// The same for both.
    pub fn of(value: T) -> Self {
        Self {
            local: value.clone(),
            remote: value,
        }
    }
}
