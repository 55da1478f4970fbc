//! CPU time, of the host and of this process.

use record::{CpuTimes, HostCpu, ProcessCpu};

use crate::tree::{Tree, field};

/// Both together, as an edge records them.
pub fn now() -> CpuTimes {
    CpuTimes {
        process: process(),
        host: host(),
    }
}

/// This process's, all threads together.
pub fn process() -> ProcessCpu {
    sys::usage::process()
}

/// The whole host's, sum over its CPUs. In a container it still is the host's.
pub fn host() -> Option<HostCpu> {
    host_in(&Tree::here())
}

/// What one CPU did since it was switched on, in ticks of /proc/stat: user, nice, system, idle,
/// iowait, irq, softirq, steal, and guest times, which user and nice contain as well. Kernels
/// that lack a column have 0 in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ticks {
    /// The CPU's number.
    pub cpu: u32,
    /// The columns in the kernel's order.
    pub columns: [u64; 10],
}

/// Every CPU that is online.
pub fn each() -> Vec<Ticks> {
    each_of(&Tree::here().text("proc/stat").unwrap_or_default())
}

fn each_of(stat: &str) -> Vec<Ticks> {
    let ticks = |line: &str| {
        let (number, rest) = line.strip_prefix("cpu")?.split_once(' ')?;
        let mut columns = [0; 10];
        for (column, text) in columns.iter_mut().zip(rest.split_ascii_whitespace()) {
            *column = text.parse().ok()?;
        }
        let cpu = number.parse().ok()?;
        Some(Ticks { cpu, columns })
    };
    stat.lines().filter_map(ticks).collect()
}

/// Threads of this process, now.
pub fn threads() -> Option<u32> {
    let status = Tree::here().text("proc/self/status")?;
    field(&status, "Threads")?.parse().ok()
}

pub(crate) fn host_in(tree: &Tree) -> Option<HostCpu> {
    parse(&tree.text("proc/stat")?)
}

/// One tick of /proc/stat: USER_HZ is 100 on every architecture that Rust's Linux targets have,
/// whatever HZ the kernel was built with.
pub(crate) const TICK_NS: u64 = 10_000_000;

/// proc(5): user nice system idle iowait irq softirq steal; what follows (guest, guest_nice) is
/// contained in user and nice.
fn parse(stat: &str) -> Option<HostCpu> {
    let total = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks = total
        .split_ascii_whitespace()
        .take(8)
        .map(|n| n.parse::<u64>().ok()?.checked_mul(TICK_NS))
        .collect::<Option<Vec<_>>>()?;
    let [user, nice, system, idle, iowait, irq, softirq, steal] = ticks.try_into().ok()?;
    Some(HostCpu {
        cpus: stat.lines().filter(|line| is_one_cpu(line)).count() as u32,
        user_ns: user + nice,
        system_ns: system,
        idle_ns: idle,
        iowait_ns: iowait,
        irq_ns: irq,
        softirq_ns: softirq,
        steal_ns: steal,
    })
}

fn is_one_cpu(line: &str) -> bool {
    line.strip_prefix("cpu")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linux 6.18, two CPUs, shortened.
    const NEW: &str = "\
cpu  4445 10 1806 176541 287 3 27 26 0 0
cpu0 1788 5 709 89016 19 1 8 10 0 0
cpu1 2656 5 1097 87524 267 2 18 15 0 0
intr 111690 0 0 0
ctxt 206674
btime 1764522000
processes 4242
procs_running 3
procs_blocked 0
softirq 35184 0 12000 3 800 0 0 2 9000 0 13379
";
    /// Linux 2.6.32: nine columns; CPU 1 is offline, its line is missing.
    const OLD: &str = "\
cpu  100 1 50 1000 7 2 3 4 0
cpu0 60 1 30 500 4 1 2 2 0
cpu2 40 0 20 500 3 1 1 2 0
intr 5 0
ctxt 9
";

    #[test]
    fn ticks_of_two_kernels_become_nanoseconds() {
        let new = parse(NEW).unwrap();
        assert_eq!(
            new,
            HostCpu {
                cpus: 2,
                user_ns: 44_550_000_000,
                system_ns: 18_060_000_000,
                idle_ns: 1_765_410_000_000,
                iowait_ns: 2_870_000_000,
                irq_ns: 30_000_000,
                softirq_ns: 270_000_000,
                steal_ns: 260_000_000,
            }
        );
        let old = parse(OLD).unwrap();
        assert_eq!(
            (old.cpus, old.user_ns, old.steal_ns),
            (2, 1_010_000_000, 40_000_000)
        );
    }

    #[test]
    fn each_cpu_has_its_columns() {
        let new = each_of(NEW);
        assert_eq!((new.len(), new[1].cpu), (2, 1));
        assert_eq!(new[0].columns, [1788, 5, 709, 89016, 19, 1, 8, 10, 0, 0]);
        assert_eq!(
            each_of(OLD)[1].columns,
            [40, 0, 20, 500, 3, 1, 1, 2, 0, 0],
            "a column that is not there counts nothing"
        );
    }

    #[test]
    fn a_line_that_lacks_columns_or_has_words_is_none() {
        for stat in [
            "",
            "cpu  1 2 3 4\n",
            "cpu  1 2 3 4 5 6 7 many\n",
            "cpu0 1 2 3 4 5 6 7 8\n",
        ] {
            assert_eq!(parse(stat), None, "{stat:?}");
        }
    }

    #[test]
    fn this_host_and_this_process_answer() {
        assert!(host().unwrap().cpus > 0);
        assert!(threads().unwrap() >= 1);
        assert!(now().host.is_some());
    }
}
