//! `netdyno lab timers`.

use std::io;
use std::path::Path;

use clap::Args;
use sim::Picos;
use sim::timers::Migration;

use super::machine::{Machine, MachineArgs};
use super::qdisc::word;
use super::{Form, FormArgs, count, positive};

/// Paced flows and where their timers run, simulated
#[derive(Debug, Args)]
pub struct TimersArgs {
    /// Flows
    #[arg(long, value_name = "N", default_value_t = 500)]
    flows: usize,
    /// Bytes per second of each flow
    #[arg(
        long,
        value_name = "BYTES",
        default_value_t = 3_000_000.0,
        allow_negative_numbers = true
    )]
    pace: f64,
    /// Bytes of one burst
    #[arg(
        long,
        value_name = "BYTES",
        default_value_t = 2896.0,
        allow_negative_numbers = true
    )]
    burst: f64,
    /// Interrupts of the network device for each burst
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1.0,
        allow_negative_numbers = true
    )]
    network_interrupts: f64,
    /// Where timers go: push (until 6.8), pinned or pull (since 6.9)
    #[arg(long, value_name = "NAME", default_value = "push")]
    migration: String,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    form: FormArgs,
}

/// Paced flows.
#[derive(Debug, Clone, PartialEq)]
pub struct TimersRequest {
    /// How many.
    pub flows: usize,
    /// Bytes per second of each.
    pub pace: f64,
    /// Bytes of a burst.
    pub burst: f64,
    /// The device's interrupts for each.
    pub network_interrupts: f64,
    /// Where timers go.
    pub migration: Migration,
    /// The machine.
    pub machine: Machine,
    /// How to show it.
    pub form: Form,
}

impl TimersArgs {
    pub(super) fn request(
        self,
        read: impl FnOnce(&Path) -> io::Result<String>,
    ) -> Result<TimersRequest, String> {
        if !(0.0..=1000.0).contains(&self.network_interrupts) {
            return Err(format!(
                "--network-interrupts: {} is not between 0 and 1000",
                self.network_interrupts
            ));
        }
        let pace = positive("--pace", self.pace)?;
        let burst = positive("--burst", self.burst)?;
        // Beyond, timers would be due all the time, and simulated time would hardly pass.
        if pace / burst > 1e9 {
            return Err(format!(
                "--pace: bursts of {} B at {:e} B/s are less than 1 ns apart; give at most {:e}",
                burst,
                pace,
                burst * 1e9
            ));
        }
        Ok(TimersRequest {
            flows: count("--flows", self.flows, 1 << 20)?,
            pace,
            burst,
            network_interrupts: self.network_interrupts,
            migration: word("--migration", &self.migration)?,
            machine: self.machine.machine("westmere", 24, read)?,
            form: self.form.form(),
        })
    }
}

impl TimersRequest {
    /// What is simulated.
    pub fn paced(&self) -> sim::timers::Paced {
        sim::timers::Paced {
            platform: self.machine.platform.clone(),
            cpus: self.machine.cpus,
            flows: self.flows,
            pace: self.pace,
            burst: self.burst,
            network_interrupts: self.network_interrupts,
            migration: self.migration,
            duration: Picos::new(self.machine.time.get() * 1000),
            seed: self.machine.seed,
        }
    }
}
