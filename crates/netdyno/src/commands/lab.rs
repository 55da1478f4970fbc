//! `netdyno lab`.

mod calibrate;
mod path;
mod real;
mod reproduce;
mod rows;
mod sweep;

use std::process::ExitCode;

use report::lab::document::{
    Both, Command, Document, ModelRow, ModelSetup, Provenance, SpinlockSetup,
};
use serde::Serialize;
use sim::model::Chain;
use sim::{Contested, Growth};

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
        (Form::Json, None) => spinlock_document(request, Provenance::Simulated, &out, &out),
        (Form::Json, Some(measured)) => {
            let both = Both {
                measured,
                simulated: &out,
            };
            spinlock_document(request, Provenance::Both, both, &out)
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

fn spinlock_document<R: Serialize>(
    request: &SpinlockRequest,
    provenance: Provenance,
    result: R,
    out: &Contested,
) -> String {
    let machine = &request.machine;
    let setup = SpinlockSetup {
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
    };
    report::lab::json(&Document {
        provenance,
        rows: rows::of_lock(&out.lock),
        ..Document::simulated(Command::Spinlock, &machine.platform, setup, result)
    })
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
        Form::Json => {
            let setup = ModelSetup {
                parallel_ns: request.parallel,
                serial_ns: request.serial,
                transfer_ns: request.transfer,
            };
            let rows: Vec<_> = rows
                .map(|(cpus, ticket, queue)| ModelRow {
                    cpus,
                    ticket,
                    queue,
                })
                .collect();
            let document = Document::bare(Command::Model, Provenance::ClosedForm, setup, rows);
            report::lab::json(&document)
        }
    }
}
