//! Sockets as netdyno opens them: close-on-exec always, never blocking unless asked.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use socket2::{Domain, Protocol, Socket, Type};

use crate::arrival::tell_destinations;
use crate::check;

/// Longest queue of connections that wait for accept; the kernel caps it at net.core.somaxconn.
const BACKLOG: i32 = 4096;

/// A listening TCP socket. IPv6 sockets take IPv6 only, so that both families can be bound side
/// by side and options of each family work on each.
///
/// # Errors
/// EADDRINUSE and the like, from bind(2) and listen(2).
pub fn tcp_listener(address: SocketAddr) -> io::Result<TcpListener> {
    listener(address, Protocol::TCP)
}

/// The same, for connections of Multipath TCP and of plain TCP.
///
/// # Errors
/// EADDRINUSE and the like; EPROTONOSUPPORT or ENOPROTOOPT on kernels without it.
pub fn mptcp_listener(address: SocketAddr) -> io::Result<TcpListener> {
    listener(address, Protocol::MPTCP)
}

/// A listener of one-to-one SCTP.
///
/// # Errors
/// EPROTONOSUPPORT on kernels without it; EADDRINUSE and the like.
pub fn sctp_listener(address: SocketAddr) -> io::Result<TcpListener> {
    listener(address, Protocol::SCTP)
}

fn listener(address: SocketAddr, protocol: Protocol) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(protocol))?;
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// An unconnected TCP socket for a client.
///
/// # Errors
/// When the family is not there or no descriptor is left.
pub fn tcp_socket(family_of: SocketAddr) -> io::Result<OwnedFd> {
    unconnected(family_of, Type::STREAM, Protocol::TCP)
}

/// The same for Multipath TCP.
///
/// # Errors
/// When the kernel does not have it, the family is not there, or no descriptor is left.
pub fn mptcp_socket(family_of: SocketAddr) -> io::Result<OwnedFd> {
    unconnected(family_of, Type::STREAM, Protocol::MPTCP)
}

/// An unconnected one-to-one SCTP socket.
///
/// # Errors
/// EPROTONOSUPPORT on kernels without it.
pub fn sctp_socket(family_of: SocketAddr) -> io::Result<OwnedFd> {
    unconnected(family_of, Type::STREAM, Protocol::SCTP)
}

/// An unconnected UDP socket.
///
/// # Errors
/// When the family is not there or no descriptor is left.
pub fn udp_socket(family_of: SocketAddr) -> io::Result<OwnedFd> {
    unconnected(family_of, Type::DGRAM, Protocol::UDP)
}

fn unconnected(family_of: SocketAddr, kind: Type, protocol: Protocol) -> io::Result<OwnedFd> {
    let socket = Socket::new(Domain::for_address(family_of), kind, Some(protocol))?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

/// Binds to a local address; port 0 lets the kernel choose.
///
/// # Errors
/// What bind(2) says.
pub fn bind(socket: impl AsFd, address: SocketAddr) -> io::Result<()> {
    socket2::SockRef::from(&socket).bind(&address.into())
}

/// Allows another socket on the same address and port (SO_REUSEADDR).
///
/// # Errors
/// What setsockopt(2) says.
pub fn reuse_address(socket: impl AsFd) -> io::Result<()> {
    socket2::SockRef::from(&socket).set_reuse_address(true)
}

/// Lets a socket share its local port with others of the same user that allow it, also with what
/// is left of their connections (socket(7), SO_REUSEPORT).
///
/// # Errors
/// What setsockopt(2) says.
pub fn reuse_port(socket: impl AsFd) -> io::Result<()> {
    socket2::SockRef::from(&socket).set_reuse_port(true)
}

/// Starts to connect; the socket becomes writable when it is decided, and [`take_error`] says
/// how. For UDP it is done at once.
///
/// # Errors
/// What connect(2) says, EINPROGRESS excepted.
pub fn connect(socket: impl AsFd, peer: SocketAddr) -> io::Result<()> {
    match socket2::SockRef::from(&socket).connect(&peer.into()) {
        Err(error) if error.raw_os_error() == Some(libc::EINPROGRESS) => Ok(()),
        other => other,
    }
}

/// The pending error of a socket (SO_ERROR), cleared by reading.
///
/// # Errors
/// That error.
pub fn take_error(socket: impl AsFd) -> io::Result<()> {
    socket2::SockRef::from(&socket)
        .take_error()?
        .map_or(Ok(()), Err)
}

/// A waiting connection, if there is one.
///
/// # Errors
/// EMFILE and the like; a connection that died in the queue is skipped.
pub fn accept(listener: &TcpListener) -> io::Result<Option<(OwnedFd, SocketAddr)>> {
    loop {
        match listener.accept() {
            Ok((stream, peer)) => {
                stream.set_nonblocking(true)?;
                return Ok(Some((stream.into(), peer)));
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => (),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(error) => return Err(error),
        }
    }
}

/// Makes calls on the socket block, or not.
///
/// # Errors
/// What fcntl(2) says.
pub fn set_blocking(socket: impl AsFd, blocking: bool) -> io::Result<()> {
    socket2::SockRef::from(&socket).set_nonblocking(!blocking)
}

/// The socket's own address.
///
/// # Errors
/// What getsockname(2) says.
pub fn local_address(socket: impl AsFd) -> io::Result<SocketAddr> {
    let address = socket2::SockRef::from(&socket).local_addr()?;
    address
        .as_socket()
        .ok_or_else(|| io::Error::from_raw_os_error(libc::EAFNOSUPPORT))
}

/// Ends sending: what was written still goes out, then a FIN. A call that blocks in sending
/// returns. On UDP it only makes blocked calls return.
pub fn shut_sending(socket: impl AsFd) {
    // A socket that is no longer connected has nothing left to shut.
    let _ = socket2::SockRef::from(&socket).shutdown(std::net::Shutdown::Write);
}

/// Ends receiving: what is in the socket's buffer can still be read, then comes an end of file. A
/// call that blocks in receiving returns. The peer of a TCP connection hears nothing of it.
pub fn shut_receiving(socket: impl AsFd) {
    // A socket that is no longer connected has nothing left to shut.
    let _ = socket2::SockRef::from(&socket).shutdown(std::net::Shutdown::Read);
}

/// Bytes that were written to a TCP socket and are not acknowledged by the peer (SIOCOUTQ).
///
/// # Errors
/// EINVAL when it is not connected.
pub fn unacknowledged(socket: impl AsFd) -> io::Result<u64> {
    let mut bytes: libc::c_int = 0;
    // SAFETY: SIOCOUTQ, which has the number of TIOCOUTQ, writes an int.
    check(unsafe { libc::ioctl(socket.as_fd().as_raw_fd(), libc::TIOCOUTQ, &raw mut bytes) })?;
    Ok(u64::try_from(bytes).unwrap_or(0))
}

/// Ends both directions: blocked calls return.
pub fn shut(socket: impl AsFd) {
    // A socket that is no longer connected has nothing left to shut.
    let _ = socket2::SockRef::from(&socket).shutdown(std::net::Shutdown::Both);
}

/// A UDP socket that hears every sender on `address` and learns which local address each
/// datagram was sent to.
///
/// # Errors
/// EADDRINUSE and the like.
pub fn udp_listener(address: SocketAddr) -> io::Result<OwnedFd> {
    let socket = Socket::new(
        Domain::for_address(address),
        Type::DGRAM,
        Some(Protocol::UDP),
    )?;
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    tell_destinations(&socket, address.is_ipv6())?;
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    Ok(socket.into())
}

pub(crate) fn option(socket: &impl AsRawFd, level: i32, name: i32, value: i32) -> io::Result<()> {
    // SAFETY: `value` is readable for the length passed.
    check(unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            name,
            (&raw const value).cast(),
            size_of::<i32>() as libc::socklen_t,
        )
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{receive_from, udp_for_peer};

    #[test]
    fn a_peer_socket_takes_its_peers_datagrams_and_no_others() {
        for any in ["127.0.0.1:0", "[::1]:0"] {
            let address: SocketAddr = any.parse().unwrap();
            let Ok(listener) = udp_listener(address) else {
                continue;
            };
            let server = local_address(&listener).unwrap();
            let [a, b] = [(); 2].map(|()| {
                let socket = std::net::UdpSocket::bind(any).unwrap();
                socket.connect(server).unwrap();
                socket
            });
            a.send(b"hello").unwrap();
            let mut buffer = [0; 64];
            let arrival = receive_from(&listener, &mut buffer).unwrap().unwrap();
            assert_eq!(
                (arrival.length, arrival.from, arrival.to),
                (5, a.local_addr().unwrap(), server.ip())
            );
            let peer = udp_for_peer(arrival, server.port()).unwrap();
            a.send(b"to the peer socket").unwrap();
            b.send(b"to the listener").unwrap();
            assert_eq!(
                crate::recv(&peer, &mut buffer, crate::Wait::Never).unwrap(),
                18
            );
            assert_eq!(
                receive_from(&listener, &mut buffer)
                    .unwrap()
                    .unwrap()
                    .length,
                15
            );
            assert!(receive_from(&listener, &mut buffer).unwrap().is_none());
        }
    }
}
