//! Socket options: setters, and getters for what the kernel made of them.

mod datagram;
mod stream;

pub use datagram::interface_index;

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::time::Duration;

use socket2::SockRef;
use units::{BitRate, Bytes, Nanos};

use crate::check;
use crate::socket::option;

/// The options of one socket.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a>(BorrowedFd<'a>);

impl<'a> Options<'a> {
    /// The options of `socket`.
    pub fn of(socket: &'a impl AsFd) -> Self {
        Self(socket.as_fd())
    }

    /// SO_SNDBUF.
    ///
    /// # Errors
    /// What setsockopt(2) says; a value above net.core.wmem_max is cut without error.
    pub fn set_sndbuf(self, size: Bytes) -> io::Result<()> {
        SockRef::from(&self.0).set_send_buffer_size(size.len())
    }

    /// SO_RCVBUF.
    ///
    /// # Errors
    /// What setsockopt(2) says; a value above net.core.rmem_max is cut without error.
    pub fn set_rcvbuf(self, size: Bytes) -> io::Result<()> {
        SockRef::from(&self.0).set_recv_buffer_size(size.len())
    }

    /// SO_SNDBUF as the kernel keeps it, bookkeeping included.
    ///
    /// # Errors
    /// What getsockopt(2) says.
    pub fn sndbuf(self) -> io::Result<Bytes> {
        SockRef::from(&self.0)
            .send_buffer_size()
            .map(|n| Bytes::new(n as u64))
    }

    /// SO_RCVBUF as the kernel keeps it, bookkeeping included.
    ///
    /// # Errors
    /// What getsockopt(2) says.
    pub fn rcvbuf(self) -> io::Result<Bytes> {
        SockRef::from(&self.0)
            .recv_buffer_size()
            .map(|n| Bytes::new(n as u64))
    }

    /// TCP_MAXSEG; before connecting it caps the segments of both directions.
    ///
    /// # Errors
    /// EINVAL outside 88 … 32767 (net/ipv4/tcp.c, TCP_MIN_MSS and MAX_TCP_WINDOW).
    pub fn set_mss(self, size: Bytes) -> io::Result<()> {
        option(
            &self.0,
            libc::IPPROTO_TCP,
            libc::TCP_MAXSEG,
            int(size.get())?,
        )
    }

    /// TCP_MAXSEG in force.
    ///
    /// # Errors
    /// What getsockopt(2) says.
    pub fn mss(self) -> io::Result<Bytes> {
        SockRef::from(&self.0)
            .tcp_mss()
            .map(|n| Bytes::new(u64::from(n)))
    }

    /// TCP_NODELAY.
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_nodelay(self) -> io::Result<()> {
        SockRef::from(&self.0).set_tcp_nodelay(true)
    }

    /// TCP_CONGESTION.
    ///
    /// # Errors
    /// ENOENT when the kernel has no such module, EPERM when it is not allowed for this user.
    pub fn set_congestion_control(self, name: &str) -> io::Result<()> {
        SockRef::from(&self.0).set_tcp_congestion(name.as_bytes())
    }

    /// TCP_CONGESTION in force.
    ///
    /// # Errors
    /// What getsockopt(2) says.
    pub fn congestion_control(self) -> io::Result<String> {
        let name = SockRef::from(&self.0).tcp_congestion()?;
        let name: Vec<u8> = name.into_iter().take_while(|b| *b != 0).collect();
        Ok(String::from_utf8_lossy(&name).into_owned())
    }

    /// IP_TOS or IPV6_TCLASS, by the socket's family.
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_tos(self, ipv6: bool, tos: u8) -> io::Result<()> {
        if ipv6 {
            SockRef::from(&self.0).set_tclass_v6(u32::from(tos))
        } else {
            SockRef::from(&self.0).set_tos_v4(u32::from(tos))
        }
    }

    /// SO_DONTROUTE.
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_dontroute(self) -> io::Result<()> {
        option(&self.0, libc::SOL_SOCKET, libc::SO_DONTROUTE, 1)
    }

    /// SO_BINDTODEVICE.
    ///
    /// # Errors
    /// ENODEV when there is no such interface, EPERM without CAP_NET_RAW.
    pub fn set_device(self, name: &str) -> io::Result<()> {
        SockRef::from(&self.0).bind_device(Some(name.as_bytes()))
    }

    /// SO_MAX_PACING_RATE, which the kernel keeps in bytes per second.
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_pacing(self, rate: BitRate) -> io::Result<()> {
        let bytes = rate.bytes_per_second();
        // SAFETY: `bytes` is readable for the length passed.
        check(unsafe {
            libc::setsockopt(
                self.0.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_MAX_PACING_RATE,
                (&raw const bytes).cast(),
                size_of::<u64>() as libc::socklen_t,
            )
        })?;
        Ok(())
    }

    /// SO_MAX_PACING_RATE in force; none when not limited.
    ///
    /// # Errors
    /// What getsockopt(2) says.
    pub fn pacing(self) -> io::Result<Option<BitRate>> {
        let mut bytes = 0u64;
        let mut length = size_of::<u64>() as libc::socklen_t;
        // SAFETY: `bytes` is writable for `length` bytes.
        check(unsafe {
            libc::getsockopt(
                self.0.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_MAX_PACING_RATE,
                (&raw mut bytes).cast(),
                &mut length,
            )
        })?;
        // Kernels that keep 32 bits answer with four bytes; ~0 means no limit in both widths.
        let limited = if length == 4 {
            bytes != u64::from(u32::MAX)
        } else {
            bytes != u64::MAX
        };
        Ok(limited.then(|| BitRate::new(bytes.saturating_mul(8))))
    }

    /// Keep-alive probes after `idle`, and an end of the connection when written data or a probe
    /// stays unanswered for `dead` (TCP_USER_TIMEOUT).
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_keepalive(self, idle: Nanos, dead: Nanos) -> io::Result<()> {
        let keepalive = socket2::TcpKeepalive::new()
            .with_time(idle.into())
            .with_interval(Duration::from_secs(1))
            .with_retries(3);
        SockRef::from(&self.0).set_tcp_keepalive(&keepalive)?;
        SockRef::from(&self.0).set_tcp_user_timeout(Some(dead.into()))
    }

    /// TCP_USER_TIMEOUT: how long written data may stay unacknowledged.
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_user_timeout(self, time: Nanos) -> io::Result<()> {
        SockRef::from(&self.0).set_tcp_user_timeout(Some(time.into()))
    }

    /// SO_KEEPALIVE with those times that are given, and the system's for the others.
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_keepalive_times(
        self,
        idle: Option<Nanos>,
        interval: Option<Nanos>,
        count: Option<u32>,
    ) -> io::Result<()> {
        let mut keepalive = socket2::TcpKeepalive::new();
        if let Some(idle) = idle {
            keepalive = keepalive.with_time(idle.into());
        }
        if let Some(interval) = interval {
            keepalive = keepalive.with_interval(interval.into());
        }
        if let Some(count) = count {
            keepalive = keepalive.with_retries(count);
        }
        SockRef::from(&self.0).set_tcp_keepalive(&keepalive)
    }

    /// UDP_SEGMENT: a send of more than `size` bytes becomes datagrams of `size` bytes.
    ///
    /// # Errors
    /// ENOPROTOOPT on kernels before 4.18.
    pub fn set_segment(self, size: Bytes) -> io::Result<()> {
        let size = int(size.get())?;
        option(&self.0, libc::SOL_UDP, libc::UDP_SEGMENT, size)
    }

    /// UDP_GRO: one receive may give several datagrams of one size, one behind the other.
    ///
    /// # Errors
    /// ENOPROTOOPT on kernels before 5.0.
    pub fn set_gro(self) -> io::Result<()> {
        option(&self.0, libc::SOL_UDP, libc::UDP_GRO, 1)
    }

    /// IPV6_FLOWLABEL_MGR and IPV6_FLOWINFO_SEND: the label, which the socket then carries when
    /// it connects to an address with it.
    ///
    /// # Errors
    /// EPERM where the label is another user's; what setsockopt(2) says.
    pub fn set_flow_label(self, label: u32, peer: std::net::Ipv6Addr) -> io::Result<()> {
        /// IPV6_FLOWINFO_SEND and IPV6_FL_F_CREATE in include/uapi/linux/in6.h.
        const SEND: i32 = 33;
        const CREATE: u16 = 1;
        self.manage_flow_label(label, peer, CREATE)?;
        option(&self.0, libc::IPPROTO_IPV6, SEND, 1)
    }

    /// Connections of this TCP listener carry the flow label that their client's carry.
    ///
    /// # Errors
    /// EPERM where net.ipv6.flowlabel_consistency is on, as it usually is; EOPNOTSUPP where the
    /// listener is of Multipath TCP.
    pub fn reflect_flow_labels(self) -> io::Result<()> {
        /// IPV6_FL_F_REFLECT in include/uapi/linux/in6.h.
        const REFLECT: u16 = 4;
        self.manage_flow_label(0, std::net::Ipv6Addr::UNSPECIFIED, REFLECT)
    }

    fn manage_flow_label(self, label: u32, peer: std::net::Ipv6Addr, flags: u16) -> io::Result<()> {
        /// IPV6_FLOWLABEL_MGR in include/uapi/linux/in6.h.
        const MANAGER: i32 = 32;
        /// struct in6_flowlabel_req in include/uapi/linux/in6.h.
        #[repr(C)]
        struct Request {
            address: [u8; 16],
            label: u32,
            action: u8,
            share: u8,
            flags: u16,
            expires: u16,
            linger: u16,
            pad: u32,
        }
        let request = Request {
            address: peer.octets(),
            label: label.to_be(),
            // IPV6_FL_A_GET, IPV6_FL_S_ANY.
            action: 0,
            share: 255,
            flags,
            expires: 0,
            linger: 0,
            pad: 0,
        };
        // SAFETY: `request` is readable for the length passed.
        check(unsafe {
            libc::setsockopt(
                self.0.as_raw_fd(),
                libc::IPPROTO_IPV6,
                MANAGER,
                (&raw const request).cast(),
                size_of::<Request>() as libc::socklen_t,
            )
        })
        .map(drop)
    }

    /// SO_KEEPALIVE with the system's own times.
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_default_keepalive(self) -> io::Result<()> {
        SockRef::from(&self.0).set_keepalive(true)
    }

    /// SO_PRIORITY.
    ///
    /// # Errors
    /// EPERM for a priority above 6 without CAP_NET_ADMIN.
    pub fn set_priority(self, priority: u32) -> io::Result<()> {
        option(
            &self.0,
            libc::SOL_SOCKET,
            libc::SO_PRIORITY,
            int(priority.into())?,
        )
    }

    /// TCP_FASTOPEN of a listener: how many connections may wait with data in their SYN.
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_fastopen_queue(self, most: u32) -> io::Result<()> {
        option(
            &self.0,
            libc::IPPROTO_TCP,
            libc::TCP_FASTOPEN,
            int(most.into())?,
        )
    }

    /// TCP_FASTOPEN_CONNECT: the SYN waits for the first write and takes its data along, once the
    /// peer's cookie is known.
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_fastopen_connect(self) -> io::Result<()> {
        option(
            &self.0,
            libc::IPPROTO_TCP,
            libc::TCP_FASTOPEN_CONNECT,
            int(1)?,
        )
    }

    /// TCP_DEFER_ACCEPT: a listener hears of a connection with its first data, or after `time`.
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_defer_accept(self, time: Nanos) -> io::Result<()> {
        let seconds = int(time.get() / 1_000_000_000)?;
        option(&self.0, libc::IPPROTO_TCP, libc::TCP_DEFER_ACCEPT, seconds)
    }

    /// TCP_CORK: segments that are not full wait.
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_cork(self) -> io::Result<()> {
        option(&self.0, libc::IPPROTO_TCP, libc::TCP_CORK, 1)
    }

    /// IP_MTU_DISCOVER or its IPv6 sister: packets are never fragmented here or on the way.
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_mtu_discover(self, ipv6: bool) -> io::Result<()> {
        if ipv6 {
            option(
                &self.0,
                libc::IPPROTO_IPV6,
                libc::IPV6_MTU_DISCOVER,
                libc::IPV6_PMTUDISC_DO,
            )
        } else {
            option(
                &self.0,
                libc::IPPROTO_IP,
                libc::IP_MTU_DISCOVER,
                libc::IP_PMTUDISC_DO,
            )
        }
    }

    /// Datagrams that the kernel dropped on this socket for want of buffer: the counter that
    /// SO_RXQ_OVFL attaches to datagrams, read by SO_MEMINFO so that the data path does not pay.
    ///
    /// # Errors
    /// ENOPROTOOPT on kernels before 4.12.
    pub fn drops(self) -> io::Result<u64> {
        /// SK_MEMINFO_DROPS in include/uapi/linux/sock_diag.h.
        const DROPS: usize = 8;
        let mut info = [0u32; 16];
        let mut length = size_of_val(&info) as libc::socklen_t;
        // SAFETY: `info` is writable for `length` bytes.
        check(unsafe {
            libc::getsockopt(
                self.0.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_MEMINFO,
                info.as_mut_ptr().cast(),
                &mut length,
            )
        })?;
        if (length as usize) <= DROPS * size_of::<u32>() {
            return Err(io::Error::from_raw_os_error(libc::ENOPROTOOPT));
        }
        Ok(u64::from(info[DROPS]))
    }
}

fn int(value: u64) -> io::Result<i32> {
    i32::try_from(value).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
}

#[cfg(test)]
mod tests {
    use std::net::{SocketAddr, UdpSocket};

    use super::*;

    #[test]
    fn what_is_set_can_be_read_back() {
        let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
        let socket = crate::tcp_socket(any).unwrap();
        let options = Options::of(&socket);
        assert_eq!(options.pacing().unwrap(), None);
        options.set_pacing(BitRate::new(24_000_000)).unwrap();
        assert_eq!(options.pacing().unwrap(), Some(BitRate::new(24_000_000)));
        options.set_sndbuf(Bytes::new(65536)).unwrap();
        assert_eq!(options.sndbuf().unwrap(), Bytes::new(131072));
        options.set_congestion_control("reno").unwrap();
        assert_eq!(options.congestion_control().unwrap(), "reno");
        let error = options.set_congestion_control("nosuchthing").unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ENOENT));
        assert!(options.set_device("nosuchdevice0").is_err());
    }

    #[test]
    fn drops_of_a_full_socket_are_counted() {
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        let options = Options::of(&receiver);
        options.set_rcvbuf(Bytes::new(4096)).unwrap();
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        assert_eq!(options.drops().unwrap(), 0);
        for _ in 0..200 {
            sender
                .send_to(&[0; 1000], receiver.local_addr().unwrap())
                .unwrap();
        }
        receiver.set_nonblocking(true).unwrap();
        let mut kept = 0;
        while receiver.recv(&mut [0; 1000]).is_ok() {
            kept += 1;
        }
        assert_eq!(options.drops().unwrap(), 200 - kept);
    }
}
