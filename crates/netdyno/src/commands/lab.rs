//! `netdyno lab`.

mod path;
mod reproduce;
mod sweep;

use std::collections::BTreeMap;
use std::process::ExitCode;

use serde::Serialize;
use sim::model::{Chain, Steady};
use sim::{Contested, Cost, Growth};

use super::{print, screen};
use crate::cli::lab::{Form, LabRequest, ModelRequest, SpinlockRequest};

/// Simulates, and shows what came of it.
pub fn lab(request: &LabRequest) -> ExitCode {
    let text = match request {
        LabRequest::Qdisc(request) => path::qdisc(request),
        LabRequest::Spinlock(request) => spinlock(request),
        LabRequest::Sweep(request) => return sweep::sweep(request),
        LabRequest::Timers(request) => path::timers(request),
        LabRequest::Hol(request) => path::hol(request),
        LabRequest::Reporter(request) => path::reporter(request),
        LabRequest::Model(request) => model(request),
        LabRequest::Reproduce(request) => reproduce::reproduce(request),
    };
    print(&text)
}

/// A result of the lab as a document.
#[derive(Debug, Serialize)]
struct Document<'a, S, R> {
    schema: &'static str,
    command: &'static str,
    /// `simulated`, `measured` or `closed form`.
    provenance: &'static str,
    setup: S,
    costs: BTreeMap<&'static str, &'a Cost>,
    result: R,
}

const SCHEMA: &str = "netdyno.lab/1";

fn costs(platform: &sim::Platform) -> BTreeMap<&'static str, &Cost> {
    let costs = platform.costs.iter();
    costs.map(|(item, cost)| (item.name(), cost)).collect()
}

#[derive(Debug, Serialize)]
struct SpinlockSetup<'a> {
    lock: String,
    platform: &'a str,
    cpus: usize,
    think_ns: f64,
    hold_ns: f64,
    lines: usize,
    embedded: bool,
    exponential: bool,
    seed: u64,
    simulated_ns: u64,
}

fn spinlock(request: &SpinlockRequest) -> String {
    let out: Contested = request.contest().run();
    let machine = &request.machine;
    match request.form {
        Form::Json => report::lab::json(&Document {
            schema: SCHEMA,
            command: "spinlock",
            provenance: "simulated",
            setup: SpinlockSetup {
                lock: request.lock.to_string(),
                platform: &machine.platform.name,
                cpus: machine.cpus,
                think_ns: request.think,
                hold_ns: request.hold,
                lines: request.lines,
                embedded: request.embedded,
                exponential: request.exponential,
                seed: machine.seed,
                simulated_ns: machine.time.get(),
            },
            costs: costs(&machine.platform),
            result: &out,
        }),
        Form::Text => {
            let title = format!(
                "simulated, {} CPUs of {} on one {} lock",
                machine.cpus, machine.platform.name, request.lock
            );
            report::lab::contest(&title, &out, screen::style())
        }
    }
}

#[derive(Debug, Serialize)]
struct ModelRow {
    cpus: usize,
    ticket: Steady,
    queue: Steady,
}

#[derive(Debug, Serialize)]
struct ModelSetup {
    parallel_ns: f64,
    serial_ns: f64,
    transfer_ns: f64,
}

fn model(request: &ModelRequest) -> String {
    let chain = |cpus, growth| {
        Chain {
            cpus,
            parallel: request.parallel,
            serial: request.serial,
            transfer: request.transfer,
            growth,
        }
        .steady()
    };
    let rows = (1..=request.cpus).map(|cpus| {
        (
            cpus,
            chain(cpus, Growth::Waiters),
            chain(cpus, Growth::Once),
        )
    });
    match request.form {
        Form::Text => {
            let rows: Vec<_> = rows.collect();
            report::lab::model(&rows, screen::style())
        }
        Form::Json => report::lab::json(&Document {
            schema: SCHEMA,
            command: "model",
            provenance: "closed form",
            setup: ModelSetup {
                parallel_ns: request.parallel,
                serial_ns: request.serial,
                transfer_ns: request.transfer,
            },
            costs: BTreeMap::new(),
            result: rows
                .map(|(cpus, ticket, queue)| ModelRow {
                    cpus,
                    ticket,
                    queue,
                })
                .collect::<Vec<_>>(),
        }),
    }
}
