//! Where standard output and standard error go.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use crate::check;

/// Both go to `file` from here on, in the whole process.
///
/// # Errors
/// EMFILE and the like.
pub fn output_to(file: impl AsFd) -> io::Result<()> {
    for standard in [libc::STDOUT_FILENO, libc::STDERR_FILENO] {
        // SAFETY: both are descriptors; dup2 touches no memory of ours.
        check(unsafe { libc::dup2(file.as_fd().as_raw_fd(), standard) })?;
    }
    Ok(())
}
