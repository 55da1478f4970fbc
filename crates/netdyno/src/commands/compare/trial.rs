//! One run of one side, with everything around it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Instant;

use analyze::metric;
use analyze::warm_up::{PILOT, STEP, Steady};
use plan::{Path, Plan, Timing, runfile};
use record::{End, Run, Side, Status, Trial};
use sys::signal::Signals;
use sys::{Epoll, Events, Readiness};
use units::Nanos;

use super::state::State;
use super::{IDLE, external, now, put_back, sysctl};
use crate::cli::{Comparing, SideRequest, Work};
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

/// What a program did.
struct Ended {
    output: String,
    complaint: String,
    status: Option<ExitStatus>,
    interrupted: bool,
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
        let result = changes
            .make(request)
            .and_then(|()| work(state, side, block, steady, signals));
        // Whatever came of it.
        changes.put_back().and(result)
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
                exit: exit_of(&ended),
            }
        }
    }
}

fn exit_of(ended: &Ended) -> Exit {
    let code = ended.status.and_then(|status| status.code());
    match code {
        Some(2) => Exit::Usage,
        Some(3) => Exit::Unreachable,
        Some(4) => Exit::Peer,
        Some(6) => Exit::Invalid,
        _ => Exit::Missing,
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
        Work::Exec { command, .. } => shell(command),
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
            let mut command = match program.split_first() {
                Some((program, words)) => {
                    let mut command = Command::new(program);
                    command.args(words);
                    command
                }
                None => Command::new(
                    std::env::current_exe()
                        .map_err(|error| format!("finding netdyno's own program file: {error}"))?,
                ),
            };
            command.arg("run").arg(&file).args(["--json", "--quiet"]);
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
    finish(command, signals)
}

/// `command` of the user, by the shell.
pub(super) fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]);
    shell
}

/// Runs `command` to its end; ^C goes to it and all that it started, a second one kills them.
fn finish(mut command: Command, signals: &Signals) -> Result<Ended, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    sys::child::die_with_parent(&mut command);
    let mut child = command
        .spawn()
        .map_err(|error| format!("starting {program}: {error}"))?;
    let mut complaints = child.stderr.take();
    let complaints = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = &mut complaints {
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let (output, interrupted) =
        read(&mut child, signals).map_err(|error| format!("watching {program}: {error}"))?;
    // What it left behind in its group holds no pipe of ours any more, and is in nobody's way.
    let status = child.wait().ok();
    Ok(Ended {
        output: String::from_utf8_lossy(&output).into_owned(),
        complaint: complaints.join().unwrap_or_default(),
        status,
        interrupted,
    })
}

/// All that the child prints, and whether a signal came meanwhile.
fn read(child: &mut Child, signals: &Signals) -> std::io::Result<(Vec<u8>, bool)> {
    const SIGNAL: u64 = 0;
    const OUTPUT: u64 = 1;
    let mut output = Vec::new();
    let mut interrupted = false;
    let Some(mut pipe) = child.stdout.take() else {
        return Ok((output, interrupted));
    };
    let epoll = Epoll::new()?;
    epoll.add(signals, SIGNAL, Readiness::READ)?;
    epoll.add(&pipe, OUTPUT, Readiness::READ)?;
    let mut events = Events::with_capacity(2);
    let mut chunk = vec![0; 64 * 1024];
    loop {
        epoll.wait(&mut events, None)?;
        for (key, _) in events.iter() {
            if key == OUTPUT {
                match pipe.read(&mut chunk)? {
                    0 => return Ok((output, interrupted)),
                    n => output.extend_from_slice(&chunk[..n]),
                }
            }
            while key == SIGNAL && signals.next().is_some() {
                let _ = sys::child::end_group(child, interrupted);
                interrupted = true;
            }
        }
    }
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
                trial.reason = Some(complaint(ended));
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
                None => trial.reason = Some(complaint(ended)),
            }
            None
        }
    };
    if ended.interrupted {
        trial.status = Status::Interrupted;
    }
    run
}

/// The last thing it said, or how it ended.
fn complaint(ended: &Ended) -> String {
    let said = ended
        .complaint
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty());
    let said = said.map(|line| line.strip_prefix("netdyno: ").unwrap_or(line).to_owned());
    let ending = || match ended.status {
        Some(status) => format!("it ended with {status}"),
        None => "nobody knows how it ended".to_owned(),
    };
    said.unwrap_or_else(ending)
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
