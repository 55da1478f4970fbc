//! What clients and servers share.

use std::path::PathBuf;

use plan::{Device, Family};
use proto::iperf3::PORT;
use report::dialect::iperf3::{Form, Notation, Role, Unit};
use units::Nanos;

/// Options of either end.
#[derive(Debug, Clone, PartialEq)]
pub struct Common {
    /// The server's port (`-p`).
    pub port: u16,
    /// Which addresses (`-4`, `-6`).
    pub family: Family,
    /// Our own address for control and data (`-B`): a name or an address.
    pub bind: Option<String>,
    /// SO_BINDTODEVICE for control and data (`--bind-dev`, or behind `%`).
    pub device: Option<Device>,
    /// Distance of interval lines (`-i`); none for a single one at the end.
    pub interval: Option<Nanos>,
    /// What is sent, or where to write what is received (`-F`).
    pub file: Option<PathBuf>,
    /// The CPU that we run on (`-A`).
    pub affinity: Option<u16>,
    /// Where our process id stands while we run (`-I`).
    pub pid_file: Option<PathBuf>,
    /// Where output and errors go instead (`--logfile`); it is appended to.
    pub log_file: Option<PathBuf>,
    /// Output is flushed with every interval (`--forceflush`).
    pub flush: bool,
    /// strftime(3) text that each line begins with (`--timestamps`).
    pub timestamps: Option<String>,
    /// More lines (`-V`).
    pub verbose: bool,
    /// How much is told of the dialogue (`-d`): 1 to 4.
    pub debug: Option<u8>,
    /// Text, a document or a stream of lines (`-J`, `--json-stream`).
    pub notation: Notation,
    /// What rates are shown in (`-f`).
    pub unit: Option<Unit>,
    /// How long a receiver waits for data (`--rcv-timeout`).
    pub receive_timeout: Nanos,
    /// TCP_USER_TIMEOUT of control and data (`--snd-timeout`).
    pub send_timeout: Option<Nanos>,
    /// SO_KEEPALIVE of the control connection (`--cntl-ka`).
    pub keepalive: Option<Keepalive>,
    /// Local addresses of SCTP associations (`-X`).
    pub sctp_bind: Vec<String>,
    /// Sentences for standard error: what was asked and has no effect.
    pub notes: Vec<String>,
}

/// When an idle control connection is probed; none is the system's default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Keepalive {
    /// Seconds of silence before the first probe.
    pub idle_seconds: Option<u32>,
    /// Seconds between probes.
    pub interval_seconds: Option<u32>,
    /// Probes before the connection is given up.
    pub count: Option<u32>,
}

impl From<Keepalive> for engine::iperf3::Keepalive {
    fn from(typed: Keepalive) -> Self {
        let seconds = |seconds: Option<u32>| seconds.map(|s| Nanos::from_secs(s.into()));
        Self {
            idle: seconds(typed.idle_seconds),
            interval: seconds(typed.interval_seconds),
            count: typed.count,
        }
    }
}

impl Default for Common {
    fn default() -> Self {
        Self {
            port: PORT,
            family: Family::Any,
            bind: None,
            device: None,
            interval: Some(Nanos::from_secs(1)),
            file: None,
            affinity: None,
            pid_file: None,
            log_file: None,
            flush: false,
            timestamps: None,
            verbose: false,
            debug: None,
            notation: Notation::Text,
            unit: None,
            receive_timeout: Nanos::from_secs(120),
            send_timeout: None,
            keepalive: None,
            sctp_bind: Vec::new(),
            notes: Vec::new(),
        }
    }
}

impl Common {
    /// How output is shaped; `title` is a client's.
    pub fn form(&self, role: Role, title: Option<String>, system_info: String) -> Form {
        Form {
            role,
            notation: self.notation,
            unit: self.unit,
            verbose: self.verbose,
            title,
            interval_seconds: self.interval.map_or(0.0, Nanos::as_secs_f64),
            version: super::help::document_version(),
            system_info,
        }
    }
}
