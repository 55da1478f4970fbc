//! Readiness of many descriptors, with a timeout in nanoseconds.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use units::Nanos;

use crate::check;
use crate::clock::timespec;

/// An epoll instance, level-triggered.
#[derive(Debug)]
pub struct Epoll(OwnedFd);

/// What is waited for, or what is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Readiness {
    /// Something to read, an end of file, or an error.
    pub read: bool,
    /// Room to write, or an error.
    pub write: bool,
}

impl Readiness {
    /// Reading only.
    pub const READ: Self = Self {
        read: true,
        write: false,
    };
    /// Writing only.
    pub const WRITE: Self = Self {
        read: false,
        write: true,
    };
    /// Both.
    pub const BOTH: Self = Self {
        read: true,
        write: true,
    };

    fn bits(self) -> u32 {
        let read = if self.read {
            libc::EPOLLIN | libc::EPOLLRDHUP
        } else {
            0
        };
        let write = if self.write { libc::EPOLLOUT } else { 0 };
        (read | write) as u32
    }
}

/// Room for the events of one wait.
pub struct Events {
    buffer: Vec<libc::epoll_event>,
    filled: usize,
}

impl Events {
    /// Room for `n` events at a time.
    pub fn with_capacity(n: usize) -> Self {
        Self {
            buffer: vec![libc::epoll_event { events: 0, u64: 0 }; n],
            filled: 0,
        }
    }

    /// Key and readiness of each. An error or a hang-up makes both directions ready, so that the
    /// next call on the descriptor says what happened.
    pub fn iter(&self) -> impl Iterator<Item = (u64, Readiness)> + '_ {
        const ALARM: u32 = (libc::EPOLLERR | libc::EPOLLHUP) as u32;
        self.buffer[..self.filled].iter().map(|event| {
            let bits = event.events;
            let readiness = Readiness {
                read: bits & ((libc::EPOLLIN | libc::EPOLLRDHUP) as u32 | ALARM) != 0,
                write: bits & (libc::EPOLLOUT as u32 | ALARM) != 0,
            };
            (event.u64, readiness)
        })
    }
}

impl Epoll {
    /// A new instance.
    ///
    /// # Errors
    /// When the process has no descriptor left.
    pub fn new() -> io::Result<Self> {
        // SAFETY: no pointers; the result is checked.
        let fd = check(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
        // SAFETY: the kernel just gave us this descriptor and nobody else has it.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Watches `fd` for `interest`; events carry `key`.
    ///
    /// # Errors
    /// What epoll_ctl(2) says.
    pub fn add(&self, fd: impl AsFd, key: u64, interest: Readiness) -> io::Result<()> {
        self.control(libc::EPOLL_CTL_ADD, &fd, key, interest)
    }

    /// Changes what a watched descriptor is watched for.
    ///
    /// # Errors
    /// What epoll_ctl(2) says.
    pub fn modify(&self, fd: impl AsFd, key: u64, interest: Readiness) -> io::Result<()> {
        self.control(libc::EPOLL_CTL_MOD, &fd, key, interest)
    }

    /// Stops watching.
    ///
    /// # Errors
    /// What epoll_ctl(2) says.
    pub fn remove(&self, fd: impl AsFd) -> io::Result<()> {
        self.control(libc::EPOLL_CTL_DEL, &fd, 0, Readiness::default())
    }

    /// Waits for events, at most for `timeout` (none: for ever). An interrupting signal is a
    /// wait without events.
    ///
    /// # Errors
    /// What epoll_pwait2(2) says; ENOSYS on kernels before 5.11.
    pub fn wait(&self, events: &mut Events, timeout: Option<Nanos>) -> io::Result<()> {
        let time = timeout.map(timespec);
        let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: the buffer is valid for `len` events and outlives the call, `time` is null or
        // points to a live timespec, and no signal mask is passed.
        let n = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                self.0.as_raw_fd(),
                events.buffer.as_mut_ptr(),
                events.buffer.len() as libc::c_int,
                time,
                std::ptr::null::<libc::sigset_t>(),
                0usize,
            )
        };
        events.filled = match n {
            -1 => {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
                0
            }
            n => n as usize,
        };
        Ok(())
    }

    fn control(
        &self,
        op: libc::c_int,
        fd: &impl AsFd,
        key: u64,
        interest: Readiness,
    ) -> io::Result<()> {
        let mut event = libc::epoll_event {
            events: interest.bits(),
            u64: key,
        };
        // SAFETY: `event` is live through the call; both descriptors are open while borrowed.
        check(unsafe {
            libc::epoll_ctl(self.0.as_raw_fd(), op, fd.as_fd().as_raw_fd(), &mut event)
        })?;
        Ok(())
    }
}

impl AsFd for Epoll {
    /// Readable when an event waits, so that one instance can be watched by another.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Wake;

    #[test]
    fn a_wake_is_seen_and_a_timeout_gives_no_event() {
        let epoll = Epoll::new().unwrap();
        let wake = Wake::new().unwrap();
        epoll.add(&wake, 7, Readiness::READ).unwrap();
        let mut events = Events::with_capacity(4);
        epoll.wait(&mut events, Some(Nanos::new(1000))).unwrap();
        assert_eq!(events.iter().count(), 0);
        wake.wake();
        epoll.wait(&mut events, None).unwrap();
        assert_eq!(events.iter().collect::<Vec<_>>(), [(7, Readiness::READ)]);
        wake.clear();
        epoll.wait(&mut events, Some(Nanos::ZERO)).unwrap();
        assert_eq!(events.iter().count(), 0);
    }
}
