//! What of the hosts is watched during a run.

use clap::{Args, ValueEnum};
use plan::Observe;

#[derive(Debug, Args)]
#[command(next_help_heading = "Watching")]
pub(super) struct WatchingArgs {
    /// Do not read the hosts' counters during the run
    #[arg(long, conflicts_with = "explain")]
    no_observe: bool,
    /// Trace these in the kernel; needs root, and costs something, which is measured
    #[arg(long, value_name = "WHAT,…", value_enum, value_delimiter = ',')]
    explain: Vec<Explain>,
}

/// What is traced in the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Explain {
    /// Waits for locks, those of qdiscs by name
    Locks,
    /// Timers by function and CPU
    Timers,
    /// Which flow uses which transmit queue, and how long packets wait there
    Queues,
}

impl WatchingArgs {
    /// `usual`, with what was typed.
    pub(super) fn observe(&self, usual: Observe) -> Observe {
        let traced =
            |usual: bool, what| !self.no_observe && (usual || self.explain.contains(&what));
        Observe {
            rows: usual.rows && !self.no_observe,
            locks: traced(usual.locks, Explain::Locks),
            timers: traced(usual.timers, Explain::Timers),
            queues: traced(usual.queues, Explain::Queues),
        }
    }
}
