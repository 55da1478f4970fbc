//! CPU time that was used.

use std::io;

use record::ProcessCpu;
use units::Nanos;

use crate::check;

/// The process's, all threads together (getrusage(2)).
pub fn process() -> ProcessCpu {
    // SAFETY: rusage is plain data; all zero is a value of it.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is writable. With RUSAGE_SELF and a valid pointer the call cannot fail.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
    ProcessCpu {
        user_ns: nanos(usage.ru_utime),
        system_ns: nanos(usage.ru_stime),
        voluntary_switches: usage.ru_nvcsw as u64,
        involuntary_switches: usage.ru_nivcsw as u64,
    }
}

/// The clock of one thread's CPU time, user and system. Any thread of the process may read it.
#[derive(Debug, Clone, Copy)]
pub struct ThreadClock(libc::clockid_t);

impl ThreadClock {
    /// The calling thread's.
    ///
    /// # Errors
    /// ENOENT where the system keeps no such clocks.
    pub fn of_this_thread() -> io::Result<Self> {
        let mut id = 0;
        // SAFETY: the calling thread exists and `id` is writable.
        match unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &raw mut id) } {
            0 => Ok(Self(id)),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    }

    /// CPU time so far; none when the thread is gone.
    pub fn used(self) -> Option<Nanos> {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: `time` is writable.
        check(unsafe { libc::clock_gettime(self.0, &raw mut time) }).ok()?;
        Some(Nanos::new(
            time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64,
        ))
    }
}

fn nanos(time: libc::timeval) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[test]
    fn work_is_counted_for_the_thread_that_did_it_and_for_the_process() {
        let before = process();
        let (clock, used) = std::thread::spawn(|| {
            let clock = ThreadClock::of_this_thread().unwrap();
            let before = clock.used().unwrap();
            // The accounting of getrusage may be as coarse as a tick (at most 10 ms).
            while clock.used().unwrap() < before + Nanos::from_millis(30) {
                black_box((0..1000).sum::<u64>());
            }
            (clock, clock.used().unwrap())
        })
        .join()
        .unwrap();
        assert!(used >= Nanos::from_millis(30));
        assert_eq!(clock.used(), None, "the thread is gone");
        let spent = process().since(before);
        assert!(spent.user_ns + spent.system_ns > 0);
    }
}
