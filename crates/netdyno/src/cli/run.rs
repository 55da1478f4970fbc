//! `netdyno run`.

use std::io;
use std::path::Path as FilePath;

use clap::Args;
use plan::{Path, Plan};
use record::End;

use super::asked::PlanArgs;
use super::compare::sysctl;
use super::output::OutputArgs;
use super::series::{SeriesArgs, SeriesRequest};
use super::watching::WatchingArgs;
use super::{Output, Sysctl};
use crate::store::Label;

/// Put load on the path to a server, observe both ends, report
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, long_about = LONG)]
pub struct RunArgs {
    #[command(flatten)]
    asked: PlanArgs,

    /// A sysctl of the testbed's hosts, before anything runs; of a HOST that was started with
    /// --allow-sysctl server:KEY=VALUE, put back after the run; repeatable
    #[arg(long, value_name = "[client:|server:]KEY=VALUE", value_parser = sysctl)]
    sysctl: Vec<Sysctl>,

    #[command(flatten)]
    watching: WatchingArgs,

    #[command(flatten)]
    series: SeriesArgs,

    #[command(flatten)]
    output: OutputArgs,
    /// No progress and no interval lines
    #[arg(short, long, help_heading = "Output")]
    quiet: bool,
    /// What to call the run in the run store; several may have one label
    #[arg(long, value_name = "TEXT", help_heading = "Output")]
    label: Option<String>,
    /// Anything worth knowing about it
    #[arg(long, value_name = "TEXT", help_heading = "Output")]
    note: Option<String>,
    /// Keep nothing in the run store
    #[arg(long, help_heading = "Output")]
    no_save: bool,
    /// Print the plan as a run file and do nothing
    #[arg(long, help_heading = "Output")]
    dry_run: bool,
}

/// A run to be done.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRequest {
    /// What is asked.
    pub plan: Plan,
    /// More than one run.
    pub series: Option<SeriesRequest>,
    /// What the user says about it.
    pub label: Label,
    /// Sysctls of the testbed's hosts, or of the server's host.
    pub sysctls: Vec<Sysctl>,
    /// Form of the results.
    pub output: Output,
    /// Nothing but the results.
    pub quiet: bool,
    /// Keep it in the run store.
    pub save: bool,
    /// Only print the plan.
    pub dry_run: bool,
    /// A server on this host does not make the run invalid.
    pub allow_local: bool,
}

impl RunArgs {
    pub(super) fn request(
        self,
        read: impl FnOnce(&FilePath) -> io::Result<String>,
    ) -> Result<RunRequest, String> {
        let mut plan = self.asked.plan(read)?;
        plan.observe = self.watching.observe(plan.observe);
        let of_server = |sysctl: &Sysctl| sysctl.end == Some(End::Server);
        if let (Path::Host { .. }, Some(other)) = (
            &plan.path,
            self.sysctl.iter().find(|sysctl| !of_server(sysctl)),
        ) {
            return Err(format!(
                "--sysctl {other}: on the way to a HOST only server:KEY=VALUE is set for a run, by a \
                 server with --allow-sysctl; this machine's are yours to set (sysctl -w)"
            ));
        }
        let series = self.series.request(&plan)?;
        if series.is_some() && self.dry_run {
            return Err("--dry-run shows a single run: not one of a series".to_owned());
        }
        if series.is_some() && self.no_save {
            return Err("--no-save: a series keeps its runs".to_owned());
        }
        Ok(RunRequest {
            series,
            label: Label {
                label: self.label,
                note: self.note,
            },
            plan,
            sysctls: self.sysctl,
            output: self.output.output(),
            quiet: self.quiet,
            save: !self.no_save,
            dry_run: self.dry_run,
            allow_local: self.asked.allow_local(),
        })
    }
}

const LONG: &str = "\
Put load on the path to a server, observe both ends, report.

Without HOST a private testbed is made on this machine (two network namespaces joined by a veth \
pair), used and removed; where namespaces are not permitted, loopback is used, and the report says \
so. What is reported is what the receiver got.";

const EXAMPLES: &str = "\
Examples:
  netdyno run                                          a testbed, 10 s of one TCP stream
  netdyno run --link rate=100mbit,qdisc=fq_codel       through a 100 Mbit/s link
  netdyno run server -t 30 -P 4 -R                     four streams from the server
  netdyno run server -u -b 20M -l 1200                 20 Mbit/s of datagrams
  netdyno run '[fd00::2]:5000' --json                  IPv6, another port, one JSON document
  netdyno run server --load stream:flows=8 --load rr:rps=1000
                                                       request and response beside bulk data
  netdyno run server --load rr:flows=1000,cpu=0-1      a thousand flows on two CPUs
  netdyno run -u -P 4 -l 128 --link 'qdisc=htb default 3' --explain locks
                                                       who waits for which lock
  netdyno run server --repeat 10                       ten times, with an interval
  netdyno run server -u --until 2%                     until the mean is known to 2 %
  netdyno run server -u --sweep size=64,512,1400 --sweep flows=1,8
                                                       every combination, a table
  netdyno run --load rr --dry-run > plan.toml          write the plan down
  netdyno run plan.toml -t 60                          and run it, longer";
