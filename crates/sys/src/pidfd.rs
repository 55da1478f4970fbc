//! Descriptors of other processes.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use crate::check;

/// A copy of descriptor `fd` of process `pid`: both mean the same socket or file (pidfd_open(2),
/// pidfd_getfd(2), since Linux 5.6).
///
/// # Errors
/// EBADF when the process has no such descriptor, EPERM when it is not ours, ESRCH when it is gone.
pub fn descriptor_of(pid: u32, fd: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: no memory is passed, and the answer is checked.
    let process = own(unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) })?;
    // SAFETY: no memory is passed, and the answer is checked.
    own(unsafe { libc::syscall(libc::SYS_pidfd_getfd, process.as_raw_fd(), fd, 0) })
}

/// The descriptor that a system call has just made.
fn own(made: libc::c_long) -> io::Result<OwnedFd> {
    let fd = check(libc::c_int::try_from(made).unwrap_or(-1))?;
    // SAFETY: the kernel has just made `fd` for this process, and nobody else knows of it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn our_own_descriptors_are_found_and_others_are_not() {
        let file = File::open("/dev/null").unwrap();
        let copy = match descriptor_of(std::process::id(), file.as_raw_fd()) {
            Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => {
                return not_run::test(not_run::here!(), "no pidfd_getfd (Linux 5.6)");
            }
            copy => copy.unwrap(),
        };
        assert_ne!(copy.as_raw_fd(), file.as_raw_fd());
        let missing = descriptor_of(std::process::id(), 100_000).unwrap_err();
        assert_eq!(missing.raw_os_error(), Some(libc::EBADF));
    }
}
