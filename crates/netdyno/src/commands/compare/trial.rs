//! One run of one side, with everything around it.

use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

use analyze::metric;
use analyze::warm_up::{PILOT, STEP, Steady};
use plan::{Path, Plan, Timing, runfile};
use record::{End, Run, Side, Status, Trial};
use sys::signal::Signals;
use units::Nanos;

use super::state::State;
use super::{IDLE, external, now, put_back, sysctl};
use crate::cli::{Comparing, SideRequest, Work};
use crate::commands::child::{self, Ended};
use crate::exit::Exit;
use crate::store::Store;

/// What came of it.
pub(super) struct Done {
    pub trial: Trial,
    /// The run's document, where there is one.
    pub run: Option<Run>,
    /// The user wants no more.
    pub interrupted: bool,
    /// Its exit code.
    pub exit: Exit,
}

/// Runs it, and puts everything back.
pub(super) fn run(
    store: &Store,
    state: &State,
    side: Side,
    block: Option<u32>,
    at: Nanos,
    steady: Option<Steady>,
    signals: &Signals,
) -> Done {
    let request = state.asked.sides.of(side);
    let started = now();
    let clock = Instant::now();
    let changes = put_back::Changes::begin(store, request);
    let result = changes.and_then(|mut changes| {
        let result = match changes.make(request, signals) {
            Ok(None) => work(state, side, block, steady, signals),
            Ok(Some(interrupted)) => Ok(interrupted),
            Err(reason) => Err(reason),
        };
        // Whatever came of it.
        match (result, changes.put_back()) {
            (Ok(_), Err(reason)) => Err(reason),
            (Err(first), Err(second)) => Err(format!("{first}; {second}")),
            (result, Ok(())) => result,
        }
    });
    let mut trial = Trial {
        block,
        side,
        started,
        at_ns: at.get(),
        took_ns: u64::try_from(clock.elapsed().as_nanos()).unwrap_or(u64::MAX),
        run: None,
        status: Status::Failed,
        reason: None,
        values: BTreeMap::new(),
        doubts: Vec::new(),
        findings: Vec::new(),
        foreign_cpu: None,
    };
    let failed = |mut trial: Trial, reason: String| {
        trial.reason = Some(reason);
        Done {
            trial,
            run: None,
            interrupted: false,
            exit: Exit::Missing,
        }
    };
    match result {
        Err(reason) => failed(trial, reason),
        Ok(ended) => {
            let run = judge(request, &ended, &mut trial);
            Done {
                trial,
                run,
                interrupted: ended.interrupted,
                exit: ended.exit(),
            }
        }
    }
}

fn work(
    state: &State,
    side: Side,
    block: Option<u32>,
    steady: Option<Steady>,
    signals: &Signals,
) -> Result<Ended, String> {
    let request = state.asked.sides.of(side);
    let mut command = match &request.work {
        Work::Exec { command, .. } => child::shell(command),
        Work::Run {
            plan,
            allow_local,
            program,
        } => {
            let timing = match block {
                None => pilot(plan, &state.asked),
                Some(_) => times(plan, &state.asked, steady),
            };
            let plan = Plan::new(plan.path.clone(), timing, plan.loads.clone())
                .map_err(|error| error.to_string())?;
            let name = match side {
                Side::A => "a.toml",
                Side::B => "b.toml",
            };
            let file = state.journal.folder().join(name);
            fs::write(&file, runfile::print(&plan))
                .map_err(|error| format!("writing {}: {error}", file.display()))?;
            let mut command = child::netdyno_run(program, &file)?;
            if *allow_local && matches!(plan.path, Path::Host { .. }) {
                command.arg("--allow-local");
            }
            for word in sysctl::for_run(request) {
                command.args(["--sysctl", &word]);
            }
            command
        }
    };
    command.envs(request.environment.iter().cloned());
    child::finish(command, Some(signals))
}

/// What was measured; the run's document where there is one.
fn judge(request: &SideRequest, ended: &Ended, trial: &mut Trial) -> Option<Run> {
    let run = match &request.work {
        Work::Run { .. } => match serde_json::from_str::<Run>(&ended.output) {
            Ok(run) => {
                trial.run = Some(run.id.clone());
                trial.status = run.status;
                trial.reason.clone_from(&run.reason);
                trial.values = metric::values(&run);
                trial.doubts = run.doubts.iter().map(|doubt| doubt.doubt.clone()).collect();
                trial.findings.clone_from(&run.findings);
                trial.foreign_cpu = metric::foreign_cpu(&run, End::Client);
                Some(run)
            }
            Err(_) => {
                trial.reason = Some(match ended.status.is_some_and(|status| status.success()) {
                    true => "it printed no document of a run: is it a netdyno?".to_owned(),
                    false => ended.reason(),
                });
                None
            }
        },
        Work::Exec { external, .. } => {
            let went_well = ended.status.is_some_and(|status| status.success());
            match external::number(&external.pick, &ended.output).filter(|_| went_well) {
                Some(number) => {
                    trial.status = Status::Ok;
                    trial.values.insert(external.metric.name.clone(), number);
                }
                None if went_well => {
                    trial.reason = Some("its output does not hold the number".to_owned());
                }
                None => trial.reason = Some(ended.reason()),
            }
            None
        }
    };
    if ended.interrupted {
        trial.status = Status::Interrupted;
    }
    run
}

/// The pilot's times: long enough to tell how long trials should be, and no warm-up, so that it
/// can be seen.
fn pilot(plan: &Plan, asked: &Comparing) -> Timing {
    let said = plan.timing;
    Timing {
        idle: said.idle.min(IDLE),
        omit: if asked.warm_up_said {
            said.omit
        } else {
            Nanos::ZERO
        },
        duration: if asked.time_said {
            said.duration
        } else {
            Some(PILOT)
        },
        interval: Some(STEP),
    }
}

/// A trial's times.
pub(super) fn times(plan: &Plan, asked: &Comparing, steady: Option<Steady>) -> Timing {
    let said = plan.timing;
    let decided = |said_so: bool, said: Option<Nanos>, by_pilot: fn(Steady) -> Nanos| {
        if said_so {
            said
        } else {
            steady.map(by_pilot).or(said)
        }
    };
    Timing {
        idle: said.idle.min(IDLE),
        omit: decided(asked.warm_up_said, Some(said.omit), |steady| steady.warm_up)
            .unwrap_or_default(),
        duration: decided(asked.time_said, said.duration, |steady| steady.trial),
        interval: said.interval,
    }
}
