//! `netdyno run`.

use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, Sender};

use engine::client::{self, Job, RunError};
use record::{Event, Facts, Status};
use sys::signal::{self, Signals};

use crate::cli::RunRequest;
use crate::commands::compare::act_on_notes;
use crate::commands::place::Place;
use crate::commands::sink::Sinks;
use crate::exit::Exit;
use crate::label;
use crate::say;
use crate::store::Store;

/// Descriptors beside those of flows.
const SPARE_DESCRIPTORS: u64 = 512;

/// Makes the run, shows it, keeps it.
pub fn run(request: &RunRequest, command: Vec<String>) -> ExitCode {
    signal::ignore_broken_pipes();
    // A comparison that was killed may have left the machine as it needed it.
    if let Some(store) = Store::of_environment() {
        act_on_notes(&store);
    }
    // First: namespaces are for a process with a single thread.
    let mut place = match Place::prepare(&request.plan.path, request.allow_local) {
        Ok(place) => place,
        Err(no_place) => return fail_before(request, command, no_place.sentence, no_place.exit),
    };
    if let Err(no_place) = place.set_sysctls(&request.sysctls) {
        return fail_before(request, command, no_place.sentence, no_place.exit);
    }
    let signals = match Signals::take() {
        Ok(signals) => signals,
        Err(error) => {
            return fail_before(
                request,
                command,
                format!("taking signals: {error}"),
                Exit::Missing,
            );
        }
    };
    if let Err(error) = place.open() {
        return fail_before(request, command, format!("{error:#}"), Exit::Missing);
    }
    if let Some(text) = place.describe().filter(|_| !request.quiet) {
        say!("{text}");
    }
    let flows: u64 = request
        .plan
        .loads
        .iter()
        .map(|load| u64::from(load.flows.get()))
        .sum();
    let (needed, permitted) = (
        flows + SPARE_DESCRIPTORS,
        sys::limits::descriptors(flows + SPARE_DESCRIPTORS),
    );
    if permitted < needed {
        let sentence = format!(
            "{flows} flows need {needed} descriptors, this process may open {permitted}: raise the \
             hard limit (ulimit -Hn; root is bound by the sysctl fs.nr_open too), or take fewer flows"
        );
        return fail_before(request, command, sentence, Exit::Missing);
    }

    let interface = place
        .peers
        .first()
        .and_then(|peer| observe::interface::towards(peer.ip()));
    let facts = observe::facts(interface.as_deref());
    let before = interface
        .as_ref()
        .and_then(|name| observe::interface::counters(name));
    let (events, stream) = mpsc::channel();
    send_begin(&events, request, command, facts.clone());
    if let Some(doubt) = place.doubt.clone() {
        let _ = events.send(Event::Doubt(doubt));
    }
    let job = Job {
        plan: request.plan.clone(),
        peers: place.peers.clone(),
        facts,
        interface: interface.clone().zip(before),
        refuse_local: !place.may_be_local,
        seed: random_seed(),
        sysctls: place.sysctls_of_server(&request.sysctls),
    };
    let coordinator = std::thread::Builder::new()
        .name("coordinator".into())
        .spawn(move || {
            let result = client::run(job, &signals, &events);
            // The stream ends when this thread drops its sender.
            result.map(|()| drop(events))
        });
    let coordinator = match coordinator {
        Ok(coordinator) => coordinator,
        Err(error) => {
            say!("starting the coordinator: {error}");
            return Exit::Missing.into();
        }
    };
    let mut sinks = Sinks::open(request);
    drain(&stream, &mut sinks);
    let result = coordinator.join();
    for (end, after) in place.counters().into_iter().flatten() {
        // The link is the run's own: its counters began at zero.
        sinks.take(Event::Wire {
            end,
            before: Default::default(),
            after,
        });
    }
    if let Some(complaint) = place.close() {
        say!("the testbed's server said: {complaint}");
    }
    conclude(result, sinks)
}

fn send_begin(events: &Sender<Event>, request: &RunRequest, command: Vec<String>, facts: Facts) {
    let started = label::now();
    let _ = events.send(Event::Begin {
        schema: Event::SCHEMA.into(),
        id: label::run_id(&started),
        started,
        command,
        plan: Box::new(request.plan.clone()),
        facts: Box::new(facts),
    });
}

fn drain(stream: &Receiver<Event>, sinks: &mut Sinks) {
    for event in stream {
        sinks.take(event);
    }
}

fn conclude(result: std::thread::Result<Result<(), RunError>>, sinks: Sinks) -> ExitCode {
    let (status, reason, exit) = match result {
        Ok(Ok(())) => (Status::Ok, None, Exit::Done),
        Ok(Err(error)) => {
            let (status, exit) = Exit::of(&error);
            (status, Some(error.to_string()), exit)
        }
        Err(_) => (
            Status::Failed,
            Some("netdyno broke: this is a bug".to_owned()),
            Exit::Bug,
        ),
    };
    sinks.finish(status, reason, exit).into()
}

/// A run that never began has a document too.
fn fail_before(
    request: &RunRequest,
    command: Vec<String>,
    sentence: String,
    exit: Exit,
) -> ExitCode {
    if exit == Exit::Usage {
        say!("{sentence}");
        return exit.into();
    }
    let (events, stream) = mpsc::channel();
    send_begin(&events, request, command, observe::facts(None));
    drop(events);
    let mut sinks = Sinks::open(request);
    drain(&stream, &mut sinks);
    sinks.finish(Status::Failed, Some(sentence), exit).into()
}

pub(in crate::commands) fn random_seed() -> u64 {
    let mut bytes = [0; 8];
    // Without randomness every run has the same arrivals, which harms nothing.
    let _ = getrandom::fill(&mut bytes);
    u64::from_le_bytes(bytes)
}
