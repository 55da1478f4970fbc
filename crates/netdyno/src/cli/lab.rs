//! `netdyno lab`.

mod calibrate;
mod hol;
mod machine;
mod model;
mod qdisc;
mod reporter;
mod reproduce;
mod spinlock;
mod sweep;
mod timers;

use std::io;
use std::path::Path;

use clap::{Args, Subcommand};
use units::BitRate;

pub use calibrate::CalibrateRequest;
pub use hol::HolRequest;
pub use machine::fitting;
pub use model::ModelRequest;
pub use qdisc::QdiscRequest;
pub use reporter::ReporterRequest;
pub use reproduce::{ReproduceRequest, Vary};
pub use spinlock::SpinlockRequest;
pub use sweep::{SweepRequest, Swept};
pub use timers::TimersRequest;

/// Simulate many CPUs on one transmit queue, and calibrate the simulation here
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct LabArgs {
    #[command(subcommand)]
    what: Typed,
}

#[derive(Debug, Subcommand)]
enum Typed {
    Qdisc(Box<qdisc::QdiscArgs>),
    Spinlock(spinlock::SpinlockArgs),
    Sweep(Box<sweep::SweepArgs>),
    Timers(timers::TimersArgs),
    Hol(hol::HolArgs),
    Reporter(reporter::ReporterArgs),
    Model(model::ModelArgs),
    Reproduce(reproduce::ReproduceArgs),
    Calibrate(calibrate::CalibrateArgs),
}

/// What the lab is to do.
#[derive(Debug, Clone, PartialEq)]
pub enum LabRequest {
    /// Senders on a qdisc.
    Qdisc(Box<QdiscRequest>),
    /// CPUs on one lock.
    Spinlock(SpinlockRequest),
    /// Either, over a range of CPUs.
    Sweep(Box<SweepRequest>),
    /// Paced flows.
    Timers(TimersRequest),
    /// Urgent packets behind bulk.
    Hol(HolRequest),
    /// A traffic thread and its reporter.
    Reporter(ReporterRequest),
    /// The closed forms.
    Model(ModelRequest),
    /// Published figures.
    Reproduce(ReproduceRequest),
    /// What things cost here.
    Calibrate(CalibrateRequest),
}

/// In which form the lab answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For eyes.
    Text,
    /// One document.
    Json,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct FormArgs {
    /// One JSON document
    #[arg(short = 'J', long)]
    json: bool,
}

impl FormArgs {
    fn form(&self) -> Form {
        match self.json {
            true => Form::Json,
            false => Form::Text,
        }
    }
}

impl LabArgs {
    pub(super) fn request(
        self,
        read: impl FnOnce(&Path) -> io::Result<String>,
    ) -> Result<LabRequest, String> {
        match self.what {
            Typed::Qdisc(args) => args.request(read).map(|it| LabRequest::Qdisc(Box::new(it))),
            Typed::Spinlock(args) => args.request(read).map(LabRequest::Spinlock),
            Typed::Sweep(args) => args.request(read).map(|it| LabRequest::Sweep(Box::new(it))),
            Typed::Timers(args) => args.request(read).map(LabRequest::Timers),
            Typed::Hol(args) => args.request().map(LabRequest::Hol),
            Typed::Reporter(args) => args.request(read).map(LabRequest::Reporter),
            Typed::Model(args) => args.request().map(LabRequest::Model),
            Typed::Reproduce(args) => args.request().map(LabRequest::Reproduce),
            Typed::Calibrate(args) => args.request().map(LabRequest::Calibrate),
        }
    }
}

/// A count that is neither zero nor more than there can be.
fn count(name: &str, value: usize, most: usize) -> Result<usize, String> {
    match value {
        0 => Err(format!("{name}: 0 is none; give 1 to {most}")),
        n if n > most => Err(format!("{name}: {n} is too many; give 1 to {most}")),
        n => Ok(n),
    }
}

/// A rate at which something moves, bits per second.
fn bits(name: &str, rate: BitRate) -> Result<u64, String> {
    match rate.get() {
        0..1000 => Err(format!("{name}: give at least 1k")),
        rate => Ok(rate),
    }
}

/// A time in nanoseconds that is not negative.
fn nanos(name: &str, value: f64) -> Result<f64, String> {
    match value {
        0.0..=1e12 => Ok(value),
        _ if value > 1e12 => Err(format!(
            "{name}: {value:e} is too long; give nanoseconds from 0 to 1e12"
        )),
        _ => Err(format!(
            "{name}: {value} is no time; give nanoseconds from 0 to 1e12"
        )),
    }
}

/// A number above zero.
fn positive(name: &str, value: f64) -> Result<f64, String> {
    match value {
        _ if value > 0.0 && value <= 1e15 => Ok(value),
        _ if value > 1e15 => Err(format!("{name}: {value:e} is too much; give at most 1e15")),
        _ => Err(format!("{name}: {value} is not more than 0")),
    }
}

const EXAMPLES: &str = "\
Examples:
  netdyno lab reproduce                              published figures, predicted
  netdyno lab reproduce E1 E9 --json
  netdyno lab reproduce E5 --sensitivity             what each assumed number does to it
  netdyno lab qdisc --cpus 8 --senders 128 --message 6 --root busylock
  netdyno lab spinlock --lock ticket --cpus 24       24 CPUs on one ticket lock
  netdyno lab sweep --cpus 1..64 --lock ticket --lock mcs --svg locks.svg
  netdyno lab timers --flows 500 --pace 3000000 --migration push
  netdyno lab hol --bql                              an urgent packet behind bulk
  netdyno lab model --cpus 48                        the closed forms
  netdyno lab calibrate --output here.toml           measure this machine
  netdyno lab spinlock --real --threads 2            a real lock, and its simulation";
