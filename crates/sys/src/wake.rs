//! A descriptor that one thread waits on and any other can make ready.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use crate::check;

/// An eventfd.
#[derive(Debug)]
pub struct Wake(OwnedFd);

impl Wake {
    /// Not ready yet.
    ///
    /// # Errors
    /// When the process has no descriptor left.
    pub fn new() -> io::Result<Self> {
        // SAFETY: no pointers; the result is checked.
        let fd = check(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) })?;
        // SAFETY: the kernel just gave us this descriptor and nobody else has it.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Makes it ready to read, until [`Wake::clear`].
    pub fn wake(&self) {
        let one = 1u64;
        // SAFETY: eight readable bytes. It can only fail when the counter is full, and then the
        // descriptor is ready already.
        unsafe { libc::write(self.0.as_raw_fd(), (&raw const one).cast(), 8) };
    }

    /// Makes it not ready.
    pub fn clear(&self) {
        let mut count = 0u64;
        // SAFETY: eight writable bytes. It fails only when it was not ready.
        unsafe { libc::read(self.0.as_raw_fd(), (&raw mut count).cast(), 8) };
    }
}

impl AsFd for Wake {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
