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

/// How programs are attached to the two events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// As functions that the kernel calls with typed arguments.
    Typed,
    /// By the events' bare arguments.
    Raw,
    /// As perf does, by the records of the events. Needs tracefs.
    Perf,
}

impl Way {
    /// The cheapest first.
    const ALL: [Self; 3] = [Self::Typed, Self::Raw, Self::Perf];

    const fn name(self) -> &'static str {
        match self {
            Self::Typed => "typed raw tracepoint",
            Self::Raw => "raw tracepoint",
            Self::Perf => "perf tracepoint",
        }
    }
}

/// How sentences begin.
const EXPLAINING: &str = "explaining locks: ";

/// The end first: a beginning without its end would stand for a long time.
const EVENTS: [&str; 2] = ["contention_end", "contention_begin"];

impl Locks {
    /// Attaches by the cheapest way that this kernel takes: nothing but trying tells which.
    pub fn open(tree: &Tree, btf: Option<&Btf>) -> Result<Option<Self>, Unreadable> {
        let mut reasons: Vec<(Way, Unreadable)> = Vec::new();
        for way in Way::ALL {
            match Self::open_by(way, tree, btf) {
                Ok(locks) => return Ok(Some(locks)),
                Err(reason) => {
                    let reason = reason.strip_prefix(EXPLAINING).unwrap_or(&reason);
                    reasons.push((way, reason.to_owned()));
                }
            }
        }
        // A missing right is the same for all.
        reasons.dedup_by(|one, other| one.1 == other.1);
        let reasons: Vec<String> = match reasons.as_slice() {
            [(_, reason)] => vec![reason.clone()],
            several => several
                .iter()
                .map(|(way, reason)| format!("by {}: {reason}", way.name()))
                .collect(),
        };
        Err(format!("{EXPLAINING}{}", reasons.join("; ")))
    }

    /// Nothing stays attached where the half of it fails.
    fn open_by(way: Way, tree: &Tree, btf: Option<&Btf>) -> Result<Self, Unreadable> {
        let mut programs = Programs::load(
            "locks",
            btf,
            include_bytes_aligned!("../../bpf/locks.bpf.o"),
        )?;
        match way {
            Way::Typed => attach_typed(&mut programs, btf)?,
            Way::Raw => {
                programs.attach("end_raw", EVENTS[0])?;
                programs.attach("begin_raw", EVENTS[1])?;
            }
            Way::Perf => attach_perf(&mut programs)?,
        }
        // Without these, qdiscs' locks have their callers' names; enqueueing is told since 5.14.
        let _ = programs.attach("dequeue_raw", "qdisc_dequeue");
        let _ = programs.attach("enqueue_raw", "qdisc_enqueue");
        Ok(Self {
            programs,
            symbols: Symbols::read(tree),
            labels: BTreeMap::new(),
        })
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

fn attach_typed(programs: &mut Programs, btf: Option<&Btf>) -> Result<(), Unreadable> {
    let btf = btf.ok_or("this kernel has no type information")?;
    for (name, event) in ["end_btf", "begin_btf"].into_iter().zip(EVENTS) {
        let program = programs.bpf.program_mut(name).ok_or("no such program")?;
        let program: &mut BtfTracePoint = program
            .try_into()
            .map_err(|e: aya::programs::ProgramError| cause(&e))?;
        program.load(event, btf).map_err(|e| cause(&e))?;
        program.attach().map_err(|e| cause(&e))?;
    }
    Ok(())
}

fn attach_perf(programs: &mut Programs) -> Result<(), Unreadable> {
    for (name, event) in ["end_perf", "begin_perf"].into_iter().zip(EVENTS) {
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
    use std::io::{Read, Write};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use super::*;

    /// Makes threads wait for the lock of a pipe until `seen` says that it is enough, or for as long
    /// as a busy machine may need.
    fn contend(mut seen: impl FnMut() -> bool) -> bool {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let mut writer = writer.try_clone().unwrap();
                let stop = &stop;
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        writer.write_all(b"x").unwrap();
                    }
                });
            }
            drop(writer);
            scope.spawn(move || {
                let mut bytes = [0; 64];
                while reader.read(&mut bytes).unwrap() > 0 {}
            });
            let deadline = Instant::now() + Duration::from_secs(20);
            let mut enough = false;
            while !enough && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(20));
                enough = seen();
            }
            stop.store(true, Ordering::Relaxed);
            enough
        })
    }

    /// No two of them have the same reason to fail, so each is tried.
    #[test]
    fn each_way_to_attach_counts_or_says_why_not() {
        not_run::needs_root!();
        let types = crate::tracing::types();
        let tree = Tree::here();
        let mut counts = Vec::new();
        let mut reasons = Vec::new();
        for way in Way::ALL {
            let opened = Locks::open_by(way, &tree, types.as_ref());
            let mut locks = match opened {
                Ok(locks) => locks,
                Err(reason) => {
                    not_run::cell(format!("lock events by {}", way.name()), &reason);
                    reasons.push(reason);
                    continue;
                }
            };
            let seen = contend(|| {
                let mut rows = Rows::default();
                locks.read(&mut rows).unwrap();
                rows.iter().any(|row| row.source == "lock" && row.value > 0)
            });
            assert!(seen, "{} was attached and saw no wait", way.name());
            counts.push(way);
        }
        match Locks::open(&tree, types.as_ref()) {
            Ok(locks) => assert!(locks.is_some() && !counts.is_empty()),
            Err(sentence) => {
                assert!(
                    counts.is_empty() && sentence.contains(&reasons[0]),
                    "{sentence}"
                );
            }
        }
    }

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
