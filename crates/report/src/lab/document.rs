//! The documents of the lab, as they are published in `docs/schema/lab-1.json`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use sim::model::Steady;
use sim::qdisc::{Discipline, Mapping, Nic, Placement, RootProtocol, Sent, Setup, Start, Switches};
use sim::reporter::{Reported, Reporter};
use sim::reproduce::{Experiment, Hypothesis, Sensitivity};
use sim::timers::{Migration, Timed};
use sim::{Bar, Contested, Cost, Platform};

/// The form that all of these have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Form {
    /// The first.
    #[default]
    #[serde(rename = "netdyno.lab/1")]
    First,
}

/// Which command it is the result of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "each is the command of its name")]
pub enum Command {
    Qdisc,
    Spinlock,
    Timers,
    Hol,
    Reporter,
    Model,
    Sweep,
    Calibrate,
    Reproduce,
}

/// Where the figures come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Provenance {
    /// The simulator.
    #[serde(rename = "simulated")]
    Simulated,
    /// This machine.
    #[serde(rename = "measured")]
    Measured,
    /// This machine, and the simulator beside it.
    #[serde(rename = "measured and simulated")]
    Both,
    /// Arithmetic.
    #[serde(rename = "closed form")]
    ClosedForm,
}

/// A simulation, or a computation.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Document<'a, S, R> {
    /// The form of this document.
    pub schema: Form,
    /// The command.
    pub command: Command,
    /// Where the figures come from.
    pub provenance: Provenance,
    /// What was asked for.
    pub setup: S,
    /// What everything cost, by name.
    pub costs: BTreeMap<&'static str, &'a Cost>,
    /// How the simulated memory system works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryModel>,
    /// What came of it.
    pub result: R,
    /// What a host that runs this would count, where that is known.
    #[serde(skip_serializing_if = "record::Rows::is_empty")]
    pub rows: record::Rows,
}

/// How the simulated memory system works, what it costs apart.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct MemoryModel {
    order: sim::Order,
    combine: sim::Combine,
    store_buffer: bool,
    shared_core: f64,
}

impl<'a, S, R> Document<'a, S, R> {
    /// A simulation on a machine.
    pub fn simulated(command: Command, platform: &'a Platform, setup: S, result: R) -> Self {
        let costs = platform.costs.iter();
        Self {
            costs: costs.map(|(item, cost)| (item.name(), cost)).collect(),
            memory: Some(MemoryModel {
                order: platform.order,
                combine: platform.combine,
                store_buffer: platform.store_buffer,
                shared_core: platform.shared_core,
            }),
            ..Self::bare(command, Provenance::Simulated, setup, result)
        }
    }

    /// What needs no machine.
    pub fn bare(command: Command, provenance: Provenance, setup: S, result: R) -> Self {
        Self {
            schema: Form::First,
            command,
            provenance,
            setup,
            costs: BTreeMap::new(),
            memory: None,
            result,
            rows: record::Rows::default(),
        }
    }
}

/// What `spinlock` was asked for.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(missing_docs, reason = "each is the option of its name")]
pub struct SpinlockSetup<'a> {
    pub lock: String,
    pub platform: &'a str,
    pub cpus: usize,
    pub think_ns: f64,
    pub hold_ns: f64,
    pub lines: usize,
    pub embedded: bool,
    pub exponential: bool,
    pub seed: u64,
    pub simulated_ns: u64,
}

/// A contest on real threads, and its simulation.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Both<'a> {
    /// On this machine.
    pub measured: &'a Measured,
    /// The same set-up simulated.
    pub simulated: &'a Contested,
}

/// What threads on a lock came to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Measured {
    /// Critical sections per second.
    pub per_second: f64,
    /// For each thread.
    pub per_thread: Vec<u64>,
    /// Jain's index over the threads.
    pub fairness: Option<f64>,
    /// How long it really was.
    pub seconds: f64,
    /// Waits by powers of two, in nanoseconds, with reading the clock twice.
    pub wait_ns_log2: Vec<Bar>,
    /// The longest.
    pub wait_max_ns: u64,
    /// CPUs that the threads could use.
    pub cpus: usize,
    /// More threads than CPUs: the scheduler was measured, not the lock.
    pub measures_scheduler: bool,
    /// Steps of an unprotected count that were lost: more than 0 is a fault of the lock.
    pub lost: u64,
}

/// What `qdisc` was asked for.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct QdiscSetup<'a> {
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
    /// The setup without its machine's costs.
    pub fn of(setup: &'a Setup) -> Self {
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

/// What `timers` was asked for.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(missing_docs, reason = "each is the option of its name")]
pub struct TimersSetup<'a> {
    pub platform: &'a str,
    pub cpus: usize,
    pub flows: usize,
    pub pace_bytes_per_second: f64,
    pub burst_bytes: f64,
    pub network_interrupts: f64,
    pub migration: Migration,
    pub seed: u64,
    pub simulated_ns: u64,
}

/// What `sweep` was asked for.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(missing_docs, reason = "each is the option of its name")]
pub struct SweepSetup<'a> {
    pub platform: &'a str,
    pub think_ns: f64,
    pub hold_ns: f64,
    pub simulated_ns: u64,
    pub seed: u64,
}

/// What `sweep` found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Points<'a> {
    /// By curve, then by CPUs.
    pub points: &'a [Point],
}

/// One point of a sweep.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Point {
    /// The lock, or the way to the root lock.
    pub curve: String,
    /// How many take part.
    pub cpus: usize,
    /// Critical sections, or packets.
    pub per_second: f64,
}

/// What `model` was asked for.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(missing_docs, reason = "each is the option of its name")]
pub struct ModelSetup {
    pub parallel_ns: f64,
    pub serial_ns: f64,
    pub transfer_ns: f64,
}

/// The closed forms for so many CPUs.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ModelRow {
    /// How many.
    pub cpus: usize,
    /// With a ticket lock.
    pub ticket: Steady,
    /// With a queue lock.
    pub queue: Steady,
}

/// One cost of this machine from several repetitions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Reading {
    /// What was measured.
    pub name: String,
    /// Nanoseconds: the median,
    pub median: f64,
    /// and the quartiles: half of the repetitions lie between them. A preemption moves neither.
    pub low: f64,
    /// The upper one.
    pub high: f64,
    /// Repetitions.
    pub n: usize,
    /// Two values rather than one: their centres and counts.
    pub modes: Option<[(f64, usize); 2]>,
}

/// What `calibrate` measured.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(missing_docs, reason = "as in the other documents")]
pub struct Calibration {
    pub schema: Form,
    pub command: Command,
    pub provenance: Provenance,
    pub readings: Vec<Reading>,
    /// Where the costs were written.
    pub file: String,
}

/// What `reproduce` came to.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(missing_docs, reason = "as in the other documents")]
pub struct Reproduced {
    pub schema: Form,
    pub command: Command,
    pub provenance: Provenance,
    pub seed: u64,
    pub experiments: Vec<Experiment>,
    pub hypotheses: Vec<Hypothesis>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sensitivity: Vec<Sensitivity>,
}

/// Any of them: for the schema only.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(
    dead_code,
    reason = "a document is written as what it is; this names all of them"
)]
pub(crate) enum Any {
    Spinlock(Document<'static, SpinlockSetup<'static>, Contested>),
    Real(Document<'static, SpinlockSetup<'static>, Both<'static>>),
    Qdisc(Document<'static, QdiscSetup<'static>, Sent>),
    Timers(Document<'static, TimersSetup<'static>, Timed>),
    Hol(Document<'static, sim::hol::Hol, sim::hol::Blocked>),
    Reporter(Document<'static, Vec<Reporter>, Vec<Reported>>),
    Model(Document<'static, ModelSetup, Vec<ModelRow>>),
    Sweep(Document<'static, SweepSetup<'static>, Points<'static>>),
    Calibration(Calibration),
    Reproduced(Reproduced),
}
