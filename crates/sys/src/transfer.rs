//! The data path: one system call each, nothing else.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// send(2) without SIGPIPE.
///
/// # Errors
/// What the kernel says.
#[inline]
pub fn send(socket: impl AsFd, bytes: &[u8]) -> io::Result<usize> {
    // SAFETY: `bytes` is readable for its length.
    let n = unsafe {
        libc::send(
            socket.as_fd().as_raw_fd(),
            bytes.as_ptr().cast(),
            bytes.len(),
            libc::MSG_NOSIGNAL,
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
pub fn recv(socket: impl AsFd, buffer: &mut [u8]) -> io::Result<usize> {
    // SAFETY: `buffer` is writable for its length.
    let n = unsafe {
        libc::recv(
            socket.as_fd().as_raw_fd(),
            buffer.as_mut_ptr().cast(),
            buffer.len(),
            0,
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
pub fn discard(socket: impl AsFd, length: usize) -> io::Result<usize> {
    // SAFETY: with MSG_TRUNC on a TCP socket the kernel does not write to the buffer, so a null
    // pointer of any length is allowed.
    let n = unsafe {
        libc::recv(
            socket.as_fd().as_raw_fd(),
            std::ptr::null_mut(),
            length,
            libc::MSG_TRUNC,
        )
    };
    if n < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(n as usize)
    }
}
