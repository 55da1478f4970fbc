//! Datagrams and the local addresses that they come to and leave from.

use std::io;
use std::mem::MaybeUninit;
use std::net::{IpAddr, SocketAddr, SocketAddrV6};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use socket2::SockAddr;

use crate::socket::{bind, connect, option, reuse_address, udp_socket};

/// Lets a UDP socket learn which local address each datagram was sent to.
///
/// # Errors
/// What setsockopt(2) says.
pub fn tell_destinations(socket: impl AsFd, ipv6: bool) -> io::Result<()> {
    match ipv6 {
        true => option(
            &socket.as_fd(),
            libc::IPPROTO_IPV6,
            libc::IPV6_RECVPKTINFO,
            1,
        ),
        false => option(&socket.as_fd(), libc::IPPROTO_IP, libc::IP_PKTINFO, 1),
    }
}

/// A datagram that came to a [`udp_listener`](crate::udp_listener).
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

/// Sends a datagram to `to` that leaves from the local address `from`. It does not wait.
///
/// # Errors
/// What sendmsg(2) says.
pub fn send_from(
    socket: impl AsFd,
    bytes: &[u8],
    to: SocketAddr,
    from: IpAddr,
) -> io::Result<usize> {
    let name = SockAddr::from(to);
    let mut control = [0u64; 8];
    let mut part = libc::iovec {
        iov_base: bytes.as_ptr().cast_mut().cast(),
        iov_len: bytes.len(),
    };
    // SAFETY: msghdr is plain data; all zero is a value of it.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_name = name.as_ptr().cast_mut().cast();
    message.msg_namelen = name.len();
    message.msg_iov = &mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = size_of_val(&control);
    set_source(&mut message, from);
    // SAFETY: every pointer in `message` is valid for the length beside it through the call, which
    // only reads.
    let n = unsafe {
        libc::sendmsg(
            socket.as_fd().as_raw_fd(),
            &raw const message,
            libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL,
        )
    };
    if n < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(n as usize)
}

/// Makes the control buffer of `message`, which has 64 bytes, hold the source address alone.
fn set_source(message: &mut libc::msghdr, from: IpAddr) {
    let (level, kind, length) = match from {
        IpAddr::V4(_) => (
            libc::IPPROTO_IP,
            libc::IP_PKTINFO,
            size_of::<libc::in_pktinfo>(),
        ),
        IpAddr::V6(_) => (
            libc::IPPROTO_IPV6,
            libc::IPV6_PKTINFO,
            size_of::<libc::in6_pktinfo>(),
        ),
    };
    // SAFETY: the control buffer is aligned as headers are, and 64 bytes hold a header with either
    // of the two; the data behind a header is written unaligned.
    unsafe {
        let header = libc::CMSG_FIRSTHDR(message);
        (*header).cmsg_level = level;
        (*header).cmsg_type = kind;
        (*header).cmsg_len = libc::CMSG_LEN(length as u32) as usize;
        let data = libc::CMSG_DATA(header);
        match from {
            IpAddr::V4(from) => data
                .cast::<libc::in_pktinfo>()
                .write_unaligned(libc::in_pktinfo {
                    ipi_ifindex: 0,
                    ipi_spec_dst: libc::in_addr {
                        s_addr: u32::from_ne_bytes(from.octets()),
                    },
                    ipi_addr: libc::in_addr { s_addr: 0 },
                }),
            IpAddr::V6(from) => {
                data.cast::<libc::in6_pktinfo>()
                    .write_unaligned(libc::in6_pktinfo {
                        ipi6_addr: libc::in6_addr {
                            s6_addr: from.octets(),
                        },
                        ipi6_ifindex: 0,
                    })
            }
        }
        message.msg_controllen = libc::CMSG_SPACE(length as u32) as usize;
    }
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

/// A UDP socket for one peer of a [`udp_listener`](crate::udp_listener): same port, connected, so
/// that the kernel gives it the peer's datagrams and nobody else's.
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

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::{local_address, udp_listener};

    /// The whole of 127.0.0.0/8 is this host.
    #[test]
    fn an_answer_leaves_from_the_address_that_was_asked() {
        let server = udp_listener((Ipv4Addr::UNSPECIFIED, 0).into()).unwrap();
        let port = local_address(&server).unwrap().port();
        let client = std::net::UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let asked = Ipv4Addr::new(127, 0, 0, 9);
        client.send_to(b"who", (asked, port)).unwrap();
        let mut buffer = [0; 8];
        let arrival = loop {
            if let Some(arrival) = receive_from(&server, &mut buffer).unwrap() {
                break arrival;
            }
        };
        assert_eq!((arrival.to, arrival.length), (asked.into(), 3));
        assert_eq!(
            send_from(&server, b"me", arrival.from, arrival.to).unwrap(),
            2
        );
        let (length, from) = client.recv_from(&mut buffer).unwrap();
        assert_eq!((length, from), (2, (asked, port).into()));
    }
}
