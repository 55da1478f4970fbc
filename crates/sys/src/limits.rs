//! Process limits.

/// Raises the limit of open descriptors to at least `wanted` if that is permitted, and gives
/// what holds now.
pub fn descriptors(wanted: u64) -> u64 {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` is writable.
    if unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) } != 0 {
        return 0;
    }
    if limit.rlim_cur < wanted {
        // Raising the hard limit needs CAP_SYS_RESOURCE; without it the hard limit is what we get.
        for ceiling in [wanted.max(limit.rlim_max), limit.rlim_max] {
            let raised = libc::rlimit {
                rlim_cur: wanted.min(ceiling),
                rlim_max: ceiling,
            };
            // SAFETY: `raised` is readable.
            if unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raised) } == 0 {
                return raised.rlim_cur;
            }
        }
    }
    limit.rlim_cur
}
