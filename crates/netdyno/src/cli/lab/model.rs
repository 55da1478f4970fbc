//! `netdyno lab model`.

use clap::Args;
use sim::CPUS_MAX;

use super::{Form, FormArgs, count, nanos, positive};

/// The closed-form models of a ticket lock and of a queue lock
#[derive(Debug, Args)]
pub struct ModelArgs {
    /// CPUs
    #[arg(long, value_name = "N", default_value_t = 48)]
    cpus: usize,
    /// Nanoseconds of work outside of the lock
    #[arg(
        long,
        value_name = "NS",
        default_value_t = 4900.0,
        allow_negative_numbers = true
    )]
    parallel: f64,
    /// Nanoseconds of the critical section
    #[arg(
        long,
        value_name = "NS",
        default_value_t = 100.0,
        allow_negative_numbers = true
    )]
    serial: f64,
    /// Nanoseconds of one line transfer
    #[arg(
        long,
        value_name = "NS",
        default_value_t = 100.0,
        allow_negative_numbers = true
    )]
    transfer: f64,
    #[command(flatten)]
    form: FormArgs,
}

/// Closed forms from 1 CPU up.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// CPUs.
    pub cpus: usize,
    /// Work outside, in nanoseconds.
    pub parallel: f64,
    /// Critical section, in nanoseconds.
    pub serial: f64,
    /// Line transfer, in nanoseconds.
    pub transfer: f64,
    /// How to show it.
    pub form: Form,
}

impl ModelArgs {
    pub(super) fn request(self) -> Result<ModelRequest, String> {
        Ok(ModelRequest {
            cpus: count("--cpus", self.cpus, CPUS_MAX)?,
            parallel: positive("--parallel", self.parallel)?,
            serial: positive("--serial", self.serial)?,
            transfer: nanos("--transfer", self.transfer)?,
            form: self.form.form(),
        })
    }
}
