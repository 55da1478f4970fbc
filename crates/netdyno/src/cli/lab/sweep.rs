//! `netdyno lab sweep`.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use sim::{CPUS_MAX, LockKind, Platform};
use units::Nanos;

use super::qdisc::word;
use super::{Form, FormArgs, count, nanos};

/// Locks or qdisc roots over a range of CPUs, simulated, with a plot
#[derive(Debug, Args)]
pub struct SweepArgs {
    /// From how many CPUs to how many
    #[arg(long, value_name = "A..B", default_value = "1..64")]
    cpus: String,
    /// A lock, as in 'netdyno lab spinlock'; repeatable
    #[arg(long, value_name = "NAME", conflicts_with = "root")]
    lock: Vec<String>,
    /// A qdisc root, as in 'netdyno lab qdisc'; repeatable
    #[arg(long, value_name = "NAME")]
    root: Vec<String>,
    /// Points on each curve, at most
    #[arg(long, value_name = "N", default_value_t = 16)]
    points: usize,
    /// Nanoseconds between two critical sections
    #[arg(
        long,
        value_name = "NS",
        default_value_t = 1000.0,
        allow_negative_numbers = true
    )]
    think: f64,
    /// Nanoseconds in a critical section, its cache lines apart
    #[arg(
        long,
        value_name = "NS",
        default_value_t = 100.0,
        allow_negative_numbers = true
    )]
    hold: f64,
    /// Machine: as in 'netdyno lab spinlock'
    #[arg(
        long,
        value_name = "NAME",
        default_value = "milan",
        conflicts_with = "params"
    )]
    platform: String,
    /// Costs from a file of 'netdyno lab calibrate'
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    /// The same seed gives the same events
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Simulated time of each point
    #[arg(long, value_name = "TIME", default_value = "2ms")]
    time: Nanos,
    /// Write the plot as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    form: FormArgs,
}

/// What is compared.
#[derive(Debug, Clone, PartialEq)]
pub enum Swept {
    /// Locks.
    Locks(Vec<LockKind>),
    /// Qdisc roots.
    Roots(Vec<sim::qdisc::RootProtocol>),
}

/// Curves over the number of CPUs.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepRequest {
    /// Numbers of CPUs.
    pub cpus: Vec<usize>,
    /// What is compared.
    pub swept: Swept,
    /// Between two critical sections, in nanoseconds.
    pub think: f64,
    /// In one, in nanoseconds.
    pub hold: f64,
    /// The machine; it has as many CPUs as each point needs.
    pub platform: Platform,
    /// The seed.
    pub seed: u64,
    /// Simulated time of each point.
    pub time: Nanos,
    /// Where the plot goes.
    pub svg: Option<PathBuf>,
    /// How to show it.
    pub form: Form,
}

impl SweepArgs {
    pub(super) fn request(
        self,
        read: impl FnOnce(&Path) -> io::Result<String>,
    ) -> Result<SweepRequest, String> {
        let (from, to) = range(&self.cpus)?;
        let points = count("--points", self.points, CPUS_MAX)?;
        let swept = match (self.lock.is_empty(), self.root.is_empty()) {
            (_, false) => Swept::Roots(
                self.root
                    .iter()
                    .map(|root| word("--root", root))
                    .collect::<Result<_, _>>()?,
            ),
            (true, true) => Swept::Locks(vec![LockKind::Ticket, LockKind::Mcs, LockKind::Qspin]),
            (false, true) => Swept::Locks(
                self.lock
                    .iter()
                    .map(|lock| word("--lock", lock))
                    .collect::<Result<_, _>>()?,
            ),
        };
        let platform = match &self.params {
            Some(path) => super::machine::of_file(path, read)?,
            None => word("--platform", &self.platform)?,
        };
        if self.time.get() < 1000 || self.time > Nanos::from_secs(1) {
            return Err(format!("--time: {} is not between 1us and 1s", self.time));
        }
        Ok(SweepRequest {
            cpus: spaced(from, to, points),
            swept,
            think: nanos("--think", self.think)?,
            hold: nanos("--hold", self.hold)?,
            platform,
            seed: self.seed,
            time: self.time,
            svg: self.svg,
            form: self.form.form(),
        })
    }
}

fn range(text: &str) -> Result<(usize, usize), String> {
    let refused =
        || format!("--cpus: '{text}' is no range; give A..B with 1 <= A <= B <= {CPUS_MAX}");
    let (from, to) = text.split_once("..").ok_or_else(refused)?;
    let to = to.strip_prefix('=').unwrap_or(to);
    let number = |word: &str| word.trim().parse::<usize>().map_err(|_| refused());
    let (from, to) = (number(from)?, number(to)?);
    match (1..=to).contains(&from) && to <= CPUS_MAX {
        true => Ok((from, to)),
        false => Err(refused()),
    }
}

/// So many whole numbers at most, both ends among them, closer together where they are small.
fn spaced(from: usize, to: usize, points: usize) -> Vec<usize> {
    let steps = points.max(2) - 1;
    let ratio = to as f64 / from as f64;
    let mut cpus: Vec<usize> = (0..=steps)
        .map(|step| (from as f64 * ratio.powf(step as f64 / steps as f64)).round() as usize)
        .collect();
    cpus.dedup();
    cpus
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        assert_eq!(range("1..64"), Ok((1, 64)));
        assert_eq!(range("2..=2"), Ok((2, 2)));
        for text in ["0..4", "5..4", "1..10000", "3", "a..b", "-1..3"] {
            assert!(range(text).unwrap_err().contains("is no range"), "{text}");
        }
    }

    #[test]
    fn points_have_both_ends_and_do_not_repeat() {
        assert_eq!(spaced(1, 4, 16), [1, 2, 3, 4]);
        let many = spaced(1, 480, 16);
        assert_eq!((many[0], many[many.len() - 1]), (1, 480));
        assert!(many.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(spaced(7, 7, 16), [7]);
    }
}
