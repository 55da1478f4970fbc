//! Signals as a descriptor, so that the coordinator waits for them beside everything else.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use crate::check;

/// SIGINT, SIGTERM and SIGHUP, taken from the process and readable here.
#[derive(Debug)]
pub struct Signals(OwnedFd);

impl Signals {
    /// Blocks the three signals in the calling thread and all threads it starts later. Call it
    /// before the first thread exists.
    ///
    /// # Errors
    /// When the process has no descriptor left.
    pub fn take() -> io::Result<Self> {
        let set = set();
        // SAFETY: `set` is an initialised signal set; the old mask is not asked for.
        match unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut()) } {
            0 => (),
            error => return Err(io::Error::from_raw_os_error(error)),
        }
        // SAFETY: -1 asks for a new descriptor; `set` is live.
        let fd =
            check(unsafe { libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) })?;
        // SAFETY: the kernel just gave us this descriptor and nobody else has it.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// The next signal that came, if one did.
    pub fn next(&self) -> Option<i32> {
        // SAFETY: signalfd_siginfo is plain data; all zero is a value of it.
        let mut info: libc::signalfd_siginfo = unsafe { std::mem::zeroed() };
        let size = size_of::<libc::signalfd_siginfo>();
        // SAFETY: `info` is writable for `size` bytes.
        let n = unsafe { libc::read(self.0.as_raw_fd(), (&raw mut info).cast(), size) };
        (n == size as isize).then_some(info.ssi_signo as i32)
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// A written pipe without reader gives EPIPE instead of ending the process. Rust's runtime does
/// the same for the main program; library users get it here.
pub fn ignore_broken_pipes() {
    // SAFETY: SIG_IGN is a valid disposition for SIGPIPE.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
}

fn set() -> libc::sigset_t {
    // SAFETY: sigset_t is plain data and is initialised by sigemptyset before use; the signal
    // numbers are valid, so none of the calls can fail.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            libc::sigaddset(&mut set, signal);
        }
        set
    }
}
