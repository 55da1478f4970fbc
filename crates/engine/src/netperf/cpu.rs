//! How busy this host's CPUs are during a test, as netperf computes it.

use observe::cpu::Ticks;
use proto::netperf::CpuUse;
use units::Nanos;

/// A measurement that runs.
#[derive(Debug, Clone)]
pub struct Cpu {
    start: Vec<Ticks>,
}

/// Columns of /proc/stat.
const USER: usize = 0;
const SYSTEM: usize = 2;
const IDLE: usize = 3;
const IOWAIT: usize = 4;
const IRQ: usize = 5;
const SOFTIRQ: usize = 6;

impl Cpu {
    /// Clock ticks per second of /proc/stat, which netperf calls its calibration.
    pub const RATE: f32 = 100.0;

    /// Begins.
    pub fn start() -> Self {
        Self {
            start: observe::cpu::each(),
        }
    }

    /// CPUs of this host.
    pub fn count() -> u32 {
        observe::cpu::each().len() as u32
    }

    /// Ends. `test` is the test's length and `waited` what was measured beyond it: a host that
    /// has only waited counts as idle then.
    pub fn stop(&self, test: Nanos, waited: Nanos) -> CpuUse {
        let factor = if test.is_zero() {
            1.0
        } else {
            (test + waited).as_secs_f64() / test.as_secs_f64()
        };
        share(&self.start, &observe::cpu::each(), factor)
    }
}

/// Per CPU, what is not idle is busy: waiting for a disk and stolen time too. A host's figure is
/// the mean of its CPUs.
fn share(start: &[Ticks], end: &[Ticks], factor: f64) -> CpuUse {
    let mut used = CpuUse {
        method: CpuUse::PROC_STAT,
        ..CpuUse::default()
    };
    let mut cpus = 0.0;
    let mut sums = [0.0; 6];
    for now in end {
        let Some(before) = start.iter().find(|before| before.cpu == now.cpu) else {
            continue;
        };
        let spent = |column: usize| now.columns[column].saturating_sub(before.columns[column]);
        let total: u64 = (0..now.columns.len()).map(spent).sum();
        if total == 0 {
            cpus += 1.0;
            continue;
        }
        let percent = |ticks: u64| 100.0 * ticks as f64 / total as f64 * factor;
        let busy = percent(total - spent(IDLE).min(total));
        let columns = [USER, SYSTEM, IOWAIT, IRQ, SOFTIRQ].map(|column| percent(spent(column)));
        cpus += 1.0;
        sums[0] += busy;
        for (sum, value) in sums[1..].iter_mut().zip(columns) {
            *sum += value;
        }
        if used.peak_cpu.is_none() || busy > f64::from(used.peak_percent) {
            used.peak_cpu = Some(now.cpu);
            used.peak_percent = busy as f32;
        }
    }
    let mean = |sum: f64| (sum / f64::max(cpus, 1.0)).clamp(0.0, 100.0) as f32;
    used.busy_percent = mean(sums[0]);
    used.user_percent = mean(sums[1]);
    used.system_percent = mean(sums[2]);
    used.iowait_percent = mean(sums[3]);
    used.irq_percent = mean(sums[4]);
    used.softirq_percent = mean(sums[5]);
    used.peak_percent = used.peak_percent.clamp(0.0, 100.0);
    used
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(cpu: u32, columns: [u64; 10]) -> Ticks {
        Ticks { cpu, columns }
    }

    #[test]
    fn a_host_is_as_busy_as_its_cpus_on_average() {
        let start = [ticks(0, [0; 10]), ticks(1, [10; 10])];
        let end = [
            ticks(0, [20, 0, 30, 40, 10, 0, 0, 0, 0, 0]),
            ticks(1, [10, 10, 10, 110, 10, 10, 10, 10, 10, 10]),
        ];
        let used = share(&start, &end, 1.0);
        assert_eq!(used.busy_percent, 30.0);
        assert_eq!((used.user_percent, used.system_percent), (10.0, 15.0));
        assert_eq!(used.iowait_percent, 5.0);
        assert_eq!((used.peak_cpu, used.peak_percent), (Some(0), 60.0));
    }

    #[test]
    fn time_that_was_only_waited_is_idle() {
        let start = [ticks(0, [0; 10])];
        let end = [ticks(0, [25, 0, 0, 75, 0, 0, 0, 0, 0, 0])];
        assert_eq!(share(&start, &end, 2.0).busy_percent, 50.0);
        assert_eq!(share(&start, &end, 9.0).busy_percent, 100.0);
    }

    #[test]
    fn without_a_tick_nothing_is_busy() {
        let start = [ticks(0, [5; 10])];
        assert_eq!(share(&start, &start, 1.0).busy_percent, 0.0);
        assert_eq!(share(&[], &start, 1.0).peak_cpu, None);
    }
}
