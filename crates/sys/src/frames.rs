//! Copies of packets with datagrams (AF_PACKET), for those who check what the kernel takes apart.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use crate::check;
use crate::socket::option;

/// Sees what one peer's port sends to one of ours, from the IP header on.
#[derive(Debug)]
pub struct FrameTap(OwnedFd);

/// A packet that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Bytes of it that are in the buffer.
    pub held: usize,
    /// Bytes that the link carried behind its own header.
    pub length: usize,
    /// Its sender left the checksum to an interface that it never came to.
    pub unsummed: bool,
}

/// Room for packets that nobody has looked at.
const ROOM: i32 = 4 << 20;
/// More than any packet has.
const WHOLE: u32 = 0x4_0000;
/// include/uapi/linux/if_packet.h.
const PACKET_IGNORE_OUTGOING: i32 = 23;

impl FrameTap {
    /// From `from` to `to`, of one family. Fragments are left out.
    ///
    /// # Errors
    /// EPERM without CAP_NET_RAW.
    pub fn open(from: SocketAddr, to: SocketAddr) -> io::Result<Self> {
        let kind = libc::SOCK_DGRAM | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
        // SAFETY: no pointers are passed.
        let fd = check(unsafe { libc::socket(libc::AF_PACKET, kind, 0) })?;
        // SAFETY: `fd` is a new descriptor that nobody else owns.
        let socket = unsafe { OwnedFd::from_raw_fd(fd) };
        let protocol = match (from.ip(), to.ip()) {
            (IpAddr::V4(_), IpAddr::V4(_)) => libc::ETH_P_IP,
            (IpAddr::V6(_), IpAddr::V6(_)) => libc::ETH_P_IPV6,
            _ => return Err(io::ErrorKind::InvalidInput.into()),
        };
        let program = program(from, to);
        let filter = libc::sock_fprog {
            len: program.len() as u16,
            filter: program.as_ptr().cast_mut(),
        };
        // SAFETY: `filter` and the program that it names are readable through the call, which
        // copies them.
        check(unsafe {
            libc::setsockopt(
                socket.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_ATTACH_FILTER,
                (&raw const filter).cast(),
                size_of_val(&filter) as libc::socklen_t,
            )
        })?;
        option(&socket, libc::SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)?;
        option(&socket, libc::SOL_PACKET, libc::PACKET_AUXDATA, 1)?;
        option(&socket, libc::SOL_SOCKET, libc::SO_RCVBUF, ROOM)?;
        // SAFETY: sockaddr_ll is plain data; all zero is a value of it.
        let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = (protocol as u16).to_be();
        // SAFETY: `address` is readable for the length passed.
        check(unsafe {
            libc::bind(
                socket.as_raw_fd(),
                (&raw const address).cast(),
                size_of_val(&address) as libc::socklen_t,
            )
        })?;
        Ok(Self(socket))
    }

    /// The next packet, if there is one.
    ///
    /// # Errors
    /// What recvmsg(2) says.
    pub fn next(&self, buffer: &mut [u8]) -> io::Result<Option<Frame>> {
        let mut control = [0u64; 8];
        let mut part = libc::iovec {
            iov_base: buffer.as_mut_ptr().cast(),
            iov_len: buffer.len(),
        };
        // SAFETY: msghdr is plain data; all zero is a value of it.
        let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
        message.msg_iov = &mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = size_of_val(&control);
        // SAFETY: every pointer in `message` is valid for the length beside it through the call.
        let n = unsafe { libc::recvmsg(self.0.as_raw_fd(), &mut message, libc::MSG_DONTWAIT) };
        if n < 0 {
            let error = io::Error::last_os_error();
            return match error.kind() {
                io::ErrorKind::WouldBlock => Ok(None),
                _ => Err(error),
            };
        }
        // SAFETY: `message` was filled by recvmsg; the first header, if there is one, is inside
        // its control buffer, and the kernel wrote a whole tpacket_auxdata behind one of that type
        // (read unaligned).
        let told = unsafe {
            libc::CMSG_FIRSTHDR(&raw const message)
                .as_ref()
                .filter(|header| {
                    (header.cmsg_level, header.cmsg_type)
                        == (libc::SOL_PACKET, libc::PACKET_AUXDATA)
                })
                .map(|header| {
                    libc::CMSG_DATA(header)
                        .cast::<libc::tpacket_auxdata>()
                        .read_unaligned()
                })
        };
        Ok(Some(Frame {
            held: n as usize,
            length: told.map_or(n as usize, |told| told.tp_len as usize),
            unsummed: told.is_none_or(|told| told.tp_status & libc::TP_STATUS_CSUMNOTREADY != 0),
        }))
    }
}

/// A filter for UDP between two ports; offsets are those of RFC 791 and RFC 8200.
fn program(from: SocketAddr, to: SocketAddr) -> Vec<libc::sock_filter> {
    use libc::{BPF_ABS, BPF_B, BPF_H, BPF_IND, BPF_JEQ, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_W};
    const UDP: u32 = libc::IPPROTO_UDP as u32;
    /// More fragments, or an offset.
    const FRAGMENT: u32 = 0x3fff;
    // What is loaded, where from, and what it must be; none must have none of a fragment's bits.
    let mut tests: Vec<(u32, u32, Option<u32>)> = Vec::new();
    let mut lead = None;
    let ports = [from.port(), to.port()].map(u32::from);
    match (from.ip(), to.ip()) {
        (IpAddr::V4(from), IpAddr::V4(to)) => {
            tests.push((BPF_B | BPF_ABS, 9, Some(UDP)));
            tests.push((BPF_W | BPF_ABS, 12, Some(from.to_bits())));
            tests.push((BPF_W | BPF_ABS, 16, Some(to.to_bits())));
            tests.push((BPF_H | BPF_ABS, 6, None));
            // X is the length of the header.
            lead = Some((tests.len(), libc::BPF_LDX | BPF_B | libc::BPF_MSH, 0));
            tests.push((BPF_H | BPF_IND, 0, Some(ports[0])));
            tests.push((BPF_H | BPF_IND, 2, Some(ports[1])));
        }
        (from, to) => {
            tests.push((BPF_B | BPF_ABS, 6, Some(UDP)));
            for (address, at) in [(from, 8), (to, 24)] {
                let IpAddr::V6(address) = address else {
                    continue;
                };
                for (word, octets) in (0..).zip(address.octets().as_chunks::<4>().0) {
                    let value = u32::from_be_bytes(*octets);
                    tests.push((BPF_W | BPF_ABS, at + 4 * word, Some(value)));
                }
            }
            tests.push((BPF_H | BPF_ABS, 40, Some(ports[0])));
            tests.push((BPF_H | BPF_ABS, 42, Some(ports[1])));
        }
    }
    let statement = |code: u32, k, jt, jf| libc::sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    };
    let count = 2 * tests.len() + usize::from(lead.is_some());
    let mut program = Vec::with_capacity(count + 2);
    for (number, (load, at, wanted)) in tests.into_iter().enumerate() {
        if let Some((_, code, k)) = lead.filter(|(before, ..)| *before == number) {
            program.push(statement(code, k, 0, 0));
        }
        program.push(statement(BPF_LD | load, at, 0, 0));
        // To the last statement, which takes nothing.
        let away = (count - program.len()) as u8;
        program.push(match wanted {
            Some(value) => statement(BPF_JMP | BPF_JEQ | BPF_K, value, 0, away),
            None => statement(BPF_JMP | BPF_JSET | BPF_K, FRAGMENT, away, 0),
        });
    }
    program.push(statement(libc::BPF_RET | BPF_K, WHOLE, 0, 0));
    program.push(statement(libc::BPF_RET | BPF_K, 0, 0, 0));
    program
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr, UdpSocket};

    use super::*;

    #[test]
    fn only_the_flow_is_seen() {
        not_run::needs_root!();
        for host in [
            IpAddr::from(Ipv4Addr::LOCALHOST),
            Ipv6Addr::LOCALHOST.into(),
        ] {
            let bind = || UdpSocket::bind((host, 0)).unwrap();
            let (server, client, other) = (bind(), bind(), bind());
            let at = server.local_addr().unwrap();
            let tap = FrameTap::open(client.local_addr().unwrap(), at).unwrap();
            other.send_to(b"somebody else", at).unwrap();
            client.send_to(b"hello", at).unwrap();
            let header = if host.is_ipv4() { 28 } else { 48 };
            let mut buffer = [0; 128];
            let frame = tap.next(&mut buffer).unwrap().unwrap();
            assert_eq!((frame.held, frame.length), (header + 5, header + 5));
            // Loopback never sums.
            assert!(frame.unsummed);
            assert_eq!(&buffer[header..frame.held], b"hello");
            assert_eq!(tap.next(&mut buffer).unwrap(), None);
        }
    }
}
