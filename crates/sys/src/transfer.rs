//! The data path: one system call each, nothing else.

use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd};

use crate::check;

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
    pub(crate) fn flag(self) -> libc::c_int {
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

/// sendfile(2): bytes of a file from `offset` on, without a copy through this process. Whether it
/// waits is up to the socket.
///
/// # Errors
/// What the kernel says.
#[inline]
pub fn send_file(
    socket: impl AsFd,
    file: impl AsFd,
    offset: u64,
    length: usize,
) -> io::Result<usize> {
    let mut offset = offset as libc::off64_t;
    // SAFETY: `offset` is live and writable through the call.
    let n = unsafe {
        libc::sendfile64(
            socket.as_fd().as_raw_fd(),
            file.as_fd().as_raw_fd(),
            &raw mut offset,
            length,
        )
    };
    if n < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(n as usize)
    }
}

/// A file without a name, in memory.
///
/// # Errors
/// When the process has no descriptor left.
pub fn memory_file() -> io::Result<std::fs::File> {
    // SAFETY: the name is a C string; the result is checked.
    let fd = check(unsafe { libc::memfd_create(c"netdyno".as_ptr(), libc::MFD_CLOEXEC) })?;
    // SAFETY: the kernel just gave us this descriptor and nobody else has it.
    Ok(unsafe { std::fs::File::from_raw_fd(fd) })
}

/// Who sent a datagram, as the kernel wrote it: it is only ever given back to the kernel.
#[derive(Clone, Copy)]
pub struct Sender {
    address: libc::sockaddr_storage,
    length: libc::socklen_t,
}

impl Default for Sender {
    /// Nobody yet.
    fn default() -> Self {
        Self {
            // SAFETY: sockaddr_storage is plain data; all zero is a value of it.
            address: unsafe { std::mem::zeroed() },
            length: 0,
        }
    }
}

/// recvfrom(2): like [`recv`], and `sender` becomes who sent it.
///
/// # Errors
/// What the kernel says.
#[inline]
pub fn recv_from(
    socket: impl AsFd,
    buffer: &mut [u8],
    sender: &mut Sender,
    wait: Wait,
) -> io::Result<usize> {
    sender.length = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
    // SAFETY: `buffer` is writable for its length, and the address for the length beside it.
    let n = unsafe {
        libc::recvfrom(
            socket.as_fd().as_raw_fd(),
            buffer.as_mut_ptr().cast(),
            buffer.len(),
            wait.flag(),
            (&raw mut sender.address).cast(),
            &raw mut sender.length,
        )
    };
    if n < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(n as usize)
    }
}

/// sendto(2): a datagram back to `receiver`.
///
/// # Errors
/// What the kernel says.
#[inline]
pub fn send_to(
    socket: impl AsFd,
    bytes: &[u8],
    receiver: &Sender,
    wait: Wait,
) -> io::Result<usize> {
    // SAFETY: `bytes` is readable for its length, and the address for the length beside it,
    // which the kernel set and which is no longer than the storage.
    let n = unsafe {
        libc::sendto(
            socket.as_fd().as_raw_fd(),
            bytes.as_ptr().cast(),
            bytes.len(),
            libc::MSG_NOSIGNAL | wait.flag(),
            (&raw const receiver.address).cast(),
            receiver.length,
        )
    };
    if n < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(n as usize)
    }
}

/// connect(2) of a datagram socket to `sender`: it hears nobody else from then on.
///
/// # Errors
/// What the kernel says.
pub fn connect_to(socket: impl AsFd, sender: &Sender) -> io::Result<()> {
    // SAFETY: the address is readable for the length beside it, which the kernel set and which is
    // no longer than the storage.
    let result = unsafe {
        libc::connect(
            socket.as_fd().as_raw_fd(),
            (&raw const sender.address).cast(),
            sender.length,
        )
    };
    check(result).map(|_| ())
}

/// Whether the kernel had no room in a device or qdisc queue for a datagram (ENOBUFS).
pub fn is_no_buffers(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ENOBUFS)
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;

    use super::*;

    #[test]
    fn a_datagram_goes_back_to_whoever_sent_it() {
        for any in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(server) = UdpSocket::bind(any) else {
                continue;
            };
            let clients = [(); 2].map(|()| UdpSocket::bind(any).unwrap());
            for (n, client) in clients.iter().enumerate() {
                client
                    .send_to(&[n as u8], server.local_addr().unwrap())
                    .unwrap();
                let (mut sender, mut buffer) = (Sender::default(), [0; 8]);
                let got = recv_from(&server, &mut buffer, &mut sender, Wait::Block).unwrap();
                send_to(&server, &buffer[..got], &sender, Wait::Block).unwrap();
                let mut answer = [9; 8];
                assert_eq!(client.recv(&mut answer).unwrap(), 1);
                assert_eq!(answer[0], n as u8);
            }
        }
    }
}
