//! The transmit path, timers, head of line, and the reporter.

use std::collections::BTreeMap;

use serde::Serialize;
use sim::qdisc::{Discipline, Mapping, Nic, Placement, RootProtocol, Setup, Start, Switches};

use super::{Document, MemoryModel, SCHEMA, costs};
use crate::cli::lab::{Form, HolRequest, QdiscRequest, ReporterRequest, TimersRequest};
use crate::commands::screen;

#[derive(Debug, Serialize)]
struct QdiscSetup<'a> {
    platform: &'a str,
    cpus: usize,
    senders: usize,
    placement: Placement,
    start: Start,
    wire_bytes: u64,
    lock: String,
    root: RootProtocol,
    discipline: Discipline,
    limit: usize,
    txqs: usize,
    multiqueue: bool,
    mapping: Mapping,
    batch: usize,
    nic: Nic,
    switches: Switches,
    simulated_ns: f64,
    seed: u64,
}

impl<'a> QdiscSetup<'a> {
    fn of(setup: &'a Setup) -> Self {
        Self {
            platform: &setup.platform.name,
            cpus: setup.cpus,
            senders: setup.senders,
            placement: setup.placement,
            start: setup.start,
            wire_bytes: setup.wire_bytes,
            lock: setup.lock.to_string(),
            root: setup.root,
            discipline: setup.discipline,
            limit: setup.limit,
            txqs: setup.txqs,
            multiqueue: setup.multiqueue,
            mapping: setup.mapping,
            batch: setup.batch,
            nic: setup.nic,
            switches: setup.switches,
            simulated_ns: setup.duration.nanos(),
            seed: setup.seed,
        }
    }
}

pub(super) fn qdisc(request: &QdiscRequest) -> String {
    let setup = &request.setup;
    let out = sim::qdisc::simulate(setup).expect("the command line was checked");
    match request.form {
        Form::Json => report::lab::json(&Document {
            schema: SCHEMA,
            command: "qdisc",
            provenance: "simulated",
            setup: QdiscSetup::of(setup),
            costs: costs(&setup.platform),
            memory: MemoryModel::of(&setup.platform),
            result: &out,
            rows: super::rows::of_path(&out),
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

#[derive(Debug, Serialize)]
struct TimersSetup<'a> {
    platform: &'a str,
    cpus: usize,
    flows: usize,
    pace_bytes_per_second: f64,
    burst_bytes: f64,
    network_interrupts: f64,
    migration: sim::timers::Migration,
    seed: u64,
    simulated_ns: u64,
}

pub(super) fn timers(request: &TimersRequest) -> String {
    let out = request.paced().run();
    let machine = &request.machine;
    match request.form {
        Form::Json => report::lab::json(&Document {
            schema: SCHEMA,
            command: "timers",
            provenance: "simulated",
            setup: TimersSetup {
                platform: &machine.platform.name,
                cpus: machine.cpus,
                flows: request.flows,
                pace_bytes_per_second: request.pace,
                burst_bytes: request.burst,
                network_interrupts: request.network_interrupts,
                migration: request.migration,
                seed: machine.seed,
                simulated_ns: machine.time.get(),
            },
            costs: costs(&machine.platform),
            memory: MemoryModel::of(&machine.platform),
            result: &out,
            rows: record::Rows::default(),
        }),
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
        Form::Json => report::lab::json(&Document {
            schema: SCHEMA,
            command: "hol",
            provenance: "simulated",
            setup: &request.hol,
            costs: BTreeMap::new(),
            memory: None,
            result: &out,
            rows: record::Rows::default(),
        }),
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
        Form::Json => report::lab::json(&Document {
            schema: SCHEMA,
            command: "reporter",
            provenance: "simulated",
            setup: &request.reporters,
            costs: BTreeMap::new(),
            memory: None,
            result: rows.iter().map(|(_, out)| out).collect::<Vec<_>>(),
            rows: record::Rows::default(),
        }),
        Form::Text => report::lab::reporters(&rows, screen::style()),
    }
}
