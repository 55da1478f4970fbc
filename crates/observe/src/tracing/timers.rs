//! Timers by function and CPU.

use aya::maps::{MapError, PerCpuHashMap};
use aya::{Btf, include_bytes_aligned};
use record::Rows;

use super::symbols::Symbols;
use super::{Programs, add};
use crate::sampler::Source;
use crate::source::Unreadable;
use crate::tree::Tree;

pub(crate) struct Timers {
    programs: Programs,
    symbols: Symbols,
}

impl Timers {
    pub fn open(tree: &Tree, btf: Option<&Btf>) -> Result<Option<Self>, Unreadable> {
        let object = include_bytes_aligned!("../../bpf/timers.bpf.o");
        let mut programs = Programs::load("timers", btf, object)?;
        programs.attach("timer", "timer_expire_entry")?;
        programs.attach("hrtimer", "hrtimer_expire_entry")?;
        // Since Linux 6.9.
        let _ = programs.attach("remote", "tmigr_handle_remote_cpu");
        Ok(Some(Self {
            programs,
            symbols: Symbols::read(tree),
        }))
    }
}

impl Source for Timers {
    fn read(&mut self, rows: &mut Rows) -> Result<Option<()>, Unreadable> {
        self.programs
            .rows(&["no_room", "expired_for_other_cpus"], rows)?;
        let expired = self.programs.map("expired")?;
        // struct of: function, then whether it has a high resolution.
        let expired: Result<PerCpuHashMap<_, [u64; 2], u64>, MapError> = expired.try_into();
        let expired = expired.map_err(|error| self.programs.trouble(&error))?;
        for ([function, kind], counts) in expired.iter().flatten() {
            let source = match kind
                .to_ne_bytes()
                .first_chunk()
                .map(|b| u32::from_ne_bytes(*b))
            {
                Some(0) => "timer",
                _ => "hrtimer",
            };
            let label = self.symbols.name(function).unwrap_or("unknown");
            for (cpu, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                add(rows, source, label, &format!("cpu{cpu}"), *count);
            }
        }
        Ok(Some(()))
    }
}
