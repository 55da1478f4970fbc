//! `netdyno lab reproduce`.

use std::sync::Mutex;
use std::thread;

use report::lab::document::{self, Reproduced};
use sim::reproduce::{
    Hypercube, Sensitivity, Trial, Variation, Varied, ablations, hypercube, hypotheses, parameters,
    run,
};

use crate::cli::lab::{Form, ReproduceRequest, Vary};
use crate::commands::screen;
use crate::say;

pub(super) fn reproduce(request: &ReproduceRequest) -> String {
    let mut out = Reproduced {
        schema: document::Form::First,
        command: document::Command::Reproduce,
        provenance: document::Provenance::Simulated,
        seed: request.seed,
        experiments: Vec::new(),
        hypotheses: Vec::new(),
        sensitivity: Vec::new(),
    };
    match request.vary {
        Some(vary) => {
            let each = request.names.iter();
            out.sensitivity = each
                .filter_map(|name| varied(name, vary, request))
                .collect();
        }
        None => {
            let trial = Trial::plain(request.seed);
            out.experiments = on_all_cpus(&request.names, |name| {
                say!("{name} ...");
                run(name, &trial).ok()
            });
            if request.hypotheses {
                say!("H1 to H5 ...");
                out.hypotheses = hypotheses(&trial);
            }
        }
    }
    let style = screen::style();
    match request.form {
        Form::Json => report::lab::json(&out),
        Form::Text if request.vary.is_some() => report::lab::sensitivity(&out.sensitivity, style),
        Form::Text => {
            let experiments = match out.experiments.is_empty() {
                true => String::new(),
                false => report::lab::experiments(&out.experiments, style),
            };
            experiments + &report::lab::hypotheses(&out.hypotheses, style)
        }
    }
}

fn varied(name: &&'static str, vary: Vary, request: &ReproduceRequest) -> Option<Sensitivity> {
    let (variations, points) = match vary {
        Vary::Parameters(points) => (
            parameters(name, request.seed).ok()?,
            hypercube(name, request.seed, points).ok()?,
        ),
        Vary::Mechanisms => (ablations(name, request.seed).ok()?, Vec::new()),
    };
    let experiment = |variation: &Variation| {
        say!("{name}, {} ...", variation.what);
        run(name, &variation.trial).ok()
    };
    let outcomes = on_all_cpus(&variations, |variation| {
        Some((variation.what.clone(), experiment(variation)?))
    });
    let outcome = |point: &Variation| {
        let varied = Varied::of(&point.what, experiment(point)?);
        Some((point.clone(), varied))
    };
    let points = on_all_cpus(&points, outcome);
    let (_, first) = outcomes.first()?;
    Some(Sensitivity {
        id: first.id,
        criterion: first.criterion,
        hypercube: Hypercube::of(&points, first.pass),
        varied: outcomes
            .into_iter()
            .map(|(what, experiment)| Varied::of(&what, experiment))
            .collect(),
    })
}

/// All of them, a thread on each CPU, in their order: a simulation depends on nothing but its seed.
fn on_all_cpus<T: Sync, R: Send>(all: &[T], run: impl Fn(&T) -> Option<R> + Sync) -> Vec<R> {
    let next = Mutex::new(0..all.len());
    let done = Mutex::new(Vec::new());
    let work = || {
        while let Some(at) = next.lock().ok().and_then(|mut next| next.next()) {
            let outcome = run(&all[at]);
            if let (Some(outcome), Ok(mut done)) = (outcome, done.lock()) {
                done.push((at, outcome));
            }
        }
    };
    thread::scope(|scope| {
        let cpus = sys::thread::allowed_cpus().len().clamp(1, all.len().max(1));
        (0..cpus).for_each(|_| drop(scope.spawn(work)));
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}
