//! How sure the means of several iterations are.

/// What was asked (`-I`) and what was reached. Widths are full widths in percent of the mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confidence {
    /// 95 or 99.
    pub level_percent: u32,
    /// Asked.
    pub width_percent: f64,
    /// Reached by the throughput.
    pub throughput_percent: f64,
    /// Reached by the client's CPU utilisation; 0 if it was not measured.
    pub local_cpu_percent: f64,
    /// Reached by the server's.
    pub remote_cpu_percent: f64,
    /// Whether all that count are narrow enough.
    pub reached: bool,
}

impl Confidence {
    /// What the classic layouts say first if not all widths that were asked were reached; nothing
    /// otherwise.
    pub(super) fn warning(&self) -> String {
        if self.reached {
            return String::new();
        }
        let [throughput, local, remote] = [
            self.throughput_percent,
            self.local_cpu_percent,
            self.remote_cpu_percent,
        ]
        .map(|width| format!("{width:4.3}%"));
        format!(
            "!!! WARNING\n\
             !!! Desired confidence was not achieved within the specified iterations.\n\
             !!! This implies that there was variability in the test environment that\n\
             !!! must be investigated before going further.\n\
             !!! Confidence intervals: Throughput      : {throughput}\n\
             !!!                       Local CPU util  : {local}\n\
             !!!                       Remote CPU util : {remote}\n\n"
        )
    }
}
