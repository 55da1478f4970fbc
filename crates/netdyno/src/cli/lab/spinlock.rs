//! `netdyno lab spinlock`.

use std::io;
use std::path::Path;

use clap::Args;
use sim::{Contended, Contest, LockKind, Picos};

use super::machine::{Machine, MachineArgs};
use super::{Form, FormArgs, count, nanos};

/// CPUs that take turns at one lock, simulated
#[derive(Debug, Args)]
pub struct SpinlockArgs {
    /// tas, ttas, ttas-exp, ticket, ticket-fixed, ticket-percpu, ticket-hashed, ticket-tagged, mcs,
    /// clh, qspin, qspin-pv or cna
    #[arg(long, value_name = "NAME", default_value = "ticket")]
    lock: String,
    /// Nanoseconds between a release and the next attempt
    #[arg(
        long,
        value_name = "NS",
        default_value_t = 1000.0,
        allow_negative_numbers = true
    )]
    think: f64,
    /// Nanoseconds in the critical section, its cache lines apart
    #[arg(
        long,
        value_name = "NS",
        default_value_t = 100.0,
        allow_negative_numbers = true
    )]
    hold: f64,
    /// Cache lines that each critical section writes to
    #[arg(long, value_name = "N", default_value_t = 1)]
    lines: usize,
    /// The first of these lines is the lock's own
    #[arg(long)]
    embedded: bool,
    /// Exponential times
    #[arg(long)]
    exponential: bool,
    /// Measure the real lock in user space too
    #[arg(long)]
    real: bool,
    /// Threads on the real lock; as many CPUs are simulated beside them
    #[arg(long, value_name = "N", requires = "real")]
    threads: Option<usize>,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    form: FormArgs,
}

/// A contest for a lock.
#[derive(Debug, Clone, PartialEq)]
pub struct SpinlockRequest {
    /// The lock.
    pub lock: LockKind,
    /// The machine.
    pub machine: Machine,
    /// Between two critical sections, in nanoseconds.
    pub think: f64,
    /// In one, in nanoseconds.
    pub hold: f64,
    /// Lines that one writes to.
    pub lines: usize,
    /// Whether the first is the lock's.
    pub embedded: bool,
    /// Whether times are exponential.
    pub exponential: bool,
    /// Threads on the real lock, if that is to be measured.
    pub real: Option<usize>,
    /// How to show it.
    pub form: Form,
}

impl SpinlockArgs {
    pub(super) fn request(
        self,
        read: impl FnOnce(&Path) -> io::Result<String>,
    ) -> Result<SpinlockRequest, String> {
        let lock = self
            .lock
            .parse()
            .map_err(|error: sim::UnknownLock| format!("--lock: {error}"))?;
        let real = match (self.real, self.threads) {
            (false, _) => None,
            (true, None) => Some(2),
            (true, Some(threads)) => Some(count("--threads", threads, sim::CPUS_MAX)?),
        };
        if self.real && !locks::NAMES.contains(&self.lock.as_str()) {
            return Err(format!(
                "--lock: {} is only simulated; real ones are {}",
                self.lock,
                locks::NAMES.join(", ")
            ));
        }
        if self.lines > 64 {
            return Err(format!("--lines: {} is too many; give 0 to 64", self.lines));
        }
        if self.embedded {
            count("--lines with --embedded", self.lines, 64)?;
        }
        Ok(SpinlockRequest {
            lock,
            machine: self.machine.machine("milan", real.unwrap_or(8), read)?,
            real,
            think: nanos("--think", self.think)?,
            hold: nanos("--hold", self.hold)?,
            lines: self.lines,
            embedded: self.embedded,
            exponential: self.exponential,
            form: self.form.form(),
        })
    }
}

impl SpinlockRequest {
    /// What is simulated.
    pub fn contest(&self) -> Contest {
        Contest {
            platform: self.machine.platform.clone(),
            cpus: self.machine.cpus,
            lock: Contended::Lock(self.lock),
            think: Picos::from_nanos(self.think),
            hold: Picos::from_nanos(self.hold),
            exponential: self.exponential,
            data_lines: self.lines,
            embedded: self.embedded,
            duration: Picos::new(self.machine.time.get() * 1000),
            seed: self.machine.seed,
        }
    }
}
