//! `netdyno lab reporter`.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use sim::reporter::Reporter;

use super::machine::of_file;
use super::qdisc::word;
use super::{Form, FormArgs, count, nanos, positive};

/// A traffic thread and its reporter: what polling and waiting cost, simulated
#[derive(Debug, Args)]
pub struct ReporterArgs {
    /// spin, yield, condvar or snapshot; all of them when left out
    #[arg(long, value_name = "NAME")]
    waiting: Vec<String>,
    /// Records per second
    #[arg(
        long,
        value_name = "N",
        default_value_t = 15_259.0,
        allow_negative_numbers = true
    )]
    records: f64,
    /// Nanoseconds of the traffic thread's work for a record
    #[arg(
        long,
        value_name = "NS",
        default_value_t = 5500.0,
        allow_negative_numbers = true
    )]
    produce: f64,
    /// Nanoseconds of the reporter's work for a record
    #[arg(
        long,
        value_name = "NS",
        default_value_t = 500.0,
        allow_negative_numbers = true
    )]
    report: f64,
    /// Nanoseconds of a wake-up [default: 5000]
    #[arg(long, value_name = "NS", allow_negative_numbers = true)]
    wake: Option<f64>,
    /// Costs of line transfers and atomics from a file of 'netdyno lab calibrate'
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    /// Records that the ring holds
    #[arg(long, value_name = "N", default_value_t = 700)]
    ring: usize,
    /// CPUs: 2 for a thread each, 1 for both
    #[arg(long, value_name = "N", default_value_t = 2)]
    cpus: usize,
    #[command(flatten)]
    form: FormArgs,
}

/// Ways of waiting.
#[derive(Debug, Clone, PartialEq)]
pub struct ReporterRequest {
    /// What is simulated.
    pub reporters: Vec<Reporter>,
    /// How to show it.
    pub form: Form,
}

impl ReporterArgs {
    pub(super) fn request(
        self,
        read: impl FnOnce(&Path) -> io::Result<String>,
    ) -> Result<ReporterRequest, String> {
        let measured = self.params.as_deref().map(|path| of_file(path, read));
        let measured = measured.transpose()?;

        let all = ["spin", "yield", "condvar", "snapshot"].map(str::to_owned);
        let words = match self.waiting.is_empty() {
            true => &all[..],
            false => &self.waiting,
        };
        let reporters = words.iter().map(|text| {
            let usual = Reporter::gigabit(word("--waiting", text)?);
            Ok(Reporter {
                platform: measured.clone().unwrap_or(usual.platform),
                cpus: count("--cpus", self.cpus, 2)?,
                records_per_second: positive("--records", self.records)?,
                produce_ns: positive("--produce", self.produce)?,
                report_ns: nanos("--report", self.report)?,
                wake_ns: nanos("--wake", self.wake.unwrap_or(usual.wake_ns))?,
                ring: count("--ring", self.ring, 1 << 24)? as u64,
                ..usual
            })
        });
        Ok(ReporterRequest {
            reporters: reporters.collect::<Result<_, String>>()?,
            form: self.form.form(),
        })
    }
}
