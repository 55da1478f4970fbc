//! `netdyno lab`.

mod calibrate;
mod path;
mod real;
mod reproduce;
mod rows;
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
        LabRequest::Calibrate(request) => return calibrate::calibrate(request),
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
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<MemoryModel>,
    result: R,
    /// What a host that runs this would count, where that is known.
    #[serde(skip_serializing_if = "record::Rows::is_empty")]
    rows: record::Rows,
}

/// How the simulated memory system works, what it costs apart.
#[derive(Debug, Serialize)]
struct MemoryModel {
    order: sim::Order,
    combine: sim::Combine,
    store_buffer: bool,
    shared_core: f64,
}

impl MemoryModel {
    fn of(platform: &sim::Platform) -> Option<Self> {
        Some(Self {
            order: platform.order,
            combine: platform.combine,
            store_buffer: platform.store_buffer,
            shared_core: platform.shared_core,
        })
    }
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
    let measured = request.real.and_then(|threads| {
        let lock = request.lock.to_string();
        let contest = real::Contest {
            lock: &lock,
            threads,
            think: request.think,
            hold: request.hold,
            time: request.machine.time,
        };
        contest.run()
    });
    match (request.form, &measured) {
        (Form::Json, None) => {
            report::lab::json(&spinlock_document(request, "simulated", &out, &out))
        }
        (Form::Json, Some(measured)) => {
            let both = Both {
                measured,
                simulated: &out,
            };
            let provenance = "measured and simulated";
            report::lab::json(&spinlock_document(request, provenance, both, &out))
        }
        (Form::Text, None) => {
            let title = format!(
                "simulated, {} CPUs of {} on one {} lock",
                request.machine.cpus, request.machine.platform.name, request.lock
            );
            report::lab::contest(&title, &out, screen::style())
        }
        (Form::Text, Some(measured)) => {
            let threads = report::lab::Threads {
                lock: &request.lock.to_string(),
                threads: measured.per_thread.len(),
                cpus: measured.cpus,
                per_second: measured.per_second,
                fairness: measured.fairness,
                waits: &measured.wait_ns_log2,
                simulated: (out.per_second, &request.machine.platform.name),
            };
            report::lab::threads(&threads, screen::style())
        }
    }
}

#[derive(Debug, Serialize)]
struct Both<'a> {
    measured: &'a real::Measured,
    simulated: &'a Contested,
}

fn spinlock_document<'a, R: Serialize>(
    request: &'a SpinlockRequest,
    provenance: &'static str,
    result: R,
    out: &Contested,
) -> Document<'a, SpinlockSetup<'a>, R> {
    let machine = &request.machine;
    Document {
        schema: SCHEMA,
        command: "spinlock",
        provenance,
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
        memory: MemoryModel::of(&machine.platform),
        result,
        rows: rows::of_lock(&out.lock),
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
            memory: None,
            result: rows
                .map(|(cpus, ticket, queue)| ModelRow {
                    cpus,
                    ticket,
                    queue,
                })
                .collect::<Vec<_>>(),
            rows: record::Rows::default(),
        }),
    }
}
