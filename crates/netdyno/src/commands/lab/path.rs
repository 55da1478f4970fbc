//! The transmit path, timers, head of line, and the reporter.

use report::lab::document::{Command, Document, Provenance, QdiscSetup, TimersSetup};

use crate::cli::lab::{Form, HolRequest, QdiscRequest, ReporterRequest, TimersRequest};
use crate::commands::screen;

pub(super) fn qdisc(request: &QdiscRequest) -> String {
    let setup = &request.setup;
    let out = sim::qdisc::simulate(setup).expect("the command line was checked");
    match request.form {
        Form::Json => report::lab::json(&Document {
            rows: super::rows::of_path(&out),
            ..Document::simulated(Command::Qdisc, &setup.platform, QdiscSetup::of(setup), &out)
        }),
        Form::Text => {
            let title = format!(
                "simulated, {} senders on {} CPUs of {}, {} lock, root {:?}",
                setup.senders, setup.cpus, setup.platform.name, setup.lock, setup.root
            );
            report::lab::qdisc(&title.to_lowercase(), &out, screen::style())
        }
    }
}

pub(super) fn timers(request: &TimersRequest) -> String {
    let out = request.paced().run();
    let machine = &request.machine;
    match request.form {
        Form::Json => {
            let setup = TimersSetup {
                platform: &machine.platform.name,
                cpus: machine.cpus,
                flows: request.flows,
                pace_bytes_per_second: request.pace,
                burst_bytes: request.burst,
                network_interrupts: request.network_interrupts,
                migration: request.migration,
                seed: machine.seed,
                simulated_ns: machine.time.get(),
            };
            let platform = &machine.platform;
            report::lab::json(&Document::simulated(Command::Timers, platform, setup, &out))
        }
        Form::Text => {
            let title = format!(
                "simulated, {} paced flows on {} CPUs of {}, timers {:?}",
                request.flows, machine.cpus, machine.platform.name, request.migration
            );
            report::lab::timers(&title.to_lowercase(), &out, screen::style())
        }
    }
}

pub(super) fn hol(request: &HolRequest) -> String {
    let out = request.hol.run();
    match request.form {
        Form::Json => report::lab::json(&Document::bare(
            Command::Hol,
            Provenance::Simulated,
            &request.hol,
            &out,
        )),
        Form::Text => report::lab::hol(&request.hol, &out, screen::style()),
    }
}

pub(super) fn reporter(request: &ReporterRequest) -> String {
    let rows: Vec<_> = request
        .reporters
        .iter()
        .map(|reporter| (reporter.clone(), reporter.run()))
        .collect();
    match request.form {
        Form::Json => {
            let out: Vec<_> = rows.iter().map(|(_, out)| out).collect();
            let setup = &request.reporters;
            let provenance = Provenance::Simulated;
            report::lab::json(&Document::bare(Command::Reporter, provenance, setup, out))
        }
        Form::Text => report::lab::reporters(&rows, screen::style()),
    }
}
