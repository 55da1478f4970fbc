//! On which machine the lab simulates.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use sim::{CPUS_MAX, Cost, Item, Platform, Shape, Tag};
use units::Nanos;

use super::qdisc::word;
use super::{count, nanos};

/// The machine, the seed, and how long.
#[derive(Debug, Args)]
#[command(next_help_heading = "Simulated machine")]
pub struct MachineArgs {
    /// Simulated CPUs
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    cpus: Option<String>,
    /// Machine: milan, westmere, e5450, haswell-ex, granite or pktgen; as many CPUs as asked for
    /// are spread over its sockets
    #[arg(long, value_name = "NAME", conflicts_with = "params")]
    platform: Option<String>,
    /// Costs from a file of 'netdyno lab calibrate'
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    /// A cost in nanoseconds, such as transfer_cluster=50; repeatable
    #[arg(long, value_name = "NAME=NS")]
    cost: Vec<String>,
    /// CPUs go on while a write waits for its line
    #[arg(long)]
    store_buffer: bool,
    /// So much longer work takes while the other thread of the core works too, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 0)]
    shared_core: u32,
    /// How a line serves those that wait: random or fifo
    #[arg(long, value_name = "ORDER", default_value = "random")]
    order: String,
    /// Which readers of a line one fill serves: none (each has its own), cluster or machine
    #[arg(long, value_name = "WHICH", default_value = "none")]
    combine: String,
    /// The same seed gives the same events
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Simulated time, after a tenth as much of warm-up
    #[arg(long, value_name = "TIME", default_value = "20ms")]
    time: Nanos,
}

/// The machine of a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// Shape and costs.
    pub platform: Platform,
    /// CPUs that take part.
    pub cpus: usize,
    /// The seed.
    pub seed: u64,
    /// Simulated time.
    pub time: Nanos,
}

impl MachineArgs {
    pub(super) fn machine(
        &self,
        default_platform: &str,
        default_cpus: usize,
        read: impl FnOnce(&Path) -> io::Result<String>,
    ) -> Result<Machine, String> {
        let mut platform: Platform = match &self.params {
            Some(path) => of_file(path, read)?,
            None => {
                let name = self.platform.as_deref().unwrap_or(default_platform);
                name.parse()
                    .map_err(|error: sim::UnknownPlatform| error.to_string())?
            }
        };
        platform.store_buffer = self.store_buffer;
        if self.shared_core > 1000 {
            return Err(format!(
                "--shared-core: {} is too much; give 0 to 1000 percent",
                self.shared_core
            ));
        }
        platform.shared_core = 1.0 + f64::from(self.shared_core) / 100.0;
        platform.order = word("--order", &self.order)?;
        platform.combine = word("--combine", &self.combine)?;
        for word in &self.cost {
            put(&mut platform, word)?;
        }
        let cpus = match &self.cpus {
            None => default_cpus,
            Some(text) => text.parse().map_err(|_| {
                format!("--cpus: '{text}' is no number of CPUs; give 1 to {CPUS_MAX}")
            })?,
        };
        let cpus = count("--cpus", cpus, CPUS_MAX)?;
        if self.time.get() < 1000 || self.time > Nanos::from_secs(60) {
            return Err(format!("--time: {} is not between 1us and 60s", self.time));
        }
        platform.shape = fitting(platform.shape, cpus);
        Ok(Machine {
            platform,
            cpus,
            seed: self.seed,
            time: self.time,
        })
    }
}

/// The machine of a file of costs.
pub(super) fn of_file(
    path: &Path,
    read: impl FnOnce(&Path) -> io::Result<String>,
) -> Result<Platform, String> {
    let text = read(path)
        .map_err(|error| format!("reading the costs from {}: {error}", path.display()))?;
    sim::params::parse(&text).map_err(|error| format!("the costs in {}: {error}", path.display()))
}

/// The shape with as many cores as it takes for so many CPUs.
pub fn fitting(shape: Shape, cpus: usize) -> Shape {
    match shape.cpus() >= cpus {
        true => shape,
        false => Shape {
            cores: cpus.div_ceil(shape.sockets * shape.clusters * shape.threads),
            ..shape
        },
    }
}

/// The least that an access may take, ns.
const LEAST_HIT: f64 = 0.1;

fn put(platform: &mut Platform, word: &str) -> Result<(), String> {
    let (name, value) = word
        .split_once('=')
        .ok_or_else(|| format!("--cost: '{word}' is not NAME=NANOSECONDS"))?;
    let item = Item::named(name).ok_or_else(|| {
        let names: Vec<_> = sim::ITEMS.iter().map(|(_, name, _)| *name).collect();
        format!(
            "--cost: nothing is called '{name}'; costs are {}",
            names.join(", ")
        )
    })?;
    let value: f64 = value
        .parse()
        .map_err(|_| format!("--cost: '{value}' is no number of nanoseconds"))?;
    let value = nanos(&format!("--cost {name}"), value)?;
    // Without it a spinning CPU would look for ever at the same instant.
    if item == Item::Hit && value < LEAST_HIT {
        return Err(format!(
            "--cost hit: {value} ns is no time for an access; give at least {LEAST_HIT}"
        ));
    }
    platform.costs.put(
        item,
        Cost {
            value,
            low: value,
            high: value,
            source: "the command line".to_owned(),
            tag: Tag::U,
        },
    );
    Ok(())
}
