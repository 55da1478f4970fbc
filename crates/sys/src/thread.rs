//! The calling thread: where it runs, how exact its timers are.

use std::io;

use crate::check;

/// Lets the calling thread run only on `cpu`.
///
/// # Errors
/// EINVAL when this machine or the process's cgroup has no such CPU.
pub fn pin(cpu: u16) -> io::Result<()> {
    if usize::from(cpu) >= libc::CPU_SETSIZE as usize {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    // SAFETY: an all-zero cpu_set_t is the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: `cpu` is below CPU_SETSIZE, so the bit lies inside the set.
    unsafe { libc::CPU_SET(usize::from(cpu), &mut set) };
    // SAFETY: `set` is live and its size is passed; 0 names the calling thread.
    check(unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set) })?;
    Ok(())
}

/// Whether a thread can be pinned to `cpu`.
///
/// # Errors
/// As [`pin`].
pub fn admits(cpu: u16) -> io::Result<()> {
    let tried = std::thread::scope(|scope| scope.spawn(|| pin(cpu)).join());
    tried.unwrap_or_else(|_| Err(io::Error::other("the thread that tried it died")))
}

/// CPUs that the calling thread may run on.
pub fn allowed_cpus() -> Vec<u16> {
    // SAFETY: an all-zero cpu_set_t is the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: `set` is live and writable and its size is passed; 0 names the calling thread.
    if unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) } != 0 {
        return Vec::new();
    }
    (0..libc::CPU_SETSIZE as u16)
        // SAFETY: every index is below CPU_SETSIZE.
        .filter(|cpu| unsafe { libc::CPU_ISSET(usize::from(*cpu), &set) })
        .collect()
}

/// Asks for timers as exact as the kernel can: a timer slack of 1 ns instead of 50 us
/// (prctl(2), PR_SET_TIMERSLACK).
pub fn exact_timers() {
    // SAFETY: no pointers; an old kernel refuses and the slack stays, which is measured anyway.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1usize, 0usize, 0usize, 0usize) };
}

/// Runs the calling thread, and those that it starts, before all ordinary ones (SCHED_RR at the
/// lowest real-time priority).
///
/// # Errors
/// EPERM without CAP_SYS_NICE.
pub fn run_realtime() -> io::Result<()> {
    let priority = libc::sched_param { sched_priority: 1 };
    // SAFETY: `priority` is readable; 0 names the calling thread.
    check(unsafe { libc::sched_setscheduler(0, libc::SCHED_RR, &priority) })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_thread_has_one_cpu_and_an_absent_cpu_is_refused() {
        std::thread::spawn(|| {
            let first = allowed_cpus()[0];
            pin(first).unwrap();
            assert_eq!(allowed_cpus(), [first]);
            assert!(pin(1023).is_err());
            assert!(admits(first).is_ok() && admits(1023).is_err());
            assert!(pin(u16::MAX).is_err());
        })
        .join()
        .unwrap();
    }
}
