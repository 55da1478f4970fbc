//! Interfaces of the calling thread's network namespace.

use std::net::IpAddr;

use record::InterfaceCounters;
use sys::rtnetlink::{Link, Rtnetlink};

/// The interface through which packets to `address` leave; the loopback for the host's own
/// addresses.
pub fn towards(address: IpAddr) -> Option<String> {
    let mut netlink = Rtnetlink::open().ok()?;
    let index = netlink.interface_towards(address).ok()?;
    Some(netlink.link_by_index(index).ok()?.name)
}

/// What the interface counted so far.
pub fn counters(name: &str) -> Option<InterfaceCounters> {
    link(name)?.counters
}

pub(crate) fn link(name: &str) -> Option<Link> {
    Rtnetlink::open().ok()?.link(name).ok()
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;

    use super::*;

    #[test]
    fn a_datagram_to_ourselves_is_counted_on_the_loopback() {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        let name = towards(address.ip()).unwrap();
        assert_eq!(name, "lo");
        let before = counters(&name).unwrap();
        socket.send_to(&[0; 100], address).unwrap();
        let added = counters(&name).unwrap().since(before);
        // Other tests may use the loopback too. It counts the packet from its IP header on.
        assert!(added.tx_packets >= 1 && added.tx_bytes >= 128, "{added:?}");
        assert!(added.rx_packets >= 1, "{added:?}");
    }

    #[test]
    fn what_is_not_there_is_none() {
        assert_eq!(counters("no-such-if"), None);
    }

    #[test]
    fn a_thread_in_another_namespace_sees_that_one() {
        not_run::needs_root!();
        std::thread::spawn(|| {
            let _ns = sys::netns::NetNs::unshare().unwrap();
            let lo = counters("lo").unwrap();
            assert_eq!(lo, InterfaceCounters::default());
            assert_eq!(towards("192.0.2.1".parse().unwrap()), None);
        })
        .join()
        .unwrap();
    }
}
