//! Several runs of one command line.

use clap::Args;
use plan::{Key, Plan};

/// More than one run.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesRequest {
    /// One for each combination of swept settings; a single one without a sweep.
    pub cells: Vec<CellRequest>,
    /// Runs of each cell, at most.
    pub repeat: u32,
    /// Half the interval's width that is enough, as a share of the mean.
    pub until: Option<f64>,
}

/// Runs that are alike.
#[derive(Debug, Clone, PartialEq)]
pub struct CellRequest {
    /// The swept settings.
    pub settings: Vec<String>,
    /// What is asked.
    pub plan: Plan,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "More than one run")]
pub(super) struct SeriesArgs {
    /// So many runs, with intervals of their mean and median
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    repeat: Option<u32>,
    /// Runs until the 95 % interval of the mean is within so much of it, such as 2%: at least 5,
    /// at most 30 or --repeat
    #[arg(long, value_name = "SHARE", value_parser = super::compare::effect)]
    until: Option<f64>,
    /// A setting of the loads with several values, such as size=64,512,1400, or of the testbed's
    /// link, such as link.rate=10M,100M; repeatable, every combination is run
    #[arg(long, value_name = "KEY=VALUE,VALUE,…")]
    sweep: Vec<String>,
}

/// netperf's default for the most iterations of `-i` is 1, its limit 30, which is long enough.
const MOST_RUNS: u32 = 30;
/// More cells are a mistake.
const MOST_CELLS: usize = 10_000;

impl SeriesArgs {
    pub(super) fn request(&self, plan: &Plan) -> Result<Option<SeriesRequest>, String> {
        if self.repeat.is_none() && self.until.is_none() && self.sweep.is_empty() {
            return Ok(None);
        }
        let mut cells = vec![CellRequest {
            settings: Vec::new(),
            plan: plan.clone(),
        }];
        for sweep in &self.sweep {
            let values = values(sweep)?;
            if cells.len() * values.len() > MOST_CELLS {
                return Err(format!("--sweep: more than {MOST_CELLS} combinations"));
            }
            let mut finer = Vec::new();
            for cell in &cells {
                for setting in &values {
                    finer.push(cell.with(setting)?);
                }
            }
            cells = finer;
        }
        let repeat = match self.until {
            Some(_) => self.repeat.unwrap_or(MOST_RUNS),
            None => self.repeat.unwrap_or(1),
        };
        Ok(Some(SeriesRequest {
            cells,
            repeat,
            until: self.until,
        }))
    }
}

/// `size=64,512` as `size=64` and `size=512`.
fn values(sweep: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("--sweep: '{sweep}' is not KEY=VALUE,VALUE such as size=64,512,1400");
    let (key, values) = sweep.split_once('=').ok_or_else(wrong)?;
    if Key::of(key).is_some_and(Key::is_list) {
        return Err(format!("--sweep: '{key}' is a list itself"));
    }
    let all: Vec<String> = values
        .split(',')
        .filter(|value| !value.trim().is_empty())
        .map(|value| format!("{key}={}", value.trim()))
        .collect();
    if all.is_empty() {
        Err(wrong())
    } else {
        Ok(all)
    }
}

impl CellRequest {
    /// This cell with one more setting, of every load that is no probe, or of the link.
    fn with(&self, setting: &str) -> Result<Self, String> {
        let in_sweep = |error: &dyn std::fmt::Display| format!("--sweep {setting}: {error}");
        let mut plan = self.plan.clone();
        match (setting.strip_prefix("link."), &mut plan.path) {
            (Some(setting), plan::Path::Testbed { link, .. }) => {
                *link = link.with(setting).map_err(|error| in_sweep(&error))?;
            }
            (Some(_), plan::Path::Host { .. }) => {
                return Err(in_sweep(&"only the testbed's link can be made"));
            }
            (None, _) => {
                for load in plan.loads.iter_mut().filter(|load| !load.is_probe()) {
                    *load = load.with(setting).map_err(|error| in_sweep(&error))?;
                }
            }
        }
        let plan =
            Plan::new(plan.path, plan.timing, plan.loads).map_err(|error| in_sweep(&error))?;
        let settings = self.settings.iter().cloned().chain([setting.to_owned()]);
        Ok(Self {
            settings: settings.collect(),
            plan,
        })
    }
}
