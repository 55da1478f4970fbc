//! How busy a host was during a test.

/// The CPUs of one end, in percent of all of them. The classic layouts know the total only.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CpuUse {
    /// How it was measured, by netperf's number; [`Self::PROC_STAT`] on Linux.
    pub method: u32,
    /// Busy.
    pub busy_percent: f32,
    /// Of it, in user mode.
    pub user_percent: f32,
    /// Of it, in the kernel.
    pub system_percent: f32,
    /// Of it, idle with input or output outstanding.
    pub iowait_percent: f32,
    /// Of it, in interrupts.
    pub irq_percent: f32,
    /// Of it, in soft interrupts.
    pub softirq_percent: f32,
    /// The busiest CPU.
    pub peak_cpu: Option<u32>,
    /// Its busy part.
    pub peak_percent: f32,
}

impl CpuUse {
    /// Measured by /proc/stat.
    pub const PROC_STAT: u32 = 8;

    /// The letter that netperf shows for the method: `U` for none, `?` for another one.
    pub const fn letter(method: u32) -> char {
        match method {
            0 => 'U',
            1 => 'I',
            2 => 'P',
            3 => 'T',
            4 => 'L',
            5 => 'R',
            6 => 'N',
            7 => 'K',
            8 => 'S',
            9 => 'C',
            10 => 'E',
            11 => 'M',
            12 => 'O',
            _ => '?',
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_have_letters() {
        let letters: String = (0..=13).map(CpuUse::letter).collect();
        assert_eq!(letters, "UIPTLRNKSCEMO?");
        assert_eq!(CpuUse::letter(CpuUse::PROC_STAT), 'S');
        assert_eq!(CpuUse::letter(u32::MAX), '?');
    }
}
