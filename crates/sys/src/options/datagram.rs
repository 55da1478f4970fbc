//! Options that datagrams and their groups need.

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::os::fd::AsRawFd;

use socket2::{InterfaceIndexOrAddress, SockRef};
use units::Nanos;

use super::Options;
use crate::check;
use crate::socket::option;

impl Options<'_> {
    /// IP_TTL or IPV6_UNICAST_HOPS, by the socket's family.
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_ttl(self, ipv6: bool, ttl: u8) -> io::Result<()> {
        if ipv6 {
            SockRef::from(&self.0).set_unicast_hops_v6(ttl.into())
        } else {
            SockRef::from(&self.0).set_ttl_v4(ttl.into())
        }
    }

    /// IP_MULTICAST_TTL or IPV6_MULTICAST_HOPS, by the socket's family.
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_multicast_ttl(self, ipv6: bool, ttl: u8) -> io::Result<()> {
        if ipv6 {
            SockRef::from(&self.0).set_multicast_hops_v6(ttl.into())
        } else {
            SockRef::from(&self.0).set_multicast_ttl_v4(ttl.into())
        }
    }

    /// Joins `group` on an interface, or on the one that the routing table names; with `source`
    /// only what that address sends.
    ///
    /// # Errors
    /// What setsockopt(2) says; ENODEV for an interface that there is not.
    pub fn join(
        self,
        group: IpAddr,
        source: Option<IpAddr>,
        interface: Option<&str>,
    ) -> io::Result<()> {
        let index = interface.map(interface_index).transpose()?.unwrap_or(0);
        let socket = SockRef::from(&self.0);
        match (group, source) {
            (IpAddr::V4(group), None) => {
                // What was joined by others on this host is not for us.
                option(&self.0, libc::IPPROTO_IP, libc::IP_MULTICAST_ALL, 0)?;
                socket.join_multicast_v4_n(&group, &InterfaceIndexOrAddress::Index(index))
            }
            (IpAddr::V6(group), None) => socket.join_multicast_v6(&group, index),
            (group, Some(source)) => self.join_source(group, source, index),
        }
    }

    /// MCAST_JOIN_SOURCE_GROUP, which has one layout for both families.
    fn join_source(self, group: IpAddr, source: IpAddr, index: u32) -> io::Result<()> {
        /// struct group_source_req in include/uapi/linux/in.h.
        #[repr(C)]
        struct Request {
            interface: u32,
            group: libc::sockaddr_storage,
            source: libc::sockaddr_storage,
        }
        let storage = |address: IpAddr| {
            // SAFETY: sockaddr_storage is plain data; all zero is a value of it.
            let mut storage: libc::sockaddr_storage = unsafe { std::mem::zeroed() };
            let address = socket2::SockAddr::from(std::net::SocketAddr::new(address, 0));
            // SAFETY: the source holds `len` bytes, no more than a storage has.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    address.as_ptr().cast::<u8>(),
                    (&raw mut storage).cast::<u8>(),
                    address.len() as usize,
                );
            }
            storage
        };
        let request = Request {
            interface: index,
            group: storage(group),
            source: storage(source),
        };
        let level = match group {
            IpAddr::V4(_) => libc::IPPROTO_IP,
            IpAddr::V6(_) => libc::IPPROTO_IPV6,
        };
        // SAFETY: `request` is readable for the length passed.
        check(unsafe {
            libc::setsockopt(
                self.0.as_raw_fd(),
                level,
                libc::MCAST_JOIN_SOURCE_GROUP,
                (&raw const request).cast(),
                size_of::<Request>() as libc::socklen_t,
            )
        })?;
        Ok(())
    }

    /// Multicast leaves by the interface that has this address.
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_multicast_interface(self, address: Ipv4Addr) -> io::Result<()> {
        SockRef::from(&self.0).set_multicast_if_v4(&address)
    }

    /// SO_RCVTIMEO: how long a blocking receive waits before it says EAGAIN.
    ///
    /// # Errors
    /// What setsockopt(2) says.
    pub fn set_receive_timeout(self, time: Nanos) -> io::Result<()> {
        SockRef::from(&self.0).set_read_timeout(Some(time.into()))
    }
}

/// The kernel's number of an interface.
///
/// # Errors
/// ENODEV where there is none of that name.
pub fn interface_index(interface: &str) -> io::Result<u32> {
    let name = std::ffi::CString::new(interface)
        .map_err(|_| io::Error::from_raw_os_error(libc::ENODEV))?;
    // SAFETY: `name` is a C string that lives through the call.
    match unsafe { libc::if_nametoindex(name.as_ptr()) } {
        0 => Err(io::Error::last_os_error()),
        index => Ok(index),
    }
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;

    use super::*;

    #[test]
    fn a_group_is_joined_on_loopback() {
        let receiver = UdpSocket::bind("0.0.0.0:0").unwrap();
        let port = receiver.local_addr().unwrap().port();
        receiver
            .set_read_timeout(Some(std::time::Duration::from_secs(5)))
            .unwrap();
        let options = Options::of(&receiver);
        options
            .join("239.255.19.7".parse().unwrap(), None, Some("lo"))
            .unwrap();
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        Options::of(&sender)
            .set_multicast_interface(Ipv4Addr::LOCALHOST)
            .unwrap();
        Options::of(&sender).set_multicast_ttl(false, 1).unwrap();
        sender.send_to(b"group", ("239.255.19.7", port)).unwrap();
        assert_eq!(receiver.recv(&mut [0; 16]).unwrap(), 5);
        let none = Options::of(&receiver).join("239.1.1.1".parse().unwrap(), None, Some("nosuch0"));
        assert_eq!(none.unwrap_err().raw_os_error(), Some(libc::ENODEV));
        Options::of(&receiver)
            .join(
                "232.1.2.3".parse().unwrap(),
                Some("127.0.0.1".parse().unwrap()),
                Some("lo"),
            )
            .unwrap();
    }

    #[test]
    fn a_receive_ends_when_its_time_is_over() {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        Options::of(&socket)
            .set_receive_timeout(Nanos::from_millis(5))
            .unwrap();
        let error = crate::recv(&socket, &mut [0; 8], crate::Wait::Block).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
    }
}
