//! Sockets as netdyno opens them: close-on-exec always, never blocking unless asked.

use std::io;
use std::mem::MaybeUninit;
use std::net::{IpAddr, SocketAddr, SocketAddrV6, TcpListener};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use socket2::{Domain, Protocol, SockAddr, Socket, Type};

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
        option(&socket, libc::IPPROTO_IPV6, libc::IPV6_RECVPKTINFO, 1)?;
    } else {
        option(&socket, libc::IPPROTO_IP, libc::IP_PKTINFO, 1)?;
    }
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    Ok(socket.into())
}

/// A datagram that came to a [`udp_listener`].
#[derive(Debug, Clone, Copy)]
pub struct Arrival {
    /// Bytes of payload (cut to the buffer).
    pub length: usize,
    /// Who sent it.
    pub from: SocketAddr,
    /// Which of our addresses it was sent to.
    pub to: IpAddr,
}

/// The next datagram, if there is one.
///
/// # Errors
/// What recvmsg(2) says.
pub fn receive_from(listener: impl AsFd, buffer: &mut [u8]) -> io::Result<Option<Arrival>> {
    let mut control = [0u64; 16];
    let mut name = SockAddrRoom::new();
    let mut part = libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    };
    // SAFETY: msghdr is plain data; all zero is a value of it.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_name = name.0.as_mut_ptr().cast();
    message.msg_namelen = size_of::<libc::sockaddr_storage>() as u32;
    message.msg_iov = &mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = size_of_val(&control);
    // SAFETY: every pointer in `message` is valid for the length beside it through the call.
    let n = unsafe {
        libc::recvmsg(
            listener.as_fd().as_raw_fd(),
            &mut message,
            libc::MSG_DONTWAIT,
        )
    };
    if n < 0 {
        let error = io::Error::last_os_error();
        return if error.kind() == io::ErrorKind::WouldBlock {
            Ok(None)
        } else {
            Err(error)
        };
    }
    let from = name.address(message.msg_namelen);
    let to = destination(&message);
    let (Some(from), Some(to)) = (from, to) else {
        return Err(io::Error::from_raw_os_error(libc::EAFNOSUPPORT));
    };
    Ok(Some(Arrival {
        length: n as usize,
        from,
        to,
    }))
}

struct SockAddrRoom(MaybeUninit<libc::sockaddr_storage>);

impl SockAddrRoom {
    fn new() -> Self {
        Self(MaybeUninit::zeroed())
    }

    fn address(&self, length: libc::socklen_t) -> Option<SocketAddr> {
        // SAFETY: zeroed at the start and possibly overwritten by the kernel: initialised both
        // ways, and any bytes are a sockaddr_storage.
        let storage = unsafe { self.0.assume_init() };
        // SAFETY: `storage` holds an address of `length` bytes as the kernel gave it; the copy
        // fills the same bytes of a fresh SockAddr of the same size.
        let address = unsafe {
            SockAddr::try_init(|room, room_length| {
                room.cast::<libc::sockaddr_storage>().write(storage);
                *room_length = length;
                Ok(())
            })
        };
        address.ok()?.1.as_socket()
    }
}

fn destination(message: &libc::msghdr) -> Option<IpAddr> {
    // SAFETY: `message` was filled by recvmsg; CMSG_FIRSTHDR and CMSG_NXTHDR stay inside its
    // control buffer, and the kernel wrote a whole in_pktinfo or in6_pktinfo behind each header
    // of that type (read unaligned).
    unsafe {
        let mut header = libc::CMSG_FIRSTHDR(message);
        while let Some(control) = header.as_ref() {
            match (control.cmsg_level, control.cmsg_type) {
                (libc::IPPROTO_IP, libc::IP_PKTINFO) => {
                    let info = libc::CMSG_DATA(header)
                        .cast::<libc::in_pktinfo>()
                        .read_unaligned();
                    return Some(IpAddr::from(info.ipi_addr.s_addr.to_ne_bytes()));
                }
                (libc::IPPROTO_IPV6, libc::IPV6_PKTINFO) => {
                    let info = libc::CMSG_DATA(header)
                        .cast::<libc::in6_pktinfo>()
                        .read_unaligned();
                    return Some(IpAddr::from(info.ipi6_addr.s6_addr));
                }
                _ => header = libc::CMSG_NXTHDR(message, header),
            }
        }
    }
    None
}

/// A UDP socket for one peer of a [`udp_listener`]: same port, connected, so that the kernel
/// gives it the peer's datagrams and nobody else's.
///
/// # Errors
/// What bind(2) and connect(2) say.
pub fn udp_for_peer(arrival: Arrival, port: u16) -> io::Result<OwnedFd> {
    // A link-local address needs its interface; the peer's address names it.
    let local = match (arrival.to, arrival.from) {
        (IpAddr::V6(to), SocketAddr::V6(from)) => {
            SocketAddrV6::new(to, port, 0, from.scope_id()).into()
        }
        (to, _) => SocketAddr::new(to, port),
    };
    let socket = udp_socket(local)?;
    reuse_address(&socket)?;
    bind(&socket, local)?;
    connect(&socket, arrival.from)?;
    Ok(socket)
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
