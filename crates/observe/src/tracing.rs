//! What the kernel tells only when it is asked at the very place: locks, timers, transmit queues,
//! by BPF programs (`bpf/*.bpf.c`). Their cost is a row too.

mod locks;
mod queues;
mod symbols;
mod timers;

use aya::maps::{Map, PerCpuArray};
use aya::programs::RawTracePoint;
use aya::{Btf, Ebpf, EbpfLoader};
use record::Rows;

use crate::source::Unreadable;

pub(crate) use locks::Locks;
pub(crate) use queues::Queues;
pub(crate) use timers::Timers;

/// The running kernel's types; none where it does not tell them.
pub(crate) fn types() -> Option<Btf> {
    Btf::from_sys_fs().ok()
}

/// The smallest value of each bucket of a histogram is a power of two.
fn buckets(rows: &mut Rows, source: &str, label: &str, counts: &[u64]) {
    for (bits, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let name = format!("waits_from_{}_ns", 1_u64 << bits);
        add(rows, source, label, &name, *count);
    }
}

/// Adds to a row: several locks may have one label.
fn add(rows: &mut Rows, source: &str, label: &str, name: &str, value: u64) {
    let before = rows.get(source, label, name).unwrap_or(0);
    rows.set(source, label, name, before.saturating_add(value));
}

fn raise(rows: &mut Rows, source: &str, label: &str, name: &str, value: u64) {
    let before = rows.get(source, label, name).unwrap_or(0);
    rows.set(source, label, name, before.max(value));
}

/// Loaded programs with their maps, and how long they ran.
struct Programs {
    /// What they explain, as users say it.
    what: &'static str,
    bpf: Ebpf,
    /// As long as it is open, the kernel measures how long programs run.
    statistics: Option<std::os::fd::OwnedFd>,
}

impl Programs {
    fn load(what: &'static str, btf: Option<&Btf>, object: &[u8]) -> Result<Self, Unreadable> {
        let bpf = EbpfLoader::new().btf(btf).load(object);
        let bpf = bpf.map_err(|error| format!("explaining {what}: {}", cause(&error)))?;
        Ok(Self {
            what,
            bpf,
            statistics: aya::sys::enable_stats(aya::sys::Stats::RunTime).ok(),
        })
    }

    /// Attaches a program to a raw tracepoint.
    fn attach(&mut self, program: &str, tracepoint: &str) -> Result<(), Unreadable> {
        let failed =
            |error: &dyn std::error::Error| format!("tracing {tracepoint}: {}", cause(error));
        let program = self.bpf.program_mut(program);
        let program = program.ok_or_else(|| format!("no program traces {tracepoint}"))?;
        let program: &mut RawTracePoint = program.try_into().map_err(|e| failed(&e))?;
        program.load().map_err(|e| failed(&e))?;
        program.attach(tracepoint).map_err(|e| failed(&e))?;
        Ok(())
    }

    fn map(&self, name: &str) -> Result<&Map, Unreadable> {
        let map = self.bpf.map(name);
        map.ok_or_else(|| format!("explaining {}: no map {name}", self.what))
    }

    /// The figures of one per-CPU array, added up, and what the programs themselves cost.
    fn rows(&self, tallies: &[&str], rows: &mut Rows) -> Result<(), Unreadable> {
        let trouble = |error: &dyn std::error::Error| self.trouble(error);
        let counts: PerCpuArray<_, u64> = self
            .map("tallies")?
            .try_into()
            .map_err(|error: aya::maps::MapError| trouble(&error))?;
        for (index, name) in (0..).zip(tallies) {
            let values = counts.get(&index, 0).map_err(|error| trouble(&error))?;
            rows.set("tracing", self.what, name, values.iter().sum());
        }
        let attached = self
            .bpf
            .programs()
            .filter_map(|(_, program)| program.info().ok());
        let (mut runs, mut time) = (0, 0);
        for program in attached {
            runs += program.run_count();
            time += program.run_time().as_nanos() as u64;
        }
        if self.statistics.is_some() {
            rows.set("tracing", self.what, "runs", runs);
            rows.set("tracing", self.what, "run_ns", time);
        }
        Ok(())
    }

    fn trouble(&self, error: &dyn std::error::Error) -> Unreadable {
        format!("explaining {}: {}", self.what, cause(error))
    }
}

/// The innermost reason: what the kernel answered.
fn cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
