//! `netdyno compare`.

mod external;
mod put_back;
mod show;
mod state;
pub(super) mod sysctl;
mod trial;

use std::process::ExitCode;
use std::time::Instant;

use analyze::schedule::{Rules, Schedule, Step, Stop};
use analyze::warm_up::{self, Steady};
use record::{Comparison, Hosts, Run, Side, Sides, Status, Trial, Verdict};
use sys::signal::{self, Signals};
use units::Nanos;

pub(super) use self::put_back::{Changes, act_on_notes};
use self::state::State;
use self::trial::Done;
use crate::cli::{self, CompareRequest, Comparing, Request, Work};
use crate::exit::Exit;
use crate::store::{Entry, Kept, Store};
use crate::{label, say};

/// Chance of a false alarm.
const ALPHA: f64 = 0.05;
/// Probe-only time of a trial: five samples of the usual probe.
const IDLE: Nanos = Nanos::from_millis(500);

/// Compares, shows, keeps.
pub fn compare(request: &CompareRequest, command: Vec<String>) -> ExitCode {
    signal::ignore_broken_pipes();
    let Some(store) = Store::of_environment() else {
        say!("neither XDG_STATE_HOME nor HOME says where to keep a comparison");
        return Exit::Missing.into();
    };
    act_on_notes(&store);
    let begun = match request {
        CompareRequest::New(asked) => {
            may_be_set(asked).and_then(|()| State::begin(&store, asked, command))
        }
        CompareRequest::Resume(id) => {
            resumed(&store, id).and_then(|state| may_be_set(&state.asked).map(|()| state))
        }
    };
    match begun.and_then(|state| run(&store, state)) {
        Ok(exit) => exit.into(),
        Err((sentence, exit)) => {
            say!("{sentence}");
            exit.into()
        }
    }
}

/// The document of a comparison in the store; of one without an end the answer of the pairs so far.
pub(super) fn stored(store: &Store, id: &str) -> Result<Comparison, String> {
    let said = |error: anyhow::Error| format!("{error:#}");
    let ended = store.comparison_ids().map_err(said)?;
    if ended.iter().any(|ended| ended == id) {
        return store.comparison(id).map_err(said);
    }
    let state = resumed(store, id).map_err(|(sentence, _)| sentence)?;
    let mut schedule = Schedule::new(rules(&state));
    replay(&mut schedule, &state);
    let reason = format!(
        "it goes on, or was killed ('netdyno compare --resume {id}' then does the rest): the verdict \
         is that of the pairs so far"
    );
    let status = Status::Interrupted;
    Ok(document(&state, &schedule, status, Some(reason)))
}

/// Why there is no answer at all, with the code to exit with.
type Refused = (String, Exit);

/// Whether the sysctls of both sides are there to be set.
fn may_be_set(asked: &Comparing) -> Result<(), Refused> {
    let sides = Side::BOTH.map(|side| asked.sides.of(side));
    sides.into_iter().try_for_each(sysctl::check)
}

fn resumed(store: &Store, id: &str) -> Result<State, Refused> {
    let broken = |error: anyhow::Error| (format!("{error:#}"), Exit::Usage);
    let id = &match store.kept(Some(id)).map_err(broken)? {
        Kept::Comparison(id) => id,
        Kept::Run(id) | Kept::Series(id) => {
            return Err((format!("'{id}' is no comparison"), Exit::Usage));
        }
    };
    let entries = store.entries(id).map_err(broken)?;
    let Some(Entry::Begin { command, .. }) = entries.first() else {
        return Err((format!("comparison '{id}' never began"), Exit::Usage));
    };
    let words = command.iter().map(std::ffi::OsString::from);
    match cli::parse(words, |path| std::fs::read_to_string(path)) {
        Ok(Request::Compare(request)) => match *request {
            CompareRequest::New(asked) => State::resume(store, &asked, entries),
            CompareRequest::Resume(_) => {
                Err(("a resumed comparison is no command".into(), Exit::Bug))
            }
        },
        _ => Err((
            format!("the command line of comparison '{id}' does not parse any more"),
            Exit::Usage,
        )),
    }
}

fn run(store: &Store, mut state: State) -> Result<Exit, Refused> {
    let signals =
        Signals::take().map_err(|error| (format!("taking signals: {error}"), Exit::Missing))?;
    let mut schedule = Schedule::new(rules(&state));
    let mut pilots: Vec<Run> = Vec::new();
    replay(&mut schedule, &state);
    show::start(&state);
    let start = Instant::now();
    let before = state.elapsed_before();
    let (status, reason) = loop {
        // One that came while the last trial was put back.
        if signals.next().is_some() {
            break interrupted();
        }
        let elapsed = before + start.elapsed();
        let (side, block) = match schedule.next(elapsed.as_secs_f64()) {
            Step::Stop(stop) => break ending(stop, &state.trials),
            Step::Pilot(side) => (side, None),
            Step::Trial { block, side } => (side, Some(block)),
        };
        show::progress(&state, &schedule, side, block);
        let steady = if block.is_some() { state.steady } else { None };
        let at = Nanos::new(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX));
        let done = trial::run(store, &state, side, block, at, steady, &signals);
        let Done {
            trial,
            run,
            interrupted: is_interrupted,
            exit,
        } = done;
        let primaries = placed(&state.asked, &trial);
        keep(&mut state, &trial, run.as_ref());
        let reason = trial.reason.clone();
        let went_well = trial.status == Status::Ok;
        state.trials.push(trial);
        if is_interrupted {
            break interrupted();
        }
        match block {
            None if !went_well => {
                let why = reason.unwrap_or_else(|| "no reason given".to_owned());
                show::end(&state);
                return Err((format!("the pilot of {} failed: {why}", side.name()), exit));
            }
            None => {
                schedule.pilot_done(true);
                pilots.extend(run);
                if pilots.len() == 2 || side == Side::B {
                    settle_times(&mut state, &pilots);
                }
            }
            Some(_) => schedule.trial_done(side, primaries.filter(|_| went_well)),
        }
    };
    show::end(&state);
    let document = document(&state, &schedule, status, reason);
    if let Err(error) = state.journal.finish(&document) {
        say!("{error:#}");
    }
    Ok(show::result(&state.asked, &document, exit_of(&document)))
}

fn rules(state: &State) -> Rules {
    let asked = &state.asked;
    let margin = |metric| analyze::comparison::margin(metric, asked.smallest_effect, None);
    Rules {
        seed: state.seed,
        alpha: ALPHA,
        margins: asked.primary.iter().map(margin).collect(),
        pairs: asked.pairs.map(|pairs| pairs as usize),
        pilots: usize::from(state.needs_pilots()),
        most_time: asked.max_time.map(Nanos::as_secs_f64),
    }
}

/// Tells the schedule what was done before the comparison was resumed.
fn replay(schedule: &mut Schedule, state: &State) {
    for trial in &state.trials {
        match trial.block {
            None => schedule.pilot_done(true),
            Some(_) => {
                let values = placed(&state.asked, trial);
                schedule.trial_done(trial.side, values.filter(|_| trial.status == Status::Ok));
            }
        }
    }
}

/// The primary values on the scale of their contrasts; none unless the trial has them all.
fn placed(asked: &Comparing, trial: &Trial) -> Option<Vec<f64>> {
    let value = |metric: &analyze::metric::Metric| metric.placed(*trial.values.get(&metric.name)?);
    asked.primary.iter().map(value).collect()
}

/// Whatever happens to the journal, the comparison goes on.
fn keep(state: &mut State, trial: &Trial, run: Option<&Run>) {
    let mut entries = Vec::new();
    if let Some(run) = run.filter(|_| state.hosts.of(trial.side).is_none()) {
        let hosts: Hosts = run.hosts.clone();
        *state.hosts.of_mut(trial.side) = Some(hosts.clone());
        entries.push(Entry::Hosts {
            side: trial.side,
            hosts: Box::new(hosts),
        });
    }
    // An interrupted trial is made again when the comparison is resumed.
    if trial.status != Status::Interrupted {
        entries.push(Entry::Trial(Box::new(trial.clone())));
    }
    for entry in entries {
        if let Err(error) = state.journal.add(&entry) {
            say!("{error:#}");
        }
    }
}

/// Decides warm-up and length of trials by the pilots, where they were left open.
fn settle_times(state: &mut State, pilots: &[Run]) {
    let pilots: Vec<&Run> = pilots.iter().collect();
    if pilots.is_empty() || state.steady.is_some() {
        return;
    }
    let Steady { warm_up, trial } = warm_up::steady(&pilots, state.asked.smallest_effect);
    state.steady = Some(Steady { warm_up, trial });
    if let Err(error) = state.journal.add(&Entry::Times { warm_up, trial }) {
        say!("{error:#}");
    }
}

fn interrupted() -> (Status, Option<String>) {
    let reason = "interrupted: the verdict is that of the pairs so far";
    (Status::Interrupted, Some(reason.to_owned()))
}

fn ending(stop: Stop, trials: &[Trial]) -> (Status, Option<String>) {
    match stop {
        Stop::Settled | Stop::PairsDone => (Status::Ok, None),
        Stop::TimeUp => (
            Status::Ok,
            Some("the time is up: the verdict is that of the pairs so far".to_owned()),
        ),
        Stop::Failures => {
            let last = trials
                .iter()
                .rev()
                .find_map(|trial| trial.reason.as_deref());
            let last = last.unwrap_or("no reason given");
            (
                Status::Invalid,
                Some(format!("too many trials failed; the last: {last}")),
            )
        }
    }
}

fn document(
    state: &State,
    schedule: &Schedule,
    status: Status,
    reason: Option<String>,
) -> Comparison {
    let design = state.design(schedule);
    let metrics = state.asked.metrics();
    analyze::comparison(&analyze::comparison::Compared {
        id: &state.id,
        started: &state.started,
        command: &state.command,
        design: &design,
        asked: &state.asked.asked(),
        trials: &state.trials,
        metrics: &metrics,
        looks: schedule.looks(),
        hosts: Sides {
            a: state.hosts.a.as_ref(),
            b: state.hosts.b.as_ref(),
        },
        gates: &state.asked.gates,
        status,
        reason,
    })
}

fn exit_of(document: &Comparison) -> Exit {
    match document.status {
        Status::Interrupted => return Exit::Interrupted,
        Status::Failed | Status::Invalid => return Exit::Invalid,
        Status::Ok => {}
    }
    let gates: Vec<Verdict> = document.gates.iter().map(|gate| gate.verdict).collect();
    let verdicts = match gates.as_slice() {
        [] => document.verdict.into_iter().collect(),
        _ => gates,
    };
    let any = |verdict| verdicts.contains(&verdict);
    if document.design.aa {
        // A is not better than itself either.
        return match document.verdict {
            Some(Verdict::Equivalent) => Exit::Done,
            _ => Exit::CannotTell,
        };
    }
    if any(Verdict::Worse) {
        Exit::Worse
    } else if verdicts.is_empty() || any(Verdict::CannotTell) {
        Exit::CannotTell
    } else {
        Exit::Done
    }
}

/// Whether trials of this work have pilots.
fn is_run(work: &Work) -> bool {
    matches!(work, Work::Run { .. })
}

/// Now, as a label.
fn now() -> String {
    label::now()
}
