//! The monotonic clock. It measures; the wall clock only labels, and stands in the datagrams of
//! protocols that compare the clocks of two hosts.

use std::mem::MaybeUninit;

use units::Nanos;

/// CLOCK_MONOTONIC now. Answered by the vDSO without entering the kernel where the clock source
/// allows it.
#[inline]
pub fn now() -> Nanos {
    read(libc::CLOCK_MONOTONIC)
}

/// CLOCK_REALTIME now: since 1970.
#[inline]
pub fn wall() -> Nanos {
    read(libc::CLOCK_REALTIME)
}

/// CPU time that the calling thread has used.
pub fn thread_cpu() -> Nanos {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

#[inline]
fn read(clock: libc::clockid_t) -> Nanos {
    let mut time = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: the pointer is valid for writes of a timespec; with one of the clocks above and a
    // valid pointer clock_gettime cannot fail, so the value is initialised.
    let time = unsafe {
        libc::clock_gettime(clock, time.as_mut_ptr());
        time.assume_init()
    };
    Nanos::new(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

/// Sleeps until the monotonic clock reads `instant`, through interrupting signals.
pub fn sleep_until(instant: Nanos) {
    let time = timespec(instant);
    // SAFETY: `time` lives through the call; a null remainder is allowed with TIMER_ABSTIME.
    while unsafe {
        libc::clock_nanosleep(
            libc::CLOCK_MONOTONIC,
            libc::TIMER_ABSTIME,
            &time,
            std::ptr::null_mut(),
        )
    } == libc::EINTR
    {}
}

pub(crate) fn timespec(time: Nanos) -> libc::timespec {
    libc::timespec {
        tv_sec: (time.get() / 1_000_000_000) as libc::time_t,
        tv_nsec: (time.get() % 1_000_000_000) as libc::c_long,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleep_ends_no_earlier_than_asked() {
        let until = now() + Nanos::from_millis(2);
        sleep_until(until);
        assert!(now() >= until);
    }
}
