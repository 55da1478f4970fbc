//! Waits for locks.

use std::collections::BTreeMap;

use aya::maps::{HashMap, MapError};
use aya::programs::{BtfTracePoint, TracePoint};
use aya::{Btf, include_bytes_aligned};
use record::Rows;

use super::symbols::Symbols;
use super::{Programs, add, buckets, cause, raise};
use crate::sampler::Source;
use crate::source::Unreadable;
use crate::tree::Tree;

/// struct waits of locks.bpf.c, in 64-bit words.
const COUNT: usize = 0;
const TOTAL: usize = 1;
const LONGEST: usize = 2;
const LONG_COUNT: usize = 3;
const LONG_TOTAL: usize = 4;
const BUCKETS: usize = 6;
type Waits = [u64; BUCKETS + 32];
/// FRAMES.
type Stack = [u64; 16];
/// struct owner: name of the device, queue, role, handle.
type Owner = [u8; 32];

pub(crate) struct Locks {
    programs: Programs,
    symbols: Symbols,
    /// Labels of locks by address: they stay as they were found first.
    labels: BTreeMap<u64, String>,
}

impl Locks {
    /// Attaches, by the cheapest way that this kernel takes.
    pub fn open(tree: &Tree, btf: Option<&Btf>) -> Result<Option<Self>, Unreadable> {
        let mut programs = Programs::load(
            "locks",
            btf,
            include_bytes_aligned!("../../bpf/locks.bpf.o"),
        )?;
        // The end first: a beginning without its end would stand for a long time.
        let events = ["contention_end", "contention_begin"];
        attach_btf(&mut programs, btf, events)
            .or_else(|_| {
                programs.attach("end_raw", events[0])?;
                programs.attach("begin_raw", events[1])
            })
            .or_else(|first| attach_perf(&mut programs, events).map_err(|_| first))
            .map_err(|reason| format!("explaining locks: {reason}"))?;
        // Without these, qdiscs' locks have their callers' names; enqueueing is told since 5.14.
        let _ = programs.attach("dequeue_raw", "qdisc_dequeue");
        let _ = programs.attach("enqueue_raw", "qdisc_enqueue");
        Ok(Some(Self {
            programs,
            symbols: Symbols::read(tree),
            labels: BTreeMap::new(),
        }))
    }

    fn label(&mut self, lock: u64) -> Result<String, MapError> {
        if let Some(label) = self.labels.get(&lock) {
            return Ok(label.clone());
        }
        let map = |name| {
            self.programs.bpf.map(name).ok_or(MapError::InvalidName {
                name: String::from("owners"),
            })
        };
        let owners: HashMap<_, u64, Owner> = map("owners")?.try_into()?;
        if let Ok(owner) = owners.get(&lock, 0) {
            let label = of_owner(&owner);
            self.labels.insert(lock, label.clone());
            return Ok(label);
        }
        let callers: HashMap<_, u64, Stack> = map("callers")?.try_into()?;
        let stack = callers.get(&lock, 0).unwrap_or_default();
        let label = match self.symbols.caller(&stack) {
            Some(caller) => format!("in {caller}"),
            None => "elsewhere".to_owned(),
        };
        self.labels.insert(lock, label.clone());
        Ok(label)
    }
}

fn attach_btf(
    programs: &mut Programs,
    btf: Option<&Btf>,
    [end, begin]: [&str; 2],
) -> Result<(), Unreadable> {
    let btf = btf.ok_or("this kernel has no type information")?;
    for (name, event) in [("end_btf", end), ("begin_btf", begin)] {
        let program = programs.bpf.program_mut(name).ok_or("no such program")?;
        let program: &mut BtfTracePoint = program
            .try_into()
            .map_err(|e: aya::programs::ProgramError| cause(&e))?;
        program.load(event, btf).map_err(|e| cause(&e))?;
        program.attach().map_err(|e| cause(&e))?;
    }
    Ok(())
}

/// Needs tracefs.
fn attach_perf(programs: &mut Programs, [end, begin]: [&str; 2]) -> Result<(), Unreadable> {
    for (name, event) in [("end_perf", end), ("begin_perf", begin)] {
        let program = programs.bpf.program_mut(name).ok_or("no such program")?;
        let program: &mut TracePoint = program
            .try_into()
            .map_err(|e: aya::programs::ProgramError| cause(&e))?;
        program.load().map_err(|e| cause(&e))?;
        program.attach("lock", event).map_err(|e| cause(&e))?;
    }
    Ok(())
}

/// `eth0 root lock 8001: txq-0`.
fn of_owner(owner: &Owner) -> String {
    let word = |at: usize| u32::from_ne_bytes([0, 1, 2, 3].map(|i| owner[at + i]));
    let device = owner[..16].split(|b| *b == 0).next().unwrap_or_default();
    let device = String::from_utf8_lossy(device);
    let (queue, role, handle) = (word(16), word(20), word(24) >> 16);
    match role {
        0 => format!("{device} root lock {handle:x}: txq-{queue}"),
        1 => format!("{device} busylock {handle:x}: txq-{queue}"),
        2 => format!("{device} seqlock {handle:x}: txq-{queue}"),
        _ => format!("{device} transmit lock txq-{queue}"),
    }
}

impl Source for Locks {
    fn read(&mut self, rows: &mut Rows) -> Result<Option<()>, Unreadable> {
        self.programs
            .rows(&["events", "no_room", "stale", "unmatched"], rows)?;
        let waited = self.programs.map("waited")?;
        let waited: Result<HashMap<_, u64, Waits>, MapError> = waited.try_into();
        let waited = waited.map_err(|error| self.programs.trouble(&error))?;
        let all: Vec<(u64, Waits)> = waited.iter().flatten().collect();
        for (lock, waits) in all {
            let label = self.label(lock);
            let label = label.map_err(|error| self.programs.trouble(&error))?;
            for (name, at) in [
                ("waits", COUNT),
                ("wait_ns", TOTAL),
                ("waits_above_10_us", LONG_COUNT),
                ("wait_above_10_us_ns", LONG_TOTAL),
            ] {
                add(rows, "lock", &label, name, waits[at]);
            }
            raise(rows, "lock", &label, "longest_ns", waits[LONGEST]);
            buckets(rows, "lock", &label, &waits[BUCKETS..]);
        }
        Ok(Some(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_of_qdiscs_have_their_device_and_queue() {
        let owner = |role: u32| {
            let mut owner = [0; 32];
            owner[..5].copy_from_slice(b"veth0");
            owner[16..20].copy_from_slice(&3_u32.to_ne_bytes());
            owner[20..24].copy_from_slice(&role.to_ne_bytes());
            owner[24..28].copy_from_slice(&0x8001_0000_u32.to_ne_bytes());
            of_owner(&owner)
        };
        assert_eq!(owner(0), "veth0 root lock 8001: txq-3");
        assert_eq!(owner(1), "veth0 busylock 8001: txq-3");
        assert_eq!(owner(3), "veth0 transmit lock txq-3");
    }
}
