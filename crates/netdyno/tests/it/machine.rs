//! Whether the machine was the run's own while it measured.

use std::fmt::Display;

use record::{End, Run};

/// CPUs' worth of work of others that leaves a run undisturbed.
const SPARE: f64 = 0.1;

/// What `once` gives when it holds: at once, or in both of two more tries, since others work on this
/// machine too.
pub fn holds<T>(once: impl Fn() -> Result<T, String>) -> T {
    let first = match once() {
        Ok(held) => return held,
        Err(found) => found,
    };
    let again = || once().unwrap_or_else(|found| panic!("{found}; and before: {first}"));
    again();
    again()
}

/// An error unless `holds`; on a machine that was busy with other work at that time, nothing can be
/// said, and that is noted.
///
/// # Errors
/// What does not hold.
pub fn judge(run: &Run, what: &str, holds: bool, found: impl Display) -> Result<(), String> {
    match others(run) {
        _ if holds => (),
        Some(others) if others > SPARE => {
            let reason = format!("other work took {others:.2} CPUs while it was measured; {found}");
            not_run::cell(what, reason);
        }
        others => return Err(format!("{what}: {found}; other work took {others:?} CPUs")),
    }
    Ok(())
}

/// CPUs that other processes and the hypervisor took in the measured time. Both hosts are this
/// machine.
pub fn others(run: &Run) -> Option<f64> {
    let host = run.hosts_observed.cpu(End::Client)?;
    let seconds = run.loads.first()?.received?.seconds;
    let ours = [run.cost.client?, run.cost.server?].map(|cost| cost.cpu_seconds);
    let all = (host.user_ns + host.system_ns + host.steal_ns) as f64 / 1e9;
    Some((all - ours[0] - ours[1]) / seconds)
}
