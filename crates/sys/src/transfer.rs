//! The data path: one system call each, nothing else.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// Whether a call on a blocking socket may wait. Per call, because the two halves of a flow can be
/// driven in different ways on one socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// As long as it takes.
    Block,
    /// Not at all: EAGAIN instead (MSG_DONTWAIT).
    Never,
}

impl Wait {
    #[inline]
    fn flag(self) -> libc::c_int {
        match self {
            Self::Block => 0,
            Self::Never => libc::MSG_DONTWAIT,
        }
    }
}

/// send(2) without SIGPIPE.
///
/// # Errors
/// What the kernel says.
#[inline]
pub fn send(socket: impl AsFd, bytes: &[u8], wait: Wait) -> io::Result<usize> {
    // SAFETY: `bytes` is readable for its length.
    let n = unsafe {
        libc::send(
            socket.as_fd().as_raw_fd(),
            bytes.as_ptr().cast(),
            bytes.len(),
            libc::MSG_NOSIGNAL | wait.flag(),
        )
    };
    if n < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(n as usize)
    }
}

/// recv(2).
///
/// # Errors
/// What the kernel says.
#[inline]
pub fn recv(socket: impl AsFd, buffer: &mut [u8], wait: Wait) -> io::Result<usize> {
    // SAFETY: `buffer` is writable for its length.
    let n = unsafe {
        libc::recv(
            socket.as_fd().as_raw_fd(),
            buffer.as_mut_ptr().cast(),
            buffer.len(),
            wait.flag(),
        )
    };
    if n < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(n as usize)
    }
}

/// recv(2) with MSG_TRUNC on TCP: up to `length` bytes leave the receive queue and are copied
/// nowhere (tcp(7)).
///
/// # Errors
/// What the kernel says.
#[inline]
pub fn discard(socket: impl AsFd, length: usize, wait: Wait) -> io::Result<usize> {
    // SAFETY: with MSG_TRUNC on a TCP socket the kernel does not write to the buffer, so a null
    // pointer of any length is allowed.
    let n = unsafe {
        libc::recv(
            socket.as_fd().as_raw_fd(),
            std::ptr::null_mut(),
            length,
            libc::MSG_TRUNC | wait.flag(),
        )
    };
    if n < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(n as usize)
    }
}

/// Whether the kernel had no room in a device or qdisc queue for a datagram (ENOBUFS).
pub fn is_no_buffers(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ENOBUFS)
}
